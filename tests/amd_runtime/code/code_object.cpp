// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Formats: https://clang.llvm.org/docs/ClangOffloadBundler.html (bundled binary file layout),
// https://llvm.org/docs/AMDGPUUsage.html (code object metadata, NT_AMDGPU_METADATA = 32),
// https://github.com/msgpack/msgpack/blob/master/spec.md.
#include "code_object.hpp"

#include "message_pack.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace amd_code {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint32_t amdgpu_metadata_note = 32;

template <class T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

int as_int(const Packed* value, int otherwise) {
  return value == nullptr ? otherwise : static_cast<int>(value->number);
}

CodeKernel kernel_of(const Packed& entry) {
  CodeKernel kernel;
  if (const Packed* name = entry.find(".name")) kernel.name = name->text;
  kernel.info.static_shared_bytes = as_int(entry.find(".group_segment_fixed_size"), 0);
  kernel.info.private_bytes = as_int(entry.find(".private_segment_fixed_size"), 0);
  kernel.info.vector_registers = as_int(entry.find(".vgpr_count"), 0);
  kernel.info.scalar_registers = as_int(entry.find(".sgpr_count"), 0);
  kernel.info.max_threads_per_block = as_int(entry.find(".max_flat_workgroup_size"), 1024);
  kernel.info.wavefront_size = as_int(entry.find(".wavefront_size"), 64);
  const Packed* arguments = entry.find(".args");
  if (arguments == nullptr) return kernel;
  for (const Packed& argument : arguments->items) {
    const Packed* kind = argument.find(".value_kind");
    if (kind != nullptr && kind->text == "hidden_hostcall_buffer") {
      kernel.hostcall_offset = as_int(argument.find(".offset"), -1);
    }
    // The runtime supplies hidden arguments; a launch passes none.
    if (kind != nullptr && kind->text.starts_with("hidden_")) continue;
    kernel.arguments.push_back({static_cast<std::uint32_t>(as_int(argument.find(".offset"), 0)),
                                static_cast<std::uint32_t>(as_int(argument.find(".size"), 0))});
  }
  return kernel;
}

void read_metadata(const unsigned char* note, std::size_t size, CodeObject& object) {
  const Packed root = Packed::parse(note, size);
  if (const Packed* target = root.find("amdhsa.target")) {
    const std::string_view name = target->text;
    const auto from = name.find("gfx");
    if (from != name.npos) {
      object.architecture = std::string(name.substr(from, name.find(':', from) - from));
    }
  }
  const Packed* kernels = root.find("amdhsa.kernels");
  if (kernels == nullptr) return;
  for (const Packed& entry : kernels->items) object.kernels.push_back(kernel_of(entry));
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

bool read_elf(const unsigned char* image, CodeObject& object) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0 || image[EI_CLASS] != ELFCLASS64) return false;
  const auto header = read<Elf64_Ehdr>(image);
  bool found = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        read<Elf64_Phdr>(image + header.e_phoff + std::size_t{i} * header.e_phentsize);
    if (segment.p_type != PT_NOTE) continue;
    std::size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= segment.p_filesz) {
      const unsigned char* start = image + segment.p_offset + at;
      const auto note = read<Elf64_Nhdr>(start);
      const std::size_t data = sizeof note + padded(note.n_namesz);
      at += data + padded(note.n_descsz);
      if (note.n_type != amdgpu_metadata_note || at > segment.p_filesz) continue;
      read_metadata(start + data, note.n_descsz, object);
      found = true;
    }
  }
  return found;
}

}  // namespace

std::vector<CodeObject> read_code_objects(const void* image) {
  std::vector<CodeObject> objects;
  const auto* bytes = static_cast<const unsigned char*>(image);
  if (bytes == nullptr) return objects;
  if (std::memcmp(bytes, bundle_magic.data(), bundle_magic.size()) != 0) {
    if (CodeObject object; read_elf(bytes, object)) objects.push_back(std::move(object));
    return objects;
  }
  const unsigned char* at = bytes + bundle_magic.size();
  const auto entries = read<std::uint64_t>(at);
  at += sizeof entries;
  for (std::uint64_t i = 0; i < entries; ++i) {
    const auto offset = read<std::uint64_t>(at);
    const auto size = read<std::uint64_t>(at + 8);
    const auto name_size = read<std::uint64_t>(at + 16);
    at += 24 + name_size;
    if (size < sizeof(Elf64_Ehdr)) continue;  // the host's own, empty entry
    if (CodeObject object; read_elf(bytes + offset, object)) objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace amd_code
