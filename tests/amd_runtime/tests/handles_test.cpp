// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Libraries of AMD's with their own kernels, through bound handles (tests/handles/amd): those that
// are installed (HANDLES_*).
#include "../../handles/amd/amd.hpp"
#include "../agent/soft_hsa.h"
#include <warpsafe/error/message.hpp>
#if defined(HANDLES_hipblas)
#include <warpsafe/handles/hipblas.hpp>
#endif
#if defined(HANDLES_rocblas)
#include <warpsafe/handles/rocblas.hpp>
#endif
#include <warpsafe/warpsafe.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>

ws::result<void> with_hiprand(const HipStream& stream, const HipStream& other,
                              Buffer<float>& numbers);
#if defined(HANDLES_hipblas)
ws::result<void> with_scalars(ws::StreamBound<ws::HipblasHandle>& blas, int n, Buffer<float>& x,
                              Buffer<float>& y);
#endif
#if defined(HANDLES_rocblas)
ws::result<void> with_scalars(ws::StreamBound<rocblas_handle>& blas, int n, Buffer<float>& x,
                              Buffer<float>& y);
#endif

namespace {

/// Device 1, and two streams there.
class HandlesOverAmd : public testing::Test {
 protected:
  /// The last launch is a kernel of this name, on device 1.
  void expect_kernel(const std::string& words) {
    ASSERT_TRUE(stream_.synchronize().has_value() && other_.synchronize().has_value());
    const auto dispatches =
        reinterpret_cast<std::uint64_t (*)()>(dlsym(RTLD_DEFAULT, "soft_hsa_dispatches"));
    if (dispatches == nullptr) {
      GTEST_SKIP() << "the packets can be read on the software agent alone";
    }
    const auto dispatch = reinterpret_cast<int (*)(std::uint64_t, SoftHsaDispatch*)>(
        dlsym(RTLD_DEFAULT, "soft_hsa_dispatch"));
    SoftHsaDispatch packet{};
    ASSERT_EQ(dispatch(dispatches(), &packet), 1) << "no kernel was launched";
    EXPECT_THAT(std::string(packet.kernel), testing::HasSubstr(words));
    EXPECT_EQ(packet.device, 1);
  }
  /// saxpy with a factor on the device, then with one on the host.
  template <class Handle>
  void expect_saxpy() {
    auto handle = ws::StreamBound<Handle>::create(stream_);
    ASSERT_TRUE(handle.has_value()) << ws::message(handle.error());
    auto more = Buffer<float>::create(stream_, 1000).value();
    const auto called = with_scalars(handle.value(), 1000, numbers_, more);
    ASSERT_TRUE(called.has_value()) << ws::message(called.error());
    expect_kernel(kernel_);
  }
  const ws::DeviceGuard guard_ = ws::DeviceGuard::create(ws::DeviceId(1)).value();
  const HipStream stream_ = HipStream::create(ws::DeviceId(1)).value();
  const HipStream other_ = HipStream::create(ws::DeviceId(1)).value();
  Buffer<float> numbers_ = Buffer<float>::create(other_, 1000).value();
  std::string kernel_ = "axpy";
};

#if defined(HANDLES_hiprand)
TEST_F(HandlesOverAmd, ARandomGeneratorWorksOnTheDeviceOfItsStream) {
  const auto made = with_hiprand(stream_, other_, numbers_);
  ASSERT_TRUE(made.has_value()) << ws::message(made.error());
  expect_kernel("generate");
}
#endif
#if defined(HANDLES_hipblas)
TEST_F(HandlesOverAmd, HipblasWorksOnTheDeviceOfItsStream) { expect_saxpy<ws::HipblasHandle>(); }
#endif
#if defined(HANDLES_rocblas)
TEST_F(HandlesOverAmd, RocblasWorksOnTheDeviceOfItsStream) {
  kernel_ = "nrm2";  // its example ends with another function
  expect_saxpy<rocblas_handle>();
}
#endif

}  // namespace
