// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/keep_loaded.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What came of the work that memory must wait for before it is freed.
template <class B>
struct EndOfUses {
  int status = 0;  ///< the first status of the runtime that is none of success
  bool may_run =
      false;  ///< some of the work could be neither ordered before the free nor waited for

  void note(int its_status) noexcept { status = status == 0 ? its_status : status; }
  /// The status of a wait in place of an order.
  void note_wait(int its_status) noexcept {
    // The wait has seen the end. The check stays for the program's next wait.
    if (its_status == failed_check_status) return;
    note(its_status);
    may_run = may_run || is_unknown(its_status);
  }
  /// Whether a wait with this status has not seen the end of the work. After the loss of the
  /// context, and after the end of the runtime, nothing runs.
  [[nodiscard]] static bool is_unknown(int status) noexcept {
    return status != 0 && status != runtime_has_ended && status != failed_check_status &&
           B::severity_of(status) != Severity::context_lost;
  }
};

/// The end of a stream of this library, with a point behind all its work.
template <class B>
class MarkedEnd final : public StreamEnd {
 public:
  /// Returns nullptr if memory is exhausted. @pre keep_module: the stream finds the functions of
  /// this module until its end
  [[nodiscard]] static StreamEnd* make() noexcept {
    auto* const made = new (std::nothrow) MarkedEnd;
    if (made == nullptr) return nullptr;
    made->at_end = [](StreamEnd& self, void* stream, int device, StreamNumber number) noexcept {
      static_cast<MarkedEnd&>(self).mark(StreamAccess::make<B>(stream, device, number));
    };
    made->destroy = [](StreamEnd& self) noexcept { delete static_cast<MarkedEnd*>(&self); };
    return made;
  }

  /// Makes later work of `stream` wait for all work of the stream that has ended. Waits on the host
  /// if that is not possible.
  void order_before(basic_stream_ref<B> stream, EndOfUses<B>& end) noexcept {
    const Locked locked(lock);
    const int status = point_.order_before(stream);
    end.note(status);
    if (status != 0) end.note_wait(point_.wait({}, false));
  }
  /// If nothing marks the end of the work, waits for the device and stores the runtime's status.
  /// Returns false if a capture does not allow the wait.
  [[nodiscard]] bool wait_if_unmarked(int& status) noexcept {
    const Locked locked(lock);
    if (!is_unmarked_) return true;
    const RelaxedCaptureScope<B> outside;
    const auto wait = [&]() noexcept {
      status = on_device<B>(device_, []() noexcept { return B::device_synchronize(); });
    };
    if (!wait_without_captures(wait)) return false;
    if (status != 0 && B::classify(status) == Errc::stream_capturing) return false;
    is_unmarked_ = EndOfUses<B>::is_unknown(status);  // all memory that it used must learn of it
    return true;
  }
  /// Whether the stream is destroyed, and its work has ended. Does not wait.
  [[nodiscard]] bool has_ended() noexcept {
    const Locked locked(lock);
    return is_over_ && !is_unmarked_ && point_.has_ended();
  }

 private:
  // Also without a record the memory must not be freed early. A stream that captures can neither be
  // marked nor waited for.
  void mark(basic_stream_ref<B> stream) noexcept {
    is_over_ = true;
    device_ = stream.device().value();
    const bool captures = may_be_capturing(stream);
    if (!captures && point_.set(stream) == 0) return;
    point_ = {};
    const RelaxedCaptureScope<B> outside;
    is_unmarked_ = captures || wait_for_stream(stream, {}, false) != 0;
  }

  StreamMark<B> point_;
  bool is_over_ = false;
  bool is_unmarked_ = false;
  int device_ = 0;
};

