// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The version, the check level and the host/device marker. This file and every header that kernel
// code includes compile as C++17 and include no standard header, so that NVRTC and hipRTC can read
// them.

#include <warpsafe/core/toolchain.hpp>

#define WARPSAFE_DETAIL_QUOTED(x) #x
#define WARPSAFE_DETAIL_TEXT_OF(x) WARPSAFE_DETAIL_QUOTED(x)

// The compiler takes each header from the folder that comes first, and would mix two versions.
#if defined(WARPSAFE_VERSION_MAJOR)
#define WARPSAFE_DETAIL_PRAGMA(x) _Pragma(#x)
#define WARPSAFE_DETAIL_SAY(x) WARPSAFE_DETAIL_PRAGMA(GCC error x)
// clang-format off
WARPSAFE_DETAIL_SAY(WARPSAFE_DETAIL_TEXT_OF(two versions of warpsafe in one translation unit: WARPSAFE_VERSION_MAJOR.WARPSAFE_VERSION_MINOR.WARPSAFE_VERSION_PATCH and 0.1.0; name one include folder alone));
// clang-format on
#include "the error above ends this compilation"
#endif

#define WARPSAFE_VERSION_MAJOR 0
#define WARPSAFE_VERSION_MINOR 1
#define WARPSAFE_VERSION_PATCH 0
/// The version as one number, which orders releases: 10000 * major + 100 * minor + patch.
#define WARPSAFE_VERSION \
  (WARPSAFE_VERSION_MAJOR * 10000 + WARPSAFE_VERSION_MINOR * 100 + WARPSAFE_VERSION_PATCH)

// Two versions of the library in one process share no function, because the version is a part of
// each name.
#define WARPSAFE_DETAIL_JOINED(major, minor, patch) v##major##_##minor##_##patch
#define WARPSAFE_DETAIL_VERSION_OF(major, minor, patch) WARPSAFE_DETAIL_JOINED(major, minor, patch)
#define WARPSAFE_DETAIL_VERSION \
  WARPSAFE_DETAIL_VERSION_OF(WARPSAFE_VERSION_MAJOR, WARPSAFE_VERSION_MINOR, WARPSAFE_VERSION_PATCH)

/// Whether launches are checked: 0 or 1. The default follows NDEBUG.
#if !defined(WARPSAFE_CHECKS)
#if defined(NDEBUG)
#define WARPSAFE_CHECKS 0
#else
#define WARPSAFE_CHECKS 1
#endif
#endif
// `#if` reads an undefined word as 0, so the value is compared as a part of a name.
#define WARPSAFE_DETAIL_LEVEL_0 1
#define WARPSAFE_DETAIL_LEVEL_1 1
#define WARPSAFE_DETAIL_JOINED_LEVEL(value) WARPSAFE_DETAIL_LEVEL_##value
#define WARPSAFE_DETAIL_IS_LEVEL(value) WARPSAFE_DETAIL_JOINED_LEVEL(value)
#if WARPSAFE_DETAIL_IS_LEVEL(WARPSAFE_CHECKS) != 1
// clang-format off
static_assert(false, "warpsafe: WARPSAFE_CHECKS is " WARPSAFE_DETAIL_TEXT_OF(WARPSAFE_CHECKS)
    ", which is no check level; define it as 1 (all checks) or 0 (none), or leave it out to follow NDEBUG");
// clang-format on
#endif

/// Marks a function that both kernels and the host call.
#if defined(__CUDACC__) || defined(__HIPCC__)  // NVRTC and hipRTC define these too
#define WARPSAFE_FN __host__ __device__
#else
#define WARPSAFE_FN
#endif

/// Attributes for clang++'s warnings: what a function returns refers to its object, and a type is a
/// reference to an object. g++ has none.
#if defined(__clang__) && !defined(__CUDACC__)
#define WARPSAFE_DETAIL_BOUND [[clang::lifetimebound]]
#define WARPSAFE_DETAIL_REFERENCE [[gsl::Pointer]]
#else
#define WARPSAFE_DETAIL_BOUND
#define WARPSAFE_DETAIL_REFERENCE
#endif

