// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipRAND through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/hiprand.hpp>

ws::result<void> with_hiprand(const HipStream& stream, const HipStream& other,
                              Buffer<float>& numbers) {
  auto random =
      ws::StreamBound<ws::HiprandGenerator>::create(stream, HIPRAND_RNG_PSEUDO_PHILOX4_32_10);
  if (!random.has_value()) return random.error();
  const auto seeded = random.value().call<hiprandSetPseudoRandomGeneratorSeed>(1234ULL);
  if (!seeded.has_value()) return seeded;
  auto moved = std::move(random).value().rebind(other);
  if (!moved.has_value()) return moved.error();
  return moved.value().call<hiprandGenerateUniform>(numbers.view(), numbers.size());
}
