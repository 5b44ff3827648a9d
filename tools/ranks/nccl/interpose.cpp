// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions of NCCL and RCCL that stand before the library's own (LD_PRELOAD): each records the
// call and passes it on. Without WARPSAFE_RANKS they only pass it on.

#include "group.hpp"
#include "next.hpp"

#include <iterator>
#include <map>
#include <mutex>

const char* const warpsafe::ranks::Recorder::kind = "nccl";

namespace warpsafe::ranks::nccl {
namespace {

#define WARPSAFE_NCCL extern "C" [[gnu::visibility("default")]]

#define WARPSAFE_HERE __builtin_return_address(0)
/// Only where the caller is the program, so not in the body of a lambda.
#define WARPSAFE_NEXT(function) (Next<decltype(::function)>(#function, __builtin_return_address(0)))

/// The communicators by their handles. A child after a fork knows none of its parent's.
class Communicators {
 public:
  void add(Comm handle, Communicator* communicator) {
    const std::lock_guard lock(mutex_);
    known_[handle] = communicator;
  }
  /// Null: it was made by a function that nobody recorded.
  [[nodiscard]] Communicator* find(Comm handle) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(handle);
    return found == known_.end() ? nullptr : found->second;
  }
  [[nodiscard]] Communicator* take(Comm handle) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(handle);
    if (found == known_.end()) return nullptr;
    Communicator* const communicator = found->second;
    known_.erase(found);
    return communicator;
  }

 private:
  std::mutex mutex_;
  std::map<Comm, Communicator*> known_;
};

Communicators& communicators() { return of_process<Communicators>(); }

int asked(const char* name, Comm handle, void* caller) {
  int value = -1;
  const Next<Status(Comm, int*)> function(name, caller);
  if (!function || function(handle, &value) != success) value = -1;
  return value;
}

void made(Recorder& recorder, Communicator& communicator, Comm handle, Status status,
          void* caller) {
  if (status != success && status != in_progress) {
    recorder.joined(communicator, -1, -1, status);
    return;
  }
  communicators().add(handle, &communicator);
  DeviceEvents::of(recorder).prepare();
  recorder.joined(communicator, asked("ncclCommUserRank", handle, caller),
                  asked("ncclCommCount", handle, caller), 0);
}

/// The library calls its own functions too, ncclBroadcast from ncclBcast: only the program's call
/// is recorded.
class Inside {
 public:
  Inside() noexcept : was_(inside()) { inside() = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside() = was_; }
  [[nodiscard]] static bool& inside() noexcept {
    thread_local bool is_inside = false;
    return is_inside;
  }

 private:
  bool was_;
};

/// Null also inside of the library.
Recorder* recorder_now() { return Inside::inside() ? nullptr : Recorder::get(); }

/// Creates a communicator by `call`, which fills in `*handle`, at once or at the end of the group.
template <class F>
Status create(std::uint64_t identity, const Communicator* parent, int rank, int size, Comm* handle,
              void* from, F&& call) {
  Recorder* const recorder = recorder_now();
  if (recorder == nullptr) return call();
  Communicator* const communicator =
      recorder->add_communicator("NCCL", identity, parent, rank, size, from);
  const Status status = [&] {
    const Inside inside;
    return call();
  }();
  Group& group = Group::of_thread();
  if (group.is_open() && status == success) {
    group.add_new(communicator, handle);
  } else {
    made(*recorder, *communicator, handle == nullptr ? nullptr : *handle, status, from);
  }
  return status;
}

std::uint64_t identity_of(const UniqueId& id) {
  std::uint64_t digest = first_digest;
  for (const char letter : id.internal)
    digest = mixed(digest, {static_cast<unsigned char>(letter)});
  return digest;
}

/// The same in each member: they make the children of a communicator in one order.
std::uint64_t child_of(Communicator& parent, std::uint64_t color) {
  return mixed(parent.identity, {++parent.children, color});
}

// nccl.h, ncclDataType_t and ncclRedOp_t.
constexpr const char* types[] = {"int8",    "uint8",    "int32",      "uint32",
                                 "int64",   "uint64",   "float16",    "float32",
                                 "float64", "bfloat16", "float8e4m3", "float8e5m2"};
constexpr std::uint64_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
constexpr Format formats[] = {Format::bytes,    Format::bytes,      Format::bytes,
                              Format::bytes,    Format::bytes,      Format::bytes,
                              Format::float16,  Format::float32,    Format::float64,
                              Format::bfloat16, Format::float8e4m3, Format::float8e5m2};
