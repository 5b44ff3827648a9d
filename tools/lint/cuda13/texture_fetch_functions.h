// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// CUDA 13 no longer has this header, and clang 19's own start of a CUDA file asks for it. Empty is
// enough: what was in it are texture references, which CUDA 12 took away.
