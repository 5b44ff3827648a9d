// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions of MPI that stand before the library's own (LD_PRELOAD), by MPI's profiling interface
// (MPI 4.1, chapter 15): each records the call and passes it on to the PMPI_ function.

#include "../record/host_checksum.hpp"
#include "members.hpp"
#include "requests.hpp"

#include <signal.h>

#include <thread>

const char* const warpsafe::ranks::Recorder::kind = "mpi";

namespace warpsafe::ranks::mpi {
namespace {

#define WARPSAFE_MPI extern "C" [[gnu::visibility("default")]] int
#define WARPSAFE_HERE __builtin_return_address(0)

/// Says ten times a second that the process lives.
void start_heartbeat() {
  Recorder* const recorder = Recorder::get();
  if (recorder == nullptr) return;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([recorder] {
    while (true) {
      recorder->beat();
      const timespec pause{0, 100'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int begun(int status, void* from) {
  if (status == MPI_SUCCESS) {
    begin(from);
    start_heartbeat();
  }
  return status;
}

Call call_of(Operation operation, void* from, std::uint64_t bytes = 0, int root = -1) {
  Call call{};
  call.operation = operation;
  call.count = bytes;
  call.root = root;
  call.from = from;
  return call;
}
Call arithmetic(Operation operation, void* from, int count, const std::string& type,
                MPI_Op reduction, int root = -1) {
  Call call = call_of(operation, from, static_cast<std::uint64_t>(count), root);
  call.type = type;
  call.reduction = name_of(reduction);
  return call;
}
/// Members may give different counts, as in MPI_Gatherv.
Call varying(Operation operation, void* from, int root = -1) {
  Call call = call_of(operation, from, 0, root);
  call.same_count = false;
  return call;
}

/// Memory of a call, and what checksums are computed of.
struct Part {
  const void* data = nullptr;
  std::int64_t count = 0;  ///< elements
  MPI_Datatype type = {};
  bool of_each = false;  ///< the memory has so many elements for each member
  int only_at = -1;      ///< only this member has it
};
struct Data {
  Part input = {};
  Part output = {};  ///< only where it is the same in each member
};

bool read(const Communicator& communicator, const Part& part, bool is_copy, Checksum& sum) {
  if (part.count <= 0 || part.data == MPI_IN_PLACE ||
      (part.only_at >= 0 && part.only_at != communicator.rank)) {
    return false;
  }
  const std::string type = name_of(part.type);
  const std::int64_t count = part.count * (part.of_each ? communicator.size.load() : 1);
  return is_dense(part.type, type) &&
         checksum_of_host(part.data, bytes(count, part.type),
                          is_copy ? Format::bytes : format_of(type), sum);
}
void read_input(const Communicator& communicator, ChecksumRecord* record, const Part& part) {
  Checksum sum;
  if (record != nullptr && read(communicator, part, false, sum)) record->set_input(sum);
}
void read_output(const Communicator& communicator, ChecksumRecord* record, const Call& call,
                 const Part& part) {
  Checksum sum;
  // Members may give other types for the same bytes.
  const bool is_copy = call.operation != Operation::all_reduce;
  if (record != nullptr && read(communicator, part, is_copy, sum)) record->set_output(sum);
}

/// A collective: `pass_on` returns when this member's part has ended.
template <class F>
int record(MPI_Comm comm, const Call& call, const Data& data, F&& pass_on) {
  Recorder* const recorder = Recorder::get();
  Communicator* const communicator = recorder == nullptr ? nullptr : find(comm);
  if (communicator == nullptr) return pass_on();
  ChecksumRecord* checksums = nullptr;
  Record* const record = recorder->begin(*communicator, call, 0, checksums);
  read_input(*communicator, checksums, data.input);
  const int status = pass_on();
  if (status == MPI_SUCCESS) {
    Recorder::ended(record, now_ns(), 0);
    read_output(*communicator, checksums, call, data.output);
  }
  if (status != MPI_SUCCESS) Recorder::failed(record, status);
  return status;
}
/// A collective that ends with its request.
template <class F>
int record_begin(MPI_Comm comm, const Call& call, const Part& input, MPI_Request* request,
                 F&& pass_on) {
  Recorder* const recorder = Recorder::get();
  Communicator* const communicator = recorder == nullptr ? nullptr : find(comm);
  if (communicator == nullptr) return pass_on();
  ChecksumRecord* checksums = nullptr;
  Record* const record = recorder->begin(*communicator, call, 0, checksums);
  read_input(*communicator, checksums, input);
  const int status = pass_on();
  if (status != MPI_SUCCESS) {
    Recorder::failed(record, status);
    return status;
  }
  Recorder::submitted(record);
  Requests::all().add(*request, record);
  return status;
}
/// `data` is what a send sends.
Record* begin_message(MPI_Comm comm, bool is_send, int peer, int tag, int count, MPI_Datatype type,
                      void* from, const void* data = nullptr) {
  Recorder* const recorder = Recorder::get();
  Communicator* const communicator =
      recorder == nullptr || peer == MPI_PROC_NULL ? nullptr : find(comm);
  if (communicator == nullptr) return nullptr;
  // A receive from any source is a receive of peer -1, of any tag one of tag -1.
  ChecksumRecord* checksums = nullptr;
  Record* const record = recorder->begin_message(
      *communicator, is_send, peer == MPI_ANY_SOURCE ? -1 : peer, tag == MPI_ANY_TAG ? -1 : tag,
      call_of({}, from, bytes(count, type), peer), 0, checksums);
  if (is_send) read_input(*communicator, checksums, {data, count, type});
  return record;
}
int message_ended(Record* record, int status) {
  if (status == MPI_SUCCESS) Recorder::ended(record, now_ns(), 0);
  if (status != MPI_SUCCESS) Recorder::failed(record, status);
  return status;
}
int message_begun(Record* record, MPI_Request* request, int status) {
  if (status != MPI_SUCCESS) return message_ended(record, status);
  Recorder::submitted(record);
  Requests::all().add(*request, record);
  return status;
}

/// An all-reduce. The result of the program's own operation may differ between members.
Data reduced(const void* from, const void* to, int count, MPI_Datatype type, MPI_Op operation) {
  const bool is_own = std::string_view(name_of(operation)) == "own";
  return {{from == MPI_IN_PLACE ? to : from, count, type}, is_own ? Part{} : Part{to, count, type}};
}

/// A new communicator, which `pass_on` makes of `comm` with all of its members.
template <class F>
int record_child(MPI_Comm comm, Operation operation, std::uint64_t color, MPI_Comm* made,
                 void* from, F&& pass_on) {
  Recorder* const recorder = Recorder::get();
  Communicator* const parent = recorder == nullptr ? nullptr : find(comm);
  // Members may give different colors.
  const int status = record(comm, varying(operation, from), {}, pass_on);
  if (parent == nullptr || status != MPI_SUCCESS) return status;
  const std::uint64_t identity = child_of(*parent, color);
  if (*made != Constants::get().no_communicator)
    (void)add(*recorder, *made, identity, parent, from);
  return status;
}

/// A group as a number that is the same in each member: the ranks in MPI_COMM_WORLD.
std::uint64_t color_of(MPI_Group group) {
  int size = 0;
  MPI_Group world{};
  PMPI_Group_size(group, &size);
  PMPI_Comm_group(Constants::get().world, &world);
  std::uint64_t color = first_digest;
  for (int i = 0; i < size; ++i) {
    int rank = MPI_UNDEFINED;
    PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
    color = mixed(color, {static_cast<std::uint64_t>(rank)});
  }
  PMPI_Group_free(&world);
  return color;
}

}  // namespace
}  // namespace warpsafe::ranks::mpi

using namespace warpsafe::ranks;
using namespace warpsafe::ranks::mpi;

WARPSAFE_MPI MPI_Init(int* count, char*** arguments) {
  make_visible();
  return begun(PMPI_Init(count, arguments), WARPSAFE_HERE);
}
WARPSAFE_MPI MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  make_visible();
  return begun(PMPI_Init_thread(count, arguments, required, provided), WARPSAFE_HERE);
}
WARPSAFE_MPI MPI_Abort(MPI_Comm comm, int code) {
  Communicator* const communicator = find(comm);
  if (communicator != nullptr) Recorder::get()->left(*communicator, "aborted");
  return PMPI_Abort(comm, code);
}

WARPSAFE_MPI MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return record_child(comm, Operation::duplicate, 0, made, WARPSAFE_HERE,
                      [&] { return PMPI_Comm_dup(comm, made); });
}
WARPSAFE_MPI MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return record_child(comm, Operation::split, static_cast<std::uint64_t>(color), made,
                      WARPSAFE_HERE, [&] { return PMPI_Comm_split(comm, color, key, made); });
}
WARPSAFE_MPI MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* made) {
  Recorder* const recorder = Recorder::get();
  Communicator* const parent = recorder == nullptr ? nullptr : find(comm);
  const int status = record(comm, varying(Operation::split, WARPSAFE_HERE), {},
                            [&] { return PMPI_Comm_split_type(comm, kind, key, info, made); });
  if (parent == nullptr || status != MPI_SUCCESS) return status;
  // The library chooses the groups, so the ranks of the members identify the communicator.
  std::uint64_t color = 0;
  if (*made != Constants::get().no_communicator) {
    MPI_Group group{};
    PMPI_Comm_group(*made, &group);
    color = color_of(group);
    PMPI_Group_free(&group);
  }
  const std::uint64_t identity = child_of(*parent, color);
  if (*made != Constants::get().no_communicator)
    (void)add(*recorder, *made, identity, parent, WARPSAFE_HERE);
  return status;
}
WARPSAFE_MPI MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return record_child(comm, Operation::split, color_of(group), made, WARPSAFE_HERE,
                      [&] { return PMPI_Comm_create(comm, group, made); });
}

