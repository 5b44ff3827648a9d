// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/error/detail/kept_text.hpp>
#include <warpsafe/module/detail/loaded_module.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>

#include <cstddef>
#include <cstring>

// Errors of modules and their kernels.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Sets the kernel of `error` and its operation: "loading kernel 'axpy' from module 'axpy.cubin'".
/// Both names may be empty.
[[gnu::cold]] inline LaunchError module_error(LaunchError error, Name source, Name kernel,
                                              call_site site) noexcept {
  char text[512];
  TextBuffer out(text, sizeof text);
  out << "loading ";
  if (!kernel.empty()) out << "kernel '" << kernel << "' from ";
  if (source.empty()) {
    out << "a module in memory";
  } else {
    out << "module '" << source << '\'';
  }
  error.operation = keep_error_text(Name::of(text));
  error.kernel = kernel;
  error.site = site;
  return error;
}

[[gnu::cold]] inline LaunchError unreadable_module(const char* path, int number,
                                                   call_site site) noexcept {
  LaunchError error = LaunchError::make(Errc::module_unreadable, Stage::runtime_call, site);
  char text[256];
  TextBuffer out(text, sizeof text);
  char buffer[128] = "";
  out << "the file cannot be read: " << ::strerror_r(number, buffer, sizeof buffer);
  error.raw_text = keep_error_text(Name::of(text));
  return module_error(error, Name::of(path), Name{}, site);
}

/// Adds to an Errc::no_kernel_image the contents of the image, and the device for which it has no
/// code.
template <class B>
[[gnu::cold]] void explain_missing_code(LaunchError& error, ImageBytes image) noexcept {
  char text[512];
  TextBuffer out(text, sizeof text);
  if (!put_contents(out, image)) out << "no known code";
  error.raw_text = keep_error_text(Name::of(text));
  error.subcode = Subcode::in_module;
  int device = -1;
  if (B::current_device(device) != 0) return;
  error.device = device;
  error.device_name = device_name<B>(device);
  DeviceLimits local;
  int status = 0;
  const DeviceLimits* const limits = DeviceCache<B>::find(device, local, status);
  if (B::vendor == Vendor::nvidia && limits != nullptr) {
    error.value = 10 * std::uint64_t{limits->compute_major} + limits->compute_minor;
  }
}

/// Whether the image is of no kind that a vendor's runtime loads.
template <class B>
[[nodiscard]] bool is_no_image(ImageBytes image) noexcept {
  return kind_of(image) == ImageKind::unknown && B::vendor != Vendor::host;
}

/// Makes an Errc::runtime_failed an Errc::module_invalid, with what is known of the reason.
template <class B>
[[gnu::cold]] void explain_invalid(LaunchError& error, const LoadedModule<B>& owner) noexcept {
  error.code = Errc::module_invalid;
  char text[2560];
  TextBuffer out(text, sizeof text);
  if (!owner.log().empty()) {
    out << error.raw_text << "; its compiler says: " << owner.log();
  } else if (is_no_image<B>(owner.image())) {
    out << static_cast<std::uint64_t>(owner.image().size) << " bytes that are not a "
        << (B::vendor == Vendor::nvidia ? "cubin, fatbin or PTX" : "code object or bundle")
        << "; to load a file, call load_file(path)";
  } else {
    out << error.raw_text;
  }
  error.raw_text = keep_error_text(Name::of(text));
}

/// The error of an image that the runtime did not load.
template <class B>
[[gnu::cold, gnu::noinline]] LaunchError load_error(int status, const LoadedModule<B>& owner,
                                                    call_site site) noexcept {
  LaunchError error = runtime_error<B>(status, Name::of("load module"), site);
  if constexpr (requires { ModuleCalls<B>::is_no_code_object(status); }) {
    if (is_no_image<B>(owner.image()) && ModuleCalls<B>::is_no_code_object(status)) {
      error.code = Errc::runtime_failed;
    }
  }
  if (error.code == Errc::no_kernel_image) {
    explain_missing_code<B>(error, owner.image());
  } else if (error.code == Errc::runtime_failed) {
    explain_invalid(error, owner);
  }
  return module_error(error, owner.source(), Name{}, site);
}

