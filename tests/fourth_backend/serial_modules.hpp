// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "serial_backend.hpp"
#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace serial {

/// An element of a module's image: a kernel with its name.
struct Named {
  warpsafe::Name name;
  warpsafe::KernelEntry entry;
};

}  // namespace serial

template <>
struct warpsafe::ModuleCalls<serial::backend> {
  using native_module = detail::ImageBytes;
  using kernel_calls = serial::backend;
  static constexpr bool per_device = false;
  template <class Element>
  static constexpr bool is_image_of = std::is_same_v<Element, serial::Named>;

  static int module_load(native_module& loaded, const unsigned char* image, std::size_t bytes,
                         char*, std::size_t) noexcept {
    loaded = {image, bytes};
    return bytes % sizeof(serial::Named) == 0 ? 0 : raw(serial::Status::invalid_value);
  }
  static int module_unload(native_module) noexcept { return 0; }
  static int module_function(native_module module, const char* name, KernelEntry& entry) noexcept {
    int status = raw(serial::Status::not_a_kernel);
    visit(module, [&](const serial::Named& each) {
      if (!(each.name == Name::of(name))) return;
      entry.function = each.entry.function;
      entry.invoke = each.entry.invoke;
      status = 0;
    });
    return status;
  }
  static bool not_found(int status) noexcept { return status == raw(serial::Status::not_a_kernel); }
  static constexpr bool lists_names = false;
  static bool tells_parameters() noexcept { return false; }
  static int kernel_parameter(const KernelEntry&, std::size_t, std::size_t&,
                              std::size_t&) noexcept {
    return raw(serial::Status::invalid_value);
  }

 private:
  template <class Visit>
  static void visit(native_module module, Visit visit_one) noexcept {
    for (std::size_t at = 0; at < module.size; at += sizeof(serial::Named)) {
      serial::Named each;
      std::memcpy(&each, module.data + at, sizeof each);
      visit_one(each);
    }
  }
};
