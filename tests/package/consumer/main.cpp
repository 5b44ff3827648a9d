// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A user's program: consumer LEVEL. It fails unless it was built with that check level.

#include <warpsafe/config.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int wanted = argc == 2 ? std::atoi(argv[1]) : -1;
  const int level = static_cast<int>(warpsafe::current_level);
  std::printf("warpsafe %d, check level %d, wanted %d\n", WARPSAFE_VERSION, level, wanted);
  return level == wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
