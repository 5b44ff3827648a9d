# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The parts of warpsafe-lint. Each module uses only modules named before it:
libclang, tree, commands, cache, prefix, project, index, flags, function, program, embedded, reading, launches, registry, host_memory, sizes,
rules (memory uses data, which uses streams; errors and shapes use growth), fixes, silence, changes, report, explain, options, main."""
