// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Records a small pipeline on three streams: timeline [PREFIX] writes
//
//   PREFIX.jsonl        the journal, for warpsafe-diff
//   PREFIX.trace.json   a trace for ui.perfetto.dev or chrome://tracing
//   PREFIX.svg          a picture: streams as rows, kernels as bars, waits as lines, errors in red
//
// Compiles with nvcc, hipcc, and g++ or clang++ (host backend).

#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace ws = warpsafe;
using ws::debug::RunRecord;

WARPSAFE_KERNEL void decode(const float* packed, float* out, std::size_t n) {
  for (auto i : ws::grid_stride(n)) {
    float value = packed[i];
    for (int round = 0; round < 64; ++round) value = value * 0.5F + 1;
    out[i] = value;
  }
}
WARPSAFE_KERNEL void combine(const float* a, const float* b, float* out, std::size_t n) {
  for (auto i : ws::grid_stride(n)) out[i] = a[i] + b[i];
}

/// Decodes two halves side by side and combines them when both are ready. Does this four times.
ws::result<void> pipeline(ws::StreamRef left, ws::StreamRef right, ws::StreamRef joined) {
  constexpr std::size_t n = 1 << 18;
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  const std::vector<float> packed(n, 1.0F);
  WARPSAFE_TRY(auto in, ws::DeviceBuffer<float>::from(joined, packed));
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::create(joined, n));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::create(joined, n));
  WARPSAFE_TRY(auto sum, ws::DeviceBuffer<float>::create(joined, n));
  WARPSAFE_TRYV(joined.synchronize());
  for (int step = 0; step < 4; ++step) {
    WARPSAFE_TRYV(ws::launch(left, config, ws::kernel<decode>, in.view(), a.view(), n));
    WARPSAFE_TRYV(ws::launch(right, config, ws::kernel<decode>, in.view(), b.view(), n));
    for (const ws::StreamRef half : {left, right}) {
      WARPSAFE_TRY(const auto decoded, half.record());
      WARPSAFE_TRYV(ws::wait(joined, decoded));
    }
    WARPSAFE_TRYV(
        ws::launch(joined, config, ws::kernel<combine>, a.view(), b.view(), sum.view(), n));
    WARPSAFE_TRYV(joined.synchronize());
  }
  // A mistake for the picture: more shared memory than a block may have.
  const auto refused =
      ws::launch(joined, ws::configure(ws::grid<64>, ws::block<256>, ws::shared<float>(1U << 20U)),
                 ws::kernel<combine>, a.view(), b.view(), sum.view(), n);
  if (!refused.has_value()) std::cout << refused.error() << '\n';
  return joined.synchronize();
}

namespace {

/// Draws a run. A kernel that no event measured is drawn at its launch's time on the host.
class Picture {
 public:
  explicit Picture(const RunRecord& run) : run_(run) {
    for (const auto& one : run.launches) {
      if (one.begun == 0) continue;
      row_of(one.record.stream);
      begin_ = std::min(begin_, one.begun);
      end_ = std::max({end_, one.ended, one.gpu_ended});
    }
    for (const auto& one : run.waits) end_ = std::max(end_, one.wait.ended);
    for (const auto& one : run.errors) end_ = std::max(end_, one.at);
  }

  void write(std::ostream& out) const {
    const std::size_t height = top + rows_.size() * row_height + 60;
    out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << left + width + 60 << "' height='"
        << height << "' font-family='sans-serif' font-size='12'>\n"
        << "<rect width='100%' height='100%' fill='white'/>\n"
        << "<text x='12' y='22' font-size='15'>" << title() << "</text>\n";
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::size_t y = top + row * row_height;
      out << "<rect x='" << left << "' y='" << y << "' width='" << width << "' height='"
          << row_height - 6 << "' fill='#f2f2f2'/>\n<text x='12' y='" << y + 21 << "'>stream "
          << row << "</text>\n";
    }
    for (const auto& one : run_.launches) bar(out, one);
    for (const auto& one : run_.waits) wait(out, one.wait);
    for (const auto& one : run_.errors) mark(out, one);
    axis(out, top + rows_.size() * row_height + 8);
    legend(out, height - 14);
    out << "</svg>\n";
  }

 private:
  static constexpr std::size_t left = 90, width = 900, top = 44, row_height = 38;

