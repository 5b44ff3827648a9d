# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
import os

from conan import ConanFile


class SystemBoostConan(ConanFile):
    """Stands for ConanCenter's Boost on a machine that does not reach it: the system's Boost, with the components
    and targets that ConanCenter's recipe has. Needs Debian's libboost-dev and libboost-context-dev.

    conan export tests/package/conan/boost --version=VERSION"""

    name = "boost"
    license = "BSL-1.0"
    package_type = "shared-library"

    def package(self):
        # The folder holds Boost alone, as /usr/include does not.
        os.mkdir(os.path.join(self.package_folder, "include"))
        os.symlink("/usr/include/boost", os.path.join(self.package_folder, "include", "boost"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Boost")
        for name, libraries in {"headers": [], "context": ["boost_context"]}.items():
            component = self.cpp_info.components[name]
            component.set_property("cmake_target_name", f"Boost::{name}")
            component.system_libs = libraries
            component.libdirs = []
            component.bindirs = []
        self.cpp_info.components["context"].requires = ["headers"]
