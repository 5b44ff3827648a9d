// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A call that one backend adds, and no list names: it is traced like all others.

#include "../stand_in.hpp"
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/debug.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// The vendor's backend with one more call.
struct AddedCall : Backend {
  static int stream_flags(native_stream, float scale, unsigned& flags) noexcept {
    flags = 7;
    return scale > 0 ? code::success : code::invalid_value;
  }
};
static_assert(ws::Backend<AddedCall>);

template <class B, ws::CheckLevel Level>
int stream_flags(typename B::native_stream stream, float scale, unsigned& flags) {
  return ws::detail::call<B, Level, &B::stream_flags>(stream, scale, flags);
}
static_assert(ws::detail::call<AddedCall, ws::CheckLevel::off, &AddedCall::stream_flags> ==
              &AddedCall::stream_flags);

class AddedCallTrace : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    ws::debug::set_log_sink(&sink);
    ws::debug::set_log_level(ws::debug::LogLevel::trace);
  }
  void TearDown() override {
    ws::debug::set_log_level(ws::debug::LogLevel::off);
    ws::debug::set_log_sink(nullptr);
    VendorTest::TearDown();
  }
  static void take(void* user, ws::debug::LogLevel level, const char* text,
                   std::size_t size) noexcept {
    if (level == ws::debug::LogLevel::trace) {
      static_cast<AddedCallTrace*>(user)->lines.emplace_back(text, size);
    }
  }
  /// The lines about calls of that name.
  [[nodiscard]] std::vector<std::string> lines_of(const std::string& call) const {
    std::vector<std::string> found;
    for (const std::string& line : lines) {
      if (line.find(' ' + call + '(') != std::string::npos) found.push_back(line);
    }
    return found;
  }

  const std::string backend = is_cuda ? "  CUDA " : "  HIP ";
  ws::debug::LogSink sink{&take, this};
  std::vector<std::string> lines;
};

TEST_F(AddedCallTrace, HasItsNameItsArgumentsAndItsStatus) {
  unsigned flags = 0;
  EXPECT_EQ((stream_flags<AddedCall, ws::CheckLevel::full>(nullptr, 1.5F, flags)), 0);
  EXPECT_NE((stream_flags<AddedCall, ws::CheckLevel::full>(nullptr, 0, flags)), 0);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], StartsWith(backend + "stream_flags("));
  EXPECT_THAT(lines[0], HasSubstr(", 1.500, 7) = " + prefix + "Success, "));
  EXPECT_THAT(lines[0], EndsWith(" us")) << "no vendor's function is known for it";
  EXPECT_THAT(lines[1], HasSubstr(", 0.000, 7) = " + prefix + "ErrorInvalidValue, "));
}

TEST_F(AddedCallTrace, HasNothingWithoutChecks) {
  unsigned flags = 0;
  EXPECT_EQ((stream_flags<AddedCall, ws::CheckLevel::off>(nullptr, 1, flags)), 0);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(AddedCallTrace, HasTheInheritedCallsToo) {
  {
    const auto stream = ws::basic_stream<AddedCall>::create().value();
    EXPECT_THAT(stream.record(), Succeeds());
  }
  const std::string function = ", by " + prefix;
  EXPECT_THAT(lines_of("stream_create"),
              ElementsAre(EndsWith(function + "StreamCreateWithPriority")));
  EXPECT_THAT(lines_of("event_record"), ElementsAre(EndsWith(function + "EventRecord")));
  EXPECT_THAT(lines_of("event_destroy"), ElementsAre(EndsWith(function + "EventDestroy")));
  EXPECT_THAT(lines_of("stream_destroy"), ElementsAre(EndsWith(function + "StreamDestroy")));
}

}  // namespace
}  // namespace vendor_test
