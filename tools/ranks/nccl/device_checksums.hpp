// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/checksum.hpp"
#include "checksum_code.hpp"
#include "driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// Memory that a collective reads or writes.
struct Buffer {
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  Format format = Format::bytes;
};

/// Checksums of device memory, by a kernel on the stream of the collective. Each block of the
/// kernel writes its part to memory of the host, so nothing is copied and nothing is waited for.
class DeviceChecksums {
 public:
  /// Where the parts of one checksum are.
  struct Slot {
    std::uint64_t context = 0;  ///< its number
    Checksum* parts = nullptr;  ///< null: nothing is read
    std::uint32_t blocks = 0;
  };

  explicit DeviceChecksums(const Driver& driver) : driver_(driver) {}

  /// Compiles the kernel and loads it into a context, the current one. Contexts have numbers, as in
  /// DeviceEvents::Mark. The driver may wait for the device while it loads code or makes memory:
  /// later, a collective that waits for another rank could be in flight. True: it is loaded, now or
  /// before. Otherwise `problem` says why, or is empty: another thread loads it.
  [[nodiscard]] bool prepare(std::uint64_t context, std::string& problem) {
    {
      const std::lock_guard lock(mutex_);
      const auto [known, is_new] = loaded_.try_emplace(context);
      if (!is_new) {
        problem = known->second.problem;
        return known->second.function != nullptr;
      }
    }
    // No lock is held: the thread of another device must go on, if this one waits for that device.
    Loaded made;
    load(made);
    problem = made.problem;
    const std::lock_guard lock(mutex_);
    return (loaded_[context] = std::move(made)).function != nullptr;
  }
  /// Launches the kernel in the current context. A slot without parts: the buffer is not read,
  /// because it is none of the device's memory or because too many are in flight.
  [[nodiscard]] Slot launch(std::uint64_t context, void* stream, const Buffer& buffer) {
    Slot slot;
    std::string problem;
    if (buffer.bytes == 0 || !prepare(context, problem) || !is_allocated(buffer)) return slot;
    void* function = nullptr;
    Driver::Address parts = 0;
    {
      const std::lock_guard lock(mutex_);
      Loaded& loaded = loaded_[context];
      if (loaded.free.empty()) return slot;
      const std::size_t index = loaded.free.back();
      loaded.free.pop_back();
      slot.parts = loaded.host + index * checksum_most_blocks;
      parts = loaded.device + index * checksum_most_blocks * sizeof(Checksum);
      function = loaded.function;
    }
    slot.context = context;
    constexpr std::uint64_t bytes_of_block = std::uint64_t{checksum_threads} * 8 * 4;
    slot.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        checksum_most_blocks, (buffer.bytes + bytes_of_block - 1) / bytes_of_block));
    const void* data = buffer.data;
    std::uint64_t bytes = buffer.bytes;
    Format format = buffer.format;
    void* arguments[] = {&data, &bytes, &format, &parts};
    if (driver_.launch(function, slot.blocks, 1, 1, checksum_threads, 1, 1, 0, stream, arguments,
                       nullptr) != 0) {
      release(slot);
      slot = {};
    }
    return slot;
  }
  /// The sum of the parts, after the kernel.
  [[nodiscard]] static Checksum result(const Slot& slot) noexcept {
    Checksum sum;
    for (std::uint32_t block = 0; block < slot.blocks; ++block) sum.add(slot.parts[block]);
    return sum;
  }
  void release(const Slot& slot) {
    if (slot.parts == nullptr) return;
    const std::lock_guard lock(mutex_);
    Loaded& loaded = loaded_[slot.context];
    loaded.free.push_back(static_cast<std::size_t>(slot.parts - loaded.host) /
                          checksum_most_blocks);
  }

 private:
  /// Buffers in flight in a context: 2 MB of the host's memory.
  static constexpr std::size_t most_slots = 512;
  struct Loaded {
    std::string problem;
    void* function = nullptr;  ///< null: the kernel is not loaded, or not yet
    Checksum* host = nullptr;
    Driver::Address device = 0;
    std::vector<std::size_t> free;
  };

  void load(Loaded& loaded) {
    void* module = nullptr;
    void* function = nullptr;
    void* memory = nullptr;
    int capability = 0;
    int status = capability_of_device(capability);
    if (status == 0) {
      const ChecksumCode::Compiled& code = code_.of(capability, driver_.cuda());
      if (code.image.empty()) {
        loaded.problem = code.problem;
        return;
      }
      status = driver_.module_load(&module, code.image.data());
    }
    if (status == 0) status = driver_.module_function(&function, module, checksum_function);
    constexpr unsigned portable_and_mapped = 3;  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP
    constexpr std::size_t bytes = most_slots * checksum_most_blocks * sizeof(Checksum);
    if (status == 0) status = driver_.host_alloc(&memory, bytes, portable_and_mapped);
    if (status == 0) status = driver_.device_pointer(&loaded.device, memory, 0);
    if (status != 0) {
      loaded.problem =
          "CUDA's driver refuses the kernel that computes them (" + std::to_string(status) + ')';
      return;
    }
    loaded.function = function;
    loaded.host = static_cast<Checksum*>(memory);
    for (std::size_t slot = most_slots; slot != 0; --slot) loaded.free.push_back(slot - 1);
  }
  /// The driver's status.
  int capability_of_device(int& capability) const {
    constexpr int major_number = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    constexpr int minor_number = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    int device = 0;
    int major = 0;
    int minor = 0;
    int status = driver_.device(&device);
    if (status == 0) status = driver_.device_attribute(&major, major_number, device);
    if (status == 0) status = driver_.device_attribute(&minor, minor_number, device);
    capability = major * 10 + minor;
    return status;
  }
  /// The collective may refuse a wrong address, and a kernel that reads it would end the program.
  /// So would one that reads another device's memory: a null stream does not tell its device.
  [[nodiscard]] bool is_allocated(const Buffer& buffer) const {
    const auto begin = reinterpret_cast<Driver::Address>(buffer.data);
    constexpr int device_ordinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    int here = -1;
    int of = -2;
    if (driver_.device(&here) != 0 || driver_.pointer_attribute(&of, device_ordinal, begin) != 0 ||
        of != here) {
      return false;
    }
    const Driver::Address end = begin + buffer.bytes;
    if (end < begin) return false;
    // Memory that the program has mapped piece by piece has many ranges.
    constexpr int most_ranges = 10'000;
    Driver::Address at = begin;
    for (int i = 0; i < most_ranges && at < end; ++i) {
      Driver::Address base = 0;
      std::size_t size = 0;
      if (driver_.address_range(&base, &size, at) != 0 || base + size <= at) return false;
      at = base + size;
    }
    return at >= end;
  }

  const Driver& driver_;
  ChecksumCode code_;
  std::mutex mutex_;
  std::map<std::uint64_t, Loaded> loaded_;  // by the context's number
};

}  // namespace warpsafe::ranks
