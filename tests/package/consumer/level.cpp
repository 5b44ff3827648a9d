// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A user's program that launches nothing: level LEVEL [STANDARD]. It fails unless it was compiled
// with that check level, for that C++ standard (20 unless given) and, as C++, with the compiler's
// own extensions, which warpsafe does not change. (nvcc and hipcc themselves disable them.)

#include <warpsafe/core/config.hpp>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
  const int wanted_level = argc > 1 ? std::atoi(argv[1]) : -1;
  const int wanted_standard = argc > 2 ? std::atoi(argv[2]) : 20;
  const int level = static_cast<int>(warpsafe::current_level);
  const int standard = __cplusplus > 202002L ? 23 : 20;
#if defined(__STRICT_ANSI__) && !defined(__CUDACC__) && !defined(__HIP__)
  const bool extensions = false;
#else
  const bool extensions = true;
#endif
  std::cout << "check level " << level << ", C++" << standard << (extensions ? "" : " without")
            << " extensions\n";
  return level == wanted_level && standard == wanted_standard && extensions ? EXIT_SUCCESS
                                                                            : EXIT_FAILURE;
}
