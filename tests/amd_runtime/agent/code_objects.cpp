// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Loads code objects: segments, symbols and relocations. LLVM, "User Guide for AMDGPU Backend": ELF
// code object, relocation records, kernel descriptor.
#include "code_objects.hpp"

#include "agents.hpp"
#include "answer.hpp"
#include "memory.hpp"

#include <elf.h>

#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace soft_hsa {
namespace {

struct Symbol {
  std::string name;
  bool is_kernel;
  std::uint64_t address;
  std::uint64_t bytes;
};

struct Reader {
  const std::byte* data;
  std::size_t bytes;
};

struct Executable {
  std::mutex lock;
  std::vector<std::pair<std::byte*, std::size_t>> images;
  std::deque<Symbol> symbols;
  std::map<std::string, void*> defined;
};

struct Kernels {
  std::mutex lock;
  std::map<std::uint64_t, std::shared_ptr<const LoadedKernel>> by_descriptor;
};
Kernels& kernels() {
  static auto* const made = new Kernels;
  return *made;
}

Executable& executable_of(hsa_executable_t handle) {
  return *reinterpret_cast<Executable*>(handle.handle);
}

/// One ELF code object, and the image that it is loaded to.
class Loader {
 public:
  Loader(Executable& executable, const Reader& reader, Agent& agent)
      : executable_(executable), file_(reader.data), bytes_(reader.bytes), agent_(agent) {}

  hsa_status_t load() {
    if (bytes_ < sizeof(Elf64_Ehdr) || std::memcmp(file_, ELFMAG, SELFMAG) != 0) {
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
    header_ = read_at<Elf64_Ehdr>(file_, 0);
    if (header_.e_machine != 224) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;  // EM_AMDGPU
    if (const hsa_status_t status = load_segments(); status != HSA_STATUS_SUCCESS) return status;
    for (const amd_code::CodeObject& object : amd_code::read_code_objects(file_)) {
      for (const amd_code::CodeKernel& kernel : object.kernels) described_[kernel.name] = kernel;
    }
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr section = section_at(i);
      if (section.sh_type == SHT_DYNSYM) read_symbols(section);
    }
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr section = section_at(i);
      if (section.sh_type != SHT_RELA) continue;
      if (const hsa_status_t status = relocate(section); status != HSA_STATUS_SUCCESS)
        return status;
    }
    return HSA_STATUS_SUCCESS;
  }

 private:
  [[nodiscard]] Elf64_Shdr section_at(std::size_t index) const {
    return read_at<Elf64_Shdr>(file_, header_.e_shoff + index * sizeof(Elf64_Shdr));
  }
  [[nodiscard]] Elf64_Phdr segment_at(std::size_t index) const {
    return read_at<Elf64_Phdr>(file_, header_.e_phoff + index * sizeof(Elf64_Phdr));
  }
  [[nodiscard]] std::uint64_t base() const { return reinterpret_cast<std::uint64_t>(image_); }

  hsa_status_t load_segments() {
    std::uint64_t end = 0;
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const Elf64_Phdr segment = segment_at(i);
      if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_vaddr + segment.p_memsz);
    }
    image_ = allocate_image(agent_, end);
    if (image_ == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    executable_.images.emplace_back(image_, end);
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const Elf64_Phdr segment = segment_at(i);
      if (segment.p_type != PT_LOAD) continue;
      std::memcpy(image_ + segment.p_vaddr, file_ + segment.p_offset, segment.p_filesz);
    }
    return HSA_STATUS_SUCCESS;
  }

  void read_symbols(const Elf64_Shdr& section) {
    const auto* const names =
        reinterpret_cast<const char*>(file_ + section_at(section.sh_link).sh_offset);
    for (std::size_t k = 1; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
      const auto symbol = read_at<Elf64_Sym>(file_, section.sh_offset + k * sizeof(Elf64_Sym));
      if (symbol.st_shndx == SHN_UNDEF) continue;
      const std::string name = names + symbol.st_name;
      const bool is_kernel = name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0;
      if (!is_kernel && ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      executable_.symbols.push_back({name, is_kernel, base() + symbol.st_value, symbol.st_size});
      if (is_kernel) add_kernel(name.substr(0, name.size() - 3), image_ + symbol.st_value);
    }
  }

  // The descriptor begins with the fixed sizes of group segment, private segment and arguments.
  void add_kernel(const std::string& name, const std::byte* descriptor) {
    auto made = std::make_shared<LoadedKernel>();
    made->name = name;
    made->group_bytes = read_at<std::uint32_t>(descriptor, 0);
    made->private_bytes = read_at<std::uint32_t>(descriptor, 4);
    made->kernarg_bytes = read_at<std::uint32_t>(descriptor, 8);
    if (const auto found = described_.find(name); found != described_.end()) {
      made->code = found->second;
    }
    const std::lock_guard hold(kernels().lock);
    kernels().by_descriptor[reinterpret_cast<std::uint64_t>(descriptor)] = std::move(made);
  }

  hsa_status_t relocate(const Elf64_Shdr& section) {
    constexpr std::uint32_t absolute_64 = 3, relative_64 = 13;
    const Elf64_Shdr table = section_at(section.sh_link);
    const auto* const names =
        reinterpret_cast<const char*>(file_ + section_at(table.sh_link).sh_offset);
    for (std::size_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); ++k) {
      const auto place = read_at<Elf64_Rela>(file_, section.sh_offset + k * sizeof(Elf64_Rela));
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(place.r_info));
      const std::size_t index = ELF64_R_SYM(place.r_info);
      std::uint64_t target = base();
      if (type == absolute_64 && index != 0) {
        const auto symbol = read_at<Elf64_Sym>(file_, table.sh_offset + index * sizeof(Elf64_Sym));
        target += symbol.st_value;
        if (symbol.st_shndx == SHN_UNDEF) {
          const auto defined = executable_.defined.find(names + symbol.st_name);
          if (defined == executable_.defined.end()) return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
          target = reinterpret_cast<std::uint64_t>(defined->second);
        }
      } else if (type != relative_64) {
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
      }
      give(image_ + place.r_offset, target + static_cast<std::uint64_t>(place.r_addend));
    }
    return HSA_STATUS_SUCCESS;
  }

  Executable& executable_;
  const std::byte* file_;
  std::size_t bytes_;
  Agent& agent_;
  Elf64_Ehdr header_{};
  std::byte* image_ = nullptr;
  std::map<std::string, amd_code::CodeKernel> described_;
};

}  // namespace

