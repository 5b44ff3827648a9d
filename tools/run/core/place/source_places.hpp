// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"
#include "../suspicion/call_stack.hpp"
#include "host_stack.hpp"
#include "line_tool.hpp"
#include "source_place.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Finds the places of a stack in the program's source. Files and lines need debug information and
/// addr2line; without them a place is a function and an offset in its object.
class SourcePlaces {
 public:
  /// The most places of one stack.
  static constexpr std::size_t most = 4;

  /// `tool` is the path of addr2line; empty: no lines. `runtimes` are the libraries between the
  /// program and the watch.
  SourcePlaces(std::string tool, LibraryNames runtimes)
      : tool_(std::move(tool)), runtimes_(runtimes) {}

  /// Returns the program's own places on the stack, innermost first. addr2line runs once for a
  /// stack. Thread-safe. May throw std::bad_alloc.
  [[nodiscard]] std::vector<SourcePlace> find(const HostStack& stack) {
    std::vector<void*> key(stack.frames, stack.frames + stack.count);
    {
      const std::lock_guard lock(mutex_);
      const auto known = known_.find(key);
      if (known != known_.end()) return known->second;
    }
    std::vector<SourcePlace> places = look_up(stack);
    const std::lock_guard lock(mutex_);
    if (known_.size() < most_known) known_.emplace(std::move(key), places);
    return places;
  }
  /// Returns the words for the innermost place, or "". `kernel` is what was launched there, or "".
  /// May throw std::bad_alloc.
  [[nodiscard]] std::string first(const HostStack& stack, std::string_view kernel) {
    for (const SourcePlace& one : find(stack)) {
      // nvcc makes two functions for a launch, of which one has the kernel's name.
      const bool of_kernel = !kernel.empty() && one.function == kernel;
      if (!of_kernel && !one.is_stub()) return one.text();
    }
    return {};
  }

 private:
  static constexpr std::size_t most_known = 4096;
  static constexpr std::size_t most_frames = 12;
  static constexpr int most_runs = 200;  ///< of addr2line, each some milliseconds

  [[nodiscard]] std::vector<SourcePlace> look_up(const HostStack& stack) {
    std::vector<Frame> frames;
    for (std::size_t i = 0; i < stack.count && frames.size() < most_frames; ++i) {
      Frame one;
      if (!read(stack.frames[i], one)) continue;
      // A signal arrives in the C library, and main returns to it.
      if (one.place.object.substr(0, 7) == "libc.so") {
        if (frames.empty()) continue;
        break;
      }
      frames.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (!frames[i].asked) add_lines(frames, i);
    }
    std::vector<SourcePlace> places;
    for (Frame& one : frames) {
      const bool skipped = places.empty() && one.place.line == 0 &&
                           (is_runtimes(one.place.function) || has_lines(frames, one));
      if (skipped || one.place.function == "_start") continue;
      places.push_back(std::move(one.place));
      for (SourcePlace& caller : one.callers) places.push_back(std::move(caller));
    }
    if (places.size() > most) {
      // A library's functions may come before the program's.
      const auto own = std::find_if(places.begin(), places.end(),
                                    [](const SourcePlace& one) { return one.line != 0; });
      if (own != places.end() && own - places.begin() >= static_cast<std::ptrdiff_t>(most)) {
        places[most - 1] = *own;
      }
      places.resize(most);
    }
    return places;
  }
  struct Frame {
    SourcePlace place;
    std::vector<SourcePlace> callers;  ///< if the place is in a function that was inlined into them
    std::string path;                  ///< of the object, for the tool
    bool asked = false;
  };

