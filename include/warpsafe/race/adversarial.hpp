// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/race/detail/adversarial_session.hpp>
#include <warpsafe/race/detail/same_value.hpp>
#include <warpsafe/race/race_report.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

// A race detector for stream code, on the host backend; it needs no GPU. See
// docs/tools/race-detector.md.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// A result<T>.
template <class T>
concept IsOutcome = requires(const T& outcome) {
  outcome.has_value();
  { outcome.assume_error() } -> std::convertible_to<LaunchError>;
};

/// What a run compares with the first seed's value: what a program returns, or the value of its
/// result. void if there is none, or if a result holds no value with == that can be copied.
template <class T>
struct ComparedValue {
  using type = T;
};
template <IsOutcome T>
struct ComparedValue<T> {
  using Inner = typename T::value_type;
  static constexpr bool is_comparable =
      std::equality_comparable<Inner> && std::copy_constructible<Inner>;
  using type = std::conditional_t<is_comparable, Inner, void>;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial {

using debug::RaceReport;

/// The schedules to run.
struct Seeds {
  std::uint64_t count = 1000;
  std::uint64_t first = 1;
};

/// Runs `program` once for each seed, on this thread. The seed determines the order of the host
/// backend's operations. Stops at the first seed with something to report:
/// * two unordered accesses to the same memory, at least one of which writes or frees it, even if
///   the result was right this time;
/// * a use of freed memory, or of a destroyed stream;
/// * a copy to the host of device memory that nothing has written, and atomic_add to such memory;
/// * work that failed, such as a write past the end of a buffer;
/// * a value of `program` that differs from that of the first seed. If it returns a result: its
///   error, or a value that differs, if its type has == and can be copied. A NaN equals a NaN.
/// After all seeds, it also reports each kernel that got device memory in a parameter whose type
/// hides it: what that kernel accesses was not checked.
///
/// A report of 0 seeds is not clean. Nothing is run in a process that was forked after it used the
/// host backend, and after main, once the backend has shut down; the report then says so. The same
/// seed and the same program give the same run. `program` creates its streams and buffers itself or
/// uses existing ones, and may be called any number of times. All work is done when this returns.
/// One call runs at a time: other threads' calls wait. If `program` calls it, nothing is run, and
/// that report says so; `program` must not wait for another thread that calls it. A seed begins
/// once the work of other threads has ended, and their work in the meantime counts as this
/// thread's. Throws std::bad_alloc if the host has no memory left for the history.
template <class Program>
[[nodiscard]] RaceReport run(Seeds seeds, Program&& program) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Program&>>;
  if (auto nested = host::AdversarialSession::nested_report()) return *std::move(nested);
  host::AdversarialSession session;
  using Compared = typename host::ComparedValue<Value>::type;
  constexpr bool compares = !std::is_void_v<Compared>;
  std::optional<std::conditional_t<compares, Compared, bool>> first;
  const auto compare = [&](auto&& value) {
    if (first.has_value() && !host::is_same_value<Compared>(value, *first)) session.differs();
    if (!first.has_value()) first.emplace(std::forward<decltype(value)>(value));
  };
  bool again = false;
  for (std::uint64_t i = 0; i < seeds.count; i += again ? 0 : 1) {
    if (!session.begin(seeds.first + i)) break;
    if constexpr (std::is_void_v<Value>) {
      program();
    } else if constexpr (host::IsOutcome<Value>) {
      Value outcome = program();
      if (!outcome.has_value()) {
        session.failed(outcome.assume_error());
      } else if constexpr (compares) {
        compare(std::move(outcome).assume_value());
      }
    } else {
      compare(program());
    }
    if (!session.end(again)) break;
  }
  if (seeds.count == 0) session.tried_nothing();
  return session.report();
}
/// Runs the seeds 1 … count.
template <class Program>
[[nodiscard]] RaceReport run(std::uint64_t count, Program&& program) {
  return run(Seeds{count, 1}, std::forward<Program>(program));
}

/// Declares that the host's own code reads `values` here. The detector does not see accesses of the
/// host to pinned memory or to the target of an asynchronous copy. Does nothing outside a run.
template <class T>
void reads(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), AccessKind::read, site);
}
/// Declares that the host's own code writes `values` here.
template <class T>
void writes(std::span<T> values, call_site site = call_site::current()) {
  host::AdversarialSession::touch(values.data(), values.size_bytes(), AccessKind::write, site);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial
