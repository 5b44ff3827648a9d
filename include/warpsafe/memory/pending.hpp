// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>

#include <cstdio>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace warpsafe::detail {

/// What a token that is dropped calls; it is state of the token, so that its destructor is the same
/// at every check level, and the sentence is only in objects that check.
using SayDropped = void (*)(const call_site& made) noexcept;

[[gnu::cold]] inline void say_dropped(const call_site& made) noexcept {
  std::fprintf(
      stderr,
      "warpsafe: the result of a copy was dropped unread, and its destructor waits for the "
      "copy to end\n  made at %s:%u; take it with std::move(pending).get()\n",
      made.file == nullptr ? "?" : made.file, static_cast<unsigned>(made.line));
}

template <CheckLevel Level>
inline constexpr SayDropped on_drop = Level == CheckLevel::off ? nullptr : &say_dropped;

}  // namespace warpsafe::detail

namespace warpsafe {

namespace detail {

struct PendingAccess;

/// The sentence for who reads without waiting. Its type is deduced, so that it is said before
/// whatever else is wrong with that line.
template <class T>
inline constexpr bool waits = false;
template <class T>
auto read_too_early() noexcept {
  static_assert(
      waits<T>,
      "warpsafe: the device may still be using this value; std::move(pending).get() waits "
      "for it and hands it out");
  return static_cast<T*>(nullptr);
}

}  // namespace detail

/// A value on the host that the device still writes, or still reads: it can only be had by waiting.
/// It owns the host's memory, and keeps the device's allocated, until the copy has ended.
/// Move-only. One that is dropped waits in its destructor, since the device would otherwise write
/// into memory that is gone; if it was made in a checked build it says so on standard error.
template <class B, class T>
class [[nodiscard]] basic_pending {
 public:
  using value_type = T;

  basic_pending(basic_pending&& other) noexcept
      : value_(std::move(other.value_)),
        copied_(std::move(other.copied_)),
        device_memory_(std::move(other.device_memory_)),
        stream_(other.stream_),
        state_(std::exchange(other.state_, State::gone)),
        settle_(other.settle_),
        dropped_(other.dropped_),
        site_(other.site_) {
    if (state_ == State::failed) error_ = other.error_;
  }
  basic_pending(const basic_pending&) = delete;
  basic_pending& operator=(const basic_pending&) = delete;
  basic_pending& operator=(basic_pending&&) = delete;
  ~basic_pending() {
    if (state_ != State::open) return;
    if (dropped_ != nullptr) dropped_(site_);
    settle_(*this);
  }