WARPSAFE_MPI MPI_Barrier(MPI_Comm comm) {
  return record(comm, call_of(Operation::barrier, WARPSAFE_HERE), {},
                [&] { return PMPI_Barrier(comm); });
}
WARPSAFE_MPI MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return record(comm, call_of(Operation::broadcast, WARPSAFE_HERE, bytes(count, type), root),
                {{buffer, count, type, false, root}, {buffer, count, type}},
                [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}
WARPSAFE_MPI MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm) {
  return record(comm, arithmetic(Operation::all_reduce, WARPSAFE_HERE, count, name_of(type), op),
                reduced(from, to, count, type, op),
                [&] { return PMPI_Allreduce(from, to, count, type, op, comm); });
}
WARPSAFE_MPI MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm) {
  return record(comm, arithmetic(Operation::reduce, WARPSAFE_HERE, count, name_of(type), op, root),
                {{from == MPI_IN_PLACE ? to : from, count, type}},
                [&] { return PMPI_Reduce(from, to, count, type, op, root, comm); });
}
WARPSAFE_MPI MPI_Scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
  return record(comm, arithmetic(Operation::scan, WARPSAFE_HERE, count, name_of(type), op),
                {{from == MPI_IN_PLACE ? to : from, count, type}},
                [&] { return PMPI_Scan(from, to, count, type, op, comm); });
}
WARPSAFE_MPI MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  return record(comm,
                arithmetic(Operation::exclusive_scan, WARPSAFE_HERE, count, name_of(type), op),
                {{from == MPI_IN_PLACE ? to : from, count, type}},
                [&] { return PMPI_Exscan(from, to, count, type, op, comm); });
}
WARPSAFE_MPI MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type,
                                      MPI_Op op, MPI_Comm comm) {
  return record(comm,
                arithmetic(Operation::reduce_scatter, WARPSAFE_HERE, count, name_of(type), op),
                {{from == MPI_IN_PLACE ? to : from, count, type, true}},
                [&] { return PMPI_Reduce_scatter_block(from, to, count, type, op, comm); });
}
WARPSAFE_MPI MPI_Reduce_scatter(const void* from, void* to, const int counts[], MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm) {
  int size = 0;
  int total = 0;
  PMPI_Comm_size(comm, &size);
  for (int i = 0; i < size; ++i) total += counts[i];
  return record(comm,
                arithmetic(Operation::reduce_scatter, WARPSAFE_HERE, total, name_of(type), op),
                {{from == MPI_IN_PLACE ? to : from, total, type}},
                [&] { return PMPI_Reduce_scatter(from, to, counts, type, op, comm); });
}
/// What this member gives; with MPI_IN_PLACE only the other count is meaningful.
namespace {
std::uint64_t part(const void* from, int count, MPI_Datatype type, int other,
                   MPI_Datatype other_type) {
  return from == MPI_IN_PLACE ? bytes(other, other_type) : bytes(count, type);
}
}  // namespace
WARPSAFE_MPI MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                           MPI_Datatype to_type, MPI_Comm comm) {
  return record(
      comm,
      call_of(Operation::all_gather, WARPSAFE_HERE, part(from, count, type, to_count, to_type)),
      {{from, count, type}, {to, to_count, to_type, true}},
      [&] { return PMPI_Allgather(from, count, type, to, to_count, to_type, comm); });
}
WARPSAFE_MPI MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                          MPI_Datatype to_type, MPI_Comm comm) {
  return record(
      comm,
      call_of(Operation::all_to_all, WARPSAFE_HERE, part(from, count, type, to_count, to_type)),
      {{from, count, type, true}},
      [&] { return PMPI_Alltoall(from, count, type, to, to_count, to_type, comm); });
}
WARPSAFE_MPI MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                        MPI_Datatype to_type, int root, MPI_Comm comm) {
  return record(
      comm,
      call_of(Operation::gather, WARPSAFE_HERE, part(from, count, type, to_count, to_type), root),
      {{from, count, type}},
      [&] { return PMPI_Gather(from, count, type, to, to_count, to_type, root, comm); });
}
WARPSAFE_MPI MPI_Scatter(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                         MPI_Datatype to_type, int root, MPI_Comm comm) {
  // Only the root's `from` is meaningful, and only the root may write MPI_IN_PLACE as `to`.
  return record(
      comm,
      call_of(Operation::scatter, WARPSAFE_HERE, part(to, to_count, to_type, count, type), root),
      {{from, count, type, true, root}},
      [&] { return PMPI_Scatter(from, count, type, to, to_count, to_type, root, comm); });
}
WARPSAFE_MPI MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to,
                            const int counts[], const int offsets[], MPI_Datatype to_type,
                            MPI_Comm comm) {
  return record(comm, varying(Operation::all_gather, WARPSAFE_HERE), {}, [&] {
    return PMPI_Allgatherv(from, count, type, to, counts, offsets, to_type, comm);
  });
}
WARPSAFE_MPI MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to,
                         const int counts[], const int offsets[], MPI_Datatype to_type, int root,
                         MPI_Comm comm) {
  return record(comm, varying(Operation::gather, WARPSAFE_HERE, root), {}, [&] {
    return PMPI_Gatherv(from, count, type, to, counts, offsets, to_type, root, comm);
  });
}
WARPSAFE_MPI MPI_Scatterv(const void* from, const int counts[], const int offsets[],
                          MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type, int root,
                          MPI_Comm comm) {
  return record(comm, varying(Operation::scatter, WARPSAFE_HERE, root), {}, [&] {
    return PMPI_Scatterv(from, counts, offsets, type, to, to_count, to_type, root, comm);
  });
}
WARPSAFE_MPI MPI_Alltoallv(const void* from, const int counts[], const int offsets[],
                           MPI_Datatype type, void* to, const int to_counts[],
                           const int to_offsets[], MPI_Datatype to_type, MPI_Comm comm) {
  return record(comm, varying(Operation::all_to_all, WARPSAFE_HERE), {}, [&] {
    return PMPI_Alltoallv(from, counts, offsets, type, to, to_counts, to_offsets, to_type, comm);
  });
}

