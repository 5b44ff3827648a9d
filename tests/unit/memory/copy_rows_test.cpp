// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include "scripted_runtime.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// Rows of memory, below the types of buffers and views: what overlaps, what has the same size, and
// which bytes a copy moves, each against a plain model.

namespace warpsafe::core_test {
namespace {

using detail::CopyRows;

CopyRows rows_at(void* data, std::size_t pitch, std::size_t width, std::size_t rows, bool matrix,
                 int device = -1) {
  return {data, pitch, width, rows, matrix, device, width * rows};
}

/// Which bytes of an arena the rows have.
std::vector<bool> bytes_of(const CopyRows& rows, const char* arena, std::size_t size) {
  std::vector<bool> has(size);
  const auto start = static_cast<std::size_t>(static_cast<const char*>(rows.data) - arena);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t col = 0; col < rows.width; ++col) has[start + row * rows.pitch + col] = true;
  }
  return has;
}

// All pairs of small windows. Two pitches may be taken for an overlap where there is none.
TEST(CopyRowsOverlap, IsThatOfTheirBytes) {
  static char arena[64];
  std::vector<CopyRows> windows;
  for (const std::size_t pitch : {4U, 5U}) {
    for (std::size_t start = 0; start < 10; ++start) {
      for (std::size_t width = 1; width <= pitch; ++width) {
        for (std::size_t rows = 1; rows <= 3; ++rows) {
          windows.push_back(rows_at(arena + start, rows == 1 ? width : pitch, width, rows, true));
        }
      }
    }
  }
  std::vector<std::vector<bool>> bytes;
  for (const CopyRows& rows : windows) bytes.push_back(bytes_of(rows, arena, sizeof arena));
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t j = 0; j < windows.size(); ++j) {
      bool common = false;
      for (std::size_t at = 0; at < sizeof arena; ++at) common |= bytes[i][at] && bytes[j][at];
      const CopyRows &a = windows[i], &b = windows[j];
      const bool exact = a.dense() || b.dense() || a.pitch == b.pitch;
      const bool found = detail::overlap(a, b);
      ASSERT_TRUE(exact ? found == common : found || !common)
          << static_cast<const char*>(a.data) - arena << ' ' << a.pitch << ' ' << a.width << ' '
          << a.rows << " and " << static_cast<const char*>(b.data) - arena << ' ' << b.pitch << ' '
          << b.width << ' ' << b.rows;
    }
  }
  CopyRows none = windows[0];
  none.size = 0;
  EXPECT_FALSE(detail::overlap(none, windows[0]));
  EXPECT_FALSE(detail::overlap(windows[0], none));
}

TEST(CopyRowsSize, IsThatOfTheElementsAndOfTheRowsOfTwoMatrices) {
  int memory = 0;
  const CopyRows wide = rows_at(&memory, 8, 3, 2, true), high = rows_at(&memory, 8, 2, 3, true);
  const CopyRows flat = CopyRows::flat(reinterpret_cast<char*>(&memory), 6, -1);
  const CopyRows seven = CopyRows::flat(reinterpret_cast<char*>(&memory), 7, -1);
  EXPECT_TRUE(detail::check_same_size(wide, wide, app).has_value());
  EXPECT_TRUE(detail::check_same_size(wide, flat, app).has_value());
  EXPECT_TRUE(detail::check_same_size(flat, high, app).has_value());
  EXPECT_EQ(finding(error_in(detail::check_same_size(wide, high, app))),
            (Finding{Errc::size_mismatch, Stage::construction, 3, 2, Axis::y}));
  EXPECT_EQ(finding(error_in(detail::check_same_size(seven, wide, app))),
            (Finding{Errc::size_mismatch, Stage::construction, 6, 7, Axis::none}));
  CopyRows closed = flat;
  closed.closed = true;
  EXPECT_EQ(error_in(detail::check_same_size(closed, flat, app)).code, Errc::memory_closed);
  const LaunchError error = error_in(detail::check_same_size(flat, closed, app));
  EXPECT_EQ(error.code, Errc::memory_closed);
  EXPECT_EQ(text(error.operation), "copy");
  EXPECT_EQ(error.site, app);
  detail::MemoryOwner owner;
  CopyRows owned = flat;
  owned.owner = &owner;
  const struct {
    int of_device;
    bool has_memory;
  } devices[] = {
      {-1, true}, {0, true}, {detail::memory_was_freed, false}, {detail::memory_is_at_host, false}};
  for (const auto& [of_device, has_memory] : devices) {
    owner.of_device = of_device;
    EXPECT_EQ(owned.has_no_memory(), !has_memory) << of_device;
  }
}

