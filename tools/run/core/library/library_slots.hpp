// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/object_walk.hpp"
#include "../suspicion/call_stack.hpp"
#include "library_family.hpp"
#include "library_thunks.hpp"
#include "loaded_slots.hpp"
#include "status_function.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The program's dladdr: a thunk's address stands for the library's function, whose file the
/// program asks for.
inline int library_dladdr(const void* address, Dl_info* info) noexcept {
  const auto asked = reinterpret_cast<std::uintptr_t>(address);
  if (!LibraryThunks::contains(asked)) return ::dladdr(address, info);
  const LibraryThunks::Target target = LibraryThunks::target_at(asked);
  return ::dladdr(target.pending == nullptr ? target.function : address, info);
}

/// Puts thunks between a program and the vendor's libraries: it writes their addresses to the slots
/// of all loaded objects. Only slots that the loader has bound to a library of that family are
/// changed, and slots that it has not bound yet. Left alone are the slots of the libraries
/// themselves, since a call from one to another is not the program's. Thread-safe.
///
/// A preloaded library that defines the functions would need one for each name, and could not pass
/// on a function that it does not know. A patch of the libraries' code would see the libraries' own
/// calls, and changes code.
class LibrarySlots {
 public:
  /// A function whose calls a thunk makes.
  struct Function {
    const LibraryFamily* family;
    std::string name;
  };

  /// `inside`: the libraries whose own calls do not count. Both live as long as the process.
  LibrarySlots(std::span<const LibraryFamily> families, LibraryNames inside) noexcept
      : families_(families), inside_(inside) {}

