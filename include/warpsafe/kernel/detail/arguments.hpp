// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/graph_memory.hpp>
#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/kernel/detail/memory_kind.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <type_traits>

// Converts an argument of a valid type to its parameter, and checks its value and its memory.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether the address of an argument may be passed as the parameter's address. Each type of device
/// memory begins with its address, and a view with its kernel form.
template <class P, class A>
constexpr bool is_passed_in_place() noexcept {
  using Form = std::remove_cvref_t<decltype(kernel_form(std::declval<const A&>()))>;
  constexpr bool begins_with_address = is_device_memory<Form> || is_trusted<Form>;
  constexpr bool in_place = std::is_same_v<P, Form> ||
                            (is_device_span<P> && is_device_span<Form>) ||
                            ((std::is_pointer_v<P> || is_device_ptr<P>)&&begins_with_address);
  static_assert(!in_place || std::is_same_v<P, A> || __is_standard_layout(A));
  return in_place && !std::is_volatile_v<A>;
}

/// The argument as a parameter of type P. `InPlace`: returns the argument itself if a launch can
/// read it in place.
template <class P, bool InPlace = false, class A>
[[nodiscard,
  gnu::always_inline]] constexpr std::conditional_t<InPlace && is_passed_in_place<P, A>(), const A&,
                                                    P>
convert_argument(const A& argument) noexcept {
  if constexpr (InPlace && is_passed_in_place<P, A>()) {
    return argument;
  } else if constexpr (std::is_pointer_v<P> && !std::is_same_v<A, std::nullptr_t>) {
    return device_pointer_traits<A>::get(argument);
  } else if constexpr (is_device_ptr<P> && !std::is_same_v<A, std::nullptr_t>) {
    return DeviceAccess::pointer<typename P::element_type>(device_pointer_traits<A>::get(argument));
  } else if constexpr (is_device_span<P> && is_trusted_span<A>) {
    return P(DeviceAccess::pointer<typename P::element_type>(argument.get()),
             argument.size().negative ? 0 : argument.size().magnitude);
  } else if constexpr (is_device_span<P> && AdaptedRange<A>) {
    return P(
        DeviceAccess::pointer<typename P::element_type>(device_pointer_traits<A>::get(argument)),
        size_behind(argument));
  } else if constexpr (std::is_arithmetic_v<P>) {
    return static_cast<P>(argument);
  } else {
    return kernel_form(argument);
  }
}

/// Whether an argument is a signed number or enumeration for an unsigned parameter, or for a class
/// that is made of an unsigned number.
template <class P, class A>
constexpr bool may_be_negative() noexcept {
  if constexpr (std::is_class_v<P> && is_number_or_enum<A> && std::is_convertible_v<const A&, P>) {
    return made_keeping<P, A, NumberTarget::magnitude> && !made_keeping<P, A, NumberTarget::value>;
  } else {
    return loses_sign<P, A>();
  }
}

/// The bits of an address that are 0 if a trusted pointer is as aligned as the elements that the
/// parameter reads behind it.
template <class P, class A>
constexpr std::uint16_t aligned_bits() noexcept {
  if constexpr (is_trusted<A> && !std::is_void_v<std::remove_pointer_t<P>>) {
    using Element = std::remove_pointer_t<decltype(std::declval<const A&>().get())>;
    if constexpr (std::is_object_v<Element>) {
      if constexpr (requires { sizeof(Element); }) return alignof(Element) - 1;
    }
  }
  return 0;
}

/// What is to be checked in an argument's value; `any`: beside its size.
struct ValueChecks {
  std::uint8_t signed_bytes;  ///< the size of a signed number for an unsigned parameter, else 0
  bool is_trusted;            ///< a trusted_ptr or trusted_span
  bool is_trusted_span;
  bool has_size;  ///< behind the address, for a parameter that does not know it
  bool is_span;   ///< or a pointer, which does not know its device
  std::uint16_t aligned_bits = 0;
  [[nodiscard]] constexpr bool any() const noexcept {
    return signed_bytes != 0 || is_trusted || is_span;
  }
  [[nodiscard]] constexpr bool any_or_size() const noexcept { return any() || has_size; }
};
template <class P, class A>
inline constexpr ValueChecks value_checks{
    may_be_negative<P, A>() ? static_cast<std::uint8_t>(sizeof(A)) : std::uint8_t{0},
    is_trusted<A>,
    is_trusted_span<A>,
    (is_view<A> && requires { A::alignment; }) ||
        (std::is_pointer_v<typename RawParameter<P>::type> &&
         (is_device_span<std::remove_cvref_t<KernelForm<A>>> || is_trusted_span<A>)),
    is_device_memory<A>,
    aligned_bits<P, A>()};

/// A trusted_span of any type, and the first member of a trusted_ptr.
struct TrustedBytes {
  const void* pointer;
  SignedSize size;
};

