// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_uses.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstdio>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Called by the destructor of a token that nobody read, with the error of the copy if it failed. A
/// member of the token, so that the destructor is the same at every check level and only checked
/// objects contain the text.
using DropReport = void (*)(const call_site& made, const LaunchError* error) noexcept;

[[WARPSAFE_DETAIL_RARE]] inline void report_drop(const call_site& made,
                                                 const LaunchError* error) noexcept {
  const WithoutCancel whole;
  if (error != nullptr) {
    char text[1024];
    format_error(*error, text, sizeof text);
    std::fprintf(stderr,
                 "warpsafe: the error of a copy was dropped unread; take it with "
                 "std::move(pending).get()\n%s\n",
                 text);
    return;
  }
  std::fprintf(
      stderr,
      "warpsafe: the result of a copy was dropped unread; its destructor waits if the copy has not "
      "ended\n  made at %s:%u; take it with std::move(pending).get()\n",
      made.file == nullptr ? "?" : made.file, static_cast<unsigned>(made.line));
}

template <CheckLevel Level>
inline constexpr DropReport drop_report = Level == CheckLevel::off ? nullptr : &report_drop;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

struct PendingAccess;

/// Diagnoses a read before `get()`. The return type is deduced, so that the compiler reports this
/// before any other problem of the line.
template <class T>
inline constexpr bool is_awaited = false;
template <class T>
auto refuse_early_read() noexcept {
  static_assert(
      is_awaited<T>,
      "warpsafe: the device may still be using this value; call std::move(pending).get(), which waits and returns it");
  return static_cast<T*>(nullptr);
}

}  // namespace detail

