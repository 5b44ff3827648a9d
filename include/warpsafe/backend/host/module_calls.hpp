// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>

#include <cstddef>
#include <cstring>

// Modules of the host backend: tables of this program's functions with names.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <Provenance Where, auto Fn, class... Needs>
struct BasicKernel;  // kernel/kernel.hpp

namespace host {

/// One kernel of a host module. Make it with `named<fn>("name")`.
struct NamedKernel {
  Name name;  ///< must live as long as the program
  KernelEntry entry;
};
/// On the host backend, pass Module::load a table: `static const host::NamedKernel table[] =
/// {host::named<axpy>("axpy"), …};`.
template <auto Fn>
[[nodiscard]] NamedKernel named(const char* name) noexcept {
  using Kernel = BasicKernel<Provenance::host, Fn>;
  return {Name::of(name), Kernel::entry()};
}

}  // namespace host

template <>
struct ModuleCalls<host_backend> {
  /// The module's own copy of the table.
  using native_module = detail::ImageBytes;
  using kernel_calls = host_backend;
  static constexpr bool per_device = false;
  template <class Element>
  static constexpr bool is_image_of = std::is_same_v<Element, host::NamedKernel>;

  static int module_load(native_module& loaded, const unsigned char* image, std::size_t bytes,
                         char*, std::size_t) noexcept {
    int count = 0;
    if (const int status = host_backend::device_count(count)) return status;
    if (bytes == 0 || bytes % sizeof(host::NamedKernel) != 0) {
      return host::raw(host::HostStatus::invalid_value);
    }
    loaded = {image, bytes};
    return 0;
  }
  static int module_unload(native_module) noexcept { return 0; }
  static int module_function(native_module module, const char* name, KernelEntry& entry) noexcept {
    int status = host::raw(host::HostStatus::symbol_not_found);
    visit(module, [&](const host::NamedKernel& each) {
      if (!(each.name == Name::of(name))) return;
      entry = each.entry;
      status = 0;
    });
    return status;
  }
  static bool not_found(int status) noexcept {
    return status == host::raw(host::HostStatus::symbol_not_found);
  }
  static constexpr bool lists_names = true;
  template <class Visit>
  static int module_names(native_module module, Visit visit_name) noexcept {
    visit(module, [&](const host::NamedKernel& each) { visit_name(each.name); });
    return 0;
  }
  static bool tells_parameters() noexcept { return true; }
  static int kernel_parameter(const KernelEntry& entry, std::size_t index, std::size_t& offset,
                              std::size_t& size) noexcept {
    if (index >= entry.parameter_count) return host::raw(host::HostStatus::invalid_value);
    offset = 0;
    for (std::size_t i = 0;; ++i) {
      const ParameterInfo& parameter = entry.parameters[i];
      offset = detail::place_after(offset, parameter.alignment);
      size = parameter.size;
      if (i == index) return 0;
      offset += size;
    }
  }

 private:
  template <class Visit>
  static void visit(native_module module, Visit visit_one) noexcept {
    for (std::size_t at = 0; at < module.size; at += sizeof(host::NamedKernel)) {
      host::NamedKernel each;
      std::memcpy(&each, module.data + at, sizeof each);
      visit_one(each);
    }
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
