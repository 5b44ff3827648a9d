// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::debug {

/// Writes what is in flight, as far as is known: the launches of checked code that nobody has seen
/// the end of, by stream, oldest first. The oldest of a stream is the one that runs, or waits for
/// something that does not come. Streams are listed by their oldest launch, at most 8 launches
/// each.
[[gnu::cold]] inline void put_in_flight(warpsafe::detail::TextBuffer& out) noexcept {
  constexpr std::size_t shown = 8;
  const JournalReader launches(&is_in_flight);
  if (launches.empty()) {
    out << "\n  in flight: no launch of checked code; look at copies, library calls, and who else "
           "uses the device";
    return;
  }
  const auto same_stream = [](const LaunchRecord& a, const LaunchRecord& b) {
    return a.stream == b.stream && a.device == b.device && a.vendor == b.vendor;
  };
  out << "\n  in flight, as far as is known, by stream, oldest first:";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchRecord& first = launches[i];
    bool listed = false;
    for (std::size_t j = 0; j < i; ++j) listed = listed || same_stream(launches[j], first);
    if (listed) continue;
    std::uint64_t count = 0;
    for (const LaunchRecord& one : launches) count += same_stream(one, first) ? 1 : 0;
    out << "\n  stream " << first.stream << " of device " << first.device << ": " << count
        << (count == 1 ? " launch" : " launches");
    std::size_t left = shown;
    for (const LaunchRecord& one : launches) {
      if (left == 0 || !same_stream(one, first)) continue;
      put_listed(out, one, false);
      --left;
    }
    if (count > shown) out << "\n    and " << count - shown << " later ones";
  }
  if (launches.overwritten() != 0) {
    out << "\n  the journal holds the last " << std::uint64_t{Journal::capacity}
        << " launches: " << launches.overwritten() << " older ones are not listed";
  }
}

}  // namespace warpsafe::debug
