# Defines the check level and the components of warpsafe other than the headers: warpsafe::host,
# warpsafe::cuda and warpsafe::hip, each if its requirements are found. Used by this project's own build, by
# the installed package and by Conan.
# In: the target warpsafe::warpsafe, warpsafe_FIND_COMPONENTS (default: all),
# warpsafe_FIND_REQUIRED_<component>.
# Out: warpsafe_<component>_FOUND, and warpsafe_NOT_FOUND_MESSAGE if something is missing.

# Passes the check level as a definition, because NDEBUG often fails to reach CUDA and HIP compilers. The
# level follows the configuration, unless a target's property WARPSAFE_CHECKS is 0 or 1. The variable of that
# name initialises the property.
define_property(TARGET PROPERTY WARPSAFE_CHECKS INITIALIZE_FROM_VARIABLE WARPSAFE_CHECKS)
get_target_property(warpsafe_target warpsafe::warpsafe ALIASED_TARGET)
if(NOT warpsafe_target)
  set(warpsafe_target warpsafe::warpsafe)
endif()
get_target_property(warpsafe_definitions ${warpsafe_target} INTERFACE_COMPILE_DEFINITIONS)
# An installed target already has both; Conan's has neither.
if(NOT warpsafe_definitions MATCHES "WARPSAFE_CHECKS=")
  target_compile_definitions(
    ${warpsafe_target}
    INTERFACE
      WARPSAFE_CHECKS=$<IF:$<STREQUAL:$<TARGET_PROPERTY:WARPSAFE_CHECKS>,>,$<IF:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>,0,1>,$<TARGET_PROPERTY:WARPSAFE_CHECKS>>
  )
  target_compile_features(${warpsafe_target} INTERFACE cxx_std_20)
endif()

if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 QUIET)
if(NOT TARGET Boost::headers)
  set(warpsafe_FOUND FALSE)
  set(warpsafe_NOT_FOUND_MESSAGE "warpsafe needs Boost's headers, 1.74 or later (Outcome).")
  return()
endif()

if(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
  set(warpsafe_scope GLOBAL)
else()
  set(warpsafe_scope "")
endif()

# The files of a target that also links warpsafe::separate share the code of checked launches, which a file of
# warpsafe's has (WARPSAFE_SEPARATE). CXX compiles it.
find_file(warpsafe_separate warpsafe/separate.cpp NO_CACHE NO_DEFAULT_PATH
          PATHS ${CMAKE_CURRENT_LIST_DIR}/../include ${CMAKE_CURRENT_LIST_DIR}/../../../include)
if(warpsafe_separate AND NOT TARGET warpsafe::separate)
  add_library(warpsafe::separate INTERFACE IMPORTED ${warpsafe_scope})
  target_compile_definitions(warpsafe::separate INTERFACE WARPSAFE_SEPARATE)
  target_sources(warpsafe::separate INTERFACE ${warpsafe_separate})
endif()

# A backend's target: the headers, the macro that selects the default backend, and the libraries.
macro(warpsafe_add_component component)
  if(NOT TARGET warpsafe::${component})
    string(TOUPPER ${component} warpsafe_macro)
    add_library(warpsafe::${component} INTERFACE IMPORTED ${warpsafe_scope})
    target_compile_definitions(warpsafe::${component} INTERFACE WARPSAFE_BACKEND_${warpsafe_macro}=1)
    target_link_libraries(warpsafe::${component} INTERFACE warpsafe::warpsafe ${ARGN})
  endif()
  set(warpsafe_${component}_FOUND TRUE)
endmacro()

set(warpsafe_all_components host cuda hip)
if(NOT warpsafe_FIND_COMPONENTS)
  set(warpsafe_FIND_COMPONENTS ${warpsafe_all_components})
endif()
list(JOIN warpsafe_all_components ", " warpsafe_all_components)
foreach(component IN LISTS warpsafe_FIND_COMPONENTS)
  set(warpsafe_${component}_FOUND FALSE)
  set(warpsafe_missing "")
  if(component STREQUAL "host")
    find_package(Threads QUIET)
    # On x86-64 the library has its own switch between fibres.
    set(warpsafe_context "")
    if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
      find_package(Boost 1.74 QUIET COMPONENTS context)
      set(warpsafe_context Boost::context)
    endif()
    if(TARGET Threads::Threads AND (NOT warpsafe_context OR TARGET Boost::context))
      warpsafe_add_component(host ${warpsafe_context} Threads::Threads)
    else()
      set(warpsafe_missing "threads and, except on x86-64, Boost.Context 1.74 or later, which were not found")
    endif()
  elseif(component STREQUAL "cuda")
    find_package(CUDAToolkit QUIET)
    if(TARGET CUDA::cudart)
      warpsafe_add_component(cuda CUDA::cudart)
      # nvcc's default is C++17, and CMake before 3.26 cannot request C++20 from it.
      if(CMAKE_VERSION VERSION_LESS 3.26)
        target_compile_options(warpsafe::cuda INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
      else()
        target_compile_features(warpsafe::cuda INTERFACE cuda_std_20)
      endif()
    else()
      set(warpsafe_missing "a CUDA toolkit, which was not found")
    endif()
  elseif(component STREQUAL "hip")
    # Does not use hip-config.cmake, which stops the configuration with an error if clang's builtins library
    # or the HSA headers are missing. A host program needs neither.
    find_path(warpsafe_HIP_INCLUDE_DIR hip/hip_runtime_api.h HINTS ENV ROCM_PATH PATHS /opt/rocm
              PATH_SUFFIXES include)
    find_library(warpsafe_HIP_LIBRARY amdhip64 HINTS ENV ROCM_PATH PATHS /opt/rocm
                 PATH_SUFFIXES lib)
    mark_as_advanced(warpsafe_HIP_INCLUDE_DIR warpsafe_HIP_LIBRARY)
    if(warpsafe_HIP_INCLUDE_DIR AND warpsafe_HIP_LIBRARY)
      warpsafe_add_component(hip "${warpsafe_HIP_LIBRARY}")
      target_include_directories(warpsafe::hip SYSTEM INTERFACE "${warpsafe_HIP_INCLUDE_DIR}")
      target_compile_definitions(warpsafe::hip INTERFACE __HIP_PLATFORM_AMD__=1)
    else()
      set(warpsafe_missing "hip/hip_runtime_api.h and libamdhip64, which were not found")
    endif()
  else()
    set(warpsafe_missing "another name: the components are ${warpsafe_all_components}")
  endif()
  if(warpsafe_missing AND warpsafe_FIND_REQUIRED_${component})
    string(APPEND warpsafe_NOT_FOUND_MESSAGE
           "warpsafe's component '${component}' needs ${warpsafe_missing}. ")
    set(warpsafe_FOUND FALSE)
  endif()
endforeach()
