#!/bin/sh
# Builds and runs the consumer with the flags from pkg-config: pkg_config.sh CXX PREFIX SOURCE PROGRAM
set -eu
export PKG_CONFIG_PATH="$2/share/pkgconfig"
[ "$(pkg-config --modversion warpsafe)" = "$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/warpsafe.pc")" ]
# What only includes the headers links nothing.
[ -z "$(pkg-config --libs warpsafe)" ]
# On x86-64 the host backend takes nothing from Boost.Context.
if [ "$(uname -m)" = x86_64 ]; then
  [ "$(pkg-config --libs-only-l warpsafe-host)" = "" ]
  # shellcheck disable=SC2046  # flags are words
  "$1" -std=c++20 $(pkg-config --cflags warpsafe-host) -M "$3" -o "$4.d"
  if grep boost/context "$4.d"; then exit 1; fi
fi
# shellcheck disable=SC2046  # flags are words
"$1" -std=c++20 $(pkg-config --cflags warpsafe-host) "$3" -o "$4" $(pkg-config --libs warpsafe-host)
"$4" 1
