// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/race/adversarial_session.hpp>
#include <warpsafe/race/race_report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

// A race detector for stream code, on the host backend: no GPU is needed. See
// docs/race-detector.md.

namespace warpsafe::adversarial {

using debug::RaceReport;

/// Which schedules to run.
struct Seeds {
  std::uint64_t count = 1000;
  std::uint64_t first = 1;
};

/// Runs `program` once for each seed, on this thread, with the host backend's operations in an
/// order that the seed settles, and stops at the first one with something to report:
///
/// * two accesses to the same memory that nothing orders, one of which writes or gives it back,
///   whether or not they went wrong this time;
/// * memory used after it was given back, a stream after it was destroyed;
/// * work that failed, such as a write past the end of a buffer;
/// * a result of `program` that is not that of the first seed, where it returns a value; an error,
///   where it returns a result.
///
/// The same seed and the same program give the same run. `program` makes its streams and buffers
/// itself or uses some that are there, and may be called any number of times. All work is done when
/// this returns. One at a time: another thread's call waits, and `program` must not call it. What
/// other threads do meanwhile counts as if this one had done it.
template <class Program>
[[nodiscard]] RaceReport run(Seeds seeds, Program&& program) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Program&>>;
  host::AdversarialSession session;
  // The first seed's value, where there is one to compare.
  constexpr bool compared = !std::is_void_v<Value> && !host::is_outcome<Value>;
  std::optional<std::conditional_t<compared, Value, bool>> first;
  for (std::uint64_t i = 0; i < seeds.count; ++i) {
    session.begin(seeds.first + i);
    if constexpr (std::is_void_v<Value>) {
      program();
    } else if constexpr (host::is_outcome<Value>) {
      const Value outcome = program();
      if (!outcome.has_value()) session.failed(outcome.assume_error());
    } else {
      Value value = program();
      if (first.has_value() && !(value == *first)) session.differs();
      if (!first.has_value()) first.emplace(std::move(value));
    }
    if (!session.end()) break;
  }
  return session.report();
}
/// The same for the seeds 1 … count.
template <class Program>
[[nodiscard]] RaceReport run(std::uint64_t count, Program&& program) {
  return run(Seeds{count, 1}, std::forward<Program>(program));
}

/// Says that the host's own code reads `values` here: what it does with pinned memory, or with the
/// target of an asynchronous copy, is not seen otherwise. Outside of a run it does nothing.
template <class T>
void reads(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), debug::AccessKind::read,
                                  site);
}
/// The same for writing.
template <class T>
void writes(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), debug::AccessKind::write,
                                  site);
}

}  // namespace warpsafe::adversarial
