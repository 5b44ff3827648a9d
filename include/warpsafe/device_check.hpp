// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A check in a kernel. If it fails, the host gets the kernel, block, thread, file, line and text,
// and the device's context stays intact.

#include <warpsafe/core/config.hpp>

#if WARPSAFE_CHECKS == 2 && !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)

#include <warpsafe/kernel/detail/check_failure.hpp>
#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#elif defined(__CUDACC__) || defined(__HIPCC__)
#include <warpsafe/backend/hip/hip_backend.hpp>
#endif

/// Use it in a kernel. If `condition` is false, the next wait through this library returns
/// Errc::device_check_failed with the kernel's name, the block, the thread, the file, the line and
/// `text`, a string literal. The error describes the first failure since the last report. The
/// failing thread stops (AMD: its whole wave), and the device's context stays intact. Without full
/// checks, the condition is not evaluated. A kernel without an earlier checked launch on its device
/// may trap instead, which loses the context. In code that NVRTC or hipRTC compiles, the macro does
/// nothing.
#define WARPSAFE_DEVICE_CHECK(condition, text)                           \
  (static_cast<bool>(condition) ? static_cast<void>(0)                   \
                                : ::warpsafe::detail::fail_device_check( \
                                      text " (" #condition ")", __FILE__, __LINE__, __func__))

namespace warpsafe::detail {

#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
[[maybe_unused]] static CheckUnit check_unit{nullptr, cuda_backend::vendor, 0,
                                             &allocate_check_record<cuda_backend>,
                                             &install_check_record<cuda_backend>};
#elif defined(__CUDACC__) || defined(__HIPCC__)
[[maybe_unused]] static CheckUnit check_unit{nullptr, hip_backend::vendor, 0,
                                             &allocate_check_record<hip_backend>,
                                             &install_check_record<hip_backend>};
#else
inline CheckUnit check_unit{nullptr, Vendor::host, 0, &allocate_check_record,
                            &install_check_record};
#endif

/// Registers this translation unit before main.
// NOLINTNEXTLINE(cert-err58-cpp): a lambda cannot be seen to throw nothing
[[maybe_unused]] static const bool check_unit_registered = [] {
  register_check_unit(check_unit);
  return true;
}();

}  // namespace warpsafe::detail

#else

#define WARPSAFE_DEVICE_CHECK(condition, text) \
  static_cast<void>(sizeof(static_cast<bool>(condition)))

#endif
