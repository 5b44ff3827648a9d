// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/module/detail/kernel_signature.hpp>
#include <warpsafe/module/detail/loaded_module.hpp>
#include <warpsafe/module/detail/module_errors.hpp>
#include <warpsafe/module/detail/module_image.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

// Kernels loaded by name at run time: from a cubin, PTX, fatbin, code object or bundle, in a file
// or in memory as NVRTC and hipRTC produce it. They are launched like `kernel<fn>`.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_module;

/// A kernel of a module, with its signature and declared needs. Use it like `kernel<fn>`. Copyable;
/// the module stays loaded as long as one copy lives. A move is a copy, so that no kernel is
/// without its module.
template <class B, class Signature, class... Needs>
class basic_module_kernel
    : public detail::LoadedKernel<B, typename detail::FunctionTraits<Signature*>::parameters,
                                  Needs...> {
  using Loaded =
      detail::LoadedKernel<B, typename detail::FunctionTraits<Signature*>::parameters, Needs...>;

 public:
  using is_shared_owner = void;  ///< keep() of a graph copies it
  basic_module_kernel(const basic_module_kernel&) noexcept = default;
  basic_module_kernel& operator=(const basic_module_kernel&) noexcept = default;
  ~basic_module_kernel() = default;

  /// The kernel for a launch on `stream`. The graph of a capture keeps the module.
  [[nodiscard]] Loaded loaded(const basic_stream_ref<B>& stream) const noexcept {
    hold_->mark_launched(stream.device().value());
    if (const detail::CaptureHooks* const hooks = detail::open_captures()) [[unlikely]]
      detail::keep_captured(hold_, *hooks, {stream.native(), stream.number()});
    return *this;
  }

 private:
  friend class basic_module<B>;
  basic_module_kernel(detail::LoadedFunction<B>* function,
                      const detail::ModuleHold<B>& hold) noexcept
      : Loaded(function), hold_(hold) {}
  detail::ModuleHold<B> hold_;
};

namespace detail {
template <class B, class Signature, class... Needs>
inline constexpr bool is_kernel<basic_module_kernel<B, Signature, Needs...>> = true;
template <class B, class Signature, class... Needs>
inline constexpr bool is_module_kernel<basic_module_kernel<B, Signature, Needs...>> = true;
}  // namespace detail

/// Device code that was loaded at run time. The last holder, which is this object or one of its
/// kernels, waits for the devices that its kernels were launched on, and unloads the code. If it
/// cannot wait because a capture is open, the module stays loaded. A graph keeps the modules of its
/// kernels. Move-only.
template <class B>
class WARPSAFE_DETAIL_OWNER basic_module {
 public:
  using backend = B;

  /// Loads an image: a cubin, PTX, a fatbin, a code object or a bundle in a container of bytes
  /// (std::string, std::vector<char>, an array). On the host backend, pass a container of
  /// host::NamedKernel. The image is copied. CUDA: usable on every device. HIP: on the device that
  /// is current now. Errc::module_invalid (for PTX with the compiler's messages),
  /// ::no_kernel_image, ::out_of_memory, ::no_device.
  template <class Image>
  [[nodiscard]] static result<basic_module> load(const Image& image,
                                                 call_site site = call_site::current()) noexcept {
    constexpr bool is_text =
        std::is_convertible_v<const Image&, const char*> && !std::is_array_v<Image>;
    static_assert(
        !is_text,
        "warpsafe: load takes the bytes of an image in a container or an array; load a file with load_file(path)");
    if constexpr (!is_text) {
      const detail::ImageBytes bytes = detail::image_bytes<B>(image);
      void* const copy = detail::copy_image(bytes);
      return load_copy(copy, bytes.size, Name{}, site);
    } else {
      return LaunchError::make(Errc::module_invalid, Stage::construction, site);
    }
  }
  /// Loads an image from a file. Errors are those of `load`, and Errc::module_unreadable.
  [[nodiscard]] static result<basic_module> load_file(
      const char* path, call_site site = call_site::current()) noexcept {
    const detail::ModuleFile file = detail::read_module_file(path);
    if (file.error != 0) return detail::unreadable_module(path, file.error, site);
    const Name source = detail::keep_name(Name::of(path));
    if (source.data == nullptr) {
      std::free(file.image);
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, std::strlen(path), 0,
                               Axis::none, site);
    }
    return load_copy(file.image, file.bytes, source, site);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a module is made by a function that can fail: WARPSAFE_TRY(auto module, Module::load(image)), or Module::load_file(path)"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_module);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_module(basic_module&&) noexcept = default;
  basic_module& operator=(basic_module&&) noexcept = default;
  basic_module(const basic_module&,  // warpsafe: move the module, or pass a reference
               detail::MoveItOrPassAReference = {}) = delete;
  basic_module& operator=(const basic_module&) = delete;
  ~basic_module() = default;

