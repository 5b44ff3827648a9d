// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/stream/device.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

/// Whether a variable has one of the prefixes of the runtimes, the tools around them and this
/// library.
[[nodiscard]] inline bool is_reported(const char* variable) noexcept {
  for (const char* prefix : {"WARPSAFE_", "CUDA_", "NVIDIA_", "NCCL_", "HIP_", "ROCR_", "HSA_",
                             "AMD_", "GPU_", "RCCL_", "CUBLAS_", "CUDNN_", "PYTORCH_"}) {
    if (std::strncmp(variable, prefix, std::strlen(prefix)) == 0) return true;
  }
  return false;
}
[[nodiscard]] inline std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace detail

/// Describes this process as it runs on backend B: devices, versions, build level, variables.
/// Leaves out what the runtime cannot answer. The calls may create a context. @pre no graph is
/// being captured
template <class B = default_backend, CheckLevel Level = current_level>
[[nodiscard]] RunEnvironment describe_environment() {
  RunEnvironment found;
  found.started = detail::utc_now();
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) == 0) found.host = host;
#if defined(__clang__)
  found.compiler = "clang " __clang_version__;
#else
  found.compiler = "g++ " __VERSION__;
#endif
  found.level = static_cast<std::int32_t>(Level);
  found.backend = B::name;
  if constexpr (requires(int& number) { B::versions(number, number); }) {
    int driver = 0;
    int runtime = 0;
    static_cast<void>(B::versions(driver, runtime));  // what it cannot tell stays 0
    found.versions = {driver, runtime, B::toolkit_version};
  }
  const auto count = device_count<B>();
  for (int device = 0; count.has_value() && device < count.assume_value(); ++device) {
    const auto limits = device_limits<B>(DeviceId(device));
    if (limits.has_value()) found.devices.push_back(limits.assume_value());
  }
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const char* const value = std::strchr(*one, '=');
    if (value != nullptr && detail::is_reported(*one)) {
      found.variables.emplace_back(std::string(*one, static_cast<std::size_t>(value - *one)),
                                   std::string(value + 1));
    }
  }
  return found;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
