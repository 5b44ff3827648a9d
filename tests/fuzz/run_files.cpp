// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The writers of a run's files: the journal, and the timeline. The input is a run, with texts of
// any bytes, as names of kernels, files and devices and values of variables may be. Claims: each
// line of a journal is JSON, and the timeline is. A name in UTF-8 is written as it is.
// warpsafe-diff reads each journal, and finds no difference to itself.

#include "fuzz.hpp"
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>

#define main warpsafe_diff_main
#include "../../tools/diff/warpsafe_diff.cpp"
#undef main

#include <deque>
#include <sstream>

namespace fuzz = warpsafe::fuzz;
namespace debug = warpsafe::debug;
using fuzz::require;
using warpsafe::Name;

namespace {

/// A run, and the texts that it points to.
struct Made {
  debug::RunRecord run;
  std::deque<std::string> texts;

  explicit Made(fuzz::Input input) {
    debug::RunEnvironment& environment = run.environment;
    environment.started = input.text();
    environment.host = input.text();
    environment.compiler = input.text();
    environment.level = input.number<std::int8_t>();
    environment.backend = name(input);
    environment.versions = {input.number<std::int32_t>(), 13000, -1};
    for (std::size_t i = input.below(3); i != 0; --i) {
      environment.variables.emplace_back(std::string(input.text()), std::string(input.text()));
    }
    for (std::size_t i = input.below(3); i != 0; --i) {
      environment.devices.emplace_back().name = name(input);
    }
    run.lost = input.byte();
    while (!input.empty()) add(input, input.below(4));
  }

 private:
  Name name(fuzz::Input& input) {
    const std::string& kept = texts.emplace_back(input.text());
    return {kept.data(), kept.size()};
  }
  warpsafe::call_site site(fuzz::Input& input) {
    if (input.below(2) == 0) return {};
    const char* const file = texts.emplace_back(input.text()).c_str();
    return {file, texts.emplace_back(input.text()).c_str(), input.number<std::uint32_t>()};
  }
  void add(fuzz::Input& input, std::size_t what) {
    const auto vendor = static_cast<warpsafe::Vendor>(input.below(4));
    const void* const stream = &texts + input.below(4);
    if (what < 2) {
      debug::RunLaunch& one = run.launches.emplace_back();
      warpsafe::LaunchRecord& record = one.record;
      record = {};
      record.sequence = input.number<std::uint64_t>();
      record.kernel = name(input);
      for (int axis = 0; axis < 3; ++axis) {
        record.grid[axis] = input.number<std::uint32_t>();
        record.block[axis] = input.number<std::uint16_t>();
        record.cluster[axis] = input.byte();
      }
      record.dynamic_shared = input.number<std::uint64_t>();
      record.static_shared = input.number<std::uint32_t>();
      record.stream = stream;
      record.device = input.number<std::int8_t>();
      record.vendor = vendor;
      record.state = static_cast<warpsafe::LaunchState>(input.below(4));
      record.options = input.byte();
      record.priority = input.number<std::int8_t>();
      record.max_threads_per_block = input.number<std::uint16_t>();
      record.site = site(input);
      one.begun = input.number<std::uint64_t>();
      one.ended = input.number<std::uint64_t>();
      one.gpu_begun = input.number<std::uint64_t>();
      one.gpu_ended = input.number<std::uint64_t>();
      one.thread = input.byte();
    } else if (what == 2) {
      run.waits.push_back(
          {{name(input), stream, input.number<std::int8_t>(), vendor, input.number<std::int32_t>(),
            input.number<std::uint64_t>(), input.number<std::uint64_t>(), site(input)},
           input.byte()});
    } else {
      run.errors.push_back({static_cast<warpsafe::Errc>(input.byte()), std::string(input.text()),
                            input.number<std::uint64_t>(), input.number<std::uint64_t>(),
                            input.number<std::int8_t>(), stream, input.byte()});
    }
  }
};

/// Whether all bytes are ASCII, and so valid UTF-8 too.
bool is_plain(Name text) {
  return std::all_of(text.data, text.data + text.size,
                     [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

int diff(std::vector<std::string> words) {
  words.insert(words.begin(), "warpsafe-diff");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::ostringstream shown;
  std::streambuf* const before = std::cout.rdbuf(shown.rdbuf());
  const int status = warpsafe_diff_main(static_cast<int>(words.size()), pointers.data());
  std::cout.rdbuf(before);
  return status;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile journal("journal");
  static const fuzz::MemoryFile timeline("timeline");
  const Made made(fuzz::Input(data, size));
  journal.set("");
  timeline.set("");
  require(debug::write_journal(made.run, journal.path().c_str()) == 0, "write_journal failed");
  std::istringstream lines(journal.get());
  std::size_t number = 0;
  std::size_t launch = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const Json object = Json::parse(line, nullptr, false);
    require(object.is_object(), "a line of the journal is no JSON object");
    if (!object.contains("launch")) continue;
    const Name kernel = made.run.launches.at(launch++).record.kernel;
    require(!is_plain(kernel) ||
                object.at("kernel").get<std::string>() == std::string(kernel.data, kernel.size),
            "another name of a kernel");
  }
  require(number == 1 + made.run.environment.devices.size() + made.run.launches.size() +
                        made.run.waits.size() + made.run.errors.size(),
          "the journal has not one line for each thing");
  require(diff({journal.path(), journal.path()}) == 0, "warpsafe-diff does not read the journal");
  require(diff({journal.path(), "--limits", "sm_90"}) <= 1, "the launches cannot be revalidated");
  require(debug::write_trace(made.run, timeline.path().c_str()) == 0, "write_trace failed");
  require(!Json::parse(timeline.get(), nullptr, false).is_discarded(), "the timeline is no JSON");
  return 0;
}
