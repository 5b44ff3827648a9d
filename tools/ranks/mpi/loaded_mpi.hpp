// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <cstring>

// The MPI library of the process. This library is loaded into every process of a job, also into
// those that use no MPI, so it must not need one: functions are weak references, and constants that
// are addresses (Open MPI) are found by name.

#define WARPSAFE_PMPI_FUNCTIONS(WEAK)                                                           \
  WEAK(PMPI_Init)                                                                               \
  WEAK(PMPI_Init_thread)                                                                        \
  WEAK(PMPI_Abort)                                                                              \
  WEAK(PMPI_Comm_rank)                                                                          \
  WEAK(PMPI_Comm_size)                                                                          \
  WEAK(PMPI_Comm_group)                                                                         \
  WEAK(PMPI_Comm_dup) WEAK(PMPI_Comm_split) WEAK(PMPI_Comm_split_type) WEAK(PMPI_Comm_create)   \
      WEAK(PMPI_Comm_create_keyval) WEAK(PMPI_Comm_set_attr) WEAK(PMPI_Comm_get_attr)           \
          WEAK(PMPI_Group_size) WEAK(PMPI_Group_translate_ranks) WEAK(PMPI_Group_free)          \
              WEAK(PMPI_Type_size) WEAK(PMPI_Type_get_name) WEAK(PMPI_Barrier) WEAK(PMPI_Bcast) \
                  WEAK(PMPI_Allreduce) WEAK(PMPI_Reduce) WEAK(PMPI_Scan) WEAK(PMPI_Exscan)      \
                      WEAK(PMPI_Reduce_scatter_block) WEAK(PMPI_Reduce_scatter)                 \
                          WEAK(PMPI_Allgather) WEAK(PMPI_Alltoall) WEAK(PMPI_Gather)            \
                              WEAK(PMPI_Scatter) WEAK(PMPI_Allgatherv) WEAK(PMPI_Gatherv)       \
                                  WEAK(PMPI_Scatterv) WEAK(PMPI_Alltoallv) WEAK(PMPI_Ibarrier)  \
                                      WEAK(PMPI_Ibcast) WEAK(PMPI_Iallreduce) WEAK(PMPI_Send)   \
                                          WEAK(PMPI_Ssend) WEAK(PMPI_Recv) WEAK(PMPI_Sendrecv)  \
                                              WEAK(PMPI_Isend) WEAK(PMPI_Irecv) WEAK(PMPI_Wait) \
                                                  WEAK(PMPI_Waitall) WEAK(PMPI_Waitany)         \
                                                      WEAK(PMPI_Waitsome) WEAK(PMPI_Test)       \
                                                          WEAK(PMPI_Testall)
#define WARPSAFE_WEAK(function) extern "C" decltype(function) function [[gnu::weak]];
WARPSAFE_PMPI_FUNCTIONS(WARPSAFE_WEAK)
#undef WARPSAFE_WEAK

namespace warpsafe::ranks::mpi {

/// Makes the functions of the process' MPI library visible. Python loads it for one module alone.
inline void make_visible() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        const char* const slash = std::strrchr(object->dlpi_name, '/');
        if (slash == nullptr || std::strncmp(slash + 1, "libmpi.so", 9) != 0) return 0;
        return ::dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr ? 1
                                                                                             : 0;
      },
      nullptr);
}

#ifdef OPEN_MPI
template <class Handle>
Handle constant(const char* name) {
  return static_cast<Handle>(::dlsym(RTLD_DEFAULT, name));
}
#define WARPSAFE_CONSTANT(standard, own) \
  (::warpsafe::ranks::mpi::constant<decltype(standard)>(#own))
#else
#define WARPSAFE_CONSTANT(standard, own) (standard)
#endif

/// False: the process uses another MPI library than the one whose header this was compiled with,
/// and its handles are of another kind. Calls are then passed on, and nothing is recorded.
[[nodiscard]] inline bool is_usable() {
#ifdef OPEN_MPI
  static const bool usable = ::dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
#else
  // MPICH and its kin have one binary interface, in which handles are numbers.
  static const bool usable = ::dlsym(RTLD_DEFAULT, "MPIR_Process") != nullptr ||
                             ::dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") == nullptr;
#endif
  return usable;
}

/// The constants that the library needs, valid after `make_visible`.
struct Constants {
  MPI_Comm world = WARPSAFE_CONSTANT(MPI_COMM_WORLD, ompi_mpi_comm_world);
  MPI_Comm no_communicator = WARPSAFE_CONSTANT(MPI_COMM_NULL, ompi_mpi_comm_null);
  MPI_Request no_request = WARPSAFE_CONSTANT(MPI_REQUEST_NULL, ompi_request_null);
  MPI_Datatype no_type = WARPSAFE_CONSTANT(MPI_DATATYPE_NULL, ompi_mpi_datatype_null);
  struct Reduction {
    MPI_Op operation;
    const char* name;
  } reductions[12] = {{WARPSAFE_CONSTANT(MPI_SUM, ompi_mpi_op_sum), "sum"},
                      {WARPSAFE_CONSTANT(MPI_PROD, ompi_mpi_op_prod), "prod"},
                      {WARPSAFE_CONSTANT(MPI_MAX, ompi_mpi_op_max), "max"},
                      {WARPSAFE_CONSTANT(MPI_MIN, ompi_mpi_op_min), "min"},
                      {WARPSAFE_CONSTANT(MPI_LAND, ompi_mpi_op_land), "land"},
                      {WARPSAFE_CONSTANT(MPI_LOR, ompi_mpi_op_lor), "lor"},
                      {WARPSAFE_CONSTANT(MPI_BAND, ompi_mpi_op_band), "band"},
                      {WARPSAFE_CONSTANT(MPI_BOR, ompi_mpi_op_bor), "bor"},
                      {WARPSAFE_CONSTANT(MPI_LXOR, ompi_mpi_op_lxor), "lxor"},
                      {WARPSAFE_CONSTANT(MPI_BXOR, ompi_mpi_op_bxor), "bxor"},
                      {WARPSAFE_CONSTANT(MPI_MAXLOC, ompi_mpi_op_maxloc), "maxloc"},
                      {WARPSAFE_CONSTANT(MPI_MINLOC, ompi_mpi_op_minloc), "minloc"}};

  [[nodiscard]] static const Constants& get() {
    static const Constants constants;
    return constants;
  }
};
#undef WARPSAFE_CONSTANT

}  // namespace warpsafe::ranks::mpi
