# Installs into a fresh prefix, moves it, and checks that every header, and separate.cpp, arrived.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.before)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.before
                COMMAND_ERROR_IS_FATAL ANY)
# A package must not remember where it was installed first.
file(RENAME ${PREFIX}.before ${PREFIX})

file(GLOB_RECURSE written RELATIVE ${SOURCE}/include ${SOURCE}/include/*)
file(GLOB_RECURSE installed RELATIVE ${PREFIX}/include ${PREFIX}/include/*)
if(NOT written STREQUAL installed)
  message(FATAL_ERROR "not the same (a header that is new needs cmake to run again); in the source:\n${written}\ninstalled:\n${installed}")
endif()
file(GLOB_RECURSE scripts ${PREFIX}/*.cmake ${PREFIX}/*.pc)
foreach(script IN LISTS scripts)
  file(READ ${script} text)
  string(FIND "${text}" "${SOURCE}/include" in_source)
  string(FIND "${text}" "${BUILD}" in_build)
  if(NOT in_source EQUAL -1 OR NOT in_build EQUAL -1)
    message(FATAL_ERROR "${script} names a folder of the machine it was made on")
  endif()
endforeach()
