// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// NCCL's functions by dlopen and dlsym, as CuPy and JAX find them.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

template <class F>
F& by_name(const char* name) {
  static void* const library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  ::dlerror();
  void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
  // dlsym's manual page tells a program to look for an error in this way.
  if (const char* const error = ::dlerror(); error != nullptr || found == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    std::exit(6);
  }
  return *reinterpret_cast<F*>(found);
}

/// The recorder answers for NCCL alone, and for one library of it.
inline bool other_lookups_are_right() {
  // RTLD_NEXT depends on the caller: for the program, the recorder is next.
  if (::dlsym(RTLD_NEXT, "dlsym") != ::dlsym(RTLD_DEFAULT, "dlsym")) return false;
  if (::dlsym(RTLD_DEFAULT, "no such function") != nullptr) return false;
  Dl_info found{};
  void* const other = ::dlopen("libnccl_other.so", RTLD_NOW | RTLD_LOCAL);
  void* const function = other == nullptr ? nullptr : ::dlsym(other, "ncclAllReduce");
  return function != nullptr && ::dladdr(function, &found) != 0 &&
         std::strstr(found.dli_fname, "libnccl_other.so") != nullptr;
}

#define BY_NAME(function) (by_name<decltype(::function)>(#function))
#define ncclGetUniqueId BY_NAME(ncclGetUniqueId)
#define ncclCommInitRank BY_NAME(ncclCommInitRank)
#define ncclCommInitRankConfig BY_NAME(ncclCommInitRankConfig)
#define ncclCommSplit BY_NAME(ncclCommSplit)
#define ncclCommDestroy BY_NAME(ncclCommDestroy)
#define ncclGroupStart BY_NAME(ncclGroupStart)
#define ncclGroupEnd BY_NAME(ncclGroupEnd)
#define ncclAllReduce BY_NAME(ncclAllReduce)
#define ncclReduce BY_NAME(ncclReduce)
#define ncclBroadcast BY_NAME(ncclBroadcast)
#define ncclBcast BY_NAME(ncclBcast)
#define ncclAllGather BY_NAME(ncclAllGather)
#define ncclReduceScatter BY_NAME(ncclReduceScatter)
#define ncclSend BY_NAME(ncclSend)
#define ncclRecv BY_NAME(ncclRecv)
