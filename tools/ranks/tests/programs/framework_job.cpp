// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// framework_job FOLDER: the last rank leaves out the last of ten steps.

#include "framework.hpp"

#include <unistd.h>

#include <cstdlib>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int rank = std::atoi(std::getenv("RANK"));
  const int size = std::atoi(std::getenv("WORLD_SIZE"));
  if (!framework::join(arguments[1], rank, size)) return 3;
  framework::backward(rank == size - 1 ? 9 : 10);
  ::pause();
  return 0;
}
