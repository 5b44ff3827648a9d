// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <vector>

// Programs with one planted mistake each, which succeed on a GPU and compute something wrong; and
// beside each the same program without it.

namespace planted {

namespace ws = warpsafe;

struct Pair {
  const char* id;
  const char* mistake;
  void (*wrong)();
  void (*right)();
};
[[nodiscard]] std::vector<Pair> dependent_launches();
[[nodiscard]] std::vector<Pair> returned_memory();
[[nodiscard]] std::vector<Pair> guarded_memory();
[[nodiscard]] std::vector<Pair> own_kernels();

inline constexpr unsigned count = 128;
inline const ws::LaunchConfig usual{ws::grid<2>, ws::block<64>};
inline const ws::LaunchConfig early{ws::grid<2>, ws::block<64>, ws::dependent_launch};

/// The index of the running thread in its grid.
[[nodiscard]] inline unsigned here() { return static_cast<unsigned>(ws::thread_index().x); }

using Buffer = ws::DeviceBuffer<float>;
[[nodiscard]] inline Buffer zeros(const ws::Stream& stream,
                                  ws::call_site site = ws::call_site::current()) {
  Buffer made = Buffer::create(stream, count, site).value();
  made.zero(stream, site).value();
  return made;
}
/// The address, as a program keeps it that does without this library's views.
[[nodiscard]] inline auto raw(Buffer& of) { return ws::trust(of.view().pointer().get()); }
/// An event after all work of `first` so far, for which `then` waits.
inline void order(const ws::Stream& first, const ws::Stream& then,
                  ws::call_site site = ws::call_site::current()) {
  ws::wait(then, first.record(site).value(), site).value();
}
}  // namespace planted
