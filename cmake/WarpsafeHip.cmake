# Compiles sources with hipcc. CMake's own HIP language in 3.25 does not recognise the layout of Debian's HIP;
# a custom command works with every layout and version.
#
# WARPSAFE_HIPCC               the compiler
# WARPSAFE_HIP_ARCHITECTURES   list of targets such as gfx90a;gfx942. Initialised from HIPARCHS in the
# environment, like CMake's own HIP language
include_guard(GLOBAL)
find_program(WARPSAFE_HIPCC hipcc PATHS /opt/rocm/bin REQUIRED)
set(architectures gfx90a)
if(DEFINED ENV{HIPARCHS})
  set(architectures $ENV{HIPARCHS})
endif()
set(WARPSAFE_HIP_ARCHITECTURES "${architectures}"
    CACHE STRING "AMD targets that HIP sources are compiled for")
unset(architectures)

# warpsafe_compile_hip(<objects> <target> <prefix> SOURCES <source>... [OPTIONS <option>...])
# Sets <objects> to the object files of the sources, compiled with the include folders and definitions in
# <target>'s properties <prefix>INCLUDE_DIRECTORIES and <prefix>COMPILE_DEFINITIONS.
function(warpsafe_compile_hip objects target prefix)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;OPTIONS")
  set(includes $<TARGET_PROPERTY:${target},${prefix}INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},${prefix}COMPILE_DEFINITIONS>)
  set(architectures ${WARPSAFE_HIP_ARCHITECTURES})
  list(TRANSFORM architectures PREPEND "--offload-arch=")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(type_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS_${type}}")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.hip)
  file(MAKE_DIRECTORY ${folder})
  set(outputs "")
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source FILENAME file)
    set(object ${folder}/${file}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND
        ${WARPSAFE_HIPCC} -std=c++20 ${architectures} ${type_flags} -fPIC -Wall -Wextra -Wconversion
        -Wshadow -Werror "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" ${arg_OPTIONS} -MD -MF ${object}.d -MT
        ${object} -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Building HIP object ${target}.hip/${file}.o"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND outputs ${object})
  endforeach()
  set(${objects} ${outputs} PARENT_SCOPE)
endfunction()

# warpsafe_add_hip_object(<name> <source>... [LIBRARIES <target>...] [OPTIONS <option>...])
# A target that links <name> receives the sources' objects and the LIBRARIES. hipcc also uses the LIBRARIES'
# usage requirements.
function(warpsafe_add_hip_object name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;OPTIONS")
  add_library(${name} INTERFACE)
  warpsafe_compile_hip(objects ${name} INTERFACE_ SOURCES ${arg_UNPARSED_ARGUMENTS}
                       OPTIONS ${arg_OPTIONS})
  add_custom_target(${name}.objects DEPENDS ${objects})
  add_dependencies(${name} ${name}.objects)
  target_link_libraries(${name} INTERFACE ${objects} ${arg_LIBRARIES})
endfunction()

# warpsafe_add_hip_executable(<name> <source>... [LIBRARIES <target>...] [OPTIONS <option>...])
# Adds a program of HIP sources. It links no HIP runtime by itself: add the runtime (warpsafe::hip)
# or, in a test, the interposer before it (amd_interposer) to the LIBRARIES.
function(warpsafe_add_hip_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;OPTIONS")
  warpsafe_compile_hip(objects ${name} "" SOURCES ${arg_UNPARSED_ARGUMENTS}
                       OPTIONS ${arg_OPTIONS})
  add_executable(${name} ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
endfunction()
