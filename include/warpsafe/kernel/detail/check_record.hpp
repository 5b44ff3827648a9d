// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What a failed WARPSAFE_DEVICE_CHECK leaves for the host: plain data in memory that both can
// reach. C++17, no standard header.

namespace warpsafe::detail {

struct CheckRecord {
  static constexpr unsigned empty = 0;
  static constexpr unsigned filling = 1;
  static constexpr unsigned filled = 2;

  unsigned state;  ///< set to `filling` by the first thread that fails, alone
  unsigned line;
  unsigned block[3];   ///< blockIdx
  unsigned thread[3];  ///< threadIdx
  // Copies, cut to fit: a text of the device's memory means nothing to the host.
  char kernel[96];
  char file[96];
  char text[192];
};

/// Copies a text, cut to fit.
template <unsigned Size>
#if defined(__CUDACC__) || defined(__HIPCC__)
__host__ __device__
#endif
    void
    copy_check_text(char (&to)[Size], const char* from) {
  unsigned i = 0;
  for (; i + 1 < Size && from[i] != '\0'; ++i) to[i] = from[i];
  to[i] = '\0';
}
/// The same for a file, without its folders.
template <unsigned Size>
#if defined(__CUDACC__) || defined(__HIPCC__)
__host__ __device__
#endif
    void
    copy_check_file(char (&to)[Size], const char* from) {
  const char* name = from;
  for (; *from != '\0'; ++from) {
    if (*from == '/') name = from + 1;
  }
  copy_check_text(to, name);
}

}  // namespace warpsafe::detail