  /// Returns false for a frame of the watch, the runtime or no object.
  [[nodiscard]] bool read(void* address, Frame& one) const {
    static const char here = 0;
    Dl_info own{};
    static_cast<void>(::dladdr(&here, &own));
    Dl_info info{};
    link_map* map = nullptr;
    // A return address may lie behind the end of its function.
    const char* const at = static_cast<const char*>(address) - 1;
    if (::dladdr1(at, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
        map == nullptr || info.dli_fbase == own.dli_fbase ||
        *detail::library_of(info.dli_fname, runtimes_) != '\0') {
      return false;
    }
    one.place.object = single_line(detail::file_of(info.dli_fname));
    one.place.offset = reinterpret_cast<std::uintptr_t>(at) - map->l_addr;
    if (info.dli_sname != nullptr) one.place.function = kernel_name(info.dli_sname);
    // The program's own name may be relative to another folder, or be replaced.
    one.path = map->l_name == nullptr || *map->l_name == '\0'
                   ? "/proc/" + std::to_string(::getpid()) + "/exe"
                   : map->l_name;
    return true;
  }
  /// Asks for all frames of the object of frame `first` at once.
  void add_lines(std::vector<Frame>& frames, std::size_t first) {
    std::vector<std::size_t> which;
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = first; i < frames.size(); ++i) {
      if (frames[i].path != frames[first].path) continue;
      frames[i].asked = true;
      which.push_back(i);
      addresses.push_back(frames[i].place.offset);
    }
    if (__atomic_fetch_add(&runs_, 1, __ATOMIC_RELAXED) >= most_runs) return;
    const std::string text = LineTool::ask(tool_, frames[first].path, addresses);
    std::string_view rest = text;
    const auto next_line = [&] {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
      return line;
    };
    for (const std::size_t i : which) {
      while (!rest.empty() && rest.substr(0, 2) != "0x") next_line();
      if (rest.empty()) return;
      next_line();
      std::vector<SourcePlace> chain;  // innermost first
      while (!rest.empty() && rest.substr(0, 2) != "0x") {
        SourcePlace one = frames[i].place;
        const std::string_view function = next_line();
        take(one, function, next_line());
        chain.push_back(std::move(one));
      }
      if (chain.empty()) return;
      const auto own = std::find_if_not(chain.begin(), chain.end(), &is_in_runtimes_header);
      if (own != chain.end()) chain.erase(chain.begin(), own);
      frames[i].place = std::move(chain.front());
      chain.erase(chain.begin());
      frames[i].callers = std::move(chain);
    }
  }
  /// Functions of the runtime's headers, such as cudaMalloc for a typed pointer, are inlined into
  /// the program's.
  [[nodiscard]] static bool is_in_runtimes_header(const SourcePlace& one) noexcept {
    const std::string_view file = detail::file_of(one.file.c_str());
    for (const std::string_view header :
         {"cuda_runtime.h", "device_functions.h", "hip_runtime_api.h", "amd_hip_runtime.h"}) {
      if (file == header) return true;
    }
    return false;
  }
  static void take(SourcePlace& place, std::string_view function, std::string_view where) {
    if (!function.empty() && function != "??") {
      place.function = single_line(without_excess(without_parameters(std::string(function))));
    }
    // "file:42", "file:42 (discriminator 3)", "??:0", "file:?"
    where = where.substr(0, where.find(" ("));
    const std::size_t colon = where.rfind(':');
    if (colon == where.npos || where.substr(0, 2) == "??") return;
    const auto line = std::strtoul(std::string(where.substr(colon + 1)).c_str(), nullptr, 10);
    if (line == 0) return;
    place.line = static_cast<std::uint32_t>(line);
    place.file = single_line(where.substr(0, colon));
  }
  /// Returns whether another frame of the same object has a line: `one` then belongs to a library
  /// without debug information that is linked into the object, as the runtime may be.
  [[nodiscard]] static bool has_lines(const std::vector<Frame>& frames, const Frame& one) noexcept {
    for (const Frame& other : frames) {
      if (other.place.line != 0 && other.path == one.path) return true;
    }
    return false;
  }
  /// Functions of a runtime that is linked into the program (cudart_static).
  [[nodiscard]] static bool is_runtimes(const std::string& function) noexcept {
    for (const char* prefix :
         {"cuda", "__cuda", "__cudart", "__device_stub_", "libcudart_static"}) {
      if (function.rfind(prefix, 0) == 0) return true;
    }
    return false;
  }

  std::string tool_;
  LibraryNames runtimes_;
  int runs_ = 0;
  std::mutex mutex_;
  std::map<std::vector<void*>, std::vector<SourcePlace>> known_;
};

}  // namespace warpsafe::watch
