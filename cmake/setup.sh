# shellcheck shell=bash disable=SC2034  # the arrays and answers are for the scripts that read this
# Sourced by tests/run, examples/run, bench/run and docs/run. Installs what they need if possible;
# otherwise says what is left out.

# What the user's environment must not change: where `cd` leads, the progress that show_progress reads, the language of
# the compilers' errors, and the repository. A hook of git exports its own, and a test's commit would go there.
unset CDPATH NINJA_STATUS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX
export LC_ALL=C.UTF-8

may_install=yes to_paste=''

# The parts, as 'probe|Debian package|what is left out without it'. A probe is
#   NAME            a command on PATH
#   <header>        a header that g++ finds
#   -lNAME          a library that g++ links
#   -fNAME          an option with which clang++ makes a program
#   python3:MODULE  a module of Python; sphinx:MODULE is one of the Python that Sphinx runs on
#   /path           a file
need_build=('cmake|cmake|the build'
  'g++|g++|the build'
  '<boost/outcome.hpp>|libboost-dev|the build'
  'ninja|ninja-build|nothing: make builds instead')
need_tests=('python3|python3|the tests'
  '<gmock/gmock.h>|libgmock-dev|the tests'
  '-lgmock|libgmock-dev|the tests'
  '<gtest/gtest.h>|libgtest-dev|the tests'
  '<fmt/format.h>|libfmt-dev|the formatters of {fmt}'
  '<spdlog/spdlog.h>|libspdlog-dev|the sink for spdlog'
  '<nlohmann/json.hpp>|nlohmann-json3-dev|warpsafe-diff and the tests that read JSON'
  'python3:ensurepip|python3-venv|the test of the Conan package'
  '/usr/lib/python3/dist-packages/clang/cindex.py|python3-clang-19|the tests of warpsafe-lint'
  'valgrind|valgrind|the counts of executed instructions'
  'clang++|clang|the tests with clang++, and those of the CUDA path'
  '-fsanitize=thread|libclang-rt-dev|the tests under sanitizers'
  'clang-format|clang-format|the check of the format'
  'clang-tidy|clang-tidy|the check by clang-tidy'
  'pkg-config|pkg-config|the test of warpsafe.pc'
  'gdb|gdb|the tests of the gdb printers'
  'hipcc|hipcc|what is compiled for AMD devices'
  '<hip/hip_runtime_api.h>|libamdhip64-dev|the HIP backend'
  '<hsa/hsa.h>|libhsa-runtime-dev|the tests that run AMD software without a GPU'
  'mpicxx|libopenmpi-dev|the examples all_reduce and distributed'
  'mpirun|openmpi-bin|the examples all_reduce and distributed')
