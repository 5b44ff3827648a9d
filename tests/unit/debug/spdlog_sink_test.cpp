// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#define FMT_HEADER_ONLY  // what spdlog writes with, if it is not built into it
#include "launch_fixture.hpp"
#include <warpsafe/debug/spdlog_sink.hpp>

#include <gtest/gtest.h>

#if __has_include(<spdlog/spdlog.h>)
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#endif

WARPSAFE_KERNEL void logged() {}

namespace warpsafe::core_test {
namespace {

using SpdlogTest = LaunchTest;

#if __has_include(<spdlog/spdlog.h>)
TEST_F(SpdlogTest, GetsEachMessageAtItsLevel) {
  std::ostringstream text;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
  const auto logger = std::make_shared<spdlog::logger>("warpsafe", sink);
  logger->set_pattern("%l: %v");
  logger->set_level(spdlog::level::debug);
  const LaunchConfig config{grid<3>, block<32>};
  {
    const debug::SpdlogSink to_spdlog(logger);
    debug::set_log_level(debug::LogLevel::trace);
    ASSERT_TRUE(launch(stream, config, kernel<logged>).has_value());
    host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
    ASSERT_FALSE(launch(stream, config, kernel<logged>).has_value());
    debug::set_log_level(debug::LogLevel::off);
  }
  const std::string all = text.str();
  EXPECT_NE(
      all.find("debug: Launch: kernel=logged, grid=(3,1,1), block=(32,1,1), shared=0 bytes\n"),
      std::string::npos)
      << all;
  EXPECT_NE(all.find("error: warpsafe: Kernel 'logged' launch failed"), std::string::npos) << all;
  EXPECT_EQ(all.find("trace: "), std::string::npos) << "the logger's level counts too";
}
#else
TEST_F(SpdlogTest, GetsEachMessageAtItsLevel) { GTEST_SKIP() << "no spdlog here (libspdlog-dev)"; }
#endif

}  // namespace
}  // namespace warpsafe::core_test