/// A list of a module's kernels for an error: "it holds: scale, axpy, and 3 more".
class KernelList {
 public:
  void add(Name name) noexcept {
    constexpr std::size_t room_for_the_end = 32;
    if (out_.size() + name.size + room_for_the_end > sizeof text_) {
      ++left_out_;
      return;
    }
    // A name in an image may have any letters.
    (out_ << (listed_++ == 0 ? "it holds: " : ", ")).one_line(name);
  }
  /// The list. Call it once, when all names are added.
  [[nodiscard]] Name text() noexcept {
    if (left_out_ != 0) {
      out_ << (listed_ == 0 ? "it holds " : ", and ") << left_out_ << " more";
    } else if (listed_ == 0) {
      out_ << "it holds no kernels";
    }
    return {text_, out_.size()};
  }

 private:
  std::size_t listed_ = 0;
  std::size_t left_out_ = 0;
  char text_[1024];
  TextBuffer out_{text_, sizeof text_};
};

/// Makes an error an Errc::kernel_not_found, with the kernels that the module holds if the runtime
/// lists them.
template <class B>
[[gnu::cold]] void explain_missing_kernel(LaunchError& error,
                                          const LoadedModule<B>& owner) noexcept {
  error.code = Errc::kernel_not_found;
  Name remedy = Name::of("pass the mangled name of a kernel that is not extern \"C\"");
  KernelList names;
  if constexpr (ModuleCalls<B>::lists_names) {
    const auto add = [&](Name name) { names.add(name); };
    if (owner.visit_names(add) == 0) remedy = names.text();
  }
  char text[1280];
  TextBuffer out(text, sizeof text);
  out << "the module holds no kernel of that name; " << remedy;
  error.raw_text = keep_error_text(Name::of(text));
}

/// The kernel `name`, with its code loaded on the current device; nullptr with the error.
template <class B>
[[nodiscard]] LoadedFunction<B>* find_function(LoadedModule<B>& owner, const char* name,
                                               call_site site, LaunchError& error) noexcept {
  const RelaxedCaptureScope<B> relaxed;
  const Name kept = keep_name(Name::of(name));
  int status = 0;
  LoadedFunction<B>* const found =
      kept.data == nullptr ? nullptr : owner.function(name, kept, status);
  if (found == nullptr && status == 0) {
    error = module_error(
        LaunchError::make(Errc::out_of_memory, Stage::runtime_call,
                          kept.data == nullptr ? std::strlen(name) : sizeof(LoadedFunction<B>), 0),
        owner.source(), kept, site);
    return nullptr;
  }
  int device = -1;
  if (found != nullptr) status = B::current_device(device);
  if (status == 0 && owner.device() >= 0 && owner.device() != device) {
    error = module_error(LaunchError::make(Errc::module_wrong_device, Stage::runtime_call,
                                           static_cast<std::uint64_t>(device),
                                           static_cast<std::uint64_t>(owner.device())),
                         owner.source(), kept, site);
    return nullptr;
  }
  if (status == 0) {
    KernelLimits local;
    static_cast<void>(found->slots.find(found->entry, device, local, status));
  }
  if (status == 0) return found;
  error = runtime_error<B>(status, Name::of("load kernel"), site);
  if (found == nullptr && ModuleCalls<B>::not_found(status)) {
    explain_missing_kernel(error, owner);
  } else if (error.code == Errc::no_kernel_image) {
    explain_missing_code<B>(error, owner.image());
  } else if (error.code == Errc::runtime_failed &&
             (!owner.log().empty() || kind_of(owner.image()) == ImageKind::unknown)) {
    // CUDA loads lazily, so a problem of the image may only show now.
    explain_invalid(error, owner);
  }
  error = module_error(error, owner.source(), kept, site);
  return nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
