// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The reader of journals, which are JSON Lines: warpsafe-diff, with its own main. The input is two
// journals, separated by the byte 0xff.
// Claims: the exit status is 0, 1 or 2, and 2 comes with one line of text. The only other text on
// standard error says that a last line is cut off. Nothing that is printed moves the cursor. A
// journal that can be read does not differ from itself.

#include "fuzz.hpp"

#define main warpsafe_diff_main
#include "../../tools/diff/warpsafe_diff.cpp"
#undef main

#include <sstream>

namespace fuzz = warpsafe::fuzz;
using fuzz::require;

namespace {

/// Takes what a stream prints while it exists.
class Printed {
 public:
  explicit Printed(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() { stream_.rdbuf(before_); }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

/// The text without the lines which say that a journal's last line is cut off.
std::string without_cut_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("the last line is cut off, and left out") == line.npos) kept += line + '\n';
  }
  return kept;
}

int run(std::vector<std::string> words) {
  words.insert(words.begin(), "warpsafe-diff");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Printed out(std::cout);
  const Printed errors(std::cerr);
  const int status = warpsafe_diff_main(static_cast<int>(words.size()), pointers.data());
  require(!fuzz::has_control(errors.text(), true), "a control character on standard error");
  const std::string text = without_cut_lines(errors.text());
  require(status >= 0 && status <= 2, "an exit status other than 0, 1, 2");
  require(!fuzz::has_control(out.text(), true), "a control character on standard output");
  if (status == 2) {
    require(!text.empty() && text.find('\n') + 1 == text.size(), "an error that is not one line");
  } else {
    require(text.empty(), "a text on standard error without an error");
  }
  return status;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile a("a");
  static const fuzz::MemoryFile b("b");
  static const fuzz::MemoryFile written("report");
  fuzz::Input input(data, size);
  a.set(input.text());
  b.set(input.text());
  const int same = run({a.path(), a.path()});
  require(same != 1, "a journal differs from itself");
  written.set("");
  const int there = run({a.path(), b.path(), "--report", written.path()});
  if (there != 2) {
    require(!fuzz::has_control(written.get(), true), "a control character in the report");
    require(run({b.path(), a.path()}) == there, "the order of the journals changes the status");
  }
  if (same == 2) {
    require(there == 2, "an unreadable journal was compared");
    return 0;
  }
  run({a.path(), "--limits", "sm_90"});
  run({a.path(), "--limits", "gfx90a"});
  return 0;
}