constexpr const char* reductions[] = {"sum", "prod", "max", "min", "avg"};

/// Memory of a call.
struct Part {
  const void* data = nullptr;
  std::size_t count = 0;  ///< elements
  bool of_each = false;   ///< the memory has so many elements for each member
  int only_at = -1;       ///< only this member has it
};
/// What checksums are computed of.
struct Data {
  Type type = 0;
  Part input = {};
  Part output = {};  ///< only where it is the same in each member
};

Buffer buffer_of(const Communicator& communicator, Type type, const Part& part, bool is_copy) {
  const int size = communicator.size;
  if (type < 0 || static_cast<std::size_t>(type) >= std::size(types) || size < 1) return {};
  if (part.only_at >= 0 && part.only_at != communicator.rank) return {};
  const auto members = static_cast<std::uint64_t>(part.of_each ? size : 1);
  return {part.data, part.count * type_bytes[type] * members,
          is_copy ? Format::bytes : formats[type]};
}

/// Records a call and passes it on. `is_send` is null for a collective; for a message it tells its
/// direction.
template <class F>
Status record(Comm handle, Stream stream, Call call, const bool* is_send, const Data& data,
              F&& pass_on) {
  Recorder* const recorder = recorder_now();
  Communicator* const communicator = recorder == nullptr ? nullptr : communicators().find(handle);
  if (communicator == nullptr) return pass_on();
  // A communicator that does not block may not have known it before.
  if (!communicator->has_rank) {
    const int rank = asked("ncclCommUserRank", handle, call.from);
    const int size = asked("ncclCommCount", handle, call.from);
    if (rank >= 0 && size >= 0) recorder->joined(*communicator, rank, size, 0);
  }
  Group& group = Group::of_thread();
  call.stream = stream;
  call.which_stream = DeviceEvents::of(*recorder).which(stream);
  call.has_stream = true;
  Buffers buffers;
  Record* const record = is_send == nullptr
                             ? recorder->begin(*communicator, call, group.number(), buffers.record)
                             : recorder->begin_message(*communicator, *is_send, call.root, 0, call,
                                                       group.number(), buffers.record);
  if (record == nullptr) return pass_on();
  // Of a message, its sender reads the numbers.
  if (is_send != nullptr && !*is_send) buffers.record = nullptr;
  if (buffers.record != nullptr) {
    buffers.input = buffer_of(*communicator, data.type, data.input, false);
    // A copy has the same bits in each member, and a sum the same numbers.
    buffers.output =
        buffer_of(*communicator, data.type, data.output, call.operation != Operation::all_reduce);
  }
  group.add(*recorder, record, stream, call.which_stream, buffers);
  const Status status = [&] {
    const Inside inside;
    return pass_on();
  }();
  if (!group.is_open()) {
    group.submitted(*recorder, status);
  } else if (status != success && status != in_progress) {
    Recorder::failed(record, status);
  }
  return status;
}

/// Reductions that the program made (ncclRedOpCreatePreMulSum) have numbers that differ from
/// process to process.
template <std::size_t N>
std::string_view name_of(const char* const (&names)[N], int number) {
  return number >= 0 && static_cast<std::size_t>(number) < N ? names[number] : "own";
}

Call call_of(Operation operation, std::size_t count, Type type, void* from, int root = -1,
             std::string_view reduction = {}) {
  Call call{};
  call.operation = operation;
  call.count = count;
  call.type = name_of(types, type);
  call.reduction = reduction;
  call.root = root;
  call.from = from;
  return call;
}

}  // namespace
}  // namespace warpsafe::ranks::nccl

using namespace warpsafe::ranks;
using namespace warpsafe::ranks::nccl;

