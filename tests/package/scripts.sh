#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
# Runs the scripts' set-up in environments that users have: scripts.sh SOURCE FOLDER
set -euo pipefail
source=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/elsewhere"/{tests,bench,docs,examples/distributed} "$folder/bin" "$folder/work"
failed=0
expect() { # WHAT IS SHOULD_BE
  [[ $2 == "$3" ]] || { printf '%s: %s, expected %s\n' "$1" "$2" "$3"; failed=1; }
}

# The user's cd may lead elsewhere.
cd "$source"
for script in tests/run tests/lint tests/mutation/run bench/run docs/run examples/run examples/distributed/run; do
  expect "$script with CDPATH" "$(CDPATH=$folder/elsewhere bash "$script" --help 2>&1 | grep -c 'No such file' || true)" 0
done

# What `full` begins with once its minutes have gone.
in_time() { # MINUTES_GONE LABELS: whether there is time for tsan
  bash -euo pipefail -c "labels=($2) too_late=() SECONDS=$((60 * $1)) WARPSAFE_TEST_MINUTES=10
    $(sed -n '/^has_time()/,/^}/p' tests/run)
    has_time tsan && echo yes || echo \"no \${too_late[*]}\""
}
expect "tsan after nine minutes" "$(in_time 9 full)" yes
expect "tsan after ten minutes" "$(in_time 10 full)" "no tsan"
expect "tsan by its own name" "$(in_time 99 unit)" yes

# A hook of git exports its repository.
kept=$(GIT_DIR=/none GIT_INDEX_FILE=/none LC_ALL=de_DE NINJA_STATUS=x bash -c \
  'source cmake/setup.sh; echo "${GIT_DIR-}${GIT_INDEX_FILE-}${NINJA_STATUS-}$LC_ALL"' 2> /dev/null)
expect "the environment" "$kept" C.UTF-8

# A cmake that prints its options, and a ccache that works or fails.
cd "$folder/work"
printf '#!/bin/sh\nprintf "%%s\\n" "-- No $*"\n' > ../bin/cmake
printf '#!/bin/sh\n[ -z "$BROKEN" ] || { echo "no folder" >&2; exit 1; }\nexec "$@"\n' > ../bin/ccache
printf '#!/bin/sh\n' > ../bin/ninja
chmod +x ../bin/*
configured() { # VARIABLE=VALUE...: what configure says there
  env -u CXX -u CMAKE_CXX_COMPILER_LAUNCHER PATH="$folder/bin:$PATH" "$@" bash -euo pipefail -c \
    'source "$0/cmake/setup.sh"; configure here debug' "$source" 2>&1
}
launcher() { configured "$@" | sed -n "s/^-- No .*-DCMAKE_CXX_COMPILER_LAUNCHER=\([^ ]*\).*/<\1>/p"; }
expect "ccache" "$(launcher A=)" '<ccache>'
expect "a ccache that fails" "$(launcher BROKEN=1)" '<>'
expect "what it says" "$(configured BROKEN=1 | grep -c 'ccache does not work here.*no folder')" 1
expect "the user's launcher" "$(launcher CMAKE_CXX_COMPILER_LAUNCHER=mine)" '<mine>'

# An apt-get that shows its progress, and installs a part or fails.
cat > ../bin/apt-get << 'END'
#!/bin/sh
echo "apt-get $*" >> calls
[ -z "$BROKEN" ] || exit 100
case "$*" in *" install "*) printf 'Reading\npmstatus:part:50.5:Unpacking part\n'; touch part ;; esac
END
printf '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n' > ../bin/sudo
chmod +x ../bin/*
set_up() { # OPTION VARIABLE=VALUE: what set_up says where a file is missing, and its status
  rm -f part calls
  env PATH="$folder/bin:$PATH" "$2" bash -euo pipefail -c 'source "$0/cmake/setup.sh"; common_options tests/run $1; status=0
    set_up "$PWD/part|the-part|the build" || status=$?; echo "$status"' "$source" "$1" 2>&1
}
expect "an installation" "$(set_up '' A= | grep -c '^== installing .*apt-get install --no-install-recommends the-part$\|^0$')" 2
expect "an installation that fails" "$(set_up '' BROKEN=1 | grep -c 'missing: the-part (apt-get could not install it)\|^1$')" 2
expect "--no-install" "$(set_up --no-install A= | tail -n 2 | paste -sd' ')" 'sudo apt-get install --no-install-recommends the-part 1'
expect "apt-get with --no-install" "$(cat calls 2> /dev/null)" ''

# CMake takes the compiler and the generator of a folder once.
cache() { # COMPILER GENERATOR VARIABLE: whether the cache stays
  mkdir -p build/here
  printf 'CMAKE_CXX_COMPILER:FILEPATH=%s\nCMAKE_GENERATOR:INTERNAL=%s\n' "$1" "$2" > build/here/CMakeCache.txt
  configured "$3" > /dev/null
  [[ -e build/here/CMakeCache.txt ]] && echo stays || echo goes
}
gxx=$(command -v g++)
expect "the same compiler" "$(cache "$gxx" Ninja CXX=g++)" stays
expect "any compiler" "$(cache /none/clang++ Ninja A=)" stays
expect "another compiler" "$(cache /none/clang++ Ninja CXX=g++)" goes
expect "another generator" "$(cache "$gxx" 'Unix Makefiles' CXX=g++)" goes
exit "$failed"
