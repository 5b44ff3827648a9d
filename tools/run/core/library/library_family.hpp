// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpsafe::watch {

/// What a library's status means, whatever its number and its library.
enum class LibraryTrouble : std::uint8_t {
  answer,       ///< no error: the call was a question, or work goes on
  handle,       ///< the handle, or the library, is not initialised
  memory,       ///< no memory
  value,        ///< an argument is wrong
  plan,         ///< the plan is none, or not for this call
  device,       ///< the device lacks something
  unsupported,  ///< the library lacks something: programs try, and have another way
  execution,    ///< work on the device failed
  numbers,      ///< the data is such that there is no result, as for a singular matrix
  peer,         ///< another process has failed
  internal,     ///< all else
};

/// One value of a library's status type.
struct LibraryStatus {
  int value;
  const char* name;
  LibraryTrouble trouble;
};

/// One of the vendor's libraries, whose functions return a status. 0 means success in all.
struct LibraryFamily {
  std::string_view functions;  ///< the beginning of its functions' names; a capital letter follows
  std::string_view files;      ///< the beginning of its files' names
  std::string_view create;     ///< the function that makes its handle; empty: none
  std::string_view reasons;    ///< a variable that makes it print reasons; empty: none
  std::span<const LibraryStatus> statuses;

  /// Returns the status of that value; nullptr: the type has no such value, so the number is none.
  [[nodiscard]] const LibraryStatus* find(int value) const noexcept {
    for (const LibraryStatus& one : statuses) {
      if (one.value == value) return &one;
    }
    return nullptr;
  }
};

}  // namespace warpsafe::watch
