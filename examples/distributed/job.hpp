// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "meeting.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#if __has_include(<mpi.h>)
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

/// This process's place in a job that torchrun or MPI's launcher started.
class Job {
 public:
  /// Prints why on standard error, and returns nothing, if neither started this process.
  [[nodiscard]] static std::optional<Job> join(int& count, char**& arguments) {
    Job job;
    if (std::getenv("MASTER_ADDR") != nullptr && std::getenv("RANK") != nullptr) {
      job.own_ = number("RANK");
      job.ranks_ = number("WORLD_SIZE");
      job.on_this_machine_ = number("LOCAL_RANK");
      job.uses_mpi_ = false;
      if (job.ranks_ < 1 || job.own_ < 0 || job.own_ >= job.ranks_) {
        std::fprintf(stderr, "RANK=%d of WORLD_SIZE=%d is no place in a job\n", job.own_,
                     job.ranks_);
        return std::nullopt;
      }
      return job;
    }
#if __has_include(<mpi.h>)
    MPI_Init(&count, &arguments);
    MPI_Comm machine{};
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.own_);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &job.on_this_machine_);
    MPI_Comm_free(&machine);
    return job;
#else
    static_cast<void>(count);
    static_cast<void>(arguments);
    std::fprintf(stderr, "built without MPI: start it with torchrun --no-python\n");
    return std::nullopt;
#endif
  }

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int own() const noexcept { return own_; }
  [[nodiscard]] bool is_last() const noexcept { return own_ == ranks_ - 1; }
  /// 0, 1, … among the ranks of one machine.
  [[nodiscard]] int on_this_machine() const noexcept { return on_this_machine_; }
  [[nodiscard]] bool uses_mpi() const noexcept { return uses_mpi_; }

  /// Gives each rank the bytes of rank 0. False: the ranks did not find each other.
  [[nodiscard]] bool share([[maybe_unused]] void* bytes, std::size_t size) const {
#if __has_include(<mpi.h>)
    if (uses_mpi_) {
      return MPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
    }
#endif
    // torchrun itself uses MASTER_PORT.
    return Meeting{std::getenv("MASTER_ADDR"), std::to_string(number("MASTER_PORT") + 1), own_,
                   ranks_}
        .share(bytes, size);
  }
  /// Ends the process. The launcher ends the other ranks, which would wait for this one forever.
  [[noreturn]] void abandon() const {
#if __has_include(<mpi.h>)
    if (uses_mpi_) MPI_Abort(MPI_COMM_WORLD, 2);
#endif
    std::_Exit(2);
  }
  /// The last call of a job that went well.
  void leave() const {
#if __has_include(<mpi.h>)
    if (uses_mpi_) MPI_Finalize();
#endif
  }

 private:
  Job() = default;
  static int number(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? -1 : std::atoi(text);
  }
  int ranks_ = 1;
  int own_ = 0;
  int on_this_machine_ = 0;
  bool uses_mpi_ = true;
};
