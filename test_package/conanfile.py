# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TestPackageConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires(self.tested_reference_str)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ("test_package", "test_package_cuda"):
                path = os.path.join(self.cpp.build.bindir, program)
                if program == "test_package" or os.path.exists(path):
                    self.run(path, env="conanrun")
