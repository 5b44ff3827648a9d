// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// What StreamBound needs to know about one library. Specialise it for each handle type, including
/// those of your own libraries (docs/guide/handles.md). The functions return the library's
/// own status; 0 means success unless `is_success` says otherwise. HandleCalls and PointerModeCalls
/// below supply most of these members from the names of the library's functions.
///
///   template <> struct handle_traits<my_handle_t> {
///     using backend = cuda_backend;       // the backend of the streams
///     using native = my_handle_t;         // the C handle
///     using status = my_status_t;
///     using refused = Functions<my_set_stream, my_destroy>;  // functions that `call` refuses
///     static constexpr Name name = Name::of("my library");
///     static status create(native& handle) noexcept;
///     static status destroy(native handle) noexcept;
///     static Name status_name(status value) noexcept;        // empty if there is none
///     static Name status_text(status value) noexcept;        // empty if there is none
///     // Leave out if every function takes the stream as an argument; `call` then passes it:
///     static status set_stream(native handle, backend::native_stream stream) noexcept;
///     // Without set_stream: functions that take no stream submit no work, so `call` takes them:
///     static constexpr bool has_functions_without_stream = true;
///     // Optional; lets checked builds find a changed stream:
///     static status get_stream(native handle, backend::native_stream& stream) noexcept;
///     // Required with set_stream: how many inner handles with a stream of their own this handle
///     // holds; 0 for none. Setting the stream may not reach them. If there are any, binding and
///     // checked builds ask for the stream of each, counted from 0:
///     static constexpr int inner_handles = 2;
///     static status get_stream(native handle, int inner, backend::native_stream& stream) noexcept;
///     // Optional; makes the operation `create(stream, options)`:
///     using options = my_options;         // and create(native&, const options&)
///     // Optional: a workspace, in bytes on device `device`. StreamBound owns one, and each graph
///     // another: it is set before and after a captured call, too.
///     static std::size_t workspace_bytes(int device) noexcept;
///     static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept;
///     // Optional, if scalars may be on the host or on the device:
///     static status set_scalars_on_device(native handle, bool on) noexcept;
///     static status get_scalars_on_device(native handle, bool& on) noexcept;
///     // Optional beside them: which pointer parameters of `function` are scalars. Bit n is for
///     // pointer parameter n, counted from 0 without handle and stream. Add others_on_device if
///     // the other pointers are device memory. 0: `call` knows nothing about the function.
///     static constexpr unsigned scalar_pointers(Name function) noexcept;
///     // Optional beside it, if a descriptor, each function's first argument, says where the
///     // scalars are. Then those of one call may be on two sides, and set_scalars_on_device does
///     // nothing. `scalars_fit` tells whether the descriptor matches a call with scalars on the
///     // host, on the device; define it for every type of a first argument.
///     static constexpr bool descriptors_place_scalars = true;
///     static bool scalars_fit(my_descriptor_t descriptor, bool host, bool device) noexcept;
///     // Optional, if C++ headers overload functions: the signatures that `call<fn>` accepts.
///     using overloaded = Signatures<my_status_t(my_handle_t, int)>;
///     // Optional, if a status other than 0 means that the work was done:
///     static bool is_success(status value) noexcept;
///     // Optional, if macros rename functions: the suffix to leave out of names in errors.
///     static constexpr Name version_suffix = Name::of("_v2");
///   };
///
/// If a library takes its handle by address, as `const T*` or `T*`, declare `T*` as `native`.
/// `create` allocates the T and `destroy` frees it, so that its address stays the same when the
/// StreamBound moves.
template <class Handle>
struct handle_traits {
  static_assert(
      detail::is_never<Handle>,
      "warpsafe: no handle_traits for this handle; include the library's header from <warpsafe/handles/>, or specialise handle_traits");
};

/// A list of a library's functions.
template <auto... Fn>
struct Functions {};

/// A list of function types.
template <class... Signature>
struct Signatures {};

