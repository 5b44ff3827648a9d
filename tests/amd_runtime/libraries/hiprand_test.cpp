// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/hiprand.hpp>

namespace {

TEST_F(LibraryOverAmd, HiprandGeneratesOnTheStreamOfItsHandle) {
  auto numbers = buffer<float>(1000);
  auto random =
      ws::StreamBound<ws::HiprandGenerator>::create(stream_, HIPRAND_RNG_PSEUDO_PHILOX4_32_10)
          .value();
  expect_success(random.call<hiprandSetPseudoRandomGeneratorSeed>(1234ULL));
  auto moved = std::move(random).rebind(other_).value();
  expect_launch(
      other_, stream_,
      [&] { return moved.call<hiprandGenerateUniform>(numbers.view(), numbers.size()); },
      {"generate"}, numbers.view().pointer().get());
}

}  // namespace