/// Attribute of a class whose discarded object is a mistake. nvcc takes a call that returns a
/// reference to such an object for one that returns it: `std::optional<Stream>::emplace(…)` would
/// be a warning.
#if defined(__CUDACC__) && !defined(__clang__)
#define WARPSAFE_DETAIL_OWNER
#else
#define WARPSAFE_DETAIL_OWNER [[nodiscard]]
#endif

/// Attributes of errors and first calls. A compiler optimises them longer than it reads them.
#if defined(__clang__)
#define WARPSAFE_DETAIL_RARE gnu::cold, gnu::noinline, clang::optnone
#else
#define WARPSAFE_DETAIL_RARE gnu::cold, gnu::noinline, gnu::optimize("O0")
#endif

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

namespace adversarial {}
namespace debug {
namespace detail {}
}  // namespace debug
namespace detail {}
namespace host {}
namespace limits {}

/// The levels of WARPSAFE_CHECKS. A level is a template argument of the code that depends on it and
/// never changes the layout of a type, so objects of different levels link into one program.
enum class CheckLevel : int { off = 0, full = 1 };

// The default of every level argument. Each level has its own inline namespace, so that translation
// units of different levels name two different constants instead of one constant with two values.
#if WARPSAFE_CHECKS + 0 == 0
inline namespace checks_off {
inline constexpr CheckLevel current_level = CheckLevel::off;
}
#else
inline namespace checks_full {
inline constexpr CheckLevel current_level = CheckLevel::full;
}
#endif

// The backends. Each is one struct with the same member names (backend/backend.hpp), and is
// complete only if its own header is included. Visible, because a variable of a template has the
// least visibility of its arguments: state of a backend is one object in a whole program.
struct [[gnu::visibility("default")]] cuda_backend;
struct [[gnu::visibility("default")]] host_backend;
/// The platform that HIP runs on decides which launch rules apply.
struct [[gnu::visibility("default")]] amd_platform;
struct [[gnu::visibility("default")]] nvidia_platform;
template <class Platform>
struct [[gnu::visibility("default")]] basic_hip_backend;
#if defined(__HIP_PLATFORM_NVIDIA__)
using hip_backend = basic_hip_backend<nvidia_platform>;
#else
using hip_backend = basic_hip_backend<amd_platform>;
#endif

// The backend of a plain `Stream` in this translation unit: the requested backend, else that of the
// compiler, else the CPU.
#if (defined(WARPSAFE_BACKEND_CUDA) + defined(WARPSAFE_BACKEND_HIP) + \
     defined(WARPSAFE_BACKEND_HOST)) > 1
#error \
    "define one of WARPSAFE_BACKEND_CUDA, WARPSAFE_BACKEND_HIP, WARPSAFE_BACKEND_HOST, not several"
#endif
#if defined(WARPSAFE_BACKEND_CUDA)
#define WARPSAFE_DETAIL_DEFAULT_CUDA
#elif defined(WARPSAFE_BACKEND_HIP)
#define WARPSAFE_DETAIL_DEFAULT_HIP
#elif defined(WARPSAFE_BACKEND_HOST)
#define WARPSAFE_DETAIL_DEFAULT_HOST
#elif defined(__HIPCC__) || defined(__HIP__)
#define WARPSAFE_DETAIL_DEFAULT_HIP
#elif defined(__CUDACC__)
#define WARPSAFE_DETAIL_DEFAULT_CUDA
#else
#define WARPSAFE_DETAIL_DEFAULT_HOST
#endif
#if defined(WARPSAFE_DETAIL_DEFAULT_CUDA)
using default_backend = cuda_backend;
#elif defined(WARPSAFE_DETAIL_DEFAULT_HIP)
using default_backend = hip_backend;
#else
using default_backend = host_backend;
#endif

namespace detail {
/// Gives the printers of print/ access to private members. Defined in print/memory.hpp.
struct PrintAccess;
}  // namespace detail

}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