/// Whether work of `device` can access memory of another device. A yes is kept in the memory's
/// owner, if there is one. Memory that the runtime cannot tell about counts as accessible.
template <class B>
[[WARPSAFE_DETAIL_RARE]] bool can_access(int device, const void* memory, int memory_device,
                                         MemoryOwner* owner = nullptr) noexcept {
  bool answer = true;
  if constexpr (requires { &B::can_access; }) {
    const bool kept =
        owner != nullptr && caches_limits<B> && device >= 0 && device < cached_devices;
    const unsigned long bit = kept ? device_bit(device) : 0;
    const unsigned long known =
        owner == nullptr ? 0 : __atomic_load_n(&owner->accessed_from, __ATOMIC_RELAXED);
    const bool ask = memory != nullptr && memory_device >= 0 && memory_device != device &&
                     (known & bit) == 0 && known != ~0UL;
    if (ask && owner != nullptr && owner->knows_access) return !kept;
    if (ask && B::can_access(device, memory, memory_device, answer)) {
      return true;
    }
    if (ask && answer && kept) __atomic_or_fetch(&owner->accessed_from, bit, __ATOMIC_RELAXED);
  }
  return answer;
}

/// The same for an address whose owner the caller does not know.
template <class B>
[[WARPSAFE_DETAIL_RARE]] bool can_access_address(int device, const void* memory,
                                                 int memory_device) noexcept {
  if (memory_device == device) return true;
  MemoryOwner owner;
  const InGraphMemory place = find_graph_memory(memory, owner);
  // Other memory may begin at the end.
  if (place != InGraphMemory::inside && can_access<B>(device, memory, memory_device)) return true;
  return place != InGraphMemory::no && can_access<B>(device, memory, memory_device, &owner);
}

/// The case of Errc::memory_closed for memory whose MemoryOwner::of_device is `of_device`.
[[nodiscard, gnu::always_inline]] constexpr Subcode why_closed(int of_device) noexcept {
  return of_device == memory_is_at_host        ? Subcode::at_host
         : of_device == memory_of_idle_graph   ? Subcode::graph_idle
         : of_device == memory_of_lost_capture ? Subcode::graph_lost
                                               : Subcode::none;
}
[[WARPSAFE_DETAIL_RARE]] inline bool refuse_access(LaunchError& error, int device,
                                                   int memory_device, int number) noexcept {
  const bool closed = memory_device <= memory_was_freed;
  return refuse(error, closed ? Errc::memory_closed : Errc::memory_wrong_device, Stage::validation,
                static_cast<std::uint64_t>(device),
                closed ? 0 : static_cast<std::uint64_t>(memory_device), Axis::none,
                static_cast<std::uint64_t>(number),
                closed ? why_closed(memory_device) : Subcode::none);
}

/// Refuses a negative number of `bytes` bytes.
[[WARPSAFE_DETAIL_RARE]] inline bool refuse_negative(const void* argument, std::size_t bytes,
                                                     int number, LaunchError& error) noexcept {
  std::int64_t value = -1;
  __builtin_memcpy(&value, argument, bytes < sizeof value ? bytes : sizeof value);
  return refuse(error, Errc::argument_negative, Stage::validation,
                ~static_cast<std::uint64_t>(value) + 1, 0, Axis::none,
                static_cast<std::uint64_t>(number));
}
/// Checks a trusted pointer, or the pointer of a span, by the runtime's answer.
template <class B>
[[WARPSAFE_DETAIL_RARE]] bool check_pointer(ValueChecks checks, const void* argument,
                                            const basic_stream_ref<B>& stream, int number,
                                            LaunchError& error) noexcept {
  const int device = stream.device().value();
  const auto place = static_cast<std::uint64_t>(number);
  TrustedBytes trusted{nullptr, {}};
  __builtin_memcpy(&trusted, argument,
                   checks.is_trusted_span ? sizeof trusted : sizeof trusted.pointer);
  if (trusted.size.negative) {
    return refuse(error, Errc::argument_negative, Stage::validation, trusted.size.magnitude, 0,
                  Axis::none, place);
  }
  if (checks.is_trusted_span && trusted.size.magnitude == 0) return true;  // it may point anywhere
  if (trusted.pointer == nullptr) return true;
  MemoryKind kind{};
  int memory_device = device;
  const int status = memory_kind(trusted.pointer, kind, memory_device, stream);
  if (checks.is_trusted && (status != 0 || kind == MemoryKind::unregistered)) {
    if (memory_device <= memory_was_freed) {
      return refuse_access(error, device, memory_device, number);
    }
    return refuse(error, Errc::argument_host_pointer, Stage::validation, 0, 0, Axis::none, place);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(trusted.pointer);
  if ((address & checks.aligned_bits) != 0) {
    return refuse(error, Errc::argument_misaligned, Stage::validation, address & (~address + 1),
                  std::uint64_t{checks.aligned_bits} + 1, Axis::none, place);
  }
  return kind != MemoryKind::device ||
         can_access_address<B>(device, trusted.pointer, memory_device) ||
         refuse_access(error, device, memory_device, number);
}

/// Checks the value of an argument: a negative number for an unsigned parameter, a trusted pointer
/// that the driver does not know, that is misaligned or whose memory the stream's device cannot
/// access, and the device of a span, if the program has used several devices. False with the
/// problem in `error`.
template <class B>
[[nodiscard]] bool check_value(ValueChecks checks, const void* argument,
                               const basic_stream_ref<B>& stream, int number,
                               LaunchError& error) noexcept {
  if (checks.signed_bytes != 0) {
    // Both vendors' hosts are little-endian: the sign is in the last byte.
    return static_cast<const signed char*>(argument)[checks.signed_bytes - 1] >= 0 ||
           refuse_negative(argument, checks.signed_bytes, number, error);
  }
  if (!checks.is_trusted && !(checks.is_span && has_streams_besides<B>(stream.device().value())))
    return true;
  return check_pointer(checks, argument, stream, number, error);
}

/// Checks that the memory of `owner` is a device's, and that work of `device` can access it. False
/// with the problem in `error`.
// Asks about the memory's beginning: an empty view may point behind its end.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] bool check_access(int device, MemoryOwner& owner,
                                                          int number, LaunchError& error) noexcept {
  return (owner.of_device > memory_was_freed &&
          (owner.vendor != static_cast<unsigned char>(B::vendor) ||
           can_access<B>(device, owner.start, owner.of_device, &owner))) ||
         refuse_access(error, device, owner.of_device, number);
}

