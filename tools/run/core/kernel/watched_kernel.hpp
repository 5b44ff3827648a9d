// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_code.hpp"
#include "written_parameter.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Position of a parameter in a kernel's parameter block, in bytes.
struct KernelParameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< 0: unknown

  [[nodiscard]] bool operator==(const KernelParameter&) const = default;
};
/// Unknown offset. A pointer there is aligned to 8.
inline constexpr std::size_t no_offset = ~std::size_t{7};

/// One kernel of the watched program, by its name. It lives as long as the process, because the
/// journal points to its name.
struct Kernel {
  std::string name;            ///< name for texts (kernel_name)
  std::uint64_t launches = 0;  ///< atomic; including refused launches
  bool listed = true;          ///< whether --kernel selects it
  /// Atomic: whether the members up to `library` are filled in. They do not change afterwards.
  bool described = false;
  KernelLimits limits;                ///< `known` is false if the driver could not be asked
  std::uint32_t cluster[3] = {};      ///< the cluster that it was compiled for; 0: none
  bool non_portable_cluster = false;  ///< clusters of more than 8 blocks were requested
  /// Positions of its parameters; empty if the driver does not report them.
  std::vector<KernelParameter> parameters;
  std::vector<std::string> types{};    ///< of the parameters that its name shows
  std::size_t named_parameters = 0;    ///< the parameters that its name shows; 0: unknown
  std::size_t written = no_parameter;  ///< the parameter that it writes (written_parameter)
  const char* library = "";            ///< the library that launched it first; "": none known
  KernelCode code;                     ///< atomic; empty if the code was not seen
  bool writes_managed = false;         ///< atomic; a launch may have written managed memory
  bool writes_pinned = false;          ///< atomic; a launch may have written pinned memory
  std::uint32_t host_looks = 0;        ///< atomic; launches searched for pointers to host memory
  std::uint64_t refused = 0;           ///< atomic
  std::uint64_t suspect = 0;           ///< atomic; faults of running work that it may have caused
  std::uint64_t reported = 0;          ///< atomic; printed refusals with the code last_code
  std::uint32_t last_code = 0;         ///< atomic; the Errc of its last refusal; 0: none
  [[nodiscard]] bool is_described() const noexcept {
    return __atomic_load_n(&described, __ATOMIC_ACQUIRE);
  }
  /// Takes what `other` is described with. Other threads may read this entry meanwhile, and until
  /// then leave these members alone. @pre !described && other.described
  void describe_as(Kernel&& other) noexcept {
    limits = other.limits;
    for (int axis = 0; axis < 3; ++axis) cluster[axis] = other.cluster[axis];
    non_portable_cluster = other.non_portable_cluster;
    parameters = std::move(other.parameters);
    library = other.library;
    __atomic_store_n(&described, true, __ATOMIC_RELEASE);
  }
  /// Whether both may be one kernel, judged by what they are described with.
  [[nodiscard]] bool is_same_as(const Kernel& other) const noexcept {
    const bool other_limits = limits.known && other.limits.known &&
                              (limits.max_threads_per_block != other.limits.max_threads_per_block ||
                               limits.static_shared != other.limits.static_shared);
    return !other_limits && written == other.written && parameters == other.parameters;
  }
  [[nodiscard]] KernelCode machine_code() const noexcept {
    return {__atomic_load_n(&code.bits, __ATOMIC_RELAXED)};
  }
  [[nodiscard]] Name name_view() const noexcept { return {name.data(), name.size()}; }
};

}  // namespace warpsafe::watch
