// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A plain function that another translation unit declares as a kernel.

namespace vendor_test {

void impostor();
void impostor() {}

}  // namespace vendor_test