# On x86-64 the host backend does without Boost.Context.
if [[ $(uname -m) == x86_64 ]]; then
  need_tests+=('-lboost_context|libboost-context-dev|the tests with Boost'\''s fibres')
else
  need_build+=('-lboost_context|libboost-context-dev|the host backend, its tests and its examples')
fi
need_amd=('-lhiprand|libhiprand-dev|hipRAND over AMD'\''s runtime' '<rocrand/rocrand.h>|librocrand-dev|hipRAND over AMD'\''s runtime'
  '-lhipblas|libhipblas-dev|hipBLAS over AMD'\''s runtime'
  '-lrocblas|librocblas-dev|rocBLAS over AMD'\''s runtime' '-lhipsparse|libhipsparse-dev|hipSPARSE over AMD'\''s runtime'
  '-lrocsparse|librocsparse-dev|rocSPARSE over AMD'\''s runtime' '-lhipfft|libhipfft-dev|hipFFT over AMD'\''s runtime'
  '-lrocfft|librocfft-dev|rocFFT over AMD'\''s runtime' '-lMIOpen|libmiopen-dev|MIOpen over AMD'\''s runtime')
need_docs=('sphinx-build|python3-sphinx|the site' 'sphinx:myst_parser|python3-myst-parser|the site'
  'doxygen|doxygen|the site')
need_site=('chromium|chromium|the look at the site in a browser')
need_proofs=('z3|z3|the proofs of the arithmetic and of the limits')
need_fuzz=('-fsanitize=fuzzer,address|libclang-rt-dev|the harnesses of libFuzzer')
need_mutation=('clang++|clang|the mutants' 'ninja|ninja-build|the mutants' '/usr/lib/python3/dist-packages/clang/cindex.py|python3-clang-19|the mutants')
need_coverage=('gcovr|gcovr|the report of coverage')
need_distro=('mmdebstrap|mmdebstrap|the other Debian releases')
need_bench=('<benchmark/benchmark.h>|libbenchmark-dev|the benchmarks')

say() { printf '== %s\n' "$*"; }

# print_help SCRIPT: the comment at its beginning.
print_help() { sed -n '2,/^set/s/^# \{0,1\}//p' "$1"; }

# common_options SCRIPT "$@": sets `words` to the arguments without --no-install, which it obeys. Prints the script's help
# and ends, if the first argument is --help.
common_options() {
  local script=$1 word
  shift
  if [[ ${1-} == --help || ${1-} == -h ]]; then
    print_help "$script"
    exit 0
  fi
  words=()
  for word in "$@"; do
    if [[ $word == --no-install ]]; then may_install=no; else words+=("$word"); fi
  done
}

# The Python interpreter of sphinx-build, from its first line; a machine may have several.
sphinx_python() { sed -n '1s/^#!\([^ ]*\).*/\1/p' "$(command -v sphinx-build)"; }

# Succeeds if the probe finds its part.
have() {
  case $1 in
    '<'*) command -v g++ > /dev/null &&
      printf '#if !__has_include(%s)\n#error\n#endif\n' "$1" |
      g++ -E -x c++ - > /dev/null 2>&1 ;;
    -l*) command -v g++ > /dev/null &&
      g++ -x c++ - "$1" -o /dev/null <<< 'int main() {}' > /dev/null 2>&1 ;;
    -f*) command -v clang++ > /dev/null &&
      printf '%s\n' 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, decltype(sizeof 0)) { return 0; }' \
        "$([[ $1 == *fuzzer* ]] || echo 'int main() {}')" |
      clang++ -x c++ - "$1" -o /dev/null > /dev/null 2>&1 ;;
    sphinx:*) command -v sphinx-build > /dev/null && "$(sphinx_python)" -c "import ${1#*:}" 2> /dev/null ;;
    python3:*) python3 -c "import ${1#*:}" 2> /dev/null ;;
    /*) [[ -e $1 ]] ;;
    *) command -v "$1" > /dev/null ;;
  esac
}

# Prints the missing parts, one per line.
missing_parts() {
  local part
  for part in "$@"; do have "${part%%|*}" || printf '%s\n' "$part"; done
}

# Prints the packages of the missing parts, one per line.
missing() { missing_parts "$@" | cut -d '|' -f 2 | sort -u; }

# Runs apt-get as root, without questions. Shows its progress: one moving line on a terminal, otherwise a line every 30
# seconds. Its output goes to the file `log`.
run_apt() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o APT::Status-Fd=1 \
    "$@" 2>&1 | tee "$log" | show_apt_progress
  return "${PIPESTATUS[0]}"
}

# Reads apt-get's output, and shows what it has for APT::Status-Fd: dlstatus or pmstatus, the package, the per cent done, words.
show_apt_progress() {
  local kind percent rest said='' began=$SECONDS shown=0 tty=''
  [[ ! -t 1 ]] || tty=yes
  while IFS=: read -r kind _ percent rest; do
    case $kind in
      dlstatus) said="downloading, ${percent%%.*} %" ;;
      pmstatus) said="installing, ${percent%%.*} %: $rest" ;;
      *) continue ;;
    esac
    if [[ $tty ]]; then
      printf '\r\033[K   %s' "${said:0:70}"
    elif ((SECONDS - began - shown >= 30)); then
      shown=$((SECONDS - began))
      printf '   %s, %d s\n' "$said" "$shown"
    fi
  done
  if [[ $tty && $said ]]; then printf '\r\033[K'; fi
}

# Installs packages with apt-get. Otherwise sets `why` to the reason and fails.
install_packages() {
  local root=() package failed=() log status=0 began=$SECONDS
  if ! command -v apt-get > /dev/null; then
    why='there is no apt-get'
    return 1
  fi
  if [[ $may_install == no ]]; then
    why='--no-install'
    return 1
  fi
  if ((EUID != 0)); then
    if ! command -v sudo > /dev/null; then
      why='this user is not root, and there is no sudo'
      return 1
    fi
    root=(sudo)
    [[ -t 0 ]] || root=(sudo -n) # nobody could type a password
    if ! "${root[@]}" true; then
      why='sudo refuses this user'
      return 1
    fi
  fi
  say "installing these packages (--no-install leaves them out): ${root[*]:+sudo }apt-get install --no-install-recommends $*"
  log=$(mktemp)
  run_apt update || say "apt-get update failed (no network?): $(grep -m 1 '^[EW]:' "$log")"
  # If all at once fails, installs one by one: then only the packages that this release lacks stay missing.
  if ! run_apt install -y --no-install-recommends "$@"; then
    for package in "$@"; do
      run_apt install -y --no-install-recommends "$package" || failed+=("$package")
    done
  fi
  rm -f "$log"
  say "installed in $((SECONDS - began)) s"
  why="apt-get could not install it"
  ((${#failed[@]} == 0))
}

# set_up PART...: installs the missing parts. Prints one line for each part that stays missing and what
# is left out without it. Fails only if the build needs such a part.
set_up() {
  local packages parts part name without why=''
  mapfile -t packages < <(missing "$@")
  ((${#packages[@]} == 0)) && return 0
  say "not found here: ${packages[*]}"
  install_packages "${packages[@]}" || true
  mapfile -t parts < <(missing_parts "$@" | cut -d '|' -f 2,3 | sort -u)
  for part in "${parts[@]}"; do
    IFS='|' read -r name without <<< "$part"
    say "missing: $name ($why); left out: $without"
  done
  # Where apt-get ran, the line would fail again.
  if ((${#parts[@]})) && [[ $why != 'apt-get could not install it' ]]; then
    mapfile -t packages < <(missing "$@")
    to_paste="sudo apt-get install --no-install-recommends ${packages[*]}"
  fi
  if printf '%s\n' "${parts[@]}" | grep -q '|the build$'; then
    say 'cannot build without these: install them, and run this again'
    say_what_to_paste
    return 1
  fi
}

# The last line of a script: how to install what it had to leave out.
say_what_to_paste() {
  if [[ $to_paste ]]; then
    say 'to install what is missing, paste this line:'
    printf '%s\n' "$to_paste"
  fi
}

# Puts nvcc on PATH if a toolkit is installed, and says what this machine can compile and run.
find_gpus() {
  command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
  has_nvcc=no has_nvidia_gpu=no has_amd_gpu=no
  if command -v nvcc > /dev/null; then
    has_nvcc=yes
    say "nvcc: $(nvcc --version | sed -n 's/.*release //p')"
  else
    say "no nvcc: the CUDA path is NOT compiled here (nothing installs it: get NVIDIA's toolkit)"
  fi
  if command -v nvidia-smi > /dev/null && nvidia-smi > /dev/null 2>&1; then
    has_nvidia_gpu=yes
    export CUDAARCHS=${CUDAARCHS-native} # CMake compiles for these
  fi
  # ROCm's emulator is a preloaded library that answers for /dev/kfd.
  if [[ -e /dev/kfd || ${LD_PRELOAD-} == *librocjitsu_kmd* ]]; then has_amd_gpu=yes; fi
  say "GPU: NVIDIA $has_nvidia_gpu, AMD $has_amd_gpu"
}

# compiler_launcher FOLDER: sets `launcher` to CMake's option for ccache. ccache fails, and all compilations with it, if its
# folder cannot be written, as in a home that is read-only. The user's own launcher stays.
compiler_launcher() {
  local chosen=${CMAKE_CXX_COMPILER_LAUNCHER-} said
  if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER+set} ]] && command -v ccache > /dev/null; then
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
    printf 'int unused;\n' > "$1/launcher.cpp"
    if said=$(ccache g++ -c "$1/launcher.cpp" -o "$1/launcher.o" 2>&1); then
      chosen=ccache
    else
      say "ccache does not work here, so the build does without: $(head -n 1 <<< "$said")"
    fi
    rm -f "$1/launcher.cpp" "$1/launcher.o"
  fi
  launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$chosen")
}

# forget_unless FOLDER NAME VALUE: forgets CMake's cache in the folder if its NAME is not VALUE. CMake takes the compiler
# and the generator of a folder once, and ignores or refuses others.
forget_unless() {
  local cached
  cached=$(sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt" 2> /dev/null) || return 0
  [[ $2 != CMAKE_CXX_COMPILER ]] || cached=$(command -v "$cached" || true)
  [[ $cached == "$3" ]] || rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
}

# configure FOLDER PRESET OPTION...: configures build/FOLDER; quiet unless it fails.
configure() {
  local folder=build/$1 preset=$2 generator=() launcher option compiler=${CXX-}
  shift 2
  mkdir -p "$folder"
  compiler_launcher "$folder"
  command -v ninja > /dev/null || generator=(-G 'Unix Makefiles')
  for option in "$@"; do [[ $option != -DCMAKE_CXX_COMPILER=* ]] || compiler=${option#*=}; done
  forget_unless "$folder" CMAKE_GENERATOR "${generator[1]-Ninja}"
  [[ -z $compiler ]] || forget_unless "$folder" CMAKE_CXX_COMPILER "$(command -v "${compiler%% *}")"
  set -- "${generator[@]}" "${launcher[@]}" "$@"
  say "configure: cmake --preset $preset -B $folder ${*@Q}"
  cmake --preset "$preset" -B "$folder" "$@" > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log"
    return 1
  }
  grep -E '^-- No ' "$folder/configure.log" || true
}

# build FOLDER TARGET...: builds in build/FOLDER, and continues after an error to report all of them.
# Shows progress: one moving line on a terminal, otherwise a line every 30 seconds. Writes the output
# to build/FOLDER/build.log, and shows its errors.
build() {
  local folder=build/$1 keep_going=(-k 0) status
  shift
  [[ -e $folder/build.ninja ]] || keep_going=(-k)
  say "build: $folder, $*"
  cmake --build "$folder" --target "$@" --parallel "$(nproc)" -- "${keep_going[@]}" 2>&1 |
    tee "$folder/build.log" | show_progress
  status=${PIPESTATUS[0]}
  ((status == 0)) || grep -E 'FAILED:|[Ee]rror|\*\*\*' "$folder/build.log" | head -n 40
  return "$status"
}

# Reads the output of ninja or make, and shows its progress.
show_progress() {
  local line step='' began=$SECONDS shown=-30 tty=''
  [[ ! -t 1 ]] || tty=yes
  while IFS= read -r line; do
    [[ $line =~ ^\[\ *([0-9]+(/[0-9]+|%))\] ]] || continue
    step=${BASH_REMATCH[1]/\// of }
    if [[ $tty ]]; then
      printf '\r   %s, %d s ' "$step" $((SECONDS - began))
    elif ((SECONDS - began - shown >= 30)); then
      shown=$((SECONDS - began))
      printf '   %s, %d s\n' "$step" "$shown"
    fi
  done
  if [[ $tty && $step ]]; then printf '\n'; fi
  say "built in $((SECONDS - began)) s"
}
