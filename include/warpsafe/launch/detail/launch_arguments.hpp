// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/kernel/detail/argument_facts.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// A launch's arguments without their types: constant data about each, and their addresses. All
// checked launches of a program share the code that works on them.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The device memory that an argument points to.
struct ArgumentMemory {
  const void* begin;    ///< nullptr: none
  std::uint64_t bytes;  ///< unknown_extent if the argument's type has no size
};
/// The type of a parameter, or of the elements of the memory that it points to.
struct ElementInfo {
  ElementType type;
  std::uint32_t bytes;  ///< of one element
};

struct LaunchArguments {
  const KernelEntry& entry;
  const LaunchShape& shape;
  void* stream;
  void* const* values;           ///< the address of each parameter's value
  const ArgumentMemory* memory;  ///< of each
  const ElementInfo* elements;   ///< of each
  const HostReference* reference;
  const BackendCalls& calls;
};
template <class T>
constexpr ElementInfo element_info() noexcept {
  // Not for void, nor for a type that is only declared here.
  if constexpr (requires { sizeof(T); } && std::is_object_v<T>) {
    return {element_type<std::remove_cv_t<T>>, static_cast<std::uint32_t>(sizeof(T))};
  } else {
    return {ElementType::bytes, 1};
  }
}
template <class P>
struct Reached {
  using type = P;
};
template <class T>
struct Reached<T*> {
  using type = T;
};
template <class P>
requires(is_device_memory<P>) struct Reached<P> {
  using type = typename P::element_type;
};

/// The elements behind each parameter of a list.
template <class Parameters>
inline constexpr const ElementInfo* element_infos = nullptr;
template <class... P>
inline constexpr ElementInfo elements_behind[sizeof...(P) + 1] = {
    element_info<typename Reached<P>::type>()..., {}};
template <class... P>
inline constexpr const ElementInfo* element_infos<TypeList<P...>> = elements_behind<P...>;

/// The reference function of a kernel that declares one (reference.hpp), or nullptr.
template <class K>
constexpr const HostReference* reference_of() noexcept {
  if constexpr (requires { K::host_reference; }) {
    return K::host_reference;
  }
  return nullptr;
}

/// What a launch knows about its kernel's type.
struct KernelFacts {
  KernelNeeds needs;
  const ElementInfo* elements;  ///< behind each parameter
  const HostReference* reference;
};
template <class K>
inline constexpr KernelFacts kernel_facts{K::needs, element_infos<typename K::parameters>,
                                          reference_of<K>()};

/// The first address from `room` on that has the parameter's alignment.
[[nodiscard, gnu::always_inline]] inline unsigned char* align_for(const ArgumentFacts& facts,
                                                                  unsigned char* room) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(room);
  return room + (place_after(address, facts.alignment) - address);
}

/// The arguments of one launch by their addresses. The memory holds, in this order, the addresses
/// of the arguments, those of the parameters, which `prepare` fills in, and room for the parameters
/// that are not passed in place.
class ArgumentWords {
 public:
  ArgumentWords(const ArgumentTypes& types, void** words) noexcept
      : types_(types), words_(words), values_(words) {}
  /// Makes the parameters, at the first call. User code may run: conversions, and `get` of
  /// device_pointer_traits.
  void prepare() noexcept {
    if (!types_.all_in_place && values_ == words_) {
      values_ = convert(types_.facts, types_.count, words_);
    }
  }
  [[nodiscard]] const ArgumentTypes& types() const noexcept { return types_; }
  [[nodiscard]] const void* argument(std::size_t place) const noexcept { return words_[place]; }
  /// The addresses of the parameters, after `prepare`.
  [[nodiscard, gnu::always_inline]] void** values() const noexcept { return values_; }

 private:
  [[nodiscard]] static void** convert(const ArgumentFacts* const* facts, std::size_t count,
                                      void** words) noexcept {
    void** const values = words + count;
    auto* next = reinterpret_cast<unsigned char*>(values + count);
    for (std::size_t i = 0; i < count; ++i) {
      const ArgumentFacts& one = *facts[i];
      values[i] = words[i];
      if (one.convert == nullptr) continue;
      next = align_for(one, next);
      values[i] = next;
      one.convert(words[i], values[i]);
      next += one.size;
    }
    return values;
  }

  const ArgumentTypes& types_;
  void** words_;
  void** values_;
};

/// The memory of ArgumentWords, for as long as the launch is submitted.
template <class Parameters, class... A>
class AddressedArguments {
  using Table = ArgumentTable<Parameters, A...>;

 public:
  [[gnu::always_inline]] explicit AddressedArguments(const A&... arguments) noexcept {
    [[maybe_unused]] std::size_t count = 0;
    ((words_[count++] =
          const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(arguments)))),
     ...);
  }
  [[nodiscard, gnu::always_inline]] void** words() noexcept { return words_; }

 private:
  // Enough for every alignment of the first parameter that is not passed in place.
  void* words_[2 * sizeof...(A) + 1 +
               (Table::bytes == 0 ? 0 : (Table::bytes + Table::padding) / sizeof(void*) + 1)];
};

