// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "planted.hpp"
#include <warpsafe/graph.hpp>

#include <span>
#include <utility>

namespace planted {
namespace {

WARPSAFE_KERNEL void fill(float* x) { x[here()] = 1; }
WARPSAFE_KERNEL void sum(const float* x, float* y) { y[here()] += x[here()]; }

/// Two streams, and a buffer of the first that both may use.
struct Two {
  ws::Stream owner = ws::Stream::create().value();
  ws::Stream user = ws::Stream::create().value();
  Buffer x = zeros(owner);
  Buffer y = zeros(user);

  Two() { order(owner, user); }
  void finish() const {
    owner.synchronize().value();
    user.synchronize().value();
  }
};

template <bool Wrong>
void read_elsewhere() {
  Two two;
  ws::launch(two.user, usual, ws::kernel<sum>, raw(two.x), two.y.view()).value();
  if (!Wrong) order(two.user, two.owner);
  two.x.close().value();
  two.finish();
}

template <bool Wrong>
void written_elsewhere() {
  Two two;
  ws::launch(two.user, usual, ws::kernel<fill>, raw(two.x)).value();
  if (!Wrong) order(two.user, two.owner);
  two.x.close().value();
  Buffer next = zeros(two.owner);
  ws::launch(two.owner, usual, ws::kernel<fill>, next.view()).value();
  two.finish();
}

template <bool Wrong>
void event_too_early() {
  Two two;
  ws::launch(two.user, usual, ws::kernel<sum>, raw(two.x), two.y.view()).value();
  if (Wrong) order(two.user, two.owner);
  ws::launch(two.user, usual, ws::kernel<fill>, raw(two.x)).value();
  if (!Wrong) order(two.user, two.owner);
  two.x.close().value();
  two.finish();
}

template <bool Wrong>
void third_stream() {
  Two two;
  const auto third = ws::Stream::create().value();
  Buffer z = zeros(third);
  order(two.owner, third);
  ws::launch(two.user, usual, ws::kernel<sum>, raw(two.x), two.y.view()).value();
  ws::launch(third, usual, ws::kernel<sum>, raw(two.x), z.view()).value();
  order(two.user, two.owner);
  if (!Wrong) order(third, two.owner);
  two.x.close().value();
  two.finish();
  third.synchronize().value();
}

template <bool Wrong>
void kept_address() {
  Two two;
  const auto address = raw(two.x);
  if (!Wrong) {
    ws::launch(two.user, usual, ws::kernel<fill>, address).value();
    order(two.user, two.owner);
  }
  two.x.close().value();
  two.owner.synchronize().value();
  Buffer next = zeros(two.owner);
  if (Wrong) {
    ws::launch<ws::CheckLevel::off>(two.user, usual, ws::kernel<fill>, address).value();
  }
  two.finish();
}

template <bool Wrong>
void kept_address_in_order() {
  Two two;
  const auto address = raw(two.x);
  if (!Wrong) ws::launch(two.owner, usual, ws::kernel<fill>, address).value();
  two.x.close().value();
  if (Wrong) {
    ws::launch<ws::CheckLevel::off>(two.owner, usual, ws::kernel<fill>, address).value();
  }
  two.finish();
}

template <bool Wrong>
void used_before_it_exists() {
  const auto owner = ws::Stream::create().value();
  const auto user = ws::Stream::create().value();
  Buffer x = Buffer::create(owner, count).value();
  if (!Wrong) order(owner, user);
  ws::launch(user, usual, ws::kernel<fill>, raw(x)).value();
  user.synchronize().value();
}

/// A caching allocator: it keeps buffers, and hands them out on any stream.
class Cache {
 public:
  [[nodiscard]] Buffer take(const ws::Stream& stream) {
    if (kept_.empty()) return zeros(stream);
    Buffer last = std::move(kept_.back());
    kept_.pop_back();
    return last;
  }
  void give_back(Buffer buffer) { kept_.push_back(std::move(buffer)); }

