// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// NVIDIA does not document the fat binary and the .nv.info sections. This code follows the output
// of nvcc 13.0, and the layout test of this folder compares it with the kernels' source.
#include "cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace stand_in_cuda {
namespace {

constexpr std::uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::uint16_t kind_elf = 2;
constexpr std::uint64_t compressed_flags = 0xe000;  // LZ4 and Zstandard
// CUDA keeps this much of each block's shared memory from sm_90 on; .nv.shared.* include it.
constexpr std::uint64_t reserved_shared_bytes = 1024;

// The attributes of .nv.info that are read.
constexpr std::uint8_t format_inline = 3;
constexpr std::uint8_t format_bytes = 4;
constexpr std::uint8_t max_threads = 0x05;
constexpr std::uint8_t frame_size = 0x11;
constexpr std::uint8_t parameter_info = 0x17;
constexpr std::uint8_t parameter_bytes = 0x19;
constexpr std::uint8_t register_count = 0x2f;
constexpr std::uint8_t large_parameter_info = 0x45;  // in kernels with a parameter over 4 KiB
constexpr std::uint8_t blocks_per_cluster = 0x3d;

struct ImageHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t options_offset;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t zero;
  std::uint64_t bytes;
};
static_assert(sizeof(ImageHeader) == 64);

template <class T>
T read(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<std::string> suffix(const std::string& name, const std::string& prefix) {
  if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  return name.substr(prefix.size());
}

class Image {
 public:
  Image(const unsigned char* data, int architecture)
      : data_(data), header_(read<Elf64_Ehdr>(data)), architecture_(architecture) {
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(data + header_.e_shoff + i * sizeof(Elf64_Shdr)));
    }
  }

  void add_to(std::map<std::string, KernelCode>& kernels) {
    for (const Elf64_Shdr& section : sections_) {
      if (const auto kernel = suffix(name_of(section), ".text.")) {
        kernels[*kernel].architecture = architecture_;
      }
    }
    std::uint64_t constants = 0;  // shared by all kernels of the image
    for (const Elf64_Shdr& section : sections_) {
      const std::string name = name_of(section);
      if (name == ".nv.constant3") constants = section.sh_size;
      if (name == ".nv.info") read_common(section, kernels);
      if (const auto kernel = suffix(name, ".nv.info.")) read_kernel(section, kernels[*kernel]);
      if (const auto kernel = suffix(name, ".nv.shared."); kernel && kernels.count(*kernel) != 0) {
        const std::uint64_t reserved = architecture_ >= 90 ? reserved_shared_bytes : 0;
        kernels[*kernel].info.static_shared_bytes =
            static_cast<int>(section.sh_size - std::min(section.sh_size, reserved));
      }
    }
    for (auto& [name, kernel] : kernels) {
      if (kernel.architecture == architecture_) {
        kernel.info.constant_bytes = static_cast<int>(constants);
        std::sort(kernel.arguments.begin(), kernel.arguments.end(),
                  [](const auto& a, const auto& b) { return a.offset < b.offset; });
        kernel.has_arguments = true;
      }
    }
  }

 private:
  std::string name_of(const Elf64_Shdr& section) const {
    return reinterpret_cast<const char*>(data_ + sections_[header_.e_shstrndx].sh_offset +
                                         section.sh_name);
  }

  // Calls `use` with (attribute, inline value or byte count, first byte) for each entry.
  template <class Use>
  void for_each_entry(const Elf64_Shdr& section, Use use) const {
    const unsigned char* at = data_ + section.sh_offset;
    const unsigned char* const end = at + section.sh_size;
    while (at + 4 <= end) {
      const std::uint8_t format = at[0];
      const auto value = read<std::uint16_t>(at + 2);
      if (format == format_bytes) {
        use(at[1], value, at + 4);
        at += value;
      } else if (format == format_inline) {
        use(at[1], value, nullptr);
      }
      at += 4;
    }
  }

  std::string symbol(std::uint32_t index) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      const auto entry =
          read<Elf64_Sym>(data_ + section.sh_offset + index * std::uint64_t{sizeof(Elf64_Sym)});
      return reinterpret_cast<const char*>(data_ + sections_[section.sh_link].sh_offset +
                                           entry.st_name);
    }
    return {};
  }

  void read_common(const Elf64_Shdr& section, std::map<std::string, KernelCode>& kernels) const {
    for_each_entry(section, [&](std::uint8_t attribute, std::uint16_t, const unsigned char* bytes) {
      if (attribute != register_count && attribute != frame_size) return;
      const auto kernel = kernels.find(symbol(read<std::uint32_t>(bytes)));
      if (kernel == kernels.end()) return;
      const auto value = static_cast<int>(read<std::uint32_t>(bytes + 4));
      (attribute == register_count ? kernel->second.info.registers
                                   : kernel->second.info.local_bytes) = value;
    });
  }

  void read_kernel(const Elf64_Shdr& section, KernelCode& kernel) const {
    kernel.arguments.clear();
    for_each_entry(
        section, [&](std::uint8_t attribute, std::uint16_t value, const unsigned char* bytes) {
          if (attribute == parameter_info) {
            // index, ordinal and offset, then the size in the upper 14 bits of the last word
            kernel.arguments.push_back(
                {read<std::uint16_t>(bytes + 6), read<std::uint32_t>(bytes + 8) >> 18});
          } else if (attribute == large_parameter_info) {
            kernel.arguments.push_back(
                {read<std::uint16_t>(bytes + 6), read<std::uint32_t>(bytes + 8)});
          } else if (attribute == parameter_bytes) {
            kernel.argument_bytes = value;
          } else if (attribute == max_threads) {
            kernel.info.max_threads_per_block =
                static_cast<int>(read<std::uint32_t>(bytes) * read<std::uint32_t>(bytes + 4) *
                                 read<std::uint32_t>(bytes + 8));
          } else if (attribute == blocks_per_cluster) {
            kernel.info.cluster_x = static_cast<int>(read<std::uint32_t>(bytes));
            kernel.info.cluster_y = static_cast<int>(read<std::uint32_t>(bytes + 4));
            kernel.info.cluster_z = static_cast<int>(read<std::uint32_t>(bytes + 8));
          }
        });
  }

  const unsigned char* data_;
  Elf64_Ehdr header_;
  int architecture_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace

std::map<std::string, KernelCode> kernels_of_image(const unsigned char* fat_binary) {
  std::map<std::string, KernelCode> kernels;
  if (std::memcmp(fat_binary, ELFMAG, SELFMAG) == 0) {
    const auto flags = read<Elf64_Ehdr>(fat_binary).e_flags;
    Image(fat_binary, static_cast<int>(flags >> 8 & 0xff)).add_to(kernels);
    return kernels;
  }
  if (read<std::uint32_t>(fat_binary) != fat_binary_magic) return kernels;
  const unsigned char* at = fat_binary + read<std::uint16_t>(fat_binary + 6);
  const unsigned char* const end = at + read<std::uint64_t>(fat_binary + 8);
  while (at < end) {
    const auto image = read<ImageHeader>(at);
    const unsigned char* const data = at + image.header_bytes;
    if (image.kind == kind_elf && (image.flags & compressed_flags) == 0 &&
        std::memcmp(data, ELFMAG, SELFMAG) == 0) {
      Image(data, static_cast<int>(image.architecture)).add_to(kernels);
    }
    at = data + image.padded_bytes;
  }
  return kernels;
}

}  // namespace stand_in_cuda
