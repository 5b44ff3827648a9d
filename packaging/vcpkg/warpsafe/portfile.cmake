# The source is the checkout that this port lies in. For a registry, vcpkg_from_github of a release
# takes the place of this line; nothing else changes.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # header-only port

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DWARPSAFE_BUILD_BENCH=OFF
        -DWARPSAFE_BUILD_EXAMPLES=OFF
        -DWARPSAFE_BUILD_TESTS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/warpsafe)
vcpkg_fixup_pkgconfig()

# vcpkg wants a copyright file instead of LICENSE. Except on x86-64, warpsafe-host.pc names a library, and vcpkg keeps
# two of each: one to debug and one to release, which one file cannot tell apart.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(REMOVE "${CURRENT_PACKAGES_DIR}/share/pkgconfig/warpsafe-host.pc")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
