// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/device.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

// A loaded module, shared by the Module and by each kernel taken from it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class B>
class LoadedModule;

/// One kernel of a module, shared by all its handles.
template <class B>
struct LoadedFunction {
  LoadedModule<B>* module;
  LoadedFunction* next;
  KernelEntry entry;  ///< each handle adds the parameters of its own signature
  Name name;
  KernelSlots<typename ModuleCalls<B>::kernel_calls> slots{};
};

template <class B>
class LoadedModule {
 public:
  using Native = typename ModuleCalls<B>::native_module;

  /// Takes ownership of `image`, which was allocated with std::malloc. Its first `bytes` bytes are
  /// the image; zeros follow.
  LoadedModule(void* image, std::size_t bytes, Name source) noexcept
      : image_(image), bytes_(bytes), source_(source) {}
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  /// Returns the runtime's status.
  [[nodiscard]] int load() noexcept {
    const RelaxedCaptureScope<B> relaxed;
    if constexpr (ModuleCalls<B>::per_device) {
      if (const int status = B::current_device(device_)) return status;
    }
    const int status =
        ModuleCalls<B>::module_load(native_, image().data, bytes_, log_, sizeof log_);
    is_loaded_ = status == 0;
    return status;
  }
  [[nodiscard]] ImageBytes image() const noexcept {
    return {static_cast<const unsigned char*>(image_), bytes_};
  }
  [[nodiscard]] Native native() const noexcept { return native_; }
  [[nodiscard]] Name source() const noexcept { return source_; }
  /// The device that the module belongs to; -1 if it belongs to all.
  [[nodiscard]] int device() const noexcept { return device_; }
  /// The messages of the runtime's compiler.
  [[nodiscard]] Name log() const noexcept { return Name::of(log_); }

  /// The kernel `name`, which lives as long as the module. Every handle to a kernel gets the same
  /// object, because the driver has one dynamic shared memory attribute per kernel and device.
  /// Returns nullptr with the status, which is 0 if there was no memory.
  [[nodiscard]] LoadedFunction<B>* function(const char* name, Name kept_name,
                                            int& status) noexcept {
    const Locked lock(functions_lock_);
    LoadedFunction<B>* found = functions_;
    while (found != nullptr && !(found->name == kept_name)) found = found->next;
    if (found == nullptr) {
      KernelEntry entry{};
      status = ModuleCalls<B>::module_function(native_, name, entry);
      if (status == 0) {
        found = new (std::nothrow) LoadedFunction<B>{this, functions_, entry, kept_name, {}};
        if (found != nullptr) __atomic_store_n(&functions_, found, __ATOMIC_RELEASE);
      }
    }
    return found;
  }

  /// Calls `visit(Name)` for each kernel of the module, on a backend that `lists_names`. Returns
  /// the runtime's status.
  template <class Visit>
  [[nodiscard]] int visit_names(Visit visit) const noexcept {
    return ModuleCalls<B>::template module_names<Visit>(native_, visit);
  }

  /// From now on, work of this module may be in flight on the device.
  void mark_launched(int device) noexcept {
    bool& flag = launched_[device >= 0 && device < cached_devices ? device : 0];
    if (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) __atomic_store_n(&flag, true, __ATOMIC_RELAXED);
  }
  /// From now on, a graph may launch work of this module on any device with streams.
  void mark_captured() noexcept { __atomic_store_n(&captured_, true, __ATOMIC_RELAXED); }
  void retain() noexcept { __atomic_add_fetch(&holders_, 1, __ATOMIC_RELAXED); }
  /// Drops one reference. Returns the runtime's status if it was the last one, else 0. The object
  /// is then destroyed, unless it could not wait for its work: the module stays loaded, on a list
  /// that leak checkers see.
  [[nodiscard]] int release() noexcept {
    if (__atomic_sub_fetch(&holders_, 1, __ATOMIC_ACQ_REL) != 0) return 0;
    int status = 0;
    if (is_loaded_ && !unload_after_launches(status)) {
      leak();
      return status;
    }
    while (functions_ != nullptr) {
      functions_->slots.forget();
      delete std::exchange(functions_, functions_->next);
    }
    std::free(image_);
    delete this;
    return status;
  }

 private:
  ~LoadedModule() = default;

  /// Unloads the module and stores the runtime's status. Returns false if it cannot be unloaded.
  [[nodiscard]] bool unload_after_launches(int& status) noexcept {
    const auto wait = [&]() noexcept { status = wait_for_launches(); };
    if (may_have_run() && !wait_without_captures(wait)) return false;
    if (status != 0 && B::severity_of(status) != Severity::context_lost) return false;
    const int unloaded = unload();
    if (status == 0) status = unloaded;
    return true;
  }

