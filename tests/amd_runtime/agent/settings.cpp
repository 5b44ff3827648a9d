// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace soft_hsa {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::uint32_t kib = 1024;
constexpr std::uint32_t mib = 1024 * kib;

// Compute units, wavefront, memory and caches: AMD's page "GPU specifications"
// (rocm.docs.amd.com, reference/gpu-specs). An MI250X is two of these devices, so half of the
// page's numbers. 64 KiB of group segment for one work-group, SIMDs and waves: LLVM, "User Guide
// for AMDGPU Backend", and AMD's ISA documents of CDNA 2, CDNA 3, RDNA 3 and RDNA 4. Clocks and
// bus: AMD's data sheet of each product. PCI ids: pci.ids. No check of the library depends on a
// clock.
constexpr Model models[] = {
    {"gfx90a",
     ":sramecc+:xnack-",
     "AMD Instinct MI250X",
     0x7408,
     110,
     64,
     4,
     32,
     8,
     1700,
     1600,
     4096,
     {16 * kib, 8 * mib, 0},
     64 * kib,
     64 * gib},
    {"gfx942",
     ":sramecc+:xnack-",
     "AMD Instinct MI300X",
     0x74a1,
     304,
     64,
     4,
     32,
     32,
     2100,
     2600,
     8192,
     {32 * kib, 4 * mib, 256 * mib},
     64 * kib,
     192 * gib},
    {"gfx1100",
     "",
     "AMD Radeon RX 7900 XTX",
     0x744c,
     96,
     32,
     2,
     32,
     6,
     2500,
     1250,
     384,
     {32 * kib, 6 * mib, 96 * mib},
     64 * kib,
     24 * gib},
    {"gfx1201",
     "",
     "AMD Radeon RX 9070 XT",
     0x7550,
     64,
     32,
     2,
     32,
     4,
     2970,
     1258,
     256,
     {32 * kib, 8 * mib, 64 * mib},
     64 * kib,
     16 * gib},
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(at);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

[[noreturn]] void refuse(const char* variable, const std::string& value, const char* expected) {
  std::fprintf(stderr, "soft_hsa: %s=%s: expected %s\n", variable, value.c_str(), expected);
  std::_Exit(2);
}

/// A positive number, with K, M or G behind it. `otherwise` if the variable is not set.
std::size_t number(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  std::size_t value = std::strtoull(text, &end, 0);
  if (*end == 'K') value <<= 10, ++end;
  if (*end == 'M') value <<= 20, ++end;
  if (*end == 'G') value <<= 30, ++end;
  if (end == text || *end != '\0' || *text == '-') refuse(variable, text, "a number");
  return value;
}

Gpu gpu_of(const std::string& target, std::size_t memory) {
  const std::string name = target.substr(0, target.find(':'));
  for (const Model& model : models) {
    if (name != model.name) continue;
    const std::string full = target == name ? name + model.features : target;
    return {&model, full, memory == 0 ? model.memory_bytes : memory};
  }
  // Other targets have the first model's numbers: a program for a device that the table lacks.
  if (name.rfind("gfx", 0) != 0) refuse("SOFT_HSA_ISA", target, "targets such as gfx90a,gfx1100");
  return {&models[0], target, memory == 0 ? models[0].memory_bytes : memory};
}

Settings read() {
  Settings made;
  made.log = static_cast<int>(number("SOFT_HSA_LOG", 0));
  const char* const isa = std::getenv("SOFT_HSA_ISA");
  std::vector<std::string> targets = split(isa == nullptr ? "gfx90a" : isa, ',');
  if (targets.empty()) refuse("SOFT_HSA_ISA", "", "targets such as gfx90a,gfx1100");
  const std::size_t memory = number("SOFT_HSA_MEMORY", 0);
  const std::size_t count = number("SOFT_HSA_GPUS", targets.size());
  if (count > 64) refuse("SOFT_HSA_GPUS", std::to_string(count), "at most 64");
  for (std::size_t i = 0; i < count; ++i) {
    made.gpus.push_back(gpu_of(targets[i < targets.size() ? i : targets.size() - 1], memory));
  }
  if (const char* const twins = std::getenv("SOFT_HSA_TWINS")) made.twins = split(twins, ':');
  return made;
}

}  // namespace

const Settings& settings() {
  static const auto* const made =
      new Settings(read());  // the runtime calls in while the process ends
  return *made;
}

}  // namespace soft_hsa
