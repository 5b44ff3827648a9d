# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The parts of warpsafe-lint. Each module uses only modules named before it:
lines, libclang, tree, commands, cache, prefix, project, index, flags, function, program, embedded, reading, launches, registry, host_memory, sizes, repeats,
rules (memory uses data, which uses streams, as call does; errors, dimensions and shapes use growth, and limits uses errors), fixes, silence, changes, report, explain, options, main."""