std::shared_ptr<const LoadedKernel> find_kernel(std::uint64_t kernel_object) {
  const std::lock_guard hold(kernels().lock);
  const auto found = kernels().by_descriptor.find(kernel_object);
  return found == kernels().by_descriptor.end() ? nullptr : found->second;
}

}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

hsa_status_t hsa_code_object_reader_create_from_memory(const void* data, std::size_t bytes,
                                                       hsa_code_object_reader_t* out) {
  if (data == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  out->handle =
      reinterpret_cast<std::uint64_t>(new Reader{static_cast<const std::byte*>(data), bytes});
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  delete reinterpret_cast<Reader*>(reader.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t, hsa_default_float_rounding_mode_t,
                                       const char*, hsa_executable_t* out) {
  out->handle = reinterpret_cast<std::uint64_t>(new Executable);
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t,
                                                         const char* name, void* address) {
  const std::lock_guard hold(executable_of(executable).lock);
  executable_of(executable).defined[name] = address;
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader, const char*,
                                                   hsa_loaded_code_object_t*) {
  const std::lock_guard hold(executable_of(executable).lock);
  return Loader(executable_of(executable), *reinterpret_cast<Reader*>(reader.handle),
                agent_of(agent))
      .load();
}
hsa_status_t hsa_executable_freeze(hsa_executable_t, const char*) { return HSA_STATUS_SUCCESS; }
hsa_status_t hsa_executable_destroy(hsa_executable_t handle) {
  auto* const executable = reinterpret_cast<Executable*>(handle.handle);
  {
    const std::lock_guard hold(kernels().lock);
    for (const Symbol& symbol : executable->symbols) kernels().by_descriptor.erase(symbol.address);
  }
  for (const auto& [base, bytes] : executable->images) free_image(base, bytes);
  delete executable;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char* name,
                                               const hsa_agent_t*, hsa_executable_symbol_t* out) {
  const std::lock_guard hold(executable_of(handle).lock);
  for (const Symbol& symbol : executable_of(handle).symbols) {
    if (symbol.name != name) continue;
    out->handle = reinterpret_cast<std::uint64_t>(&symbol);
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}
hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t handle,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void* data) {
  for (const Symbol& symbol : executable_of(handle).symbols) {
    const hsa_status_t status = callback(handle, {reinterpret_cast<std::uint64_t>(&symbol)}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
                                            hsa_executable_symbol_info_t attribute, void* value) {
  const Symbol& symbol = *reinterpret_cast<const Symbol*>(handle.handle);
  const auto kernel = symbol.is_kernel ? find_kernel(symbol.address) : nullptr;
  switch (static_cast<int>(attribute)) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return give<std::uint32_t>(
          value, symbol.is_kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return give(value, static_cast<std::uint32_t>(symbol.name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      std::memcpy(value, symbol.name.data(), symbol.name.size());
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
      return give(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return give(value, static_cast<std::uint32_t>(symbol.bytes));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return give(value, false);
  }
  if (kernel != nullptr) {
    switch (static_cast<int>(attribute)) {
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        return give(value, kernel->group_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        return give(value, kernel->private_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
        return give(value, kernel->kernarg_bytes);
      case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
        return give<std::uint32_t>(value, 16);
    }
  }
  return unknown(__func__, static_cast<unsigned>(attribute));
}

}  // extern "C"
