// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::ranks {

/// A launcher of jobs, and the environment variables in which it tells each process its place.
struct Launcher {
  const char* name;
  const char* rank;
  const char* local_rank;  ///< among the job's processes on one host; "": not told
  const char* size;        ///< processes of the job; "": not told
};

/// In the order in which they count. torchrun under srun starts workers whose rank is not the one
/// of srun's task, and a batch script of Slurm has a SLURM_PROCID whatever it starts.
inline constexpr Launcher launchers[] = {
    {"torchrun", "RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},  // MPICH and its kin (Hydra)
    {"PMIx", "PMIX_RANK", "", ""},
    {"Slurm", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
};

}  // namespace warpsafe::ranks
