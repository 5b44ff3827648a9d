// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs the programs, and compares what the library says with the answer that stands with each. A
// change of an answer, for the better too, fails here until it stands there.

#include "library.hpp"

namespace {
#include "programs.inc"
}  // namespace

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>

namespace {

struct Row {
  Answer (*program)(const ws::Stream&);
  const char* name;
  const char* answer;
};
const Row rows[] = {
#include "rows.inc"
};

class Program : public testing::TestWithParam<Row> {
 protected:
  /// In a thread of its own, so that no row chooses the device of the next.
  static Answer run() {
    Answer answer = false;
    std::thread([&] {
      ws::host::reset();
      const auto stream = ws::Stream::create();
      answer = stream.has_value() ? GetParam().program(stream.value()) : Answer(stream.error());
    }).join();
    return answer;
  }
  /// The first race, or the error of the program, in one line; empty if the detector finds nothing.
  static std::string race() {
    ws::host::reset();
    const auto report = ws::adversarial::run(5, []() -> Answer {
      WARPSAFE_TRY(const auto stream, ws::Stream::create());
      return GetParam().program(stream);
    });
    // A vendor's library is closed. That its kernels hide their memory is said of any use of it.
    if (report.clean() || report.findings.front().mistake == ws::debug::Mistake::unseen_memory) {
      return "";
    }
    std::ostringstream all;
    all << report;
    std::istringstream lines(all.str());
    std::string text;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.rfind("As it ran", 0) != 0) text += line + ' ';
    return text;
  }
  void note(const std::string& says) {
    RecordProperty("moment", GetParam().answer);
    RecordProperty("says", says.substr(0, says.find('\n')));
  }
};

TEST_P(Program, IsAnsweredAsItIsWritten) {
  const std::string expected = GetParam().answer;
  testing::internal::CaptureStderr();
  const Answer answer = run();
  const std::string printed = testing::internal::GetCapturedStderr();
  const bool told = !answer.has_value();
  const std::string text = told ? ws::message(answer.error()) : "";
  if (expected == "told" || expected == "host" || expected == "warning") {
    ASSERT_TRUE(told) << "nothing was told";
    return note(text);
  }
  ASSERT_FALSE(told) << text;
  if (expected == "message") {
    EXPECT_NE(printed.find("warpsafe: "), std::string::npos);
    return note(printed);
  }
  // H95 looks for races itself. The order of two host threads decides what H25 returns, so a run of
  // the race detector differs by chance.
  const std::string name = GetParam().name;
  const std::string found = name == "H95" || name == "H25" ? "" : race();
  if (expected == "race") {
    EXPECT_NE(found, "") << "the race detector finds nothing";
    return note(found.substr(0, found.find("  bytes")));
  }
  EXPECT_EQ(found, "");
  EXPECT_TRUE(expected != "right" || answer.value()) << "wrong numbers";
}

INSTANTIATE_TEST_SUITE_P(Rows, Program, testing::ValuesIn(rows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