  /// Looks at the objects that were loaded since the last time. Costs the loader's lock if there
  /// are none.
  void look() noexcept {
    unsigned long long adds = 0;
    ranks::ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* to) {
          *static_cast<unsigned long long*>(to) = info->dlpi_adds;
          return 1;
        },
        &adds);
    const bool is_known = __atomic_load_n(&adds_, __ATOMIC_RELAXED) == adds;
    if (is_known && __atomic_load_n(&waits_, __ATOMIC_RELAXED) == 0) return;
    // Another thread looks already.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    if (is_known && (waits_ == 0 || __atomic_sub_fetch(&waits_, 1, __ATOMIC_RELAXED) != 0)) return;
    bool is_complete = true;
    const auto one = [&](dl_phdr_info& info) { is_complete = take(info) && is_complete; };
    if (!locked(one)) return;
    pause_ = is_known && !is_complete ? 2 * pause_ : 1;
    // The loader is at work on another thread, or a slot stays empty: ever more rarely.
    __atomic_store_n(&waits_, is_complete ? 0 : pause_, __ATOMIC_RELAXED);
    __atomic_store_n(&adds_, adds, __ATOMIC_RELAXED);
  }
  /// Call when the thunk of a slot that was not bound has returned: the loader has bound the slot,
  /// if it did not fail. Returns whether it belongs to a library of the family now.
  bool bound(std::size_t index) noexcept {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!acquire(lock)) return false;
    std::uintptr_t* const slot = LibraryThunks::get(index).pending;
    bool is_library = false;
    const auto one = [&](dl_phdr_info& info) {
      // The object may be gone: its function may have jumped to the library's.
      if (!has_memory(info, reinterpret_cast<std::uintptr_t>(slot))) return;
      if (index >= LibraryThunks::most) {
        const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (is_of_system(value))
          static_cast<void>(put_lookup(LoadedSlots(info), slot, value, false));
        return;
      }
      const Function& function = functions_[index];
      const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
      // Another thread may have been here before.
      is_library = is_thunk_of_library(value) || is_of(value, *function.family);
      if (!is_of(value, *function.family)) return;
      static_cast<void>(put(LoadedSlots(info), slot, value, function.family, function.name, false));
    };
    return locked(one) && is_library;
  }
  /// Returns what a program's dlsym is to return for the function `name`, which it has found at
  /// `address`: a thunk, if the function is a library's and returns a status; for dladdr, the one
  /// that knows thunks.
  [[nodiscard]] std::uint64_t found(std::string_view name, std::uint64_t address) noexcept {
    const LibraryFamily* const family = family_of_function(name, families_);
    const bool is_dladdr = name == "dladdr";
    if ((family == nullptr && !is_dladdr) || LibraryThunks::contains(address)) return address;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!acquire(lock)) return address;
    std::uint64_t result = address;
    bool is_first = true;
    locked([&](dl_phdr_info&) {
      if (!std::exchange(is_first, false)) return;
      if (is_dladdr && is_of_system(address)) {
        result = reinterpret_cast<std::uintptr_t>(&library_dladdr);
      }
      if (is_dladdr || !is_of(address, *family)) return;
      const std::size_t index = index_of(address, nullptr, family, name);
      if (index != LibraryThunks::most) result = LibraryThunks::address(index);
    });
    return result;
  }
  /// Returns the function of a thunk that was called; family nullptr: not known now. @pre index <
  /// LibraryThunks::most. May throw std::bad_alloc.
  [[nodiscard]] Function function(std::size_t index) {
    std::unique_lock lock(mutex_, std::defer_lock);
    return acquire(lock) ? functions_[index] : Function{nullptr, {}};
  }

 private:
  struct Library {
    const LibraryFamily* family;  ///< nullptr: none
    std::uintptr_t begin;
    std::uintptr_t end;  ///< of its code
  };

  /// Takes the lock, or gives up. The caller may hold the loader's lock, in a callback of
  /// dl_iterate_phdr, and the owner may wait for that one.
  [[nodiscard]] static bool acquire(std::unique_lock<std::mutex>& lock) noexcept {
    constexpr int most_attempts = 2000;
    for (int i = 0; i < most_attempts; ++i) {
      if (lock.try_lock()) return true;
      ::sched_yield();
    }
    return false;
  }
  /// Calls `each` for each loaded object, while no object can be unloaded. Returns false if there
  /// was no memory.
  template <class Each>
  bool locked(const Each& each) noexcept {
    struct Of {
      LibrarySlots* self;
      const Each* each;
      bool started;
      bool failed;
    } of{this, &each, false, false};
    ranks::ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* data) noexcept {
          auto& [self, body, started, failed] = *static_cast<Of*>(data);
          try {
            // The lock is held from the first object on, and may be taken again.
            if (!std::exchange(started, true)) self->find_libraries(*info);
            (*body)(*info);
          } catch (...) {  // out of memory: the rest is not seen
            failed = true;
          }
          return failed ? 1 : 0;
        },
        &of);
    return !of.failed;
  }
  void find_libraries(const dl_phdr_info& first) {
    libraries_.clear();
    system_.clear();
    // The same objects may lie elsewhere.
    if (unloaded_ != first.dlpi_subs) known_.clear();
    unloaded_ = first.dlpi_subs;
    ranks::ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& self = *static_cast<LibrarySlots*>(data);
          const std::string_view file = detail::file_of(info->dlpi_name);
          for (const LibraryFamily& one : self.families_) {
            if (file.substr(0, one.files.size()) == one.files) {
              keep_code(self.libraries_, &one, *info);
            }
          }
          // glibc has moved dlsym from one to the other.
          if (file.substr(0, 8) == "libc.so." || file.substr(0, 9) == "libdl.so.") {
            keep_code(self.system_, nullptr, *info);
          }
          return 0;
        },
        this);
  }
  static void keep_code(std::vector<Library>& to, const LibraryFamily* family,
                        const dl_phdr_info& info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& one = info.dlpi_phdr[i];
      if (one.p_type != PT_LOAD || (one.p_flags & PF_X) == 0) continue;
      const std::uintptr_t begin = info.dlpi_addr + one.p_vaddr;
      to.push_back({family, begin, begin + one.p_memsz});
    }
  }
  [[nodiscard]] bool is_of(std::uintptr_t address, const LibraryFamily& family) const noexcept {
    for (const Library& one : libraries_) {
      if (one.family == &family && address - one.begin < one.end - one.begin) return true;
    }
    return false;
  }
  /// Whether an address is the C library's, as that of dlsym is unless another tool defines it.
  [[nodiscard]] bool is_of_system(std::uintptr_t address) const noexcept {
    for (const Library& one : system_) {
      if (address - one.begin < one.end - one.begin) return true;
    }
    return false;
  }
  [[nodiscard]] static bool is_thunk_of_library(std::uintptr_t address) noexcept {
    return LibraryThunks::contains(address) && LibraryThunks::target_at(address).pending == nullptr;
  }
  /// Returns whether all slots of the object are in their final state.
  bool take(const dl_phdr_info& info) {
    if (*detail::library_of(info.dlpi_name, inside_) != '\0') return true;
    const LoadedSlots slots(info);
    static const char here = 0;
    if (slots.dynamic() == 0 || has_memory(info, reinterpret_cast<std::uintptr_t>(&here)))
      return true;
    const std::pair key{info.dlpi_addr, slots.dynamic()};
    if (known_.find(key) != known_.end()) return true;
    bool is_complete = true;
    slots.each([&](std::string_view name, std::uintptr_t* slot, bool is_lazy) {
      if (name == "dlsym") {
        const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        const bool is_pending = is_lazy && slots.is_code(value);
        if (is_pending || is_of_system(value)) {
          is_complete = put_lookup(slots, slot, value, is_pending) && is_complete;
        }
        return;
      }
      if (name == "dladdr") {
        const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if ((is_lazy && slots.is_code(value)) || is_of_system(value)) {
          const auto ours = reinterpret_cast<std::uintptr_t>(&library_dladdr);
          is_complete = slots.write(slot, ours) != LoadedSlots::Written::later && is_complete;
        }
        return;
      }
      const LibraryFamily* const family = family_of_function(name, families_);
      if (family == nullptr) return;
      const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
      if (LibraryThunks::contains(value)) return;
      const bool is_pending = is_lazy && slots.is_code(value);
      if (is_pending || is_of(value, *family)) {
        is_complete = put(slots, slot, value, family, name, is_pending) && is_complete;
      } else {
        // Another's function, or the loader is not done with the object.
        is_complete = is_complete && value > info.dlpi_addr;
      }
    });
    if (is_complete) known_.insert(key);
    return is_complete;
  }
  /// Whether an address is in the object.
  [[nodiscard]] static bool has_memory(const dl_phdr_info& info, std::uintptr_t address) noexcept {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& one = info.dlpi_phdr[i];
      if (one.p_type == PT_LOAD && address - (info.dlpi_addr + one.p_vaddr) < one.p_memsz) {
        return true;
      }
    }
    return false;
  }
  /// Returns false if the slot cannot be written yet.
  bool put(const LoadedSlots& slots, std::uintptr_t* slot, std::uintptr_t value,
           const LibraryFamily* family, std::string_view name, bool is_pending) {
    const std::size_t index = index_of(value, is_pending ? slot : nullptr, family, name);
    return index == LibraryThunks::most ||
           slots.write(slot, LibraryThunks::address(index)) != LoadedSlots::Written::later;
  }
  /// The same for a slot of dlsym.
  bool put_lookup(const LoadedSlots& slots, std::uintptr_t* slot, std::uintptr_t value,
                  bool is_pending) {
    std::uintptr_t* const pending = is_pending ? slot : nullptr;
    const auto [found, is_new] =
        lookups_.try_emplace({value, pending}, LibraryThunks::most + lookups_.size());
    if (is_new && lookups_.size() > LibraryThunks::most_lookups) {
      lookups_.erase(found);
      return true;
    }
    if (is_new) LibraryThunks::set(found->second, {reinterpret_cast<void*>(value), pending});
    return slots.write(slot, LibraryThunks::address(found->second)) != LoadedSlots::Written::later;
  }
  /// Returns the index of the thunk for a function; LibraryThunks::most: all are in use.
  [[nodiscard]] std::size_t index_of(std::uintptr_t value, std::uintptr_t* pending,
                                     const LibraryFamily* family, std::string_view name) {
    const auto [found, is_new] =
        thunks_.try_emplace({value, pending, std::string(name)}, functions_.size());
    if (!is_new) return found->second;
    if (functions_.size() == LibraryThunks::most) {
      thunks_.erase(found);
      return LibraryThunks::most;
    }
    try {
      functions_.push_back({family, std::string(name)});
    } catch (...) {
      thunks_.erase(found);
      throw;
    }
    LibraryThunks::set(found->second, {reinterpret_cast<void*>(value), pending});
    return found->second;
  }

  std::span<const LibraryFamily> families_;
  LibraryNames inside_;
  unsigned long long adds_ = 0;  ///< objects that had been loaded at the last look
  std::uint64_t waits_ = 0;      ///< looks until the next attempt on unfinished objects; 0: none
  std::uint64_t pause_ = 1;
  std::mutex mutex_;
  unsigned long long unloaded_ = 0;
  std::vector<Library> libraries_;
  std::vector<Library> system_;  ///< the C library's code, without a family
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> known_;
  std::map<std::tuple<std::uintptr_t, std::uintptr_t*, std::string>, std::size_t> thunks_;
  std::map<std::pair<std::uintptr_t, std::uintptr_t*>, std::size_t> lookups_;
  std::deque<Function> functions_;
};

}  // namespace warpsafe::watch