WARPSAFE_MPI MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return record_begin(comm, call_of(Operation::barrier, WARPSAFE_HERE), {}, request,
                      [&] { return PMPI_Ibarrier(comm, request); });
}
WARPSAFE_MPI MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                        MPI_Request* request) {
  return record_begin(comm, call_of(Operation::broadcast, WARPSAFE_HERE, bytes(count, type), root),
                      {buffer, count, type, false, root}, request,
                      [&] { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}
WARPSAFE_MPI MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, MPI_Request* request) {
  return record_begin(comm,
                      arithmetic(Operation::all_reduce, WARPSAFE_HERE, count, name_of(type), op),
                      {from == MPI_IN_PLACE ? to : from, count, type}, request,
                      [&] { return PMPI_Iallreduce(from, to, count, type, op, comm, request); });
}

WARPSAFE_MPI MPI_Send(const void* from, int count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm comm) {
  Record* const record = begin_message(comm, true, peer, tag, count, type, WARPSAFE_HERE, from);
  return message_ended(record, PMPI_Send(from, count, type, peer, tag, comm));
}
WARPSAFE_MPI MPI_Ssend(const void* from, int count, MPI_Datatype type, int peer, int tag,
                       MPI_Comm comm) {
  Record* const record = begin_message(comm, true, peer, tag, count, type, WARPSAFE_HERE, from);
  return message_ended(record, PMPI_Ssend(from, count, type, peer, tag, comm));
}
WARPSAFE_MPI MPI_Recv(void* to, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                      MPI_Status* status) {
  Record* const record = begin_message(comm, false, peer, tag, count, type, WARPSAFE_HERE);
  return message_ended(record, PMPI_Recv(to, count, type, peer, tag, comm, status));
}
WARPSAFE_MPI MPI_Sendrecv(const void* from, int count, MPI_Datatype type, int peer, int tag,
                          void* to, int to_count, MPI_Datatype to_type, int from_peer, int from_tag,
                          MPI_Comm comm, MPI_Status* status) {
  Record* const sent = begin_message(comm, true, peer, tag, count, type, WARPSAFE_HERE, from);
  Record* const received =
      begin_message(comm, false, from_peer, from_tag, to_count, to_type, WARPSAFE_HERE);
  const int result = PMPI_Sendrecv(from, count, type, peer, tag, to, to_count, to_type, from_peer,
                                   from_tag, comm, status);
  (void)message_ended(sent, result);
  return message_ended(received, result);
}
WARPSAFE_MPI MPI_Isend(const void* from, int count, MPI_Datatype type, int peer, int tag,
                       MPI_Comm comm, MPI_Request* request) {
  Record* const record = begin_message(comm, true, peer, tag, count, type, WARPSAFE_HERE, from);
  return message_begun(record, request, PMPI_Isend(from, count, type, peer, tag, comm, request));
}
WARPSAFE_MPI MPI_Irecv(void* to, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                       MPI_Request* request) {
  Record* const record = begin_message(comm, false, peer, tag, count, type, WARPSAFE_HERE);
  return message_begun(record, request, PMPI_Irecv(to, count, type, peer, tag, comm, request));
}

/// Requests before a wait or a test, and the records that have ended after it.
namespace {
class Waited {
 public:
  Waited(int count, const MPI_Request* requests)
      : before_(Requests::all().copied(count, requests)) {}
  void all_ended() const {
    for (const MPI_Request request : before_) Requests::all().ended(request);
  }
  void freed() const {
    for (const MPI_Request request : before_) Requests::all().freed(request);
  }
  void ended(int index) const {
    const auto at = static_cast<std::size_t>(index);
    if (at < before_.size()) Requests::all().ended(before_[at]);
  }

 private:
  std::vector<MPI_Request> before_;
};
}  // namespace
WARPSAFE_MPI MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Waited waited(1, request);
  const int result = PMPI_Wait(request, status);
  if (result == MPI_SUCCESS) waited.all_ended();
  return result;
}
WARPSAFE_MPI MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Waited waited(count, requests);
  const int result = PMPI_Waitall(count, requests, statuses);
  if (result == MPI_SUCCESS) waited.all_ended();
  return result;
}
WARPSAFE_MPI MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Waited waited(count, requests);
  const int result = PMPI_Waitany(count, requests, index, status);
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) waited.ended(*index);
  return result;
}
WARPSAFE_MPI MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                          MPI_Status statuses[]) {
  const Waited waited(count, requests);
  const int result = PMPI_Waitsome(count, requests, done, indices, statuses);
  if (result != MPI_SUCCESS || *done == MPI_UNDEFINED) return result;
  for (int i = 0; i < *done; ++i) waited.ended(indices[i]);
  return result;
}
WARPSAFE_MPI MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const Waited waited(1, request);
  const int result = PMPI_Test(request, done, status);
  if (result == MPI_SUCCESS && *done != 0) waited.all_ended();
  return result;
}
WARPSAFE_MPI MPI_Testall(int count, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  const Waited waited(count, requests);
  const int result = PMPI_Testall(count, requests, done, statuses);
  if (result == MPI_SUCCESS && *done != 0) waited.all_ended();
  return result;
}
WARPSAFE_MPI MPI_Testany(int count, MPI_Request requests[], int* index, int* done,
                         MPI_Status* status) {
  const Waited waited(count, requests);
  const int result = PMPI_Testany(count, requests, index, done, status);
  if (result == MPI_SUCCESS && *done != 0 && *index != MPI_UNDEFINED) waited.ended(*index);
  return result;
}
WARPSAFE_MPI MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                          MPI_Status statuses[]) {
  const Waited waited(count, requests);
  const int result = PMPI_Testsome(count, requests, done, indices, statuses);
  if (result != MPI_SUCCESS || *done == MPI_UNDEFINED) return result;
  for (int i = 0; i < *done; ++i) waited.ended(indices[i]);
  return result;
}
WARPSAFE_MPI MPI_Request_free(MPI_Request* request) {
  const Waited waited(1, request);
  const int result = PMPI_Request_free(request);
  if (result == MPI_SUCCESS) waited.freed();
  return result;
}