/// The bytes behind a parameter that reaches memory; unknown_extent if the argument's type has no
/// size. `element_bytes`: of the parameter's elements.
[[nodiscard]] inline std::uint64_t bytes_behind(const ArgumentFacts& facts, const void* argument,
                                                const void* value,
                                                std::uint32_t element_bytes) noexcept {
  const bool is_span = facts.is_span || facts.source == nullptr;
  std::uint64_t span[2] = {};  // the address, and the number of elements
  if (is_span) __builtin_memcpy(span, facts.is_span ? value : argument, sizeof span);
  const std::uint64_t count = is_span ? span[1] : facts.source(argument).count;
  const std::uint64_t each = facts.element_bytes != 0 ? facts.element_bytes : element_bytes;
  return count == unknown_extent ? count : count * each;
}

/// The windows of a launch's parameters (CallScope): the bytes of a span, and of the view that was
/// given for a `T*`. A `const T*` may be read around the view too, as a stencil does.
template <class B>
struct LaunchWindows {
  LaunchWindows(const KernelEntry&, const ElementInfo*, const ArgumentWords&) noexcept {}
  [[nodiscard]] static const std::uint64_t* first() noexcept { return nullptr; }
};
template <RecordsCallers B>
class LaunchWindows<B> {
 public:
  LaunchWindows(const KernelEntry& entry, const ElementInfo* elements,
                const ArgumentWords& arguments) noexcept
      : fit_(arguments.types().count <= most) {
    for (std::uint32_t i = 0; fit_ && i < arguments.types().count; ++i) {
      const ArgumentFacts& facts = *arguments.types().facts[i];
      const bool known = facts.reaches_memory && (facts.is_span || entry.parameters[i].writes);
      windows_[i] = known ? bytes_behind(facts, arguments.argument(i), arguments.values()[i],
                                         elements[i].bytes)
                          : unknown_extent;
    }
  }
  /// nullptr for a kernel with more than 64 parameters.
  [[nodiscard]] const std::uint64_t* first() const noexcept { return fit_ ? windows_ : nullptr; }

 private:
  static constexpr std::uint32_t most = 64;
  bool fit_;
  std::uint64_t windows_[most];
};

/// Checks the memory that structures hold: that it exists, and that the launch's device can access
/// it. False with the problem in `error`. Asks the runtime, so only where an answer costs nothing
/// (the host backend), or if the program has used several devices.
template <class B>
[[nodiscard]] bool check_inner(const Located<B>& at, ArgumentWords& arguments,
                               LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  if (!runs_host_kernels<B> && !has_streams_besides<B>(device)) return true;
  arguments.prepare();
  bool fits = true;
  for (std::uint32_t i = 0; i < arguments.types().count; ++i) {
    const ArgumentFacts& facts = *arguments.types().facts[i];
    if (facts.inner == nullptr) continue;
    each_inner_memory(facts.inner(), arguments.values()[i], i, [&](const GivenMemory& memory) {
      fits = fits && check_given(memory, at.stream, error);
    });
  }
  return fits;
}

/// Checks that the launch's device can access the memory behind the views. False with the problem
/// in `error`. `foreign`: true if the memory behind a view may be of another stream or device.
template <class B>
[[nodiscard]] bool check_owners(const Located<B>& at, const ArgumentWords& arguments, bool& foreign,
                                LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  const std::uint64_t stream = at.stream.number();
  bool found = false;
  for (std::uint32_t i = 0; foreign && i < arguments.types().count; ++i) {
    const ArgumentFacts& facts = *arguments.types().facts[i];
    if (!facts.has_owner) continue;
    MemoryOwner* const owner = facts.source(arguments.argument(i)).owner;
    if (owner == nullptr || (owner->freed_on == stream && owner->of_device == device)) {
      continue;
    }
    found = true;
    if (!check_access<B>(device, *owner, static_cast<int>(i) + 1, error)) {
      return false;
    }
  }
  foreign = found;
  return true;
}

/// Records that the launch uses memory of other streams, or that a capture uses memory. False with
/// the problem in `error`.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] bool record_owners(const Located<B>& at,
                                                           const ArgumentWords& arguments,
                                                           LaunchError& error) noexcept {
  int status = 0;
  for (std::uint32_t i = 0; i < arguments.types().count; ++i) {
    const ArgumentFacts& facts = *arguments.types().facts[i];
    if (!facts.has_owner) continue;
    MemoryOwner* const owner = facts.source(arguments.argument(i)).owner;
    if (owner == nullptr || (owner->freed_on == at.stream.number() && open_captures() == nullptr)) {
      continue;
    }
    const int own = record_use<B>(at.stream, *owner);
    if (status == 0) status = own;
  }
  if (status != 0) error = runtime_error<B>(status, Name::of("event record"), at.site);
  return status == 0;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
