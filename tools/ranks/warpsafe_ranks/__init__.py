# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads what the processes of a job recorded, and finds out which rank keeps the others waiting."""
