// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <type_traits>

namespace warpsafe {

/// How StreamBound handles the handle of one library. Specialise it, for a library of your own too
/// (docs/handles.md). All functions return the library's own status; 0 is success.
///
///   template <> struct handle_traits<my_handle_t> {
///     using backend = cuda_backend;       // whose streams it runs on
///     using native = my_handle_t;         // the C handle
///     using status = my_status_t;
///     using refused = Functions<my_set_stream, my_destroy>;  // what `call` must not be used for
///     static constexpr Name name = Name::of("my library");
///     static status create(native& handle) noexcept;
///     static status destroy(native handle) noexcept;
///     static Name status_name(status value) noexcept;        // empty where it has none
///     static Name status_text(status value) noexcept;        // empty where it has none
///     // Unless every function takes the stream as an argument (`call` passes it then):
///     static status set_stream(native handle, backend::native_stream stream) noexcept;
///     // Where the library has it; checked builds then find a changed stream:
///     static status get_stream(native handle, backend::native_stream& stream) noexcept;
///     // How many handles with a stream of their own this one holds, as a solver made of two
///     // libraries does; 0 for none. It has to be said, since setting the stream may not reach
///     // them. Then the stream of each, counted from 0: binding asks all, and so do full checks.
///     static constexpr int inner_handles = 2;
///     static status get_stream(native handle, int inner, backend::native_stream& stream) noexcept;
///     // Where a handle is made of more than nothing: `create(stream, options)`.
///     using options = my_options;         // and create(native&, const options&)
///     // Where it takes a workspace, which StreamBound then owns. Bytes on device `device`:
///     static std::size_t workspace_bytes(int device) noexcept;
///     static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept;
///     // Where scalars may be on the host or on the device:
///     static status set_scalars_on_device(native handle, bool on) noexcept;
///     static status get_scalars_on_device(native handle, bool& on) noexcept;
///     // Where C++ headers overload functions: which signature of each `call<fn>` means.
///     using overloaded = Signatures<my_status_t(my_handle_t, int)>;
///     // Where a status other than 0 says that the work was done:
///     static bool is_success(status value) noexcept;
///     // Where macros rename functions: what to leave out of their names in errors.
///     static constexpr Name version_suffix = Name::of("_v2");
///   };
template <class Handle>
struct handle_traits {
  static_assert(!std::is_same_v<Handle, Handle>,
                "warpsafe: no library has this handle here: include its own header of "
                "<warpsafe/handles/>, or specialise handle_traits for it");
};

/// Functions of a library, by name.
template <auto... Fn>
struct Functions {};

/// Function types.
template <class... Signature>
struct Signatures {};

namespace detail {

template <auto Fn>
struct FunctionKey {};
template <auto Fn, class List>
inline constexpr bool is_listed = false;
template <auto Fn, auto... Listed>
inline constexpr bool is_listed<Fn, Functions<Listed...>> =
    (std::is_same_v<FunctionKey<Fn>, FunctionKey<Listed>> || ... || false);

/// The name of one of the listed enumerators, as the library's header spells it; empty for others.
template <auto... Enumerator, class Enum>
[[nodiscard]] Name enumerator_name(Enum value) noexcept {
  Name name{};
  static_cast<void>(((value == Enumerator && (name = name_of<Enumerator>, true)) || ...));
  return name;
}

/// Text put together while compiling.
template <std::size_t Capacity>
struct StaticText {
  char data[Capacity + 1] = {};
  std::size_t size = 0;
  constexpr void append(Name part) noexcept {
    for (std::size_t i = 0; i < part.size; ++i) data[size++] = part.data[i];
  }
};

/// What StreamBound does with a handle beside calling functions, in an error's words.
enum class HandleStep { create, bind, allocate_workspace, set_workspace, set_mode, destroy };

[[nodiscard]] constexpr Name name_of_step(HandleStep step) noexcept {
  switch (step) {
    case HandleStep::create:
      return Name::of(" create");
    case HandleStep::bind:
      return Name::of(" set stream");
    case HandleStep::allocate_workspace:
      return Name::of(" allocate workspace");
    case HandleStep::set_workspace:
      return Name::of(" set workspace");
    case HandleStep::set_mode:
      return Name::of(" set pointer mode");
    case HandleStep::destroy:
      break;
  }
  return Name::of(" destroy");
}

template <class Traits, HandleStep Step>
struct StepName {
  static constexpr auto text = [] {
    StaticText<Traits::name.size + name_of_step(Step).size> joined;
    joined.append(Traits::name);
    joined.append(name_of_step(Step));
    return joined;
  }();
  static constexpr Name value{text.data, text.size};
};

/// A function's name as the user wrote it: without what a macro of the library's header put in.
template <class Traits, auto Fn>
struct FunctionName {
  static constexpr auto text = [] {
    constexpr Name name = name_of<Fn>;
    StaticText<name.size> kept;
    Name cut{};
    if constexpr (requires { Traits::version_suffix; }) cut = Traits::version_suffix;
    for (std::size_t i = 0; i < name.size;) {
      if (!cut.empty() && i + cut.size <= name.size && Name{name.data + i, cut.size} == cut) {
        i += cut.size;
      } else {
        kept.data[kept.size++] = name.data[i++];
      }
    }
    return kept;
  }();
  static constexpr Name value{text.data, text.size};
};

}  // namespace detail
}  // namespace warpsafe