WARPSAFE_NCCL Status ncclCommInitRank(Comm* comm, int size, UniqueId id, int rank) {
  return create(identity_of(id), nullptr, rank, size, comm, WARPSAFE_HERE,
                [&, next = WARPSAFE_NEXT(ncclCommInitRank)] { return next(comm, size, id, rank); });
}
WARPSAFE_NCCL Status ncclCommInitRankConfig(Comm* comm, int size, UniqueId id, int rank,
                                            void* config) {
  return create(identity_of(id), nullptr, rank, size, comm, WARPSAFE_HERE,
                [&, next = WARPSAFE_NEXT(ncclCommInitRankConfig)] {
                  return next(comm, size, id, rank, config);
                });
}
WARPSAFE_NCCL Status ncclCommInitRankScalable(Comm* comm, int size, int rank, int ids, UniqueId* id,
                                              void* config) {
  // NCCL refuses a call without identifiers.
  const std::uint64_t identity = id == nullptr || ids < 1 ? first_digest : identity_of(*id);
  return create(identity, nullptr, rank, size, comm, WARPSAFE_HERE,
                [&, next = WARPSAFE_NEXT(ncclCommInitRankScalable)] {
                  return next(comm, size, rank, ids, id, config);
                });
}
WARPSAFE_NCCL Status ncclCommSplit(Comm comm, int color, int key, Comm* made, void* config) {
  Communicator* const parent = communicators().find(comm);
  // A member without a color (NCCL_SPLIT_NOCOLOR) takes part, and gets no communicator.
  if (parent != nullptr && color < 0) ++parent->children;
  if (parent == nullptr || color < 0) {
    return WARPSAFE_NEXT(ncclCommSplit)(comm, color, key, made, config);
  }
  return create(
      child_of(*parent, static_cast<std::uint64_t>(color)), parent, -1, -1, made, WARPSAFE_HERE,
      [&, next = WARPSAFE_NEXT(ncclCommSplit)] { return next(comm, color, key, made, config); });
}
WARPSAFE_NCCL Status ncclCommShrink(Comm comm, int* excluded, int count, Comm* made, void* config,
                                    int flags) {
  const auto pass_on = [&, next = WARPSAFE_NEXT(ncclCommShrink)] {
    return next(comm, excluded, count, made, config, flags);
  };
  Communicator* const parent = communicators().find(comm);
  if (parent == nullptr) return pass_on();
  return create(child_of(*parent, ~0ULL), parent, -1, -1, made, WARPSAFE_HERE, pass_on);
}
/// One process with several devices: nobody else is a member.
WARPSAFE_NCCL Status ncclCommInitAll(Comm* comms, int count, const int* devices) {
  Recorder* const recorder = recorder_now();
  const Inside inside;
  const Status status = WARPSAFE_NEXT(ncclCommInitAll)(comms, count, devices);
  if (recorder == nullptr || status != success) return status;
  const std::uint64_t identity = mixed(
      first_digest, {static_cast<std::uint64_t>(now_ns()), static_cast<std::uint64_t>(::getpid())});
  for (int i = 0; i < count; ++i) {
    Communicator* const made_one =
        recorder->add_communicator("NCCL", identity, nullptr, i, count, WARPSAFE_HERE);
    made(*recorder, *made_one, comms[i], status, __builtin_return_address(0));
  }
  return status;
}
namespace {
void left(Comm comm, const char* how) {
  Recorder* const recorder = Recorder::get();
  Communicator* const communicator = communicators().take(comm);
  if (communicator != nullptr && recorder != nullptr) recorder->left(*communicator, how);
}
}  // namespace
WARPSAFE_NCCL Status ncclCommDestroy(Comm comm) {
  left(comm, "destroyed");
  return WARPSAFE_NEXT(ncclCommDestroy)(comm);
}
WARPSAFE_NCCL Status ncclCommAbort(Comm comm) {
  left(comm, "aborted");
  return WARPSAFE_NEXT(ncclCommAbort)(comm);
}

WARPSAFE_NCCL Status ncclGroupStart() {
  if (Recorder* const recorder = recorder_now()) Group::of_thread().start(*recorder);
  return WARPSAFE_NEXT(ncclGroupStart)();
}
WARPSAFE_NCCL Status ncclGroupEnd() {
  Recorder* const recorder = recorder_now();
  if (recorder == nullptr) return WARPSAFE_NEXT(ncclGroupEnd)();
  Group& group = Group::of_thread();
  const bool is_outermost = group.end();
  const Status status = [&, next = WARPSAFE_NEXT(ncclGroupEnd)] {
    const Inside inside;
    return next();
  }();
  if (!is_outermost) return status;
  group.submitted(*recorder, status);
  for (const auto& [communicator, handle] : group.take_new()) {
    made(*recorder, *communicator, *handle, status, __builtin_return_address(0));
  }
  return status;
}