TEST(CopyRowsDense, AreThoseWithoutGaps) {
  int memory = 0;
  EXPECT_TRUE(rows_at(&memory, 8, 3, 0, true).dense());
  EXPECT_TRUE(rows_at(&memory, 8, 3, 1, true).dense());
  EXPECT_FALSE(rows_at(&memory, 8, 3, 2, true).dense());
  EXPECT_TRUE(rows_at(&memory, 3, 3, 2, true).dense());
}

TEST(CopyRowsFlat, AreOfTheHostUnlessADeviceIsNamed) {
  int memory[3] = {};
  const CopyRows host = CopyRows::flat(memory, 3);
  EXPECT_EQ(host.device, -1);
  EXPECT_EQ(host.width, sizeof memory);
  EXPECT_EQ(host.pitch, sizeof memory);
  EXPECT_EQ(host.rows, 1U);
  EXPECT_EQ(host.size, 3U);
  EXPECT_FALSE(host.matrix);
  EXPECT_EQ(CopyRows::flat(memory, 3, 2).device, 2);
}

struct SubmittedCopy : DataTest {
  const Stream far = [] {
    host::set_device_count(2);
    return Stream::create(DeviceId(1)).value();
  }();

  static constexpr std::size_t size = 64;
  [[nodiscard]] static char* bytes_on(const Stream& where, char first,
                                      std::vector<DeviceBuffer<char>>& all) {
    std::vector<char> start(size);
    for (std::size_t i = 0; i < size; ++i)
      start[i] = static_cast<char>(first + static_cast<char>(i));
    all.push_back(DeviceBuffer<char>::from(where, start).value());
    EXPECT_TRUE(where.synchronize().has_value());
    return all.back().view().pointer().get();
  }
};

// The sides of a copy are flat, matrices without gaps and matrices with gaps, on one device and on
// two, with access and without.
TEST_F(SubmittedCopy, MovesTheBytesOfItsRows) {
  const auto shapes = {std::array<std::size_t, 3>{12, 12, 1}, {3, 3, 4}, {5, 3, 4}, {7, 3, 4}};
  for (const int to_device : {0, 1}) {
    for (const int from_device : {0, 1}) {
      for (const bool access : {false, true}) {
        ASSERT_TRUE(host::set_peer_access(0, 1, access) && host::set_peer_access(1, 0, access));
        for (const auto& [to_pitch, to_width, to_count] : shapes) {
          for (const auto& [from_pitch, from_width, from_count] : shapes) {
            std::vector<DeviceBuffer<char>> keep;
            char* const to = bytes_on(to_device == 0 ? stream : far, 0, keep);
            char* const from = bytes_on(from_device == 0 ? stream : far, 64, keep);
            const CopyRows to_rows =
                rows_at(to + 2, to_pitch, to_width, to_count, to_count != 1, to_device);
            const CopyRows from_rows =
                rows_at(from + 3, from_pitch, from_width, from_count, from_count != 1, from_device);
            // The last element that a flat side does not have is not moved either.
            const std::size_t width = to_count != 1 ? to_width : from_width;
            const std::size_t count = to_count != 1 ? to_count : from_count;
            std::vector<char> expected(size);
            for (std::size_t i = 0; i < size; ++i) expected[i] = static_cast<char>(i);
            for (std::size_t row = 0; row < count; ++row) {
              for (std::size_t col = 0; col < width; ++col) {
                const std::size_t at = (to_count != 1 ? row * to_pitch : row * width) + col;
                const std::size_t source = (from_count != 1 ? row * from_pitch : row * width) + col;
                expected[2 + at] = static_cast<char>(64 + 3 + source);
              }
            }
            ASSERT_EQ(
                (detail::submit_copy(to_rows, from_rows, CopyKind::device_to_device, stream.ref())),
                0);
            wait();
            ASSERT_EQ(std::vector<char>(to, to + size), expected)
                << to_device << from_device << access << ", " << to_pitch << ' ' << to_count
                << " from " << from_pitch << ' ' << from_count;
          }
        }
      }
    }
  }
}

