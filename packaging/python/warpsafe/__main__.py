# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tells a build where the headers and CMake's files are."""

import argparse
import sys

from . import __version__, cmake_dir, include_dir, pools_dir


def main():
    parser = argparse.ArgumentParser(prog="python3 -m warpsafe", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--include", action="store_true", help="print the folder for the compiler's include path")
    parser.add_argument("--cmake-dir", action="store_true", help="print the folder for CMake's variable warpsafe_DIR")
    parser.add_argument("--pools", action="store_true", help="print the folder of warpsafe_pool.h, for programs with a memory pool of their own")
    options = parser.parse_args()
    if not options.include and not options.cmake_dir and not options.pools:
        parser.print_help()
        return 2
    if options.include:
        print(include_dir())
    if options.cmake_dir:
        print(cmake_dir())
    if options.pools:
        print(pools_dir())
    return 0


if __name__ == "__main__":
    sys.exit(main())
