// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The code of checked launches, for a program whose files are compiled with WARPSAFE_SEPARATE:
// docs/performance/compile-time.md. Compile it once for each backend whose streams the program
// launches on, with the same WARPSAFE_BACKEND_… as the files that launch.

#if !defined(WARPSAFE_SEPARATE)
#define WARPSAFE_SEPARATE
#endif
#include <warpsafe/warpsafe.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class B>
result<void> compile_warpsafe_separate_cpp_in_one_file_of_the_program(
    const Located<B>& at, const LaunchTypes<B, B>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<B>& kernel, void** words) noexcept {
  return run_checked_launch(at, types, numbers, kernel, words);
}

template result<void> compile_warpsafe_separate_cpp_in_one_file_of_the_program<default_backend>(
    const Located<default_backend>&, const LaunchTypes<default_backend, default_backend>&,
    const LaunchNumbers&, const LaunchedKernel<default_backend>&, void**) noexcept;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
