// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// C04: the same, one structure further in.

#include "launches.hpp"

#include <vector>

namespace ws = warpsafe;

struct Matrix {
  int shape[2];
  float* rows[2];
};
struct Typed {
  int shape[2];
  ws::device_ptr<float> rows[2];
};
template <class M>
struct Problem {
  double tolerance;
  M matrix;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] Problem<Matrix> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] Problem<Typed> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  return ws::launch(
      stream, config, ws::kernel<bad>,
      Problem<Matrix>{
          0.5,
          {{2, 2},
           {host.data(), nullptr}}});  // expected-error {{"holds a raw pointer, or is a view"}}
#else
  return ws::launch(stream, config, ws::kernel<good>,
                    Problem<Typed>{0.5, {{2, 2}, {nullptr, nullptr}}});
#endif
}