  /// The kernel `name` with the signature of its source: `kernel<void(float*,
  /// std::size_t)>("_Z5scalePfm")`. Pass the mangled name unless the kernel is extern "C". `Needs`
  /// are those of `kernel<fn, needs…>`. Loads the code on the current device now, so that this call
  /// reports missing code. Compares the signature with the image on the host backend, with the
  /// mangled name, and on CUDA with the driver's parameters (12.4 and later). Thread-safe.
  /// Errc::kernel_not_found, which lists the module's kernels on CUDA and the host backend,
  /// ::signature_mismatch, ::no_kernel_image, ::module_wrong_device, ::module_moved for a module
  /// that was moved from or closed, ::out_of_memory.
  template <class Signature, class... Needs>
  [[nodiscard]] result<basic_module_kernel<B, Signature, Needs...>> kernel(
      const char* name, call_site site = call_site::current()) const noexcept {
    static_assert(
        std::is_function_v<Signature>,
        "warpsafe: take a module's kernel with the signature of its source: kernel<void(float*, std::size_t)>(name)");
    using Parameters = typename detail::FunctionTraits<Signature*>::parameters;
    static_assert(detail::FunctionTraits<Signature*>::returns_void,
                  "warpsafe: a kernel returns void");
    if (hold_.get() == nullptr) {
      LaunchError moved = LaunchError::make(Errc::module_moved, Stage::validation, site);
      moved.operation = Name::of("load kernel");
      moved.vendor = B::vendor;
      return moved;
    }
    LaunchError error;
    detail::LoadedFunction<B>* const found = detail::find_function(*hold_.get(), name, site, error);
    if (found == nullptr) return error;
    if (!detail::check_signature(*found, Parameters{}, error)) {
      return detail::module_error(error, found->module->source(), found->name, site);
    }
    return basic_module_kernel<B, Signature, Needs...>(found, hold_);
  }

  /// Diagnoses a missing signature. The return type is deduced, so that this is the first error.
  template <class Text>
  requires(std::is_convertible_v<const Text&, const char*>) auto kernel(
      const Text&) const noexcept {
    static_assert(
        detail::is_never<Text>,
        "warpsafe: take a module's kernel with the signature of its source: kernel<void(float*, std::size_t)>(name)");
  }

  /// Calls `visit(Name)` for each kernel of the module, with the name that `kernel` takes. The
  /// names are valid during the visit, which must not throw. A module that was moved from or closed
  /// has none. AMD's runtime does not list kernels, so there is no such call on AMD.
  template <class Visit>
  void visit_kernels(Visit visit) const noexcept {
    constexpr bool lists = ModuleCalls<B>::lists_names;
    static_assert(
        lists,
        "warpsafe: this runtime does not list a module's kernels; take each one by its name");
    if constexpr (lists) {
      if (hold_.get() == nullptr) return;
      // If the runtime fails, there are no names to visit.
      static_cast<void>(hold_->visit_names(visit));
    }
  }

  /// Gives up the module, as the destructor does. If nothing else holds the module, it is unloaded
  /// now, and this returns the runtime's error. Errc::stream_capturing while this library captures,
  /// ::execution_failed if its kernels failed, ::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    LaunchError refused;
    if (detail::breaks_capture<B, Level>(nullptr, nullptr, Name::of("module unload"), site,
                                         refused)) {
      return refused;
    }
    if (const int status = hold_.release()) {
      return detail::runtime_error<B>(status, Name::of("module unload"), site, Stage::completion);
    }
    return success();
  }

 private:
  friend struct detail::PrintAccess;
  explicit basic_module(detail::LoadedModule<B>* module) noexcept : hold_(module) {}

  [[nodiscard]] static result<basic_module> load_copy(void* copy, std::size_t bytes, Name source,
                                                      call_site site) noexcept {
    auto* const made =
        copy == nullptr ? nullptr : new (std::nothrow) detail::LoadedModule<B>(copy, bytes, source);
    if (made == nullptr) {
      std::free(copy);
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, bytes, 0, Axis::none,
                               site);
    }
    basic_module loaded(made);
    if (const int status = made->load()) {
      return detail::load_error(status, *made, site);
    }
    return loaded;
  }

  detail::ModuleHold<B> hold_;
};

using Module = basic_module<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
