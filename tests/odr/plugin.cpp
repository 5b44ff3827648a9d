// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A shared object whose kernel has the same name as a kernel of another one.

#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

WARPSAFE_KERNEL_EXTERN void same_name(int value);

extern "C" int launch_it(void* stream) {
  const auto ref = ws::StreamRef::borrow(static_cast<cudaStream_t>(stream), ws::DeviceId(0));
  if (!ref.has_value()) return 1;
  const auto config = ws::LaunchConfig(ws::grid<1>, ws::block<32>, ws::shared<float>(16));
  return ws::launch(ref.assume_value(), config, ws::kernel<same_name>, 1).has_value() ? 0 : 1;
}

#if defined(MUTANT)
template <auto Fn>
struct KernelCacheThatCrosses {
  static inline int slots[4];
};
extern "C" int* cache_of_it() { return KernelCacheThatCrosses<same_name>::slots; }
#endif
