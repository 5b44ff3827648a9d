// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A file of a user's project that has nothing to do with warpsafe.

int plain() { return 0; }