  /// Waits for exactly this value and hands it out. Errc::execution_failed for a fault of earlier
  /// work, the error of the copy itself, or ::pending_taken where the value was handed out before;
  /// ::wait_timed_out where WARPSAFE_TIMEOUT gives waits up: its memory is then never given back.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<T> get(call_site site = call_site::current()) && noexcept {
    if (state_ != State::open) return why_not(site);
    const result<void> waited = settle<Level>(site);
    if (!waited.has_value()) return waited.assume_error();
    return *std::move(value_);
  }
  /// Whether `get` would return at once: `ready().value()`. Errc::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    if (state_ != State::open) return true;
    const int status = copied_.template query<detail::CallsAt<B, Level>>();
    if (status == 0 || status == B::not_ready) return status == 0;
    return detail::runtime_error<B>(status, Name::of("event query"), site, Stage::completion,
                                    stream_.device().value());
  }

  // What would read the value without waiting for it.
  auto get(call_site = {}) const& noexcept { return detail::read_too_early<T>(); }
  operator T() const noexcept {  // NOLINT(google-explicit-constructor)
    return std::move(*detail::read_too_early<T>());
  }
  auto operator*() const noexcept { return detail::read_too_early<T>(); }
  auto operator->() const noexcept { return detail::read_too_early<T>(); }
  template <class Index>
  auto operator[](Index) const noexcept {
    return detail::read_too_early<T>();
  }
  auto value() const noexcept { return detail::read_too_early<T>(); }
  auto data() const noexcept { return detail::read_too_early<T>(); }
  auto begin() const noexcept { return detail::read_too_early<T>(); }
  auto end() const noexcept { return detail::read_too_early<T>(); }

 private:
  friend struct detail::PendingAccess;
  enum class State : unsigned char {
    open,    ///< the device may still use the value
    failed,  ///< the copy was not even submitted: `error_` says why
    gone,    ///< handed out, or moved away
  };

  /// settle, as by the level of who made the token. The status has no one to go to.
  using Settle = void (*)(basic_pending& self) noexcept;
  template <CheckLevel Level>
  static void settle_by(basic_pending& self) noexcept {
    static_cast<void>(self.template settle<Level>(self.site_));
  }

  basic_pending(T value, detail::StreamMark<B> copied, basic_memory_hold<B> device_memory,
                basic_stream_ref<B> stream, Settle how, detail::SayDropped dropped,
                call_site site) noexcept
      : value_(std::move(value)),
        copied_(std::move(copied)),
        device_memory_(std::move(device_memory)),
        stream_(stream),
        state_(State::open),
        settle_(how),
        dropped_(dropped),
        site_(site) {}
  basic_pending(const LaunchError& error, basic_stream_ref<B> stream) noexcept
      : stream_(stream), state_(State::failed), error_(error) {}

  /// Ends the device's use of the value: by waiting, or, where that is not possible and the device
  /// may still write, by never giving the memory back.
  template <CheckLevel Level>
  [[nodiscard]] result<void> settle(call_site site) noexcept {
    state_ = State::gone;
    const detail::CallScope<B> here(site);
    const int status = copied_.template wait<detail::CallsAt<B, Level>>(site, true);
    if (status == 0) {
      device_memory_ = {};
      return success();
    }
    LaunchError error = detail::runtime_error<B>(status, Name::of("event synchronize"), site,
                                                 Stage::completion, stream_.device().value());
    error.device = stream_.device().value();
    // Any other answer does not say that the work has ended.
    const bool ended =
        error.code == Errc::execution_failed || error.code == Errc::device_check_failed;
    if (!ended) leak();
    return error;
  }
  /// The same where no event marks the end of the copy.
  template <CheckLevel Level>
  void abandon(const LaunchError& why) noexcept {
    state_ = State::gone;
    using Calls = detail::CallsAt<B, Level>;
    const detail::Uncaptured<Calls> outside;
    const bool lost = why.severity == Severity::context_lost;
    if (!lost && detail::wait_for_stream<Calls>(stream_.native(), stream_.device().value(), site_,
                                                true) != 0) {
      leak();
    }
  }
  /// On a list that nobody empties. Without memory for it the value ends as others do.
  void leak() noexcept {
    auto* const made =
        new (std::nothrow) Leaked{std::move(value_), std::move(device_memory_), nullptr};
    if (made == nullptr) return;
    made->next = __atomic_load_n(&leaked, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&leaked, &made->next, made, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
  }
  [[nodiscard]] LaunchError why_not(call_site site) noexcept {
    if (state_ == State::failed) return error_;
    return LaunchError::make(Errc::pending_taken, Stage::construction, site);
  }

  struct Leaked {
    std::optional<T> value;
    basic_memory_hold<B> memory;
    Leaked* next;
  };
  static inline Leaked* leaked = nullptr;

  std::optional<T> value_;
  detail::StreamMark<B> copied_;
  basic_memory_hold<B> device_memory_;
  basic_stream_ref<B> stream_;
  State state_;
  Settle settle_ = nullptr;               // of State::open
  detail::SayDropped dropped_ = nullptr;  // nullptr: made where nothing is checked
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

/// Makes tokens, for copies; and waits for several at once.
struct PendingAccess {
  /// Of a copy that `stream` was given just now, and that uses `value` and the device memory of
  /// `held`.
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static basic_pending<B, T> make(basic_stream_ref<B> stream, T value,
                                                basic_memory_hold<B> held,
                                                call_site site) noexcept {
    StreamMark<B> copied;
    const int status = copied.template set<CallsAt<B, Level>>(stream);
    basic_pending<B, T> made(std::move(value), std::move(copied), std::move(held), stream,
                             &basic_pending<B, T>::template settle_by<Level>, on_drop<Level>, site);
    if (status == 0) return made;
    // The copy is on its way and nothing marks its end: wait for all of it before its target goes.
    LaunchError error = runtime_error<B>(status, Name::of("event record"), site);
    made.template abandon<Level>(error);
    return basic_pending<B, T>(error, stream);
  }
  template <class B, class T>
  [[nodiscard]] static basic_pending<B, T> failed(basic_stream_ref<B> stream,
                                                  const LaunchError& error) noexcept {
    return basic_pending<B, T>(error, stream);
  }

  /// What has become of the value, for a reader of a log; the runtime is not asked.
  template <class B, class T>
  [[nodiscard]] static const char* state_text(const basic_pending<B, T>& pending) noexcept {
    using State = typename basic_pending<B, T>::State;
    if (pending.state_ == State::open) return "value that may still be on its way";
    return pending.state_ == State::failed ? "value whose copy failed" : "value that was taken";
  }
  /// The token's own error, from before anything was waited for.
  template <class B, class T>
  [[nodiscard]] static bool early_error(basic_pending<B, T>& pending, LaunchError& error,
                                        call_site site) noexcept {
    if (pending.state_ == basic_pending<B, T>::State::open) return false;
    error = pending.why_not(site);
    return true;
  }
  template <class B, class T>
  [[nodiscard]] static bool is_of(const basic_pending<B, T>& pending,
                                  basic_stream_ref<B> stream) noexcept {
    return pending.stream_ == stream;
  }
  template <CheckLevel Level, class B, class T>
  [[nodiscard]] static result<void> wait(basic_pending<B, T>& pending, call_site site) noexcept {
    return pending.template settle<Level>(site);
  }
  /// The value of a token whose stream was waited for after its copy.
  template <class B, class T>
  [[nodiscard]] static T take(basic_pending<B, T>& pending) noexcept {
    pending.state_ = basic_pending<B, T>::State::gone;
    pending.device_memory_ = {};
    return *std::move(pending.value_);
  }
};

}  // namespace detail

}  // namespace warpsafe
