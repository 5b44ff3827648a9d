# Every other place that names the version agrees with config.hpp.
foreach(place IN ITEMS "vcpkg.json|\"version(-semver)?\": *\"([0-9.]+)\""
                       "conanfile.py|version *= *\"([0-9.]+)\""
                       "CHANGELOG.md|## (Unreleased \\()?([0-9]+\\.[0-9]+\\.[0-9]+)"
                       "CITATION.cff|version: *([0-9.]+)")
  string(REGEX REPLACE "\\|.*" "" file "${place}")
  string(REGEX REPLACE "^[^|]*\\|" "" pattern "${place}")
  if(NOT EXISTS ${SOURCE}/${file})
    continue()
  endif()
  file(READ ${SOURCE}/${file} text)
  if(text MATCHES "${pattern}")
    if(NOT CMAKE_MATCH_0 MATCHES "[^0-9.]${VERSION}([^0-9.]|$)")
      message(SEND_ERROR "${file} says '${CMAKE_MATCH_0}', config.hpp ${VERSION}")
    endif()
    message(STATUS "${file}: ${CMAKE_MATCH_0}")
  elseif(NOT file STREQUAL "conanfile.py") # which may read config.hpp
    message(SEND_ERROR "${file} names no version")
  endif()
endforeach()
