// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/error/detail/kept_text.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/module/detail/loaded_module.hpp>
#include <warpsafe/module/detail/mangled_parameters.hpp>

#include <cstddef>

// The declared signature of a module's kernel, compared with the kernel's own.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether two parameters of one size cannot mean the same: a pointer and a number, a pointer that
/// is only declared as read, or numbers of other formats.
[[nodiscard]] constexpr bool conflict(const ParameterInfo& declared,
                                      const ParameterInfo& its) noexcept {
  const auto is_known = [](const ParameterInfo& one) {
    return one.is_pointer || one.element != ElementType::bytes;
  };
  if (!is_known(declared) || !is_known(its)) return false;
  if (declared.is_pointer != its.is_pointer) return true;
  if (its.writes && !declared.writes) return true;
  if (declared.element == ElementType::bytes || its.element == ElementType::bytes) return false;
  return element_size(declared.element) != element_size(its.element) ||
         (declared.element >= ElementType::float16) != (its.element >= ElementType::float16);
}
/// Writes "const float32*".
inline void put_parameter(TextBuffer& out, const ParameterInfo& parameter) noexcept {
  if (parameter.is_pointer && !parameter.writes) out << "const ";
  out << element_name(parameter.element) << (parameter.is_pointer ? "*" : "");
}
/// Whether the types of the parameters match the signature, as far as the host backend's table or
/// the mangled name tells them.
template <class... P>
[[nodiscard]] bool check_types(Name name, const KernelEntry& entry, TypeList<P...>,
                               LaunchError& error) noexcept {
  const ParameterInfo* const declared = parameter_infos<P...>;
  MangledParameters mangled(name);
  for (std::size_t i = 0; i < sizeof...(P); ++i) {
    ParameterInfo its{};
    if (entry.parameters != nullptr) {
      its = entry.parameters[i];
    } else if (!mangled.next(its)) {
      return true;
    }
    if (!conflict(declared[i], its)) continue;
    char text[256];
    TextBuffer out(text, sizeof text);
    out << "parameter " << i + 1 << " is ";
    put_parameter(out, its);
    out << " in the kernel, ";
    put_parameter(out, declared[i]);
    out << " in the declared signature; write the types and the order of the kernel's source";
    error = LaunchError::make(Errc::signature_mismatch, Stage::runtime_call);
    error.subcode = Subcode::parameter_type;
    error.extra = i + 1;
    error.raw_text = keep_error_text(Name::of(text));
    return false;
  }
  return true;
}

/// Whether the image's parameters match the signature, as far as they are known.
template <class B, class... P>
[[nodiscard]] bool check_signature(const LoadedFunction<B>& function, TypeList<P...>,
                                   LaunchError& error) noexcept {
  const auto types_match = [&] {
    return check_types(function.name, function.entry, TypeList<P...>{}, error);
  };
  if (!ModuleCalls<B>::tells_parameters()) return types_match();
  const ParameterInfo* const declared = parameter_infos<P...>;
  constexpr std::size_t count = sizeof...(P);
  const auto wrong = [&](Subcode what, std::size_t parameter, std::size_t here, std::size_t there) {
    error = LaunchError::make(Errc::signature_mismatch, Stage::runtime_call, here, there);
    error.subcode = what;
    error.extra = parameter;
    return false;
  };
  std::size_t its_offset = 0;
  std::size_t its_size = 0;
  const auto has_parameter = [&](std::size_t index) {
    return ModuleCalls<B>::kernel_parameter(function.entry, index, its_offset, its_size) == 0;
  };
  std::size_t offset = 0;
  for (std::size_t i = 0;; ++i) {
    const bool exists = has_parameter(i);
    if (exists != (i < count)) {
      std::size_t there = i;
      while (has_parameter(there)) ++there;
      return wrong(Subcode::parameter_count, 0, count, there);
    }
    if (i == count) return types_match();
    offset = place_after(offset, declared[i].alignment);
    if (its_size != declared[i].size) {
      return wrong(Subcode::parameter_size, i + 1, declared[i].size, its_size);
    }
    if (its_offset != offset) return wrong(Subcode::parameter_offset, i + 1, offset, its_offset);
    offset += declared[i].size;
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