  [[nodiscard]] bool may_have_run() const noexcept {
    for (int device = 0; device < cached_devices; ++device) {
      if (may_have_run_on(device)) return true;
    }
    return false;
  }
  [[nodiscard]] bool may_have_run_on(int device) const noexcept {
    return __atomic_load_n(&launched_[device], __ATOMIC_RELAXED) ||
           (__atomic_load_n(&captured_, __ATOMIC_RELAXED) && has_streams_on<B>(device));
  }
  /// Neither vendor documents whether unloading waits for running kernels.
  [[nodiscard]] int wait_for_launches() noexcept {
    for (int device = 0; device < cached_devices; ++device) {
      if (!may_have_run_on(device)) continue;
      const int status = on_device<B>(device, B::device_synchronize);
      if (status != 0) return status;
    }
    return 0;
  }
  [[nodiscard]] int unload() noexcept {
    const RelaxedCaptureScope<B> relaxed;
    int before = device_;
    const bool elsewhere = device_ >= 0 && B::current_device(before) == 0 && before != device_;
    int status = elsewhere ? B::set_device(device_) : 0;
    // Also if the device cannot be chosen: a module that stays loaded helps nobody.
    const int unloaded = ModuleCalls<B>::module_unload(native_);
    if (status == 0) status = unloaded;
    const int restored = elsewhere ? B::set_device(before) : 0;
    return status == 0 ? restored : status;
  }
  void leak() noexcept {
    while (!__atomic_compare_exchange_n(&kept, &next_kept_, this, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
    }
  }

  [[gnu::visibility("default")]] static inline LoadedModule* kept = nullptr;

  Native native_{};
  void* image_;
  std::size_t bytes_;
  Name source_;
  int device_ = -1;
  int holders_ = 1;
  bool is_loaded_ = false;
  bool launched_[cached_devices] = {};
  bool captured_ = false;
  ProcessLock functions_lock_{};
  LoadedFunction<B>* functions_ = nullptr;
  LoadedModule* next_kept_ = nullptr;
  char log_[2048] = "";
};

/// Shared ownership of a LoadedModule. nullptr after a move.
template <class B>
class ModuleHold {
 public:
  ModuleHold() noexcept = default;
  /// Takes over one reference from the caller.
  explicit ModuleHold(LoadedModule<B>* module) noexcept : module_(module) {}
  ModuleHold(const ModuleHold& other) noexcept : module_(other.module_) {
    if (module_ != nullptr) module_->retain();
  }
  ModuleHold(ModuleHold&& other) noexcept : module_(std::exchange(other.module_, nullptr)) {}
  ModuleHold& operator=(ModuleHold other) noexcept {
    std::swap(module_, other.module_);
    return *this;
  }
  // A destructor cannot return a status; Module::close() does.
  ~ModuleHold() {
    if (module_ == nullptr) return;
    const int device = module_->device();
    report_dropped<B>(module_->release(), Name::of("module unload"), "call close() to get it",
                      device);
  }
  [[nodiscard]] LoadedModule<B>* get() const noexcept { return module_; }
  LoadedModule<B>* operator->() const noexcept { return module_; }
  /// Drops the reference. Returns the runtime's status if it was the last one, else 0.
  [[nodiscard]] int release() noexcept {
    return module_ == nullptr ? 0 : std::exchange(module_, nullptr)->release();
  }

 private:
  LoadedModule<B>* module_ = nullptr;
};

template <class B>
struct HeldModule final : GraphHeld {
  explicit HeldModule(const ModuleHold<B>& its_module) noexcept
      : GraphHeld(its_module.get()), module(its_module) {}
  ModuleHold<B> module;
};
/// Keeps the module of a captured kernel as long as the graph.
template <class B>
[[WARPSAFE_DETAIL_RARE]] void keep_captured(const ModuleHold<B>& loaded, const CaptureHooks& hooks,
                                            WhichStream stream) noexcept {
  keep_module();
  const ResourcesPtr graph(hooks.resources(stream));
  if (graph.get() == nullptr) return;
  const bool kept = graph->hold(loaded.get(), nullptr, false, [&]() noexcept -> GraphHeld* {
    return new (std::nothrow) HeldModule<B>(loaded);
  });
  if (!kept) loaded->retain();  // it is never unloaded
  loaded->mark_captured();
}

/// A kernel that was loaded by name, for as long as its launch is submitted.
struct LoadedEntry {
  KernelEntry own;
};
template <class Calls>
struct LaunchedModuleKernel : LoadedEntry, LaunchedKernel<Calls> {
  LaunchedModuleKernel(const KernelEntry& its_entry, Name its_name, KernelSlots<Calls>& its_slots,
                       int its_device) noexcept
      : LoadedEntry{its_entry}, LaunchedKernel<Calls>{own, its_name, its_slots, its_device} {}
  LaunchedModuleKernel(const LaunchedModuleKernel&) = delete;
  LaunchedModuleKernel& operator=(const LaunchedModuleKernel&) = delete;
};

/// A module's kernel as an argument of a launch: one pointer, by value.
template <class B, class Parameters, class... Needs>
class LoadedKernel;
template <class B, class... P, class... Needs>
class LoadedKernel<B, TypeList<P...>, Needs...>
    : public KernelDeclaration<runs_host_kernels<B> ? Provenance::host : Provenance::external,
                               TypeList<P...>, Needs...> {
 public:
  using module_backend = B;
  template <class>
  using calls = typename ModuleCalls<B>::kernel_calls;

  explicit LoadedKernel(LoadedFunction<B>* function) noexcept : function_(function) {}

  [[nodiscard]] Name name() const noexcept { return function_->name; }
  [[nodiscard]] KernelEntry entry() const noexcept {
    return {function_->entry.function, function_->entry.invoke, parameter_infos<P...>,
            sizeof...(P)};
  }
  [[nodiscard]] auto& slots() const noexcept { return function_->slots; }
  /// The kernel as `launch` takes it.
  [[nodiscard]] LaunchedModuleKernel<calls<B>> launched() const noexcept {
    return {entry(), name(), function_->slots, function_->module->device()};
  }

 private:
  LoadedFunction<B>* function_;
};
template <class B, class Parameters, class... Needs>
inline constexpr bool is_kernel<LoadedKernel<B, Parameters, Needs...>> = true;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
