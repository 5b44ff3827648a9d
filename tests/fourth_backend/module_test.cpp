// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels loaded by name on a backend that the library does not know.

#include "fixture.hpp"
#include "serial_modules.hpp"
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/module/module.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <vector>

WARPSAFE_KERNEL void double_all(float* x, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) x[i] *= 2.0F;
}
WARPSAFE_KERNEL void other_kernel() {}

namespace serial_test::module_test {
namespace {

using testing::HasSubstr;

using Module = ws::basic_module<serial::backend>;
using DoubleAll = void(float*, std::size_t);

const serial::Named table[] = {
    {ws::Name::of("double_all"), ws::kernel<double_all>.entry()},
    {ws::Name::of("other_kernel"), ws::kernel<other_kernel>.entry()},
};

struct FourthModule : SerialTest {
  Module module = Module::load(table).value();
};

TEST_F(FourthModule, LaunchesAKernelByItsName) {
  const auto doubled = module.kernel<DoubleAll>("double_all").value();
  auto x = DeviceBuffer<float>::from(stream, counting(100)).value();
  const auto grid = ws::SafeGrid<serial::backend>::cover(x.size(), ws::block<32>);
  EXPECT_EQ(error_text(ws::launch(stream, grid, doubled, x.view(), x.size())), "no error");
  const std::vector<float> now = x.to_host(stream).get().value();
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], 2.0F * static_cast<float>(i));
}

TEST_F(FourthModule, ChecksTheLaunch) {
  const auto doubled = module.kernel<DoubleAll, ws::max_threads<64>>("double_all").value();
  auto x = DeviceBuffer<float>::create(stream, 100).value();
  const ws::LaunchConfig config{ws::grid<1>, ws::BlockDim::create(128).value()};
  const auto launched = ws::launch(stream, config, doubled, x.view(), x.size());
  if constexpr (checked) {
    EXPECT_EQ(error_code(launched), ws::Errc::kernel_threads_exceeded);
    EXPECT_THAT(error_text(launched), HasSubstr("Kernel 'double_all' not launched"));
  }
}

TEST_F(FourthModule, RefusesAWrongName) {
  const auto wrong = module.kernel<DoubleAll>("doubleall");
  EXPECT_EQ(error_code(wrong), ws::Errc::kernel_not_found);
  EXPECT_THAT(error_text(wrong), HasSubstr("the module holds no kernel of that name"));
}

}  // namespace
}  // namespace serial_test::module_test
