// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/backend/module_calls.hpp>

#include <cstddef>
#include <cstring>

// Modules of the host backend: tables of this program's functions with names.

namespace warpsafe {

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

  static int load(native_module& loaded, detail::ImageBytes image, char*, std::size_t) noexcept {
    int count = 0;
    if (const int status = host_backend::device_count(count)) return status;
    if (image.size == 0 || image.size % sizeof(host::NamedKernel) != 0) {
      return host::raw(host::HostStatus::invalid_value);
    }
    loaded = image;
    return 0;
  }
  static int unload(native_module) noexcept { return 0; }
  static int function(native_module module, const char* name, KernelEntry& entry) noexcept {
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
  static int visit_names(native_module module, detail::ImageBytes, Visit visit_name) noexcept {
    visit(module, [&](const host::NamedKernel& each) { visit_name(each.name); });
    return 0;
  }
  static bool tells_parameters() noexcept { return true; }
  static int parameter(const KernelEntry& entry, std::size_t index,
                       ParameterPlace& place) noexcept {
    if (index >= entry.parameter_count) return host::raw(host::HostStatus::invalid_value);
    std::size_t offset = 0;
    for (std::size_t i = 0;; ++i) {
      const ParameterInfo& parameter = entry.parameters[i];
      offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
      place = {offset, parameter.size};
      if (i == index) return 0;
      offset += parameter.size;
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

}  // namespace warpsafe
