// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Prints what each translation unit observes, one line each. UNITS is X(name) for each.

#include "shared.hpp"

#include <iostream>
#include <string>

#define X(name) std::string name(SharedLayout);
UNITS
#undef X

int main() {
#define X(name) std::cout << #name << ' ' << name({}) << '\n';
  UNITS
#undef X
}
