#include "smooth.hpp"

#include <warpsafe/host.hpp>
#include <warpsafe/race.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

namespace ws = warpsafe;

class Smooth : public testing::Test {
 protected:
  void SetUp() override { ws::host::reset(); }
};

TEST_F(Smooth, IsTheMeanOfTheNeighbours) {
  EXPECT_EQ(smooth({0, 0, 3, 0, 0, 9}).value(), (std::vector<float>{0, 1, 1, 1, 3, 4.5F}));
  EXPECT_EQ(smooth({7}).value(), std::vector<float>{7});
  EXPECT_EQ(smooth({}).value(), std::vector<float>{});
}

// Work of different streams may run in any order that the waits allow. This tries a hundred.
TEST_F(Smooth, HasNoRace) {
  const auto tried = ws::adversarial::run(100, [] { return smooth({1, 2, 3}); });
  EXPECT_TRUE(tried.clean());
}

TEST_F(Smooth, ReportsADeviceWithoutMemory) {
  ws::host::set_memory(0, 8);
  const auto smoothed = smooth({1, 2, 3});
  ASSERT_FALSE(smoothed);
  EXPECT_EQ(smoothed.error().code, ws::Errc::out_of_memory);
}

}  // namespace