TEST_F(SubmittedCopy, OfNothingMakesNoCall) {
  const CopyRows none = CopyRows::flat(static_cast<char*>(nullptr), 0, -1);
  EXPECT_EQ((detail::submit_copy(none, none, CopyKind::device_to_device, stream.ref())), 0);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::copy>), 0U);
}

using ScriptedCopy = ScriptedTest;

TEST_F(ScriptedCopy, OfRowsThatFailsAfterTheFirstHasEnded) {
  script.access = false;
  const CopyRows to = rows_at(Runtime::handle<void*>(1), 512, 3, 3, true, 0);
  const CopyRows from = rows_at(Runtime::handle<void*>(9), 256, 3, 3, true, 1);
  const auto copied = [&] {
    return detail::submit_copy(to, from, CopyKind::device_to_device, Runtime::stream(40));
  };
  script.fails = {{"copy_peer", 7}};
  EXPECT_EQ(copied(), 7);
  EXPECT_EQ(script.taken(), Calls{"copy_peer 1 0 9 1 3 40"}) << "nothing was submitted";
  script.fails = {};
  script.fails_later = {{"copy_peer", 7}};
  EXPECT_EQ(copied(), 7);
  EXPECT_EQ(script.taken(), (Calls{"copy_peer 1 0 9 1 3 40", "copy_peer 3 0 10 1 3 40",
                                   "stream_synchronize 40 ~"}));
}

TEST_F(SubmittedCopy, AFillThatIsRefusedNamesTheStreamTheCallAndThePlace) {
  auto memory = DeviceBuffer<char>::create(far, size).value();
  const LaunchError error = error_in(memory.fill_bytes(stream, std::byte{7}, app));
  EXPECT_EQ(error.code, Errc::memory_wrong_device);
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(text(error.operation), "fill device memory");
  EXPECT_EQ(error.site, app);
  EXPECT_TRUE(memory.fill_bytes(far, std::byte{7}).has_value());
  EXPECT_EQ(memory.to_host(far).get().value(), std::vector<char>(size, 7));
}

TEST_F(SubmittedCopy, ARefusedOneInACaptureNamesStreamAndDevice) {
  auto capture = Capture::begin(far).value();
  const LaunchError error = error_in(
      detail::check_not_capturing<CheckLevel::full>(far.ref(), Name::of("copy to host"), app));
  EXPECT_EQ(error.code, Errc::stream_capturing);
  EXPECT_EQ(error.stream, far.native());
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(text(error.operation), "copy to host");
  capture.discard();
}

TEST_F(SubmittedCopy, OverlappingOnesAreToldTheirDistance) {
  std::vector<DeviceBuffer<char>> keep;
  char* const memory = bytes_on(stream, 0, keep);
  const auto overlapping = [&](std::size_t to, std::size_t from) {
    return finding(error_in(detail::copy_on_device<CheckLevel::full, default_backend>(
        stream.ref(), rows_at(memory + to, 5, 3, 4, true, 0),
        rows_at(memory + from, 5, 3, 4, true, 0), app)));
  };
  const std::uint64_t extent = 3 * 5 + 3;
  EXPECT_EQ(overlapping(2, 4),
            (Finding{Errc::copy_overlaps, Stage::construction, 2, extent, Axis::none}));
  EXPECT_EQ(overlapping(9, 4),
            (Finding{Errc::copy_overlaps, Stage::construction, 5, extent, Axis::none}));
  EXPECT_EQ(overlapping(4, 4),
            (Finding{Errc::copy_overlaps, Stage::construction, 0, extent, Axis::none}));
}

}  // namespace
}  // namespace warpsafe::core_test