/// A token for a value on the host that the device still reads or writes. `get()` waits for the
/// copy and returns the value. The token owns the host memory, and keeps the device memory
/// allocated, until the copy has ended. Move-only. The destructor of an unread token waits if the
/// copy has not ended, since the device would otherwise write into freed memory; a copy by
/// `to_host` has ended. If the token was made in a checked build, the destructor also prints a line
/// to standard error.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_pending {
 public:
  using value_type = T;

  basic_pending(basic_pending&& other) noexcept
      : value_(std::move(other.value_)),
        copied_(std::move(other.copied_)),
        device_memory_(std::move(other.device_memory_)),
        stream_(other.stream_),
        number_(other.number_),
        state_(std::exchange(other.state_, State::gone)),
        settle_(other.settle_),
        dropped_(other.dropped_),
        site_(other.site_) {
    if (state_ == State::failed || state_ == State::told) error_ = other.error_;
  }
  basic_pending(const basic_pending&,  // warpsafe: move the Pending
                detail::MoveItOrPassAReference = {}) = delete;
  basic_pending& operator=(const basic_pending&) = delete;
  basic_pending& operator=(basic_pending&&) = delete;
  ~basic_pending() {
    if (state_ != State::open && state_ != State::failed) return;
    const bool failed = state_ == State::failed;
    if (dropped_ != nullptr) dropped_(site_, failed ? &error_ : nullptr);
    if (!failed) settle_(*this);
  }

  /// Waits for this value and returns it. Call it only once. Errc::execution_failed for a fault of
  /// earlier work, ::pending_taken if the value was already taken, and the error of the copy
  /// itself. Errc::wait_timed_out if WARPSAFE_TIMEOUT abandons the wait; the memory is then never
  /// freed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<T> get(call_site site = call_site::current()) && noexcept {
    if (state_ != State::open) return state_error(site);
    const result<void> waited = settle<Level>(site);
    if (!waited.has_value()) return waited.assume_error();
    return *std::move(value_);
  }
  /// Waits as `get`, and gives the value up: for an upload whose buffer nobody needs any more. The
  /// destructor then prints nothing. Errc as `get`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> discard(call_site site = call_site::current()) && noexcept {
    if (state_ != State::open) return state_error(site);
    const result<void> waited = settle<Level>(site);
    value_.reset();
    return waited;
  }
  /// Whether `get` would return without waiting: `ready().value()`. Errc::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    if (state_ != State::open) return true;
    const int status = detail::status_with_device_check(copied_.template query<Level>());
    if (status == 0 || status == B::not_ready) return status == 0;
    return detail::runtime_error<B>(status, Name::of("event query"), site, Stage::completion,
                                    stream_.device().value());
  }

  // Operations that would read the value without waiting for it.
  auto get(call_site = {}) const& noexcept { return detail::refuse_early_read<T>(); }
  operator T() const noexcept {  // NOLINT(google-explicit-constructor)
    return std::move(*detail::refuse_early_read<T>());
  }
  auto operator*() const noexcept { return detail::refuse_early_read<T>(); }
  auto operator->() const noexcept { return detail::refuse_early_read<T>(); }
  template <class Index>
  auto operator[](Index) const noexcept {
    return detail::refuse_early_read<T>();
  }
  auto value() const noexcept { return detail::refuse_early_read<T>(); }
  auto has_value() const noexcept { return detail::refuse_early_read<T>(); }  // in WARPSAFE_TRY
  auto data() const noexcept { return detail::refuse_early_read<T>(); }
  auto begin() const noexcept { return detail::refuse_early_read<T>(); }
  auto end() const noexcept { return detail::refuse_early_read<T>(); }

 private:
  friend struct detail::PendingAccess;
  friend struct detail::PrintAccess;
  enum class State : unsigned char {
    open,    ///< the device may still use the value
    failed,  ///< the copy was not submitted; `error_` says why
    told,    ///< `failed`, and `error_` was returned
    gone,    ///< taken or moved from
  };

  /// `settle` at the check level of the token's creator, for its destructor.
  using Settle = void (*)(basic_pending& self) noexcept;
  template <CheckLevel Level>
  static void settle_at(basic_pending& self) noexcept {
    detail::report_dropped<B>(self.template wait_for_copy<Level>(self.site_), waiting_name,
                              "take it with std::move(pending).get()",
                              self.stream_.device().value());
  }

  basic_pending(T value, detail::StreamMark<B> copied, basic_memory_hold<B> device_memory,
                basic_stream_ref<B> stream, Settle how, detail::DropReport dropped,
                call_site site) noexcept
      : value_(std::move(value)),
        copied_(std::move(copied)),
        device_memory_(std::move(device_memory)),
        stream_(stream),
        number_(stream.number()),
        state_(State::open),
        settle_(how),
        dropped_(dropped),
        site_(site) {}
  basic_pending(const LaunchError& error, basic_stream_ref<B> stream,
                detail::DropReport dropped) noexcept
      : stream_(stream), state_(State::failed), dropped_(dropped), error_(error) {}

  /// Ends the device's use of the value by waiting, and returns the runtime's status. If the wait
  /// fails and the device may still write, the memory is never freed.
  template <CheckLevel Level>
  [[nodiscard]] int wait_for_copy(call_site site) noexcept {
    state_ = State::gone;
    const detail::CallScope<B> here(site);
    const int status = copied_.template wait<Level>(site, true);
    if (status == 0) device_memory_ = {};
    if (detail::EndOfUses<B>::is_unknown(status)) leak();
    return status;
  }
  static constexpr Name waiting_name = Name::of("event synchronize");
  template <CheckLevel Level>
  [[nodiscard]] result<void> settle(call_site site) noexcept {
    const int status = wait_for_copy<Level>(site);
    if (status == 0) return success();
    LaunchError error = detail::runtime_error<B>(status, waiting_name, site, Stage::completion,
                                                 stream_.device().value());
    error.device = stream_.device().value();
    return error;
  }
  /// Ends the device's use of the value if no event marks the end of the copy.
  template <CheckLevel Level>
  void abandon(const LaunchError& why) noexcept {
    state_ = State::gone;
    const detail::RelaxedCaptureScope<B, Level> outside;
    const bool lost = why.severity == Severity::context_lost;
    if (!lost && detail::wait_for_stream(stream_, site_, true) != 0) {
      leak();
    }
  }
  /// Puts the value on a list that is never emptied. If there is no memory for the list entry, the
  /// value is destroyed.
  void leak() noexcept {
    auto* const made =
        new (std::nothrow) Leaked{std::move(value_), std::move(device_memory_), nullptr};
    if (made == nullptr) return;
    // The first exchange may only find out what is on the list.
    while (!__atomic_compare_exchange_n(&leaked, &made->next, made, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
  }
  [[nodiscard]] LaunchError state_error(call_site site) noexcept {
    if (state_ == State::failed) state_ = State::told;
    if (state_ == State::told) return error_;
    return LaunchError::make(Errc::pending_taken, Stage::construction, site);
  }

  struct Leaked {
    std::optional<T> value;
    basic_memory_hold<B> memory;
    Leaked* next;
  };
  // For leak checkers. Of each module, because T may be a type of that module.
  [[gnu::visibility("hidden")]] static inline Leaked* leaked = nullptr;

  std::optional<T> value_;
  detail::StreamMark<B> copied_;
  basic_memory_hold<B> device_memory_;
  basic_stream_ref<B> stream_;
  detail::StreamNumber number_{};  // of the stream for the thread that submitted the copy
  State state_;
  Settle settle_ = nullptr;               // for State::open
  detail::DropReport dropped_ = nullptr;  // nullptr if made without checks
  call_site site_;
  LaunchError error_;
};

template <class T>
using Pending = basic_pending<default_backend, T>;

namespace detail {

template <class T>
inline constexpr bool is_pending = false;
template <class B, class T>
inline constexpr bool is_pending<basic_pending<B, T>> = true;

/// Makes tokens for copies, and lets synchronize() take the values of several after one wait.
struct PendingAccess {
  /// A token for a copy that was just submitted to `stream` and uses `value` and the device memory
  /// of `held`.
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static basic_pending<B, T> make(basic_stream_ref<B> stream, T value,
                                                basic_memory_hold<B> held,
                                                call_site site) noexcept {
    StreamMark<B> copied;
    const int status = copied.set(stream);
    basic_pending<B, T> made(std::move(value), std::move(copied), std::move(held), stream,
                             &basic_pending<B, T>::template settle_at<Level>, drop_report<Level>,
                             site);
    if (status == 0) return made;
    // The copy is in flight and no event marks its end: wait for the whole stream before its target
    // is freed.
    LaunchError error = runtime_error<B>(status, Name::of("event record"), site);
    made.template abandon<Level>(error);
    return failed<Level, B, T>(stream, error);
  }
  /// A token for a copy that has ended, which makes no call of the runtime.
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static basic_pending<B, T> ended(basic_stream_ref<B> stream, T value,
                                                 call_site site) noexcept {
    return basic_pending<B, T>(std::move(value), {}, {}, stream,
                               &basic_pending<B, T>::template settle_at<Level>, drop_report<Level>,
                               site);
  }
  /// Never frees the value, into which the device may still write.
  template <class B, class T>
  static void leak(basic_stream_ref<B> stream, T value) noexcept {
    basic_pending<B, T> made(std::move(value), {}, {}, stream, nullptr, nullptr, {});
    made.state_ = basic_pending<B, T>::State::gone;
    made.leak();
  }
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static basic_pending<B, T> failed(basic_stream_ref<B> stream,
                                                  const LaunchError& error) noexcept {
    return basic_pending<B, T>(error, stream, drop_report<Level>);
  }
  /// Waits for the copy of `token`, and returns one with `error` in place of the value.
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static basic_pending<B, T> failed(basic_pending<B, T>& token,
                                                  const LaunchError& error) noexcept {
    report_dropped<B>(token.template wait_for_copy<Level>(token.site_), token.waiting_name,
                      "another error is returned", token.stream_.device().value());
    return failed<Level, B, T>(token.stream_, error);
  }

  /// Returns true, with the token's error, if waiting cannot make the value available.
  template <class B, class T>
  [[nodiscard]] static bool error_before_wait(basic_pending<B, T>& pending, LaunchError& error,
                                              call_site site) noexcept {
    if (pending.state_ == basic_pending<B, T>::State::open) return false;
    error = pending.state_error(site);
    return true;
  }
  /// Waits for the token's own copy unless it is on `stream`.
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static result<void> wait_for_other_stream(basic_pending<B, T>& pending,
                                                          basic_stream_ref<B> stream,
                                                          call_site site) noexcept {
    if (is_one_stream(pending.number_, StreamNumber(stream.number()))) return success();
    return pending.template settle<Level>(site);
  }
  /// Takes the value of a token whose stream was waited for after its copy.
  template <class B, class T>
  [[nodiscard]] static T take(basic_pending<B, T>& pending) noexcept {
    pending.state_ = basic_pending<B, T>::State::gone;
    pending.device_memory_ = {};
    return *std::move(pending.value_);
  }
};

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
