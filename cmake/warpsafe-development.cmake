# Needed to build this project's own programs, but not to use the library.
include_guard(GLOBAL)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# CMake searches nvcc only on PATH, but NVIDIA's installers put it into /usr/local/cuda/bin.
find_program(WARPSAFE_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
if(WARPSAFE_NVCC AND TARGET warpsafe::cuda)
  if(NOT DEFINED CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${WARPSAFE_NVCC}")
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_EXTENSIONS OFF)
else()
  message(STATUS "No nvcc: what is compiled for CUDA devices is left out of this build")
endif()

find_program(WARPSAFE_HIPCC hipcc PATHS /opt/rocm/bin)
if(WARPSAFE_HIPCC AND TARGET warpsafe::hip)
  include(cmake/WarpsafeHip.cmake OPTIONAL)
else()
  message(STATUS "No hipcc: what is compiled for AMD devices is left out of this build")
endif()

# LLVM's linker takes a quarter of the time of GNU's, and hipcc comes with it. Newer releases refuse a map of symbols
# that names one which is not there; the map of CUDA's stand-in has the symbols of several releases.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld WARPSAFE_LINKS_WITH_LLD)
if(WARPSAFE_LINKS_WITH_LLD)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld> $<$<LINK_LANGUAGE:CXX>:LINKER:--undefined-version>)
endif()

# Every program of this project compiles without a warning.
add_library(warpsafe_warnings INTERFACE)
set(warnings -Wall -Wextra -Wconversion -Wshadow -Werror)
list(JOIN warnings "," host_warnings)
target_compile_options(
  warpsafe_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>
            $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=${host_warnings}>)

# warpsafe_add_program(<name> <source>... [CUDA | NO_BACKEND] [LIBRARIES <target>...])
# Adds an executable on the host backend; with CUDA, nvcc compiles the sources whatever their extensions.
function(warpsafe_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CUDA;NO_BACKEND" "" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(arg_CUDA)
    set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES LANGUAGE CUDA)
    set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    set(backend warpsafe::cuda)
  elseif(arg_NO_BACKEND)
    set(backend warpsafe::warpsafe)
  else()
    set(backend warpsafe::host)
  endif()
  target_link_libraries(${name} PRIVATE ${backend} warpsafe_warnings ${arg_LIBRARIES})
endfunction()

# warpsafe_build_folders(<target> <folder>... [EXCEPT <folder>...]): a target that builds what `all` builds of these folders.
function(warpsafe_build_folders target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  if(NOT TARGET ${target})
    add_custom_target(${target})
  endif()
  foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(each IN LISTS targets)
      get_target_property(left_out ${each} EXCLUDE_FROM_ALL)
      if(NOT left_out AND NOT each STREQUAL target)
        add_dependencies(${target} ${each})
      endif()
    endforeach()
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    list(REMOVE_ITEM below ${arg_EXCEPT})
    if(below)
      warpsafe_build_folders(${target} ${below})
    endif()
  endforeach()
endfunction()
