# Installation of the package. It contains only headers, is the same for every architecture, except what
# warpsafe-host.pc links, and is installed under share/.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/warpsafe)

install(TARGETS warpsafe EXPORT warpsafe-targets FILE_SET HEADERS FILE_SET vendor_headers)
install(FILES include/warpsafe/separate.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpsafe)
install(EXPORT warpsafe-targets NAMESPACE warpsafe:: DESTINATION ${package_dir})
write_basic_package_version_file(warpsafe-config-version.cmake COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/warpsafe-config-version.cmake
        ${CMAKE_CURRENT_SOURCE_DIR}/cmake/warpsafe-config.cmake
        ${CMAKE_CURRENT_SOURCE_DIR}/cmake/warpsafe-components.cmake
  DESTINATION ${package_dir})

set(pc_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
string(REGEX REPLACE "[^/]+" ".." pc_up "${pc_dir}")
set(host_libraries -pthread)
if(warpsafe_context)
  string(PREPEND host_libraries "-lboost_context ")
endif()
foreach(name IN ITEMS warpsafe warpsafe-host)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/gdb/warpsafe_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/warpsafe/gdb)
