// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A library of AMD's with its own kernels, through a bound handle (tests/handles/amd/hiprand.cpp).
#include "../../handles/amd/amd.hpp"
#include "../agent/soft_hsa.h"
#include <warpsafe/error/message.hpp>
#include <warpsafe/warpsafe.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>

ws::result<void> with_hiprand(const HipStream& stream, const HipStream& other,
                              Buffer<float>& numbers);

namespace {

TEST(HandlesOverAmd, ARandomGeneratorWorksOnTheDeviceOfItsStream) {
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(1));
  ASSERT_TRUE(guard.has_value()) << "this test needs two devices";
  const HipStream stream = HipStream::create(ws::DeviceId(1)).value();
  const HipStream other = HipStream::create(ws::DeviceId(1)).value();
  auto numbers = Buffer<float>::create(other, 1000);
  ASSERT_TRUE(numbers.has_value());
  const auto made = with_hiprand(stream, other, numbers.value());
  ASSERT_TRUE(made.has_value()) << ws::message(made.error());
  ASSERT_TRUE(other.synchronize().has_value());
  const auto dispatches =
      reinterpret_cast<std::uint64_t (*)()>(dlsym(RTLD_DEFAULT, "soft_hsa_dispatches"));
  if (dispatches == nullptr) GTEST_SKIP() << "the packets can be read on the software agent alone";
  const auto dispatch = reinterpret_cast<int (*)(std::uint64_t, SoftHsaDispatch*)>(
      dlsym(RTLD_DEFAULT, "soft_hsa_dispatch"));
  SoftHsaDispatch packet{};
  ASSERT_EQ(dispatch(dispatches(), &packet), 1) << "no kernel was launched";
  EXPECT_THAT(std::string(packet.kernel), testing::HasSubstr("generate"));
  EXPECT_EQ(packet.device, 1);
}

}  // namespace
