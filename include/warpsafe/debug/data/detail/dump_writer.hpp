// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/data/detail/launch_memory.hpp>
#include <warpsafe/debug/data/npy.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Writes one launch into a folder of its own: see LaunchDump. The first failure is kept.
class DumpWriter {
 public:
  /// Creates `folder` if it does not exist, and the launch's own folder inside it. Only the user
  /// can read what it creates.
  DumpWriter(const char* folder, const LaunchRecord& record)
      : folder_(std::string(folder) + "/" + name_of(record)) {
    make_folder(folder, true);
    make_folder(folder_, false);
  }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  /// "PATH: what went wrong"; empty if nothing did.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Writes everything except the results. `memory` holds its copy from before the launch.
  void write_inputs(const LaunchRecord& record, const warpsafe::detail::LaunchArguments& arguments,
                    const LaunchMemory& memory) noexcept {
    note_memory(detail::has_memory_for([&] { try_inputs(record, arguments, memory); }));
  }
  /// Writes the results from the copies that `copy` returns.
  void write_outputs(const LaunchMemory& memory,
                     unsigned char* (LaunchMemory::*copy)(std::size_t) const noexcept) noexcept {
    note_memory(detail::has_memory_for([&] { try_outputs(memory, copy); }));
  }

 private:
  void note_memory(bool enough) noexcept {
    // Short enough to need no memory.
    if (!enough && problem_.empty()) problem_ = "no host memory";
  }
  void try_inputs(const LaunchRecord& record, const warpsafe::detail::LaunchArguments& arguments,
                  const LaunchMemory& memory) {
    write("grid", ElementType::uint32, 4, 3, false, record.grid);
    write("block", ElementType::uint32, 4, 3, false, record.block);
    write("shared", ElementType::uint64, 8, 1, true, &record.dynamic_shared);
    char line[1024];
    warpsafe::detail::TextBuffer text(line, sizeof line);
    text << "Launch: kernel=" << record.kernel << ", grid=" << record.grid
         << ", block=" << record.block << ", shared=" << record.dynamic_shared << " bytes\n"
         << "launch " << record.sequence << ", device " << record.device << ", stream "
         << record.stream;
    detail::put_place(text, record.site);
    std::string about = line;
    for (std::size_t i = 0; i < memory.arguments(); ++i) {
      const auto& element = memory.element(i);
      const Name type = element_name(element.type);
      about += "\narg" + std::to_string(i + 1) + ": " + std::string(type.data, type.size);
      const std::string name = "arg" + std::to_string(i + 1);
      if (memory.reaches(i)) {
        const std::size_t count = memory.bytes(i) / element.bytes;
        about += ", " + std::to_string(count) + " elements of " + std::to_string(element.bytes) +
                 " bytes" + (memory.writes(i) ? "" : ", only read");
        write(name + ".in", element.type, element.bytes, count, false, memory.before(i));
      } else if (!arguments.entry.parameters[i].is_pointer) {
        write(name, element.type, element.bytes, 1, true, arguments.values[i]);
      } else {
        about += arguments.memory[i].begin == nullptr
                     ? ", a null pointer"
                     : ", a pointer of unknown extent: not written";
      }
    }
    write_text("launch.txt", about + "\n");
  }
  void try_outputs(const LaunchMemory& memory,
                   unsigned char* (LaunchMemory::*copy)(std::size_t) const noexcept) {
    for (std::size_t i = 0; i < memory.arguments(); ++i) {
      if (!memory.reaches(i) || !memory.writes(i)) continue;
      const auto& element = memory.element(i);
      write("arg" + std::to_string(i + 1) + ".out", element.type, element.bytes,
            memory.bytes(i) / element.bytes, false, (memory.*copy)(i));
    }
  }

  /// "000007-softmax": the number in the journal, and the name without characters that a path
  /// cannot have.
  [[nodiscard]] static std::string name_of(const LaunchRecord& record) {
    char number[32];
    std::snprintf(number, sizeof number, "%06llu-",
                  static_cast<unsigned long long>(record.sequence));
    std::string name = number;
    for (std::size_t i = 0; i < record.kernel.size && i < 80; ++i) {
      const char letter = record.kernel.data[i];
      const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                         (letter >= '0' && letter <= '9');
      name += plain ? letter : '_';
    }
    return name;
  }
  /// Creates a folder. An existing one must belong to the user, or others could replace files in
  /// it; `shared`: it may belong to others, and be a link that the user or the system made.
  void make_folder(const std::string& path, bool shared) {
    if (!problem_.empty() || ::mkdir(path.c_str(), S_IRWXU) == 0) return;
    struct stat found {};
    if (errno != EEXIST || ::lstat(path.c_str(), &found) != 0) {
      note(path, errno);
    } else if (S_ISLNK(found.st_mode) &&
               !(shared && (found.st_uid == ::geteuid() || found.st_uid == 0))) {
      note(path, ELOOP);
    } else if (!shared && found.st_uid != ::geteuid()) {
      problem_ = path + ": the folder belongs to another user; remove it, or choose another folder";
    }
  }
  void write(const std::string& name, ElementType type, std::size_t bytes, std::size_t count,
             bool scalar, const void* data) {
    if (!problem_.empty()) return;
    const std::string path = folder_ + "/" + name + ".npy";
    if (const int failed = write_npy(path.c_str(), type, bytes, count, scalar, data)) {
      note(path, failed);
    }
  }
  void write_text(const char* name, const std::string& text) {
    if (!problem_.empty()) return;
    const std::string path = folder_ + "/" + name;
    const auto write = [&](std::FILE* file) {
      detail::OutputFile out(file);
      out.write(text.data(), text.size());
      return out.finish();
    };
    if (const int failed = detail::write_to(path.c_str(), write)) note(path, failed);
  }
  void note(const std::string& path, int failed) {
    if (problem_.empty()) problem_ = path + ": " + detail::file_problem(failed);
  }

  std::string folder_;
  std::string problem_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
