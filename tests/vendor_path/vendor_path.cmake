# The tests that run over one vendor's runtime: CUDA's stand-in, or AMD's own behind the interposer.
set(vendor_path ${CMAKE_CURRENT_LIST_DIR})
# A folder for a room of include/warpsafe or two. The four folders left out have their own programs.
file(GLOB vendor_path_tests CONFIGURE_DEPENDS ${vendor_path}/*/*_test.cpp)
list(FILTER vendor_path_tests EXCLUDE REGEX "/vendor_path/(failures|operations|rtc|side_by_side)/")
list(APPEND vendor_path_tests ${vendor_path}/impostor.cpp)

# warpsafe_precompile_vendor_headers(<path>): for the tests on <path>_base.
function(warpsafe_precompile_vendor_headers path)
  warpsafe_precompile(${path}_headers <gmock/gmock.h> <gtest/gtest.h> <warpsafe/memory/buffer.hpp>
                      <warpsafe/warpsafe.hpp> LIBRARIES ${path}_base GTest::gmock_main)
endfunction()

# warpsafe_add_vendor_test(<name> <source>... LIBRARIES <target>... [OPTIONS <option>...]
#                          [FULL | REPEAT] [EXPORTS])
# A GoogleTest program of the host compiler. The LIBRARIES bring the backend's macro, the vendor's
# headers and the library that it links instead of the runtime. FULL: only for `tests/run full`.
# REPEAT: see warpsafe_add_gtest. EXPORTS: a program that exports its functions, without the unused ones of
# the precompiled headers.
function(warpsafe_add_vendor_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FULL;REPEAT;EXPORTS" "" "LIBRARIES;OPTIONS")
  # Objects of the device's compilers come after those of the tests: of an inline function that both
  # have, the linker takes the first, and only the tests' can have mutants (tests/mutation).
  set(objects ${arg_UNPARSED_ARGUMENTS})
  list(FILTER objects INCLUDE REGEX "[.]o$|TARGET_OBJECTS")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  list(REMOVE_ITEM sources ${objects})
  add_executable(${name} ${sources})
  if(objects)
    add_custom_target(${name}_objects DEPENDS ${objects})
    add_dependencies(${name} ${name}_objects)
    target_link_libraries(${name} PRIVATE ${objects})
  endif()
  # Not as a program of the CUDA language, to which CMake would add NVIDIA's own runtime.
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX WARPSAFE_CHECKS 1)
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(
    ${name} PRIVATE VENDOR_TEST_PAGE="${PROJECT_SOURCE_DIR}/docs/reference/driver-calls.md")
  target_link_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} warpsafe_warnings GTest::gmock_main)
  if(NOT arg_OPTIONS AND NOT arg_EXPORTS AND "${arg_LIBRARIES}" MATCHES "(cuda|hip)_path_base")
    warpsafe_read_precompiled(${CMAKE_MATCH_1}_path_headers ${name})
  endif()
  warpsafe_compile_by_folder(${name} impostor.cpp injector.cpp)
  # What runs over AMD's runtime is also part of `tests/run amd`.
  set(labels stand-in vendor-path)
  if(name MATCHES "^hip_")
    list(APPEND labels amd)
    add_dependencies(tests.amd ${name})
  endif()
  if(arg_FULL)
    list(REMOVE_ITEM labels stand-in vendor-path)
    warpsafe_add_gtest(${name} LABELS full ${labels})
    warpsafe_leave_to_full(${name})
  else()
    set(repeat "")
    if(arg_REPEAT)
      set(repeat REPEAT)
    endif()
    # The sanitizers' lanes build the target and run the label.
    add_dependencies(tests.vendor-path ${name})
    warpsafe_add_gtest(${name} LABELS ${labels} ${repeat})
  endif()
endfunction()

# warpsafe_add_failure_test(<path> <object>...): what fails once, of the runtime's calls and of the system's: of these
# every 7th, and each with the label `full`. A program of its own, because it replaces functions of the system (tests/failures/injector.cpp).
function(warpsafe_add_failure_test path)
  # ThreadSanitizer replaces the same functions.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${vendor_path}/failures/*.cpp)
  set(name ${path}_failures)
  warpsafe_add_vendor_test(${name} ${sources} ${PROJECT_SOURCE_DIR}/tests/failures/injector.cpp ${ARGN} EXPORTS
                           LIBRARIES ${path}_base)
  warpsafe_inject_failures(${name})
  target_compile_definitions(${name} PRIVATE VENDOR_TEST_MODULE="${module_image}")
  add_dependencies(${name} ${path}_module)
  add_test(NAME ${name}.every COMMAND ${python} -S ${PROJECT_SOURCE_DIR}/tests/run_gtest.py $<TARGET_FILE:${name}>)
  set_tests_properties(${name}.every PROPERTIES LABELS full TIMEOUT 900 SKIP_RETURN_CODE 77
                                                 ENVIRONMENT "FAILURES_EVERY=1;GTEST_FILTER=EverySystemFailure.*")
endfunction()

# warpsafe_add_rtc_test(<name> <source> <library>): a test of a run-time compiler.
function(warpsafe_add_rtc_test name source library)
  add_executable(${name} ${source})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_definitions(${name} PRIVATE RTC_TEST_INCLUDE="${PROJECT_SOURCE_DIR}/include")
  # CUDA's stub of the driver is only linked if it is used: a machine without a GPU has no driver.
  target_link_options(${name} PRIVATE -Wl,--as-needed)
  target_link_libraries(${name} PRIVATE ${library} warpsafe_warnings GTest::gmock_main)
  warpsafe_add_gtest(${name} LABELS stand-in)
endfunction()

# warpsafe_compile_with_clang(<object> <source> <target>)
# Sets <object> to an object file of the source, compiled by clang++ as the interface of <target> says.
function(warpsafe_compile_with_clang object source target)
  get_filename_component(file ${source} NAME)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${file}.clang.o)
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  add_custom_command(
    OUTPUT ${output}
    COMMAND
      ${WARPSAFE_CLANGXX} -std=c++20 -fPIC -Wall -Wextra -Wconversion -Wshadow -Werror
      "-D$<JOIN:${definitions},;-D>" "-I$<JOIN:${includes},;-I>" -MD -MF ${output}.d
      -MT ${output} -c ${source} -o ${output}
    DEPENDS ${source}
    DEPFILE ${output}.d
    COMMENT "Building ${file} with clang++"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${object} ${output} PARENT_SCOPE)
endfunction()