/// As check_access, for memory that a structure holds. A span's memory must exist. A pointer may be
/// the end of a range.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] bool check_given(const GivenMemory& memory,
                                                         const basic_stream_ref<B>& stream,
                                                         LaunchError& error) noexcept {
  const int device = stream.device().value();
  MemoryKind kind{};
  int memory_device = device;
  const int status = memory_kind(memory.address, kind, memory_device, stream);
  if (status == 0 && kind != MemoryKind::unregistered) {
    if (kind != MemoryKind::device ||
        can_access_address<B>(device, memory.address, memory_device)) {
      return true;
    }
  } else {
    if (memory.bytes == unknown_extent) return true;
    memory_device = memory_was_freed;
  }
  static_cast<void>(
      refuse_access(error, device, memory_device, static_cast<int>(memory.parameter) + 1));
  error.subcode = Subcode::in_structure;
  return false;
}

/// Records that `stream` uses `owner`'s memory, if it is of B's vendor. Returns B's status.
template <class B>
[[nodiscard]] int record_use(const basic_stream_ref<B>& stream, MemoryOwner& owner) noexcept {
  if (owner.vendor != static_cast<unsigned char>(B::vendor)) return 0;
  return owner.add_use(owner, stream.native(), stream.device().value(), stream.number());
}

/// Adds a use by `stream` to each owner that needs one. Errc::runtime_failed.
// Takes the place in parts and the stream by reference, for the reason that launch_failed gives.
template <class B, class... Owner>
[[gnu::cold, gnu::noinline]] result<void> add_uses(const basic_stream_ref<B>& stream,
                                                   const char* file, const char* function,
                                                   unsigned line, Owner... owners) noexcept {
  int status = 0;
  const std::uint64_t number = stream.number();
  for (MemoryOwner* const owner : {owners...}) {
    if (owner != nullptr && (owner->freed_on != number || open_captures() != nullptr)) {
      const int own = record_use<B>(stream, *owner);
      if (status == 0) status = own;
    }
  }
  if (status != 0) {
    return runtime_error<B>(status, Name::of("event record"), {file, function, line});
  }
  return success();
}

/// Records in the buffers behind the passed views that `stream` uses them, if it is not their own,
/// or if it captures: at every check level they are freed after that work, and kept by the graph of
/// a capture. Errc::runtime_failed.
// The own stream of all owners costs a comparison each and one read of the open captures. Arguments
// that are known to have no owner cost nothing.
template <class B, class... Owner>
[[nodiscard, gnu::always_inline]] inline result<void> record_uses(const basic_stream_ref<B>& stream,
                                                                  const call_site& site,
                                                                  Owner... owners) noexcept {
  const std::uint64_t number = StreamAccess::given_number(stream);
  if (((owners != nullptr && owners->freed_on != number) || ...) ||
      (((owners != nullptr) || ...) && open_captures() != nullptr)) [[unlikely]] {
    return add_uses(stream, site.file, site.function, site.line, owners...);
  }
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