namespace detail {

template <class Function>
struct DestroyFunction {
  static_assert(
      is_never<Function>,
      "warpsafe: HandleCalls needs the library's destroy function, which takes the handle "
      "alone: write out handle_traits for a library without one");
};
template <class StatusType, class Handle>
struct DestroyFunction<StatusType (*)(Handle)> {
  using native = Handle;
  using status = StatusType;
};
template <class StatusType, class Handle>
struct DestroyFunction<StatusType (*)(Handle) noexcept> : DestroyFunction<StatusType (*)(Handle)> {
};

template <auto Fn>
inline constexpr bool is_given = !std::is_null_pointer_v<decltype(Fn)>;

}  // namespace detail

/// A base with the members of handle_traits that most libraries write alike:
///
///   template <> struct handle_traits<my_handle_t>
///       : HandleCalls<cuda_backend, my_create, my_destroy, my_set_stream, my_get_stream> {
///     static constexpr Name name = Name::of("my library");
///     static constexpr int inner_handles = 0;
///   };
///
/// `Create` takes a pointer to the handle, then the options if there are any. Leave out `SetStream`
/// if every function takes the stream, and `GetStream` if the library has no such function. Members
/// that the derived structure declares take precedence. Until it declares status_name and
/// status_text, statuses have neither name nor text.
template <class B, auto Create, auto Destroy, auto SetStream = nullptr, auto GetStream = nullptr>
struct HandleCalls {
  using backend = B;
  using native = typename detail::DestroyFunction<decltype(Destroy)>::native;
  using status = typename detail::DestroyFunction<decltype(Destroy)>::status;
  using refused = Functions<SetStream, Destroy>;

  template <class... Options>
  static status create(native& handle, const Options&... options) noexcept {
    return Create(&handle, options...);
  }
  static status destroy(native handle) noexcept { return Destroy(handle); }
  static status set_stream(native handle, typename B::native_stream stream) noexcept
      requires(detail::is_given<SetStream>) {
    return SetStream(handle, stream);
  }
  static status get_stream(native handle, typename B::native_stream& stream) noexcept
      requires(detail::is_given<GetStream>) {
    return GetStream(handle, &stream);
  }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

/// A base with the members of handle_traits for scalars on the host or on the device. Its
/// parameters are the library's functions that set and get the pointer mode, and the two modes.
/// Name `Set` in `refused`.
template <auto Set, auto Get, auto OnHost, auto OnDevice>
struct PointerModeCalls {
  template <class Native>
  static auto set_scalars_on_device(Native handle, bool on) noexcept {
    return Set(handle, on ? OnDevice : OnHost);
  }
  template <class Native>
  static auto get_scalars_on_device(Native handle, bool& on) noexcept {
    auto mode = OnHost;
    const auto status = Get(handle, &mode);
    on = mode == OnDevice;
    return status;
  }
};

namespace detail {

template <auto Fn>
struct FunctionKey {};
template <auto Fn, class List>
inline constexpr bool is_listed = false;
template <auto Fn, auto... Listed>
inline constexpr bool is_listed<Fn, Functions<Listed...>> =
    (std::is_same_v<FunctionKey<Fn>, FunctionKey<Listed>> || ...);

/// The name of one of the listed enumerators as the library's header spells it; empty for any other
/// value.
template <auto... Enumerator, class Enum>
[[nodiscard]] Name enumerator_name(Enum value) noexcept {
  Name name{};
  static_cast<void>(((value == Enumerator && (name = name_of<Enumerator>, true)) || ...));
  return name;
}

/// Text that is joined at compile time.
template <std::size_t Capacity>
struct StaticText {
  char data[Capacity + 1] = {};
  std::size_t size = 0;
  constexpr void append(Name part) noexcept {
    for (std::size_t i = 0; i < part.size; ++i) data[size++] = part.data[i];
  }
};

/// The operations of StreamBound on the handle itself; an error names the failed one.
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

/// A function's name as the user wrote it, without the suffix that a macro in the library's header
/// adds.
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
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
