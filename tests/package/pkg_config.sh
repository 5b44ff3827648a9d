#!/bin/sh
# Builds and runs the consumer with the flags from pkg-config: pkg_config.sh CXX PREFIX SOURCE PROGRAM
set -eu
export PKG_CONFIG_PATH="$2/share/pkgconfig"
[ "$(pkg-config --modversion warpsafe)" = "$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/warpsafe.pc")" ]
# shellcheck disable=SC2046  # flags are words
"$1" -std=c++20 $(pkg-config --cflags warpsafe) "$3" -o "$4" -lboost_context -pthread
"$4" 2
