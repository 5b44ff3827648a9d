# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""warpsafe for Python environments: the commands warpsafe-run and warpsafe-lint, and the C++ headers."""

import importlib.metadata
import pathlib

__version__ = importlib.metadata.version("warpsafe")
_HERE = pathlib.Path(__file__).resolve().parent


def include_dir():
    """The folder for the compiler's include path."""
    return str(_HERE / "include")


def cmake_dir():
    """The folder of warpsafe-config.cmake: the value for CMake's variable warpsafe_DIR."""
    return str(_HERE / "share" / "cmake" / "warpsafe")


def pools_dir():
    """The folder of warpsafe_pool.h and warpsafe_rmm.hpp, for programs with a memory pool of their own."""
    return str(_HERE / "share" / "warpsafe" / "pools")
