// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../kernel/parameter_types.hpp"
#include "../kernel/watched_kernel.hpp"
#include "launch_pointers.hpp"
#include <warpsafe/core/launch_record.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// One pointer that a launch has passed, or that a node of a graph has.
struct PassedPointer {
  std::size_t number = 0;  ///< of the parameter, from 0
  std::uintptr_t address = 0;
  std::string type{};         ///< "float const*"; empty: unknown, and perhaps no pointer
  std::string node{};         ///< "node 'demo::scale'"; empty: the launch itself has it
  std::string side{};         ///< of a node that is a copy or a fill: "target", "source"
  bool of_library = false;    ///< the kernel is a library's, which may do without the pointer
  bool in_structure = false;  ///< a word of a structure, and perhaps no pointer

  /// "argument 1 (float*)", "argument 1 (float*) of node 'scale'", "the target of a copy".
  [[nodiscard]] std::string text() const {
    const std::string is = !side.empty() ? "the " + side
                                         : (in_structure ? "a word of argument " : "argument ") +
                                               std::to_string(number + 1) +
                                               (type.empty() ? "" : " (" + type + ")");
    return node.empty() ? is : is + " of " + node;
  }
};

/// The pointers that the last launches have passed, by the launches' numbers in the journal. It is
/// filled only with --arguments. Thread-safe.
class ArgumentLog {
 public:
  explicit ArgumentLog(bool on) : launches_(on ? most : 0) {}
  [[nodiscard]] bool on() const noexcept { return !launches_.empty(); }

  /// Keeps the pointers of a launch that the runtime has accepted. May throw std::bad_alloc.
  void keep(std::uint64_t launch, const Kernel& kernel, const LaunchParameters& values) {
    if (on()) keep(launch, pointers_of(kernel, values));
  }
  /// The same for a launch of a graph.
  void keep(std::uint64_t launch, std::vector<PassedPointer> pointers) {
    if (!on()) return;
    const std::lock_guard lock(mutex_);
    Launch& place = launches_[launch % most];
    place.number = launch;
    place.pointers.swap(pointers);
  }
  /// Returns the pointers of a launch; empty if they are not known.
  [[nodiscard]] std::vector<PassedPointer> of(std::uint64_t launch) {
    if (!on()) return {};
    const std::lock_guard lock(mutex_);
    const Launch& place = launches_[launch % most];
    return place.number == launch ? place.pointers : std::vector<PassedPointer>();
  }
  /// Returns the pointers among a kernel's parameters.
  [[nodiscard]] static std::vector<PassedPointer> pointers_of(const Kernel& kernel,
                                                              const LaunchParameters& values) {
    std::vector<PassedPointer> found;
    const LaunchParameters::Block block = values.block();
    const bool has_types = kernel.types.size() == kernel.parameters.size();
    const bool of_library = *kernel.library != '\0';
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const KernelParameter& one = kernel.parameters[i];
      const std::string type = has_types ? kernel.types[i] : std::string();
      // The libraries' kernels have most of their pointers in structures.
      const bool is_pointer = one.bytes == sizeof(void*) && !(has_types && type.back() != '*');
      const bool is_structure = of_library && one.bytes > sizeof(void*) && one.bytes <= 512;
      if (!is_pointer && !is_structure) continue;
      const void* from = nullptr;
      if (values.each != nullptr) {
        if (!read_foreign(from, values.each + i)) return found;
      } else if (one.bytes <= block.bytes && one.offset <= block.bytes - one.bytes) {
        from = block.begin + one.offset;
      }
      for (std::size_t at = 0; from != nullptr && at + sizeof(void*) <= one.bytes;
           at += sizeof(void*)) {
        std::uintptr_t address = 0;
        if (!read_foreign(address, static_cast<const char*>(from) + at)) break;
        PassedPointer pointer{i, address, is_pointer ? type : std::string()};
        pointer.of_library = of_library;
        pointer.in_structure = is_structure;
        found.push_back(std::move(pointer));
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t most = 1024;  // as many as the journal holds
  struct Launch {
    std::uint64_t number = 0;
    std::vector<PassedPointer> pointers{};
  };

  std::mutex mutex_;
  std::vector<Launch> launches_;  // empty: off
};

}  // namespace warpsafe::watch
