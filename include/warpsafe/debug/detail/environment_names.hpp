// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/listed_kernels.hpp>
#include <warpsafe/debug/log.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstring>

// Variables of the environment whose names begin with WARPSAFE_ and that nothing reads: slips.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Switches of the host backend alone.
inline constexpr Name host_switches[] = {Name::of("WARPSAFE_GUARD"),
                                         Name::of("WARPSAFE_HOST_STACK")};

/// Whether a name belongs to the tools or to an option of the build, or to a build system that
/// looks for warpsafe.
[[nodiscard]] inline bool is_of_another_part(const Name& name) noexcept {
  constexpr Name beginnings[] = {Name::of("WARPSAFE_RUN"),      Name::of("WARPSAFE_RANKS"),
                                 Name::of("WARPSAFE_LINT"),     Name::of("WARPSAFE_CUPTI"),
                                 Name::of("WARPSAFE_BUILD_"),   Name::of("WARPSAFE_BACKEND_"),
                                 Name::of("WARPSAFE_SEPARATE"), Name::of("WARPSAFE_WITH_"),
                                 Name::of("WARPSAFE_HIP_ARCH"), Name::of("WARPSAFE_VERSION")};
  constexpr Name ends[] = {Name::of("_ROOT"), Name::of("_DIR"),    Name::of("_HOME"),
                           Name::of("_PATH"), Name::of("_PREFIX"), Name::of("_INCLUDE")};
  for (const Name& one : beginnings) {
    if (name.size >= one.size && std::memcmp(name.data, one.data, one.size) == 0) return true;
  }
  for (const Name& one : ends) {
    if (name.size >= one.size &&
        std::memcmp(name.data + name.size - one.size, one.data, one.size) == 0) {
      return true;
    }
  }
  return false;
}

/// Warns if `name` begins as the switches do and is none.
inline void log_unknown_variable(const Name& name) noexcept {
  if (name == Name::of("WARPSAFE_CHECKS")) {
    if (warpsafe::detail::read_environment("WARPSAFE_CHECKS") == nullptr) return;
    log_line(LogLevel::warn,
             "warpsafe: WARPSAFE_CHECKS is set in the environment, where it has no effect: it is a "
             "macro; compile with -DWARPSAFE_CHECKS=LEVEL");
    return;
  }
  constexpr Name prefix = Name::of("WARPSAFE_");
  if (name.size <= prefix.size || std::memcmp(name.data, prefix.data, prefix.size) != 0) return;
  const Name own{name.data + prefix.size, name.size - prefix.size};
  char list[512];
  warpsafe::detail::TextBuffer all(list, sizeof list);
  Name nearest = Name::of("");
  std::size_t shared = 0;
  bool known = is_of_another_part(name);
  const auto compare = [&](const Name& one) {
    known = known || one == name;
    all << (all.size() == 0 ? "" : ", ") << one;
    const Name of_one{one.data + prefix.size, one.size - prefix.size};
    const std::size_t now = shared_letters(own, of_one);
    if (now <= shared || !is_similar(own, of_one)) return;
    nearest = one;
    shared = now;
  };
  for (const Name& one : warpsafe::detail::environment_switches) compare(one);
  for (const Name& one : host_switches) compare(one);
  if (known) return;
  char text[64];
  warpsafe::detail::TextBuffer shown(text, sizeof text);
  shown.one_line(name);
  // It is not read in a program with raised rights.
  if (warpsafe::detail::read_environment(text) == nullptr) return;
  log_line(LogLevel::warn,
           "warpsafe: %s is set, and the library reads no variable of that name; %s%s%sit reads %s",
           text, nearest.empty() ? "" : "did you mean ", nearest.data, nearest.empty() ? "" : "? ",
           list);
}

/// Warns of each such variable of the environment.
inline void log_unknown_variables() noexcept {
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    const char* const end = std::strchr(*at, '=');
    if (end == nullptr) continue;
    log_unknown_variable({*at, static_cast<std::size_t>(end - *at)});
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
