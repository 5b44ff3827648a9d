// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// A launch that may have caused a fault, in words that mean the same launch in another run of the
/// program.
struct Suspect {
  std::uint64_t ordinal = 0;  ///< among the launches of its kernel on its device, from 1
  std::int32_t device = 0;
  std::string kernel;  ///< its name; for a graph, the graph's
  std::string shape;   ///< "grid=(4,1,1), block=(32,1,1), shared=0 bytes"; empty for a graph

  [[nodiscard]] bool operator==(const Suspect&) const = default;
  /// "'axpy', launch 3 of it, grid=(4,1,1), …".
  [[nodiscard]] std::string text() const {
    return '\'' + kernel + "', launch " + std::to_string(ordinal) + " of it" +
           (shape.empty() ? "" : ", ") + shape;
  }
  /// A line of a file. Names have no control characters.
  [[nodiscard]] std::string line() const {
    return std::to_string(ordinal) + '\t' + std::to_string(device) + '\t' + shape + '\t' + kernel +
           '\n';
  }
};

/// What the runs of a program under --rerun write for each other: a file for each process that
/// faulted. The first line is `exact` if the file names the faulting launch.
struct SuspectFile {
  static constexpr const char* exact = "exact";
  static constexpr const char* list = "list";
  /// Name of the file with the first run's suspects of all processes.
  static constexpr const char* all = "suspects";

  bool is_exact = false;
  std::vector<Suspect> suspects{};

  /// Reads a file's text. Lines in another form are left out. May throw std::bad_alloc.
  [[nodiscard]] static SuspectFile parse(const std::string& text) {
    SuspectFile found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;  // not whole
      take(text.substr(at, end - at), found);
      at = end + 1;
    }
    return found;
  }
  [[nodiscard]] std::string text() const {
    std::string all_lines = std::string(is_exact ? exact : list) + '\n';
    for (const Suspect& one : suspects) all_lines += one.line();
    return all_lines;
  }

 private:
  static void take(const std::string& line, SuspectFile& found) {
    if (line == exact) found.is_exact = true;
    const std::size_t device = line.find('\t');
    if (device == std::string::npos) return;
    const std::size_t shape = line.find('\t', device + 1);
    if (shape == std::string::npos) return;
    const std::size_t kernel = line.find('\t', shape + 1);
    if (kernel == std::string::npos) return;
    Suspect one;
    one.ordinal = std::strtoull(line.c_str(), nullptr, 10);
    one.device = std::atoi(line.c_str() + device + 1);
    one.shape = line.substr(shape + 1, kernel - shape - 1);
    one.kernel = line.substr(kernel + 1);
    found.suspects.push_back(std::move(one));
  }
};

}  // namespace warpsafe::watch
