// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of every twin library. A program that launches a kernel with warpsafe has a KernelEntry of
// it, with a function that runs the kernel for a block's threads. This file finds the entries in
// the library's own symbol table, by their names, and the kernel's name by its address.
#include "twin.hpp"

#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/host.hpp>

#include <dlfcn.h>
#include <elf.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using warpsafe::KernelEntry;

/// A host compiler's tag in the name of a kernel that other files launch, which hipcc does not add.
constexpr std::string_view host_tag = "B13warpsafe_host";
// "_ZN8warpsafe", and the version's namespace.
constexpr std::size_t most_letters_before = 30;

template <class T>
T read_at(const std::vector<char>& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The names of functions by address, and the addresses of the entries.
struct Symbols {
  std::map<std::uintptr_t, std::string> functions;
  std::vector<const KernelEntry*> entries;

  Symbols() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&soft_hsa_find_twin), &here) == 0) return;
    std::ifstream in(here.dli_fname, std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
    const auto base = reinterpret_cast<std::uintptr_t>(here.dli_fbase);
    const auto header = read_at<Elf64_Ehdr>(file, 0);
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const auto section = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
      if (section.sh_type != SHT_SYMTAB) continue;
      const auto names =
          read_at<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
      for (std::size_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto symbol = read_at<Elf64_Sym>(file, section.sh_offset + k * sizeof(Elf64_Sym));
        if (symbol.st_shndx == SHN_UNDEF) continue;
        const std::string name = file.data() + names.sh_offset + symbol.st_name;
        add(name, ELF64_ST_TYPE(symbol.st_info), base + symbol.st_value, symbol.st_size);
      }
    }
  }

 private:
  void add(const std::string& name, int type, std::uintptr_t address, std::size_t size) {
    if (type == STT_FUNC) {
      functions.emplace(address, name);
    } else if (type == STT_OBJECT && size == sizeof(KernelEntry) &&
               name.rfind("_ZN8warpsafe", 0) == 0 &&
               name.find("6detail7EntryOfI") < most_letters_before) {
      entries.push_back(reinterpret_cast<const KernelEntry*>(address));
    }
  }
};

std::string without_tag(std::string name) {
  for (std::size_t at = 0; (at = name.find(host_tag, at)) != name.npos;) {
    name.erase(at, host_tag.size());
  }
  return name;
}

const std::map<std::string, const KernelEntry*>& twins() {
  static const auto* const made = [] {
    const Symbols symbols;
    auto* const all = new std::map<std::string, const KernelEntry*>;
    for (const KernelEntry* const entry : symbols.entries) {
      if (entry->invoke == nullptr) continue;
      const auto found = symbols.functions.find(reinterpret_cast<std::uintptr_t>(entry->function));
      if (found != symbols.functions.end()) all->emplace(without_tag(found->second), entry);
    }
    return all;
  }();
  return *made;
}

bool same_parameters(const KernelEntry& entry, const soft_hsa::TwinLaunch& launch, char* text,
                     std::size_t bytes) {
  bool same = entry.parameter_count == launch.count;
  for (std::size_t i = 0; same && i < launch.count; ++i) {
    same = entry.parameters[i].size == launch.sizes[i];
  }
  if (!same) {
    std::snprintf(text, bytes, "%u here, %zu in the code object, or other sizes",
                  entry.parameter_count, launch.count);
  }
  return same;
}

}  // namespace

[[gnu::visibility("default")]] const void* soft_hsa_find_twin(const char* mangled) {
  const auto found = twins().find(mangled);
  return found == twins().end() ? nullptr : found->second;
}

[[gnu::visibility("default")]] int soft_hsa_run_twin(const void* twin,
                                                     const soft_hsa::TwinLaunch* launch,
                                                     char* failure, std::size_t failure_bytes) {
  const auto& entry = *static_cast<const KernelEntry*>(twin);
  if (!same_parameters(entry, *launch, failure, failure_bytes)) return soft_hsa::twin_mismatch;
  warpsafe::LaunchShape shape{};
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = launch->grid[axis];
    shape.block[axis] = launch->block[axis];
  }
  shape.dynamic_shared = launch->dynamic_shared;
  warpsafe::host::Grid grid(entry, shape, const_cast<void**>(launch->arguments));
  warpsafe::host::Runtime::get().pool.run(grid);
  const warpsafe::host::Failure ended = grid.take_failure();
  if (ended.status == 0) return soft_hsa::twin_done;
  std::snprintf(failure, failure_bytes, "%.*s", static_cast<int>(ended.text.size), ended.text.data);
  const bool memory =
      ended.status == warpsafe::host::raw(warpsafe::host::HostStatus::illegal_address);
  return memory ? soft_hsa::twin_memory_fault : soft_hsa::twin_trap;
}
