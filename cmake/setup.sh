# shellcheck shell=bash disable=SC2034  # the arrays and answers are for those that read this
# Read by tests/run, examples/run and bench/run: gets what they need onto the machine.
# Each installs with apt-get only what it does not find, and says what.

# The parts, as "probe=Debian package". A probe is a command, a header with its brackets, or a
# module of Python as "python3:module", or as "sphinx:module" one of the Python that Sphinx runs on, or
# a file by its path.
need_build=('cmake=cmake' 'ninja=ninja-build' 'g++=g++' '<boost/outcome.hpp>=libboost-dev'
  '<boost/context/fiber.hpp>=libboost-context-dev')
need_tests=('<gmock/gmock.h>=libgmock-dev' '<gtest/gtest.h>=libgtest-dev' '<fmt/format.h>=libfmt-dev' '<spdlog/spdlog.h>=libspdlog-dev' '<nlohmann/json.hpp>=nlohmann-json3-dev' 'python3=python3' 'python3:ensurepip=python3-venv'
  '/usr/lib/python3/dist-packages/clang/cindex.py=python3-clang-19' 'valgrind=valgrind'
  'clang++=clang' 'clang-format=clang-format' 'clang-tidy=clang-tidy' 'pkg-config=pkg-config' 'gdb=gdb'
  'hipcc=hipcc' '<hip/hip_runtime_api.h>=libamdhip64-dev' 'mpicxx=libopenmpi-dev' 'mpirun=openmpi-bin')
need_docs=('sphinx-build=python3-sphinx' 'sphinx:myst_parser=python3-myst-parser' 'sphinx:furo=furo' 'doxygen=doxygen')
need_coverage=('gcovr=gcovr')
need_distro=('mmdebstrap=mmdebstrap')
need_bench=('<benchmark/benchmark.h>=libbenchmark-dev')

say() { printf '== %s\n' "$*"; }

# The interpreter that sphinx-build names in its first line: a machine may have several.
sphinx_python() { sed -n '1s/^#!\([^ ]*\).*/\1/p' "$(command -v sphinx-build)"; }

# Whether a probe finds its part.
have() {
  case $1 in
    '<'*) command -v g++ > /dev/null &&
      printf '#if !__has_include(%s)\n#error\n#endif\n' "$1" |
      g++ -E -x c++ - > /dev/null 2>&1 ;;
    sphinx:*) command -v sphinx-build > /dev/null && "$(sphinx_python)" -c "import ${1#*:}" 2> /dev/null ;;
    python3:*) python3 -c "import ${1#*:}" 2> /dev/null ;;
    /*) [[ -e $1 ]] ;;
    *) command -v "$1" > /dev/null ;;
  esac
}

# The packages of the parts named that are not there yet, one per line.
missing() {
  local part
  for part in "$@"; do have "${part%%=*}" || printf '%s\n' "${part#*=}"; done
}

# set_up PART...: installs what is missing; fails only if a part that the build cannot do without
# is still missing afterwards.
set_up() {
  local packages root=()
  mapfile -t packages < <(missing "$@")
  if ((${#packages[@]})); then
    say "not found here: ${packages[*]}"
    ((EUID == 0)) || root=(sudo)
    if ! command -v apt-get > /dev/null; then
      say "no apt-get here: install what these Debian packages hold by your system's own means"
    else
      say "installing them: ${root[*]:+sudo }apt-get install --no-install-recommends ${packages[*]}"
      export DEBIAN_FRONTEND=noninteractive
      "${root[@]}" apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 update || say "apt-get update failed; trying with the lists at hand"
      # One by one where all at once fails: a package that this release lacks costs only itself.
      "${root[@]}" apt-get -qq install -y --no-install-recommends "${packages[@]}" > /dev/null ||
        for package in "${packages[@]}"; do
          "${root[@]}" apt-get -qq install -y --no-install-recommends "$package" > /dev/null ||
            say "cannot install $package: what needs it is left out"
        done
    fi
  fi
  mapfile -t packages < <(missing "${need_build[@]}")
  if ((${#packages[@]})); then
    say "cannot build without: ${packages[*]}"
    return 1
  fi
}

# Puts nvcc on PATH where a toolkit is installed, and says what this machine compiles and runs.
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
    export CUDAARCHS=${CUDAARCHS-native} # which CMake compiles for
  fi
  if [[ -e /dev/kfd ]]; then has_amd_gpu=yes; fi
  say "GPU: NVIDIA $has_nvidia_gpu, AMD $has_amd_gpu"
}

# configure FOLDER PRESET OPTION...: configures build/FOLDER; quiet unless it fails.
configure() {
  local folder=build/$1 preset=$2
  shift 2
  if command -v ccache > /dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros
  fi
  say "configure: cmake --preset $preset -B $folder $*"
  mkdir -p "$folder"
  cmake --preset "$preset" -B "$folder" "$@" > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log"
    return 1
  }
  grep -E '^-- No ' "$folder/configure.log" || true
}
