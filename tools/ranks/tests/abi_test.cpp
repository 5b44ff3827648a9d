// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// tools/ranks declares NCCL's functions by itself. This file compiles only if nccl.h declares the
// same: a parameter of another size or kind would corrupt a program's call.

#include "tools/ranks/nccl/abi.hpp"

#include <nccl.h>

#include <type_traits>

namespace ranks = warpsafe::ranks::nccl;

namespace {

/// As the call passes it: enumerations are ints, and handles are pointers.
template <class T>
using passed = std::conditional_t<
    std::is_enum_v<T>, int,
    std::conditional_t<std::is_pointer_v<T>, void*,
                       std::conditional_t<std::is_same_v<T, ncclUniqueId>, ranks::UniqueId, T>>>;
template <class R, class... P>
consteval auto plain(R (*)(P...)) -> passed<R> (*)(passed<P>...) {
  return nullptr;
}
template <auto Function, class... P>
inline constexpr bool takes =
    std::is_same_v<decltype(plain(Function)), ranks::Status (*)(passed<P>...)>;

static_assert(sizeof(ncclUniqueId) == sizeof(ranks::UniqueId));
static_assert(ncclSuccess == ranks::success && ncclInProgress == ranks::in_progress);
static_assert(takes<&ncclCommInitRank, void**, int, ranks::UniqueId, int>);
static_assert(takes<&ncclCommInitRankConfig, void**, int, ranks::UniqueId, int, void*>);
static_assert(takes<&ncclCommSplit, void*, int, int, void**, void*>);
static_assert(takes<&ncclCommInitAll, void**, int, const int*>);
static_assert(takes<&ncclAllReduce, const void*, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclReduce, const void*, void*, std::size_t, int, int, int, void*, void*>);
static_assert(takes<&ncclReduceScatter, const void*, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclBroadcast, const void*, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclBcast, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclAllGather, const void*, void*, std::size_t, int, void*, void*>);
static_assert(takes<&ncclSend, const void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclRecv, void*, std::size_t, int, int, void*, void*>);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
static_assert(takes<&ncclAlltoAll, const void*, void*, std::size_t, int, void*, void*>);
static_assert(takes<&ncclGather, const void*, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclScatter, const void*, void*, std::size_t, int, int, void*, void*>);
static_assert(takes<&ncclCommShrink, void*, int*, int, void**, void*, int>);
static_assert(takes<&ncclCommInitRankScalable, void**, int, int, int, ranks::UniqueId*, void*>);
#endif
static_assert(ncclFloat32 == 7 && ncclFloat64 == 8 && ncclBfloat16 == 9 && ncclAvg == 4);

}  // namespace