  [[nodiscard]] std::string title() const {
    const auto& found = run_.environment;
    std::string text = std::to_string(run_.launches.size()) + " launches on " +
                       std::to_string(rows_.size()) + " streams";
    if (found.devices.empty()) return text;
    const ws::Name name = found.devices.front().name;
    return text + " of " + escaped({name.data, name.size});
  }
  [[nodiscard]] static std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
      safe += letter == '<'    ? "&lt;"
              : letter == '&'  ? "&amp;"
              : letter == '\'' ? "&#39;"
                               : std::string(1, letter);
    }
    return safe;
  }
  std::size_t row_of(const void* stream) {
    const std::size_t row = known_row(stream);
    if (row == rows_.size()) rows_.push_back(stream);
    return row;
  }
  [[nodiscard]] std::size_t known_row(const void* stream) const {
    return static_cast<std::size_t>(std::find(rows_.begin(), rows_.end(), stream) - rows_.begin());
  }
  [[nodiscard]] double x(std::uint64_t time) const {
    const double share = time <= begin_ || end_ <= begin_ ? 0
                                                          : static_cast<double>(time - begin_) /
                                                                static_cast<double>(end_ - begin_);
    return static_cast<double>(left) + share * static_cast<double>(width);
  }
  /// A colour for each kernel.
  [[nodiscard]] std::string colour(ws::Name kernel) const {
    static constexpr std::array<const char*, 6> all{"#4477aa", "#228833", "#ccbb44",
                                                    "#aa3377", "#66ccee", "#bbbbbb"};
    std::size_t i = 0;
    while (i < run_.launches.size() && !(run_.launches[i].record.kernel == kernel)) ++i;
    std::vector<ws::Name> before;
    for (std::size_t j = 0; j < i; ++j) {
      const ws::Name one = run_.launches[j].record.kernel;
      if (std::find(before.begin(), before.end(), one) == before.end()) before.push_back(one);
    }
    return all[before.size() % all.size()];
  }
  void bar(std::ostream& out, const ws::debug::RunLaunch& one) const {
    if (one.begun == 0 || one.record.state == ws::LaunchState::refused) return;
    const bool timed = one.gpu_begun != 0;
    const double from = x(timed ? one.gpu_begun : one.begun);
    const double to = x(timed ? one.gpu_ended : one.ended);
    const std::size_t y = top + known_row(one.record.stream) * row_height + 4;
    const std::string name = escaped({one.record.kernel.data, one.record.kernel.size});
    out << "<rect x='" << from << "' y='" << y << "' width='" << std::max(1.0, to - from)
        << "' height='24' rx='2' fill='" << colour(one.record.kernel) << "'><title>#"
        << one.record.sequence << ' ' << name << "</title></rect>\n";
    if (to - from > 7.5 * static_cast<double>(name.size())) {
      out << "<text x='" << from + 4 << "' y='" << y + 16 << "' fill='white'>" << name
          << "</text>\n";
    }
  }
  void wait(std::ostream& out, const ws::WaitRecord& one) const {
    const std::size_t row = known_row(one.stream);
    if (row == rows_.size() || one.ended < begin_) return;
    const std::size_t y = top + row * row_height + row_height - 8;
    out << "<line x1='" << x(one.begun) << "' x2='" << x(one.ended) << "' y1='" << y << "' y2='"
        << y << "' stroke='#333' stroke-width='2'/>\n";
  }
  void mark(std::ostream& out, const ws::debug::RunError& one) const {
    const std::size_t row = known_row(one.stream);
    const std::size_t y = row == rows_.size() ? top - 6 : top + row * row_height;
    const double at = x(one.at);
    out << "<path d='M" << at - 6 << ' ' << y << " h12 l-6 12 z' fill='#cc3311'><title>"
        << escaped(one.text) << "</title></path>\n";
  }
  void axis(std::ostream& out, std::size_t y) const {
    const bool long_run = end_ - begin_ > 20'000'000;
    for (int tenth = 0; tenth <= 10; tenth += 2) {
      const std::uint64_t time = begin_ + (end_ - begin_) / 10 * static_cast<std::uint64_t>(tenth);
      out << "<text x='" << x(time) << "' y='" << y + 8 << "' text-anchor='middle' fill='#555'>"
          << (time - begin_) / (long_run ? 1'000'000 : 1000) << (long_run ? " ms" : " us")
          << "</text>\n";
    }
  }
  void legend(std::ostream& out, std::size_t y) const {
    std::vector<ws::Name> told;
    std::size_t at = left;
    for (const auto& one : run_.launches) {
      const ws::Name kernel = one.record.kernel;
      if (std::find(told.begin(), told.end(), kernel) != told.end()) continue;
      told.push_back(kernel);
      out << "<rect x='" << at << "' y='" << y - 10 << "' width='12' height='12' fill='"
          << colour(kernel) << "'/><text x='" << at + 17 << "' y='" << y << "'>"
          << escaped({kernel.data, kernel.size}) << "</text>\n";
      at += 17 + 8 * kernel.size + 24;
    }
    out << "<text x='" << at << "' y='" << y
        << "'>black line: the host waits; red mark: an error</text>\n";
  }

  const RunRecord& run_;
  std::vector<const void*> rows_;
  std::uint64_t begin_ = ~std::uint64_t{0};
  std::uint64_t end_ = 0;
};

/// Returns whether a file was written, and prints the error if not.
[[nodiscard]] bool written(const std::string& path, int failed) {
  if (failed == 0) return true;
  std::cerr << path << ": " << std::strerror(failed) << '\n';
  return false;
}

}  // namespace

int main(int count, char** words) {
  const std::string prefix = count > 1 ? words[1] : "timeline";
  const auto left = ws::Stream::create(ws::DeviceId(0));
  const auto right = ws::Stream::create(ws::DeviceId(0));
  const auto joined = ws::Stream::create(ws::DeviceId(0));
  if (!left.has_value() || !right.has_value() || !joined.has_value()) {
    std::cerr << (left.has_value() ? right : left).error() << '\n';
    return 2;
  }
  ws::debug::RunRecorder recorder;
  recorder.start({.gpu_times = true});
  const auto outcome = pipeline(left.value(), right.value(), joined.value());
  recorder.stop();
  if (!outcome.has_value()) std::cerr << outcome.error() << '\n';

  const RunRecord run = recorder.run();
  if (run.launches.empty()) {
    std::cout << "nothing was recorded: this build checks no launches (NDEBUG)\n";
    return outcome.has_value() ? 0 : 1;
  }
  if (!written(prefix + ".jsonl", ws::debug::write_journal(run, (prefix + ".jsonl").c_str())) ||
      !written(prefix + ".trace.json",
               ws::debug::write_trace(run, (prefix + ".trace.json").c_str()))) {
    return 2;
  }
  std::ofstream picture(prefix + ".svg");
  Picture(run).write(picture);
  if (!picture.flush()) return 2;
  std::cout << run.launches.size() << " launches, " << run.waits.size() << " waits, "
            << run.errors.size() << " errors: " << prefix << ".jsonl, .trace.json, .svg\n";
  return outcome.has_value() ? 0 : 1;
}
