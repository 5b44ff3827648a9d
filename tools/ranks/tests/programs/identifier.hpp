// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "tools/ranks/nccl/abi.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// Rank 0's identifier of a communicator, through a file. `make` is ncclGetUniqueId, which a
/// program may have found by name.
template <class F>
warpsafe::ranks::nccl::UniqueId identifier(int rank, const std::string& path, F make) {
  warpsafe::ranks::nccl::UniqueId id{};
  if (rank == 0) {
    make(&id);
    std::FILE* const file = std::fopen((path + ".part").c_str(), "wb");
    if (file == nullptr) std::exit(9);
    std::fwrite(&id, sizeof id, 1, file);
    std::fclose(file);
    std::rename((path + ".part").c_str(), path.c_str());
    return id;
  }
  std::FILE* file = nullptr;
  while ((file = std::fopen(path.c_str(), "rb")) == nullptr) ::usleep(1000);
  if (std::fread(&id, sizeof id, 1, file) != 1) std::exit(9);
  std::fclose(file);
  return id;
}
