// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/graph_memory.hpp>
#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/graph_resources.hpp>
#include <warpsafe/memory/detail/owners.hpp>
#include <warpsafe/memory/detail/postponed_frees.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/detail/stream_mark.hpp>
#include <warpsafe/stream/detail/stream_uses.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <cstdio>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class B>
struct HeldDeviceMemory;

/// A free in the order of a stream.
template <class B>
struct MarkedFree final : GraphFree {
  int order_before(void* stream, int device, std::uint64_t number) const noexcept override {
    return mark.order_before(StreamAccess::make<B>(stream, device, StreamNumber(number)));
  }
  StreamMark<B> mark;
};

/// Device memory shared by its buffer and by the tokens and graphs that still need it. The last of
/// them frees it, after all recorded work of other streams that uses it.
template <class B>
class DeviceMemory : public MemoryOwner {
 public:
  enum class Kind : unsigned char {
    ordered,   ///< allocated and freed in stream order
    plain,     ///< managed, or on a device without memory pools; the free waits for the uses
    captured,  ///< `ordered`, and allocated by a capture: the graph owns it
  };

  /// Allocates `bytes` on the stream's device, with one reference. For 0 bytes it allocates nothing
  /// and makes no call. The memory is freed through the calls of the same check level.
  /// Errc::out_of_memory (value: bytes requested, limit: the device's total, extra: free, held:
  /// this program's), ::stream_null for a Stream that was moved from or closed, ::unsupported,
  /// ::runtime_failed.
  template <CheckLevel Level>
  [[nodiscard]] static result<DeviceMemory*> allocate(basic_stream_hold<B>&& stream, Bytes bytes,
                                                      bool managed,
                                                      const call_site& site) noexcept {
    const auto there = check_stream<Level>(Name::of("allocate device memory"), stream.ref(), site);
    if (!there.has_value()) return there.assume_error();
    const CallScope<B> here(site);
    if (__atomic_load_n(&postponed, __ATOMIC_RELAXED) != nullptr) [[unlikely]]
      retry_postponed(stream.ref().native());
    const int device = stream.ref().device().value();
    void* const storage =
        Owners<B>::add(sizeof(DeviceMemory), device, bytes.value(), stream.shared_);
    if (storage == nullptr) {
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof(DeviceMemory), 0,
                               Axis::none, site);
    }
    auto* const made =
        ::new (storage) DeviceMemory(std::move(stream), bytes.value(), Owners<B>::life_of(storage),
                                     &try_free<Level>, &add_use_at<Level>, &note_launch<Level>);
    if (const int status = bytes.value() == 0 ? 0 : made->template take<Level>(managed)) {
      made->template give_back<Level>();
      made->retire(bytes.value());
      return allocation_error(status, bytes, device, site);
    }
    // AMD's runtime allocates at once.
    if (B::vendor == Vendor::nvidia && made->kind_ == Kind::captured) made->join_capture();
    tell_call<Level>(made->stream_.ref(), Name::of("allocate device memory"), site, made->start,
                     bytes.value());
    return made;
  }

  [[nodiscard]] void* data() const noexcept { return start; }
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return stream_.ref(); }
  /// The memory's own stream, or what stands for it in the calling thread.
  [[nodiscard]] basic_stream_ref<B> reachable() const noexcept {
    return reachable_stream(stream_.ref(), own_number());
  }
  [[nodiscard]] const basic_stream_hold<B>& hold() const noexcept { return stream_; }
  /// Frees in the order of another stream of the device from now on. @pre the new stream's
  /// work is ordered after the old stream's work
  void move_to(basic_stream_hold<B> stream) noexcept {
    stream_ = std::move(stream);
    MemoryOwner::freed_on = stream_.ref().number();
  }

  void retain() noexcept { __atomic_add_fetch(&holders_, 1, __ATOMIC_RELAXED); }
  /// Drops one reference. Returns the runtime's status of the free if it was the last one, else 0;
  /// the object is destroyed then.
  [[gnu::always_inline]] int release() noexcept {
    // The only holder needs no atomic subtraction: nobody else can add one.
    if (__atomic_load_n(&holders_, __ATOMIC_ACQUIRE) == 1) [[likely]]
      return free_or_postpone();
    return release_shared();
  }
  [[gnu::noinline]] int release_shared() noexcept {
    // Counted as a graph until the memory is marked: the address has no other owner before.
    const std::uint64_t before = __atomic_fetch_add(&holders_, one_graph - 1, __ATOMIC_ACQ_REL);
    // Only graphs have it, and nobody else can get it any more.
    if (before % one_graph == 1 && before > one_graph && !comes_back()) {
      mark_memory_freed(start, bytes_);
    }
    return leave_graph();
  }
  /// Drops the reference of a graph in the same way.
  int leave_graph() noexcept {
    const bool is_last = __atomic_sub_fetch(&holders_, one_graph, __ATOMIC_ACQ_REL) == 0;
    return is_last ? free_or_postpone() : 0;
  }

  /// Releases a reference of an object whose destructor cannot return the status.
  void drop() noexcept {
    const int device = stream().device().value();
    report_free(release(), device);
  }
  void drop_graph() noexcept {
    const int device = stream().device().value();
    report_free(leave_graph(), device);
  }
  /// Keeps the memory as long as the graph, so that a launch of the graph never uses another
  /// owner's. It counts as freed once only graphs have it. Returns false if there is no memory for
  /// the record.
  [[nodiscard]] bool hold_in(GraphResources& graph) noexcept {
    if (start == nullptr) return true;
    // AMD's runtime allocates at once, and its graphs have no memory of their own.
    if (B::vendor != Vendor::nvidia && kind_ == Kind::captured) return true;
    // Managed memory also waits for its uses when the host takes it.
    return graph.hold(this, kind_ == Kind::captured ? &allocation_ : nullptr, kind_ == Kind::plain,
                      [this]() noexcept -> GraphHeld* {
                        auto* const made = new (std::nothrow) HeldDeviceMemory<B>(*this);
                        if (made != nullptr) {
                          __atomic_add_fetch(&holders_, one_graph, __ATOMIC_RELAXED);
                        }
                        return made;
                      });
  }

  /// Whether the order of the stream frees the memory, for all but a thread's own default stream.
  [[nodiscard, gnu::always_inline]] bool is_given(
      const basic_stream_ref<B>& stream) const noexcept {
    return StreamAccess::given_number(stream) == freed_on;
  }
  /// The same, for every stream.
  [[nodiscard, gnu::always_inline]] bool is_own(const basic_stream_ref<B>& stream) const noexcept {
    // Asks for the thread only if it matters.
    return is_given(stream) || stream.number() == freed_on;
  }

  /// The graph of the open capture that the stream takes part in, or nullptr.
  [[nodiscard, WARPSAFE_DETAIL_RARE]] static ResourcesPtr open_graph(
      const WhichStream& stream) noexcept {
    const CaptureHooks* const hooks = open_captures();
    return hooks == nullptr ? ResourcesPtr() : ResourcesPtr(hooks->resources(stream));
  }
  [[nodiscard]] static ResourcesPtr open_graph(const basic_stream_ref<B>& stream) noexcept {
    return open_graph(WhichStream{stream.native(), stream.number()});
  }
  /// Orders later work of `stream` after the work that uses the memory: that of its own stream, and
  /// the recorded uses. Returns the runtime's status. @pre the memory is not freed in stream order,
  /// and neither `stream` nor its own stream captures
  [[nodiscard]] int order_uses_before(basic_stream_ref<B> stream) noexcept {
    const Locked lock(recording_);
    const StreamNumber number(stream.number());
    int status = 0;
    uses_.each([&](const auto& use) noexcept {
      if (!is_one_stream(use.number, number)) {
        status = use.point.order_before(stream);
      }
      return status == 0;
    });
    if (status != 0 || is_own(stream)) return status;
    StreamMark<B> own;
    status = own.set(reachable());
    return status != 0 ? status : own.order_before(stream);
  }

  /// Records that the work submitted to `stream` so far uses the memory. If this library captures
  /// the stream, its graph keeps the memory. Records nothing for the memory's own stream, nor for a
  /// stream that other code captures. Memory that is freed in stream order is then freed after all
  /// work of the stream. Returns the runtime's status. Thread-safe, since launches of several
  /// threads may read one buffer.
  template <CheckLevel Level>
  [[nodiscard]] int record_use(basic_stream_ref<B> stream) noexcept {
    if (start == nullptr) return 0;
    if (open_captures() != nullptr) [[unlikely]] {
      keep_module();
      const ResourcesPtr graph = open_graph(stream);
      if (graph.get() != nullptr) {
        if (!hold_in(*graph.get())) return no_host_memory;
        // A capture that frees what it allocates does so behind its other streams.
        if (kind_ == Kind::captured && allocation_.is_of(graph.get()) && !is_own(stream)) {
          const Locked lock(recording_);
          int status = 0;
          return uses_.note_or_set(stream, status, true) ? status : no_host_memory;
        }
        return 0;
      }
    }
    if (is_own(stream)) return 0;
    keep_module();
    const Locked lock(recording_);
    const StreamNumber number(stream.number());
    // The free of other memory waits on the host, and must not wait for later work.
    const bool notes = kind_ != Kind::plain;
    if ((notes && uses_.has_noted(number)) || captures<Level>(stream)) return 0;
    if (notes && uses_.note(number)) return 0;
    // Whoever captures it: a wait for a record in a capture would draw this memory's own stream
    // into the capture, and later work of that stream would not run.
    if (!may_meet_captures<Level>() && is_capturing(stream)) return 0;
    int status = 0;
    const bool recorded = uses_.set(stream, status);
    if (recorded && status == 0) return 0;
    // Without a record the free cannot wait for this use, so it ends now, whatever captures.
    const RelaxedCaptureScope<B> outside;
    const int waited = wait_for_stream(stream, {}, false);
    has_lost_use_ = has_lost_use_ || EndOfUses<B>::is_unknown(waited);
    return recorded ? status : waited;
  }

  /// GraphHeld::note_launch
  [[nodiscard]] int note_launch(basic_stream_ref<B> stream) noexcept {
    return note_launch_(*this, stream);
  }
  /// GraphHeld::needs_note
  [[nodiscard]] bool needs_note(std::uint64_t number) const noexcept {
    return kind_ != Kind::plain && number != freed_on;
  }

 private:
  /// Whether a launch of the graph that allocates the memory makes it exist again.
  [[nodiscard]] bool comes_back() const noexcept {
    return kind_ == Kind::captured && allocation_.comes_back();
  }
  [[gnu::always_inline]] int free_or_postpone() noexcept {
    int status = 0;
    const unsigned long before = __atomic_load_n(&postponed_free_runs<B>, __ATOMIC_SEQ_CST);
    if (!free_(*this, status)) [[unlikely]]
      postpone(this, before);
    return status;
  }

  /// Whether the graph that allocates the memory has not run.
  [[nodiscard]] bool is_idle() const noexcept {
    if (kind_ != Kind::captured) return false;
    const GraphLock lock;  // another thread may launch it
    return MemoryOwner::of_device == memory_of_idle_graph;
  }

  template <CheckLevel Level>
  static int note_launch(DeviceMemory& self, const basic_stream_ref<B>& stream) noexcept {
    if (self.is_own(stream)) return 0;
    const bool capturing = captures<Level>(stream);
    if (!capturing) return self.template record_use<Level>(stream);
    const Locked lock(self.recording_);
    // The free waits for the capture's end. A stream that cannot be noted tells nothing then.
    if (!self.uses_.note(StreamNumber(stream.number()))) self.has_lost_use_ = true;
    return 0;
  }

  /// GraphAllocation::note_launch
  static int note_own_launch(MemoryOwner& owner, void* stream, int device,
                             std::uint64_t number) noexcept {
    auto& self = static_cast<DeviceMemory&>(owner);
    const auto user = StreamAccess::make<B>(stream, device, StreamNumber(number));
    if (self.is_own(user)) return 0;
    const Locked lock(self.recording_);
    int status = 0;
    const bool recorded = self.uses_.note_or_set(user, status);
    self.has_lost_use_ = self.has_lost_use_ || !recorded || status != 0;
    return status;
  }

  template <CheckLevel Level>  // MemoryOwner::add_use
  static int add_use_at(MemoryOwner& self, void* stream, int device,
                        unsigned long number) noexcept {
    return static_cast<DeviceMemory&>(self).template record_use<Level>(
        StreamAccess::make<B>(stream, device, StreamNumber(number)));
  }

  /// Frees the memory, destroys the object and stores the runtime's status. Returns false if the
  /// free must wait for the end of a capture, or for the first launch of a graph.
  using Free = bool (*)(DeviceMemory& memory, int& status) noexcept;

  using NoteLaunch = int (*)(DeviceMemory& self, const basic_stream_ref<B>& stream) noexcept;

  DeviceMemory(basic_stream_hold<B>&& stream, std::size_t bytes, unsigned its_life, Free free,
               decltype(MemoryOwner::add_use) note, NoteLaunch its_note_launch) noexcept
      : MemoryOwner{stream.ref().number(),
                    note,
                    static_cast<unsigned char>(B::vendor),
                    stream.ref().device().value(),
                    nullptr,
                    0,
                    its_life},
        stream_(std::move(stream)),
        bytes_(bytes),
        free_(free),
        note_launch_(its_note_launch) {}
  ~DeviceMemory() = default;

  template <CheckLevel Level>
  [[nodiscard, gnu::always_inline]] int take(bool managed) noexcept {
    const basic_stream_ref<B> stream = stream_.ref();
    const int device = stream.device().value();
    if (managed || !has_memory_pools<B>(device)) [[unlikely]]
      return take_plain<Level>(managed);
    kind_ = captures<Level>(stream) ? Kind::captured : Kind::ordered;
    // CUDA refuses an allocation on any stream while this thread captures, or in the global mode
    // while another thread does, unless the thread has set the relaxed mode (seen on an H200,
    // CUDA 13.0).
    const RelaxedCaptureScope<B, Level> outside;
    if (kind_ == Kind::captured) [[unlikely]]
      note_access<Level>();
    return on_device_of<B>(stream,
                           [&]() noexcept { return B::allocate(start, bytes_, stream.native()); });
  }
  /// Notes which devices can access the memory that the graph will allocate: those that can access
  /// the pool now. Later the runtime cannot be asked (graph_memory.hpp).
  template <CheckLevel Level>
  [[gnu::cold, gnu::noinline]] void note_access() noexcept {
    constexpr bool asks = requires { &B::pool_access; };
    if constexpr (asks && Level == CheckLevel::off) {
      MemoryOwner::accessed_from = ~0UL;
    } else if constexpr (asks) {
      int devices = 0;
      if (B::device_count(devices) != 0) {
        MemoryOwner::accessed_from = ~0UL;
        return;
      }
      for (int user = 0; user < devices && user < cached_devices; ++user) {
        if (user == MemoryOwner::of_device) continue;
        bool has_access = true;
        static_cast<void>(B::pool_access(user, MemoryOwner::of_device, has_access));
        if (has_access) MemoryOwner::accessed_from |= 1UL << static_cast<unsigned>(user);
      }
      MemoryOwner::knows_access = true;
    }
  }
  template <CheckLevel Level>
  [[nodiscard, gnu::noinline]] int take_plain(bool managed) noexcept {
    kind_ = Kind::plain;
    if (managed) MemoryOwner::accessed_from = ~0UL;
    const RelaxedCaptureScope<B, Level> outside;
    return on_device<B>(stream_.ref().device().value(), [&]() noexcept {
      return managed ? B::allocate_managed(start, bytes_) : B::allocate_unordered(start, bytes_);
    });
  }
  /// After a `take` that failed. The memory may be there: then the device that was current before
  /// could not become current again.
  template <CheckLevel Level>
  [[WARPSAFE_DETAIL_RARE]] void give_back() noexcept {
    if (start == nullptr) return;
    const basic_stream_ref<B> stream = stream_.ref();
    const RelaxedCaptureScope<B, Level> outside;
    static_cast<void>(free_on(stream));
  }
  /// Frees the memory: in the order of the stream, or of no stream. Returns the runtime's status.
  [[nodiscard]] int free_on(const basic_stream_ref<B>& stream) const noexcept {
    return kind_ == Kind::plain
               ? on_device<B>(stream.device().value(), &B::deallocate_unordered, start)
               : on_device_of<B>(stream, &B::deallocate, start, stream.native());
  }

  /// Lists the memory by its address, and lets the graph of the open capture say whether it exists.
  [[WARPSAFE_DETAIL_RARE]] void join_capture() noexcept {
    listed_.owner = this;
    listed_.bytes = bytes_;
    list_graph_memory(listed_);
    const ResourcesPtr graph = open_graph(stream_.ref());
    if (graph.get() == nullptr) return;
    keep_module();  // here, because note_own_launch is called with a lock
    allocation_.owner = this;
    allocation_.note_launch = &note_own_launch;
    allocation_.device = MemoryOwner::of_device;
    graph->add_allocation(allocation_);
  }
  /// Whether the capture that allocated the memory is open, and so may free it.
  [[nodiscard]] bool is_in_own_capture() const noexcept {
    return kind_ == Kind::captured && allocation_.is_of(open_graph(own_which()).get());
  }
  /// Freeing memory that the capture did not allocate would become part of the graph or break it,
  /// so the free is postponed. So is one whose uses are on a stream that captures.
  template <CheckLevel Level>
  [[nodiscard]] bool is_captured() const noexcept {
    if (start == nullptr || !may_meet_captures<Level>()) return false;
    if (kind_ == Kind::captured) {
      if (is_in_own_capture()) return needs_another_thread();
      // A capture of other code is taken for the one that allocated the memory.
      if (allocation_.owner == nullptr) return false;
    }
    return meets_capture<Level>(free_stream());
  }
  /// Whether the free in its own capture needs a stream that only another thread can name: its own
  /// default stream, as the memory's or as the captured one. @pre is_in_own_capture
  [[nodiscard]] bool needs_another_thread() const noexcept {
    WhichStream captured;
    int device = 0;
    if (const CaptureHooks* const hooks = open_captures()) {
      static_cast<void>(hooks->is_joined(own_which(), captured, device));
    }
    return own_number().is_of_another_thread() ||
           StreamNumber(captured.number).is_of_another_thread();
  }
  /// `stream_`, for the thread that bound the memory to it.
  [[nodiscard]] WhichStream own_which() const noexcept {
    return {stream_.ref().native(), freed_on};
  }
  [[nodiscard, gnu::always_inline]] StreamNumber own_number() const noexcept {
    return StreamNumber(freed_on);
  }
  /// Whether the stream was destroyed while the free was postponed. Its handle may be that of
  /// another stream now, whose order says nothing about the work that used the memory. False
  /// where the vendor has no number for a stream. This library's streams are kept.
  [[nodiscard]] bool stream_is_gone() const noexcept {
    const basic_stream_ref<B> stream = stream_.ref();
    if (start == nullptr || !own_number().is_of_vendor()) return false;
    const StreamNumber now = stream_number<B>(stream.native(), stream.device().value());
    return now.is_certain() && now != own_number();  // one that captures cannot be asked
  }
  [[WARPSAFE_DETAIL_RARE]] static void report_leak(std::size_t bytes, const char* why) noexcept {
    const WithoutCancel whole;
    std::fprintf(stderr, "warpsafe: %zu bytes of device memory are never freed: %s\n", bytes, why);
  }

  template <CheckLevel Level>
  static bool try_free(DeviceMemory& self, int& status) noexcept {
    if (!self.needs_only_order()) [[unlikely]]
      return try_free_in_full<Level>(self, status);
    {
      const CaptureLock locked;
      if (self.template is_captured<Level>()) [[unlikely]]
        return false;
      self.template note_free<Level>();
      const RelaxedCaptureScope<B, Level> outside;
      status = B::deallocate(self.start, self.stream_.ref().native());
    }
    self.retire(self.bytes_);
    return true;
  }
  /// Whether the order of its own stream, one of this library, is all that the free needs.
  [[nodiscard, gnu::always_inline]] bool needs_only_order() const noexcept {
    return start != nullptr && kind_ == Kind::ordered && !has_lost_use_ && uses_.empty() &&
           own_number().is_of_library();
  }
  template <CheckLevel Level>
  [[gnu::always_inline]] void note_free() const noexcept {
    mark_memory_freed(start, bytes_);
    tell_call<Level>(stream_.ref(), Name::of("free device memory"), {}, start, bytes_);
  }
  template <CheckLevel Level>
  [[gnu::noinline]] static bool try_free_in_full(DeviceMemory& self, int& status) noexcept {
    if (self.kind_ != Kind::captured) return try_free_after_uses<Level>(self, status);
    // Between the questions and the free, the capture that allocates the memory may not end, and
    // its graph may not be launched.
    const AllocatingLaunch launches;
    const CaptureLock own_capture;
    if (self.is_idle()) return false;  // a launch allocates it first
    return try_free_after_uses<Level>(self, status);
  }
  template <CheckLevel Level>
  [[gnu::noinline]] static bool try_free_after_uses(DeviceMemory& self, int& status) noexcept {
    EndOfUses<B> uses;
    uses.may_run = self.has_lost_use_;
    if (!self.uses_.empty() && !self.uses_.mark(uses, self.is_in_own_capture())) return false;
    CaptureLock locked;
    if (self.template is_captured<Level>()) return false;
    if (self.was_postponed_ && self.stream_is_gone()) {
      report_leak(self.bytes_,
                  "a capture postponed the free, and the memory's stream was destroyed before it; "
                  "destroy the stream only after a later allocation on it");
      self.retire(0);
      return true;
    }
    StreamMark<B> own;
    if (self.kind_ == Kind::plain) {
      // Its free waits, and the stream may be captured meanwhile.
      if (self.start != nullptr) self.mark_own(own, uses);
      locked.unlock();
    }
    self.template free_now<Level>(uses, own);
    locked.unlock();
    status = uses.status;
    if (uses.may_run) {
      report_leak(self.bytes_,
                  "work that uses them may still run, because the runtime could neither order it "
                  "before the free nor wait for it");
    }
    self.retire(uses.may_run ? 0 : self.bytes_);
    return true;
  }
  /// Destroys the object. At every level its owner can still be asked, because a file of another
  /// level may check a view of this memory.
  [[gnu::always_inline]] void retire(std::size_t bytes) noexcept {
    const int device = stream_.ref().device().value();
    SharedStream<B>* const stream = stream_.give_up();
    const unsigned ended = life;
    if (kind_ == Kind::captured) [[unlikely]] {
      unlist_graph_memory(listed_);
      GraphResources::forget(allocation_, bytes != 0);
    }
    // What a destructor would give back is gone with this.
    uses_.clear();
    Owners<B>::retire(this, ended, device, bytes, stream);
  }
  /// Frees the memory after all that uses it, unless that may still run. `uses`: what is known of
  /// the noted streams.
  template <CheckLevel Level>
  void free_now(EndOfUses<B>& uses, const StreamMark<B>& own) noexcept {
    if (start == nullptr || MemoryOwner::of_device == memory_of_lost_capture) return;
    if (!comes_back()) {
      note_free<Level>();
    } else {
      // A launch of the graph allocates its own memory again.
      tell_call<Level>(stream_.ref(), Name::of("free device memory"), {}, start, bytes_);
    }
    if (kind_ == Kind::plain) return wait_and_free<Level>(uses, own);
    if (is_in_own_capture()) return free_in_capture<Level>(uses);
    const basic_stream_ref<B> stream = free_stream();
    order_uses_before_free(stream, uses);
    if (uses.may_run) return;
    const RelaxedCaptureScope<B, Level> outside;
    uses.note(free_on(stream));
    if (B::vendor == Vendor::nvidia && comes_back()) order_before_next_launch(stream, uses);
  }
  /// Makes the next launch of the memory's graph wait for the free. Waits on the host if that is
  /// not possible.
  [[gnu::cold, gnu::noinline]] void order_before_next_launch(basic_stream_ref<B> stream,
                                                             EndOfUses<B>& uses) noexcept {
    auto* const made = new (std::nothrow) MarkedFree<B>;
    if (const int status = made == nullptr ? no_host_memory : made->mark.set(stream)) {
      delete made;
      uses.note(status);
      uses.note(wait_for_stream(stream, {}, false));
      return;
    }
    GraphResources::add_free(allocation_, made);
  }
  /// Makes the free a part of the capture that allocates the memory.
  template <CheckLevel Level>
  [[gnu::cold, gnu::noinline]] void free_in_capture(EndOfUses<B>& uses) noexcept {
    const CaptureHooks* const hooks = open_captures();
    WhichStream waiter;
    int device = 0;
    const bool joins = hooks != nullptr && hooks->is_joined(own_which(), waiter, device);
    order_uses_before_free(stream_.ref(), uses);
    if (uses.may_run) return;
    const RelaxedCaptureScope<B, Level> outside;
    uses.note(free_on(stream_.ref()));
    if (!joins) return;
    StreamMark<B> end;
    int status = end.set(stream_.ref());
    if (status == 0) {
      status = end.order_before(StreamAccess::make<B>(const_cast<void*>(waiter.handle), device,
                                                      StreamNumber(waiter.number)));
    }
    if (status == 0) hooks->joined(own_which());
    uses.note(status);
  }
  /// The stream in whose order the memory is freed. The legacy stream comes after a thread's
  /// default stream, and frees what was bound to it and used elsewhere: if a thread ends while its
  /// default stream waits for another one, the driver waits for ever (an H200, driver 580).
  [[nodiscard]] basic_stream_ref<B> free_stream() const noexcept {
    const StreamNumber own = own_number();
    const bool has_to_wait = own.is_per_thread() && (!uses_.empty() || own.is_of_another_thread());
    return has_to_wait ? legacy_stream<B>(stream_.ref().device().value()) : stream_.ref();
  }
  void order_uses_before_free(basic_stream_ref<B> stream, EndOfUses<B>& uses) noexcept {
    uses_.each([&](const auto& use) noexcept {
      if (!is_one_stream(use.number, own_number())) use.order_before(stream, uses);
      return true;
    });
  }
  /// Sets `own` behind the work of the memory's own stream. If that fails, waits.
  void mark_own(StreamMark<B>& own, EndOfUses<B>& uses) noexcept {
    const int status = own.set(reachable());
    if (status == 0) return;
    own = {};
    const RelaxedCaptureScope<B> outside;
    uses.note(status);
    uses.note_wait(wait_for_stream(reachable(), {}, false));
  }
  /// Frees memory that no order of a stream frees. `own`: what its own stream must have reached.
  template <CheckLevel Level>
  [[gnu::noinline]] void wait_and_free(EndOfUses<B>& uses, const StreamMark<B>& own) noexcept {
    uses_.each([&](const auto& use) noexcept {
      uses.note_wait(use.point.template wait<Level>({}, false));
      return true;
    });
    uses.note_wait(own.template wait<Level>({}, false));
    if (uses.may_run) return;
    const RelaxedCaptureScope<B, Level> outside;
    uses.note(free_on(stream_.ref()));
  }

  // A stack of frees postponed because of a capture or a graph, and its lock.
  [[gnu::visibility("default")]] static inline DeviceMemory* postponed = nullptr;
  [[gnu::visibility("default")]] static inline ProcessLock postponed_lock{};

  /// `before`: postponed_free_runs before the free was tried. If what it met ended since then,
  /// nobody else would try again.
  [[gnu::noinline]] static void postpone(DeviceMemory* memory, unsigned long before) noexcept {
    const void* const existing = memory->stream_.ref().native();
    postpone(memory);
    if (__atomic_load_n(&postponed_free_runs<B>, __ATOMIC_SEQ_CST) != before)
      retry_postponed(existing);
  }
  static void postpone(DeviceMemory* memory) noexcept {
    keep_module();
    // Nobody has it any more: its views are refused from now on.
    if (!memory->was_postponed_) ++memory->life;
    memory->was_postponed_ = true;
    const Locked lock(postponed_lock);
    memory->next_ = postponed;
    __atomic_store_n(&postponed, memory, __ATOMIC_RELAXED);
    __atomic_store_n(&postponed_frees<B>, &retry_postponed, __ATOMIC_SEQ_CST);
  }
  /// Whether the driver may be asked about the memory's stream. It crashes in each call about a
  /// stream that other code has destroyed (an H200, driver 580.159.04). `existing`: a stream that
  /// the program has just passed.
  [[nodiscard]] bool has_stream(const void* existing) const noexcept {
    const void* const native = stream_.ref().native();
    return start == nullptr || own_number().is_of_library() || StreamNumber::is_default(native) ||
           native == existing;
  }
  [[gnu::noinline]] static void retry_postponed(const void* existing) noexcept {
    unsigned long before = 0;
    bool is_left = false;
    do {
      before = __atomic_load_n(&postponed_free_runs<B>, __ATOMIC_SEQ_CST);
      is_left = false;
      for (DeviceMemory* tried = take_postponed(existing); tried != nullptr;) {
        DeviceMemory* const memory = std::exchange(tried, tried->next_);
        const int device = memory->stream().device().value();
        int status = 0;  // no owner is left to receive it
        if (!memory->free_(*memory, status)) {
          postpone(memory);
          is_left = true;
        }
        report_free(status, device);
      }
      // What refused a free may have ended while this thread had it, and found nothing to try.
    } while (is_left && __atomic_load_n(&postponed_free_runs<B>, __ATOMIC_SEQ_CST) != before);
  }
  static void report_free(int status, int device) noexcept {
    report_dropped<B>(status, Name::of("free device memory"),
                      "synchronize the stream to find the cause", device);
  }
  /// Takes the frees that may be tried. The others stay: whoever passes their streams must find
  /// them.
  [[nodiscard]] static DeviceMemory* take_postponed(const void* existing) noexcept {
    DeviceMemory* taken = nullptr;
    DeviceMemory* left = nullptr;
    const Locked lock(postponed_lock);
    for (DeviceMemory* all = postponed; all != nullptr;) {
      DeviceMemory* const memory = std::exchange(all, all->next_);
      DeviceMemory*& list = memory->has_stream(existing) ? taken : left;
      memory->next_ = std::exchange(list, memory);
    }
    __atomic_store_n(&postponed, left, __ATOMIC_RELAXED);
    return taken;
  }

  [[WARPSAFE_DETAIL_RARE]] static LaunchError allocation_error(int status, Bytes bytes, int device,
                                                               call_site site) noexcept {
    LaunchError error = runtime_error<B>(status, Name::of("allocate device memory"), site);
    error.device = device;
    error.value = bytes.value();
    if (error.code != Errc::out_of_memory) return error;
    const auto now = memory_info<B>(DeviceId(device), site);
    if (!now.has_value()) return error;
    error.limit = now.assume_value().total;
    error.extra = now.assume_value().free;  // what LaunchError::free_bytes() returns
    error.held = now.assume_value().held;
    return error;
  }

  basic_stream_hold<B> stream_;
  std::size_t bytes_;
  // Through the calls of the level that allocated the memory.
  Free free_;
  NoteLaunch note_launch_;
  StreamUses<B> uses_;
  DeviceMemory* next_ = nullptr;
  GraphAllocation allocation_;  ///< of Kind::captured
  GraphMemory listed_;          ///< of Kind::captured
  static constexpr std::uint64_t one_graph = std::uint64_t{1} << 32;
  std::uint64_t holders_ = 1;  ///< each graph counts `one_graph`, each other holder 1
  ProcessLock recording_{};    ///< two threads seldom share a buffer on foreign streams
  Kind kind_ = Kind::ordered;
  bool was_postponed_ = false;
  bool has_lost_use_ = false;  ///< a use that could neither be recorded nor waited for
};

/// Of `DeviceMemory::release` with a status. Not inlined, because a call that succeeds needs no
/// room for an error.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> free_error(int status, int device,
                                                                const call_site& site) noexcept {
  return runtime_error<B>(status, Name::of("free device memory"), site, Stage::runtime_call,
                          device);
}

/// Owns one reference.
template <class B>
struct HeldDeviceMemory final : GraphHeld {
  explicit HeldDeviceMemory(DeviceMemory<B>& its_memory) noexcept
      : GraphHeld(&its_memory), memory(&its_memory) {}
  ~HeldDeviceMemory() override { memory->drop_graph(); }
  int note_launch(void* stream, int device, std::uint64_t number) noexcept override {
    return memory->note_launch(StreamAccess::make<B>(stream, device, StreamNumber(number)));
  }
  [[nodiscard]] bool needs_note(std::uint64_t number) const noexcept override {
    return memory->needs_note(number);
  }
  DeviceMemory<B>* memory;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
