# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
from conan import ConanFile
from conan.tools.cmake import cmake_layout


class ConsumerConan(ConanFile):
    """The same user's project, with Conan."""

    settings = "os", "arch", "compiler", "build_type"
    requires = "warpsafe/[~0]"
    generators = "CMakeDeps", "CMakeToolchain"

    def layout(self):
        cmake_layout(self)
