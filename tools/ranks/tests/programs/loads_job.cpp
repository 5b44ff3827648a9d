// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Loads job.cpp and its NCCL as Python loads an extension: for that module alone, so that their
// functions are in no other object's scope. loads_job MODULE FOLDER MODE

#include <dlfcn.h>

#include <cstdio>

int main(int count, char** arguments) {
  void* const module = count < 2 ? nullptr : ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 4;
  }
  auto* const job = reinterpret_cast<int (*)(int, char**)>(::dlsym(module, "main"));
  return job == nullptr ? 5 : job(count - 1, arguments + 1);
}
