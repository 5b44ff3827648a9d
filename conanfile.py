# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import valid_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout
from conan.tools.scm import Version

required_conan_version = ">=2.0"


class WarpsafeConan(ConanFile):
    name = "warpsafe"
    description = "GPU kernel launches, checked before they happen: CUDA, HIP and the CPU"
    license = "BSL-1.0"
    topics = ("cuda", "hip", "gpu", "kernel-launch", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True
    exports_sources = "include/*", "cmake/warpsafe-components.cmake", "LICENSE"

    @property
    def _compilers_minimum_version(self):
        return {"gcc": "12", "clang": "14"}

    # The version is written once, in the header that a program can ask it from.
    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "warpsafe", "core", "config.hpp"))
        self.version = ".".join(
            re.search(rf"#define WARPSAFE_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")
        )

    def layout(self):
        basic_layout(self)

    # Detected profiles name the compiler's default, C++17 or older in most releases. The package's CMake targets
    # request C++20 themselves, so such a profile is not refused. Conan calls validate() also for standards that the
    # profile does not name.
    def configure(self):
        if not valid_min_cppstd(self, 20):
            self.output.warning(
                f"compiler.cppstd is {self.settings.get_safe('compiler.cppstd', 'not set')}, and {self.name} needs C++20: "
                "its CMake targets request it; for another build system, set compiler.cppstd=gnu20"
            )

    # Outcome's headers; and Context, for the host backend except on x86-64. No recipe has CUDA or HIP: their parts are
    # offered where the machine has them.
    def requirements(self):
        self.requires("boost/[>=1.74 <2]", transitive_headers=True, transitive_libs=True)

    # The same package for every configuration.
    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"{self.ref} is for Linux")
        compiler = str(self.settings.compiler)
        minimum = self._compilers_minimum_version.get(compiler)
        if minimum and Version(self.settings.compiler.version) < minimum:
            raise ConanInvalidConfiguration(f"{self.ref} needs {compiler} {minimum} or later")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.cpp"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        copy(
            self,
            "warpsafe-components.cmake",
            os.path.join(self.source_folder, "cmake"),
            os.path.join(self.package_folder, "lib", "cmake", "warpsafe"),
        )

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.resdirs = []
        self.cpp_info.set_property("cmake_file_name", "warpsafe")
        self.cpp_info.set_property("cmake_target_name", "warpsafe::warpsafe")
        self.cpp_info.set_property("pkg_config_name", "warpsafe")
        # warpsafe::host, warpsafe::cuda and warpsafe::hip, and the check level.
        self.cpp_info.set_property(
            "cmake_build_modules", [os.path.join("lib", "cmake", "warpsafe", "warpsafe-components.cmake")]
        )
        self.cpp_info.requires = ["boost::headers"]
