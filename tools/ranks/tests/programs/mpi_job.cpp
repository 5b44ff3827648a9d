// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One rank of a job over MPI: `mpi_job MODE`. The mistakes are on the lines with their names.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

int rank, size;
std::string mode;
double x[64], y[64 * 64];

bool is(const char* name) { return mode == name; }

bool steps(int count) {
  for (int i = 0; i < count; ++i) {
    for (double& value : x) value = rank + 1;
    MPI_Allreduce(x, y, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (y[63] != size * (size + 1) / 2.0) return false;
  }
  return true;
}

/// Sends that have ended while their receiver works: nobody waits. Open MPI has one request for all
/// small sends.
bool right_requests() {
  if (rank == 0) {
    MPI_Request requests[2];
    const auto send = [&] {
      for (MPI_Request& one : requests) MPI_Isend(x, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &one);
    };
    int done = 0, index = 0;
    send();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    send();
    for (int ended = 0; ended < 2; ended += done) {
      int indices[2];
      MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    send();
    for (int ended = 0; ended < 2; ended += done)
      MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);
    send();
    for (MPI_Request& one : requests) MPI_Request_free(&one);
  }
  ::sleep(3);
  for (int i = 0; rank == 1 && i < 8; ++i)
    MPI_Recv(y, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return steps(2);
}

/// All calls that are recorded, as the standard allows them.
bool right_all() {
  bool is_right = steps(20);
  MPI_Comm half, copy, node, pair = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : rank % 2, rank, &half);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Group world, two;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first[2] = {0, 1};
  MPI_Group_incl(world, 2, first, &two);
  MPI_Comm_create(MPI_COMM_WORLD, two, &pair);
  if (pair != MPI_COMM_NULL) MPI_Barrier(pair);
  if (half != MPI_COMM_NULL) MPI_Barrier(half);
  MPI_Barrier(node);

  // The same bytes by different types, the root's part in place, and counts that differ.
  MPI_Datatype block;
  MPI_Type_contiguous(8, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Bcast(x, rank == 0 ? 8 : 1, rank == 0 ? MPI_DOUBLE : block, 0, copy);
  if (rank == 1) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 4, MPI_DOUBLE, 1, copy);
    MPI_Scatter(y, 4, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, copy);
  } else {
    MPI_Gather(x, 4, MPI_DOUBLE, nullptr, 0, MPI_DATATYPE_NULL, 1, copy);
    MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, x, 4, MPI_DOUBLE, 1, copy);
  }
  std::vector<int> counts, offsets;
  for (int i = 0, sum = 0; i < size; sum += ++i) {
    counts.push_back(i + 1);
    offsets.push_back(sum);
  }
  MPI_Allgatherv(x, rank + 1, MPI_DOUBLE, y, counts.data(), offsets.data(), MPI_DOUBLE, copy);
  MPI_Gatherv(x, rank + 1, MPI_DOUBLE, y, counts.data(), offsets.data(), MPI_DOUBLE, 0, copy);
  MPI_Scatterv(y, counts.data(), offsets.data(), MPI_DOUBLE, x, rank + 1, MPI_DOUBLE, 0, copy);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 4, MPI_DOUBLE, copy);
  MPI_Alltoall(x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, copy);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, 8, MPI_DOUBLE, MPI_MAX, 0, copy);
  MPI_Scan(x, y, 4, MPI_DOUBLE, MPI_SUM, copy);
  MPI_Exscan(x, y, 4, MPI_DOUBLE, MPI_SUM, copy);
  MPI_Reduce_scatter_block(y, x, 1, MPI_DOUBLE, MPI_SUM, copy);
  const std::vector<int> ones(static_cast<std::size_t>(size), 1);
  MPI_Reduce_scatter(y, x, ones.data(), MPI_DOUBLE, MPI_SUM, copy);

  // Requests that end by each kind of wait.
  MPI_Request requests[3];
  MPI_Ibarrier(copy, &requests[0]);
  MPI_Ibcast(x, 4, MPI_DOUBLE, 0, copy, &requests[1]);
  MPI_Iallreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, copy, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double sent = rank, received = -1;
  MPI_Sendrecv(&sent, 1, MPI_DOUBLE, next, 3, &received, 1, MPI_DOUBLE, before, 3, copy,
               MPI_STATUS_IGNORE);
  is_right = is_right && received == before;
  MPI_Irecv(&received, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, copy, &requests[0]);
  MPI_Isend(&sent, 1, MPI_DOUBLE, before, 4, copy, &requests[1]);
  for (int left = 2; left != 0; --left) {
    int index = MPI_UNDEFINED;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  }
  is_right = is_right && received == next;
  MPI_Irecv(&received, 1, MPI_DOUBLE, before, MPI_ANY_TAG, copy, &requests[0]);
  MPI_Ssend(&sent, 1, MPI_DOUBLE, next, 5, copy);
  int done = 0;
  while (done == 0) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Send(&sent, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, copy);
  MPI_Comm_free(&copy);
  return steps(20) && is_right;
}

/// The third member's numbers have a NaN from collective 11 on.
void diverge() {
  for (int i = 0; i < 20; ++i) {
    for (double& value : x) value = rank + i;
    if (i >= 10 && (rank == 2 || i > 10)) x[5] = std::nan("");
    MPI_Allreduce(x, y, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

void mistake() {
  if (is("nan")) {
    diverge();
    return;
  }
  steps(10);
  const bool odd_one = rank == size - 1;
  if (is("absent") && odd_one) ::pause();  // mistake: it never calls the next collective
  if (is("root")) MPI_Bcast(x, 4, MPI_DOUBLE, odd_one ? 1 : 0, MPI_COMM_WORLD);
  if (is("bytes")) MPI_Bcast(x, odd_one ? 2 : 4, MPI_DOUBLE, odd_one ? 1 : 0, MPI_COMM_WORLD);
  if (is("killed") && odd_one) ::raise(SIGKILL);
  if (is("receive") && odd_one) {
    MPI_Recv(x, 4, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);  // mistake: nobody sends with tag 7
  }
  if (is("receive") && rank == 0) {
    double value = 1;
    MPI_Send(&value, 1, MPI_DOUBLE, size - 1, 8, MPI_COMM_WORLD);
  }
  if (is("circle")) {
    MPI_Comm second;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Barrier(odd_one ? second : MPI_COMM_WORLD);
    MPI_Barrier(odd_one ? MPI_COMM_WORLD
                        : second);  // mistake: the ranks wait in different communicators
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mode = count > 1 ? arguments[1] : "";
  bool is_right = true;
  if (is("right_all")) {
    is_right = right_all();
  } else if (is("right_requests")) {
    is_right = right_requests();
  } else if (is("right_loop")) {
    is_right = steps(200);
  } else {
    mistake();
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