/// The streams that use memory of another stream.
///
/// For a stream of this library only the stream is noted, and its point is set when the memory is
/// freed (`mark`), or at the stream's end. Every later use is then free of cost. The handle of
/// another stream may be invalid by then, which no runtime tells (CUDA Runtime API,
/// cudaStreamGetId: "Passing an invalid handle will result in undefined behavior"), and a thread's
/// own default stream cannot be named by another thread: there each use sets a point.
template <class B>
class StreamUses {
 public:
  StreamUses() noexcept = default;
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;
  ~StreamUses() { clear(); }
  [[gnu::always_inline]] void clear() noexcept {
    if (!empty()) [[unlikely]]
      remove_all();
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// Whether the stream is noted.
  [[nodiscard]] bool has_noted(StreamNumber stream) const noexcept {
    const One* const one = find(stream);
    return one != nullptr && one->end != nullptr;
  }
  /// Notes a stream of this library once, after keep_module. Returns false if it is none,
  /// or there is no host memory.
  [[nodiscard]] bool note(StreamNumber stream) noexcept {
    if (!stream.is_of_library()) return false;
    if (has_noted(stream)) return true;
    StreamEnd* const end = SharedStream<B>::end_of(stream, &MarkedEnd<B>::make);
    if (end == nullptr) return false;
    One* const one = add(stream);
    if (one == nullptr) {
      end->release();
      return false;
    }
    one->end = static_cast<MarkedEnd<B>*>(end);
    return true;
  }
  /// Moves the stream's point behind everything submitted to it so far, and stores the runtime's
  /// status. Returns false if a new point finds no host memory. `in_capture`: the stream takes part
  /// in the capture that allocates the memory. @pre otherwise as StreamMark::set
  [[nodiscard]] bool set(basic_stream_ref<B> stream, int& status,
                         bool in_capture = false) noexcept {
    const StreamNumber number(stream.number());
    One* one = find(number);
    if (one == nullptr) {
      one = add(number);
      if (one == nullptr) return false;
    } else if (one->in_capture != in_capture) {
      one->point = {};
    } else if (!number.is_certain()) {
      // It may be another stream with the old one's handle: the new mark must come after both.
      status = one->point.order_before(stream);
      if (status != 0) return true;
    }
    one->in_capture = in_capture;
    status = one->point.set(stream);
    return true;
  }

  /// Notes a stream of this library, and sets the point of any other. As `set`.
  [[nodiscard]] bool note_or_set(basic_stream_ref<B> stream, int& status,
                                 bool in_capture = false) noexcept {
    status = 0;
    return note(StreamNumber(stream.number())) || set(stream, status, in_capture);
  }

  /// Sets the points of the noted streams that exist, and waits for what has none. Returns false if
  /// one of them captures, so that its point would be in a graph; `in_capture`: where it belongs.
  [[nodiscard, gnu::noinline]] bool mark(EndOfUses<B>& ending, bool in_capture) noexcept {
    for (One* one = first_; one != nullptr; one = one->next) {
      if (one->in_capture && !in_capture) one->point = {};  // a launch of the graph has its own use
      if (one->end == nullptr) continue;
      SharedStream<B>* const user = SharedStream<B>::find(one->number.value());
      int status = 0;
      if (user == nullptr) {
        if (!one->end->wait_if_unmarked(status)) return false;
        ending.note_wait(status);
      } else {
        const auto stream = StreamAccess::make<B>(user->native, user->device(), user->number);
        bool capturing = false;
        {
          const CaptureLock locked;
          capturing = !in_capture && is_capturing(stream);
          if (!capturing) {
            one->in_capture = in_capture;
            status = one->point.set(stream);
            // Other code may have begun to capture meanwhile.
            capturing = !in_capture && captures<CheckLevel::off>(stream);
          }
        }
        if (in_capture && status != 0) {
          ending.note(status);
          ending.may_run = true;  // a wait would break the capture
        } else if (!capturing && status != 0) {
          const RelaxedCaptureScope<B> outside;
          ending.note(status);
          ending.note_wait(wait_for_stream(stream, {}, false));
        }
        if (capturing || status != 0) one->point = {};
        user->drop();
        if (capturing) return false;
      }
    }
    return true;
  }
  /// Calls `visit(use)` for each stream, until it returns false. @pre `mark`, if there may
  /// be a noted one
  template <class Visit>
  void each(const Visit& visit) const noexcept {
    for (const One* one = first_; one != nullptr && visit(*one);) one = one->next;
  }

  struct One {
    StreamNumber number;
    StreamMark<B> point;
    One* next;
    MarkedEnd<B>* end = nullptr;  ///< of a noted stream
    bool in_capture = false;      ///< the point is in the capture that allocates the memory

    /// Makes later work of `stream` wait for the use. Waits on the host if that is not possible.
    void order_before(basic_stream_ref<B> stream, EndOfUses<B>& ending) const noexcept {
      const int status = point.order_before(stream);
      ending.note(status);
      if (status != 0) ending.note_wait(point.wait({}, false));
      if (end != nullptr) end->order_before(stream, ending);
    }
    [[nodiscard]] bool has_ended() noexcept {
      if (in_capture) return false;
      return end == nullptr ? point.has_ended() : end->has_ended();
    }
  };

 private:
  [[nodiscard]] One* find(StreamNumber stream) const noexcept {
    One* one = first_;
    while (one != nullptr && one->number != stream) one = one->next;
    return one;
  }
  [[nodiscard]] One* add(StreamNumber stream) noexcept {
    if (count_ >= drop_at_) drop_ended();
    One* const one = new (std::nothrow) One{stream, {}, first_};
    if (one == nullptr) return nullptr;
    first_ = one;
    ++count_;
    return one;
  }
  [[gnu::noinline]] void remove_all() noexcept {
    while (first_ != nullptr) remove(std::exchange(first_, first_->next));
  }
  static void remove(One* one) noexcept {
    if (one->end != nullptr) one->end->release();
    delete one;
  }

  /// Numbers do not come back, so each new stream adds a use. Those whose work has ended go.
  void drop_ended() noexcept {
    for (One** link = &first_; *link != nullptr;) {
      One* const one = *link;
      if (one->has_ended()) {
        *link = one->next;
        remove(one);
        --count_;
      } else {
        link = &one->next;
      }
    }
    drop_at_ = 2 * count_ + least_kept;  // so that dropping costs a constant time for each use
  }

  static constexpr std::size_t least_kept = 16;
  One* first_ = nullptr;
  std::size_t count_ = 0;
  std::size_t drop_at_ = least_kept;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
