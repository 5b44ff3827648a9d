# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The rules, by part of the catalogue. Importing a module registers its rules."""

from . import call, data, dependent, dimensions, errors, limits, memory, shapes, streams

PARTS = (call, data, dependent, dimensions, errors, limits, memory, shapes, streams)