WARPSAFE_NCCL Status ncclAllReduce(const void* from, void* to, std::size_t count, Type type,
                                   Reduction reduction, Comm comm, Stream stream) {
  return record(comm, stream,
                call_of(Operation::all_reduce, count, type, WARPSAFE_HERE, -1,
                        name_of(reductions, reduction)),
                nullptr, {type, {from, count}, {to, count}},
                [&, next = WARPSAFE_NEXT(ncclAllReduce)] {
                  return next(from, to, count, type, reduction, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclReduce(const void* from, void* to, std::size_t count, Type type,
                                Reduction reduction, int root, Comm comm, Stream stream) {
  return record(
      comm, stream,
      call_of(Operation::reduce, count, type, WARPSAFE_HERE, root, name_of(reductions, reduction)),
      nullptr, {type, {from, count}}, [&, next = WARPSAFE_NEXT(ncclReduce)] {
        return next(from, to, count, type, reduction, root, comm, stream);
      });
}
WARPSAFE_NCCL Status ncclReduceScatter(const void* from, void* to, std::size_t count, Type type,
                                       Reduction reduction, Comm comm, Stream stream) {
  return record(comm, stream,
                call_of(Operation::reduce_scatter, count, type, WARPSAFE_HERE, -1,
                        name_of(reductions, reduction)),
                nullptr, {type, {from, count, true}}, [&, next = WARPSAFE_NEXT(ncclReduceScatter)] {
                  return next(from, to, count, type, reduction, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclBroadcast(const void* from, void* to, std::size_t count, Type type,
                                   int root, Comm comm, Stream stream) {
  return record(comm, stream, call_of(Operation::broadcast, count, type, WARPSAFE_HERE, root),
                nullptr, {type, {from, count, false, root}, {to, count}},
                [&, next = WARPSAFE_NEXT(ncclBroadcast)] {
                  return next(from, to, count, type, root, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclBcast(void* buffer, std::size_t count, Type type, int root, Comm comm,
                               Stream stream) {
  return record(comm, stream, call_of(Operation::broadcast, count, type, WARPSAFE_HERE, root),
                nullptr, {type, {buffer, count, false, root}, {buffer, count}},
                [&, next = WARPSAFE_NEXT(ncclBcast)] {
                  return next(buffer, count, type, root, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclAllGather(const void* from, void* to, std::size_t count, Type type,
                                   Comm comm, Stream stream) {
  return record(comm, stream, call_of(Operation::all_gather, count, type, WARPSAFE_HERE), nullptr,
                {type, {from, count}, {to, count, true}}, [&, next = WARPSAFE_NEXT(ncclAllGather)] {
                  return next(from, to, count, type, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclAlltoAll(const void* from, void* to, std::size_t count, Type type,
                                  Comm comm, Stream stream) {
  return record(comm, stream, call_of(Operation::all_to_all, count, type, WARPSAFE_HERE), nullptr,
                {type, {from, count, true}}, [&, next = WARPSAFE_NEXT(ncclAlltoAll)] {
                  return next(from, to, count, type, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclGather(const void* from, void* to, std::size_t count, Type type, int root,
                                Comm comm, Stream stream) {
  return record(comm, stream, call_of(Operation::gather, count, type, WARPSAFE_HERE, root), nullptr,
                {type, {from, count}}, [&, next = WARPSAFE_NEXT(ncclGather)] {
                  return next(from, to, count, type, root, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclScatter(const void* from, void* to, std::size_t count, Type type, int root,
                                 Comm comm, Stream stream) {
  return record(comm, stream, call_of(Operation::scatter, count, type, WARPSAFE_HERE, root),
                nullptr, {type, {from, count, true, root}}, [&, next = WARPSAFE_NEXT(ncclScatter)] {
                  return next(from, to, count, type, root, comm, stream);
                });
}
WARPSAFE_NCCL Status ncclSend(const void* from, std::size_t count, Type type, int peer, Comm comm,
                              Stream stream) {
  static constexpr bool is_send = true;
  return record(
      comm, stream, call_of({}, count, type, WARPSAFE_HERE, peer), &is_send, {type, {from, count}},
      [&, next = WARPSAFE_NEXT(ncclSend)] { return next(from, count, type, peer, comm, stream); });
}
WARPSAFE_NCCL Status ncclRecv(void* to, std::size_t count, Type type, int peer, Comm comm,
                              Stream stream) {
  static constexpr bool is_send = false;
  return record(
      comm, stream, call_of({}, count, type, WARPSAFE_HERE, peer), &is_send, {},
      [&, next = WARPSAFE_NEXT(ncclRecv)] { return next(to, count, type, peer, comm, stream); });
}