 private:
  std::vector<Buffer> kept_;
};

template <bool Wrong>
void cache_forgets_the_stream() {
  const auto one = ws::Stream::create().value();
  const auto other = ws::Stream::create().value();
  Cache cache;
  {
    Buffer x = cache.take(one);
    ws::launch(one, usual, ws::kernel<fill>, x.view()).value();
    cache.give_back(std::move(x));
  }
  if (!Wrong) order(one, other);
  Buffer again = cache.take(other);
  ws::launch(other, usual, ws::kernel<fill>, raw(again)).value();
  other.synchronize().value();
  one.synchronize().value();
}

template <bool Wrong>
void ring_of_one_too_few() {
  Two two;
  std::vector<Buffer> slots;
  for (int i = 0; i < 2; ++i) slots.push_back(zeros(two.owner));
  for (std::size_t i = 0; i < 4; ++i) {
    Buffer& slot = slots[i % 2];
    if (!Wrong && i >= 2) order(two.user, two.owner);
    ws::launch(two.owner, usual, ws::kernel<fill>, raw(slot)).value();
    order(two.owner, two.user);
    ws::launch(two.user, usual, ws::kernel<sum>, raw(slot), two.y.view()).value();
  }
  two.user.synchronize().value();
  two.finish();
}

template <bool Wrong>
void staging_comes_back() {
  const auto stream = ws::Stream::create().value();
  Buffer x = zeros(stream);
  void* staging = nullptr;
  const std::size_t bytes = count * sizeof(float);
  if (ws::host_backend::host_allocate(staging, bytes) != 0) return;
  static_cast<void>(ws::host_backend::copy(x.view().pointer().get(), staging, bytes,
                                           ws::CopyKind::host_to_device, stream.native()));
  if (!Wrong) stream.synchronize().value();
  static_cast<void>(ws::host_backend::host_deallocate(staging));
  stream.synchronize().value();
}

template <bool Wrong>
void free_does_not_wait() {
  const auto stream = ws::Stream::create().value();
  void* memory = nullptr;
  if (ws::host_backend::allocate_unordered(memory, count * sizeof(float)) != 0) return;
  float* const at = static_cast<float*>(memory);
  ws::launch(stream, usual, ws::kernel<fill>, ws::trust(at)).value();
  if (!Wrong) stream.synchronize().value();
  static_cast<void>(ws::host_backend::deallocate_unordered(memory));
  stream.synchronize().value();
}

template <bool Wrong>
void old_span_of_the_host() {
  const auto stream = ws::Stream::create().value();
  auto pinned = ws::PinnedBuffer<float>::create(count).value();
  const std::span<float> values = pinned.span();
  if (!Wrong) values[5] = 1;
  pinned.close().value();
  if (Wrong) values[5] = 1;
  const auto next = ws::PinnedBuffer<float>::create(count).value();
  stream.synchronize().value();
}

}  // namespace

std::vector<Pair> returned_memory() {
  return {
      {"M01", "memory is freed while another stream reads it", read_elsewhere<true>,
       read_elsewhere<false>},
      {"M02", "memory is freed and reused while another stream writes it", written_elsewhere<true>,
       written_elsewhere<false>},
      {"M03", "the owner waits for an event that was recorded before the last use",
       event_too_early<true>, event_too_early<false>},
      {"M04", "the owner waits for one of two streams", third_stream<true>, third_stream<false>},
      {"M05", "an address is kept, and used after another buffer has the memory",
       kept_address<true>, kept_address<false>},
      {"M06", "an address is kept, and used in the same stream after the free",
       kept_address_in_order<true>, kept_address_in_order<false>},
      {"M07", "memory is used on another stream before its allocation", used_before_it_exists<true>,
       used_before_it_exists<false>},
      {"M08", "a caching allocator hands memory to another stream", cache_forgets_the_stream<true>,
       cache_forgets_the_stream<false>},
      {"M09", "a ring of buffers is refilled before it was read", ring_of_one_too_few<true>,
       ring_of_one_too_few<false>},
      {"M10", "a staging buffer is freed during its copy", staging_comes_back<true>,
       staging_comes_back<false>},
      {"M11", "memory is freed during a kernel, by a free that waits for nothing",
       free_does_not_wait<true>, free_does_not_wait<false>},
      {"M12", "host code writes through an old span", old_span_of_the_host<true>,
       old_span_of_the_host<false>},
  };
}

}  // namespace planted
