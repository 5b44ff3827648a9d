// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/object_walk.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <cstring>
#include <string>

// The MPI library of the process. This library is loaded into every process of a job, also into
// those that use no MPI, so it must not need one: functions are weak references, and constants that
// are addresses (Open MPI) are found by name.

#define WARPSAFE_WEAK(function) extern "C" decltype(function) function [[gnu::weak]]
WARPSAFE_WEAK(PMPI_Init);
WARPSAFE_WEAK(PMPI_Init_thread);
WARPSAFE_WEAK(PMPI_Abort);
WARPSAFE_WEAK(PMPI_Comm_rank);
WARPSAFE_WEAK(PMPI_Comm_size);
WARPSAFE_WEAK(PMPI_Comm_group);
WARPSAFE_WEAK(PMPI_Comm_dup);
WARPSAFE_WEAK(PMPI_Comm_split);
WARPSAFE_WEAK(PMPI_Comm_split_type);
WARPSAFE_WEAK(PMPI_Comm_create);
WARPSAFE_WEAK(PMPI_Comm_create_keyval);
WARPSAFE_WEAK(PMPI_Comm_set_attr);
WARPSAFE_WEAK(PMPI_Comm_get_attr);
WARPSAFE_WEAK(PMPI_Group_size);
WARPSAFE_WEAK(PMPI_Group_translate_ranks);
WARPSAFE_WEAK(PMPI_Group_free);
WARPSAFE_WEAK(PMPI_Type_size);
WARPSAFE_WEAK(PMPI_Type_get_name);
WARPSAFE_WEAK(PMPI_Type_get_extent);
WARPSAFE_WEAK(PMPI_Type_get_true_extent);
WARPSAFE_WEAK(PMPI_Barrier);
WARPSAFE_WEAK(PMPI_Bcast);
WARPSAFE_WEAK(PMPI_Allreduce);
WARPSAFE_WEAK(PMPI_Reduce);
WARPSAFE_WEAK(PMPI_Scan);
WARPSAFE_WEAK(PMPI_Exscan);
WARPSAFE_WEAK(PMPI_Reduce_scatter_block);
WARPSAFE_WEAK(PMPI_Reduce_scatter);
WARPSAFE_WEAK(PMPI_Allgather);
WARPSAFE_WEAK(PMPI_Alltoall);
WARPSAFE_WEAK(PMPI_Gather);
WARPSAFE_WEAK(PMPI_Scatter);
WARPSAFE_WEAK(PMPI_Allgatherv);
WARPSAFE_WEAK(PMPI_Gatherv);
WARPSAFE_WEAK(PMPI_Scatterv);
WARPSAFE_WEAK(PMPI_Alltoallv);
WARPSAFE_WEAK(PMPI_Ibarrier);
WARPSAFE_WEAK(PMPI_Ibcast);
WARPSAFE_WEAK(PMPI_Iallreduce);
WARPSAFE_WEAK(PMPI_Send);
WARPSAFE_WEAK(PMPI_Ssend);
WARPSAFE_WEAK(PMPI_Recv);
WARPSAFE_WEAK(PMPI_Sendrecv);
WARPSAFE_WEAK(PMPI_Isend);
WARPSAFE_WEAK(PMPI_Irecv);
WARPSAFE_WEAK(PMPI_Wait);
WARPSAFE_WEAK(PMPI_Waitall);
WARPSAFE_WEAK(PMPI_Waitany);
WARPSAFE_WEAK(PMPI_Waitsome);
WARPSAFE_WEAK(PMPI_Test);
WARPSAFE_WEAK(PMPI_Testall);
WARPSAFE_WEAK(PMPI_Testany);
WARPSAFE_WEAK(PMPI_Testsome);
WARPSAFE_WEAK(PMPI_Request_free);
#undef WARPSAFE_WEAK

namespace warpsafe::ranks::mpi {

/// Makes the functions of the process' MPI library visible. Python loads it for a single
/// module, so its symbols are hidden from other libraries.
inline void make_visible() {
  std::string file;
  ObjectWalks::walk(
      [](dl_phdr_info* object, std::size_t, void* found) {
        const char* const slash = std::strrchr(object->dlpi_name, '/');
        if (slash == nullptr || std::strncmp(slash + 1, "libmpi.so", 9) != 0) return 0;
        *static_cast<std::string*>(found) = object->dlpi_name;
        return 1;
      },
      &file);
  // Not in the walk: dlopen takes the two locks of the loader in the other order.
  if (!file.empty()) (void)::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
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
