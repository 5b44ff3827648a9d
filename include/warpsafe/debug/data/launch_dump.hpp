// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/element_type.hpp>
#include <warpsafe/debug/data/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Reads a launch that WARPSAFE_TRACE wrote. Its folder contains
///   launch.txt                     a description
///   grid.npy block.npy shared.npy  blocks and threads per axis (x, y, z); bytes of dynamic shared
///                                  memory
///   argN.npy                       the value of a parameter that is no pointer
///   argN.in.npy argN.out.npy       the memory that a parameter reaches, before and after the
///                                  launch; no argN.out.npy where the kernel only reads
/// Parameters count from 1.
class LaunchDump {
 public:
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint64_t dynamic_shared = 0;  ///< bytes

  /// Opens a dump. Returns false, with the reason in `problem`, if the folder does not exist or
  /// holds no launch.
  [[nodiscard]] bool open(const std::string& folder, std::string& problem) {
    folder_ = folder;
    return read("grid", grid, 3, problem) && read("block", block, 3, problem) &&
           read("shared", &dynamic_shared, 1, problem);
  }
  /// Reads the value of parameter `number`. Returns false, with the reason in `problem`, for
  /// example if T is not the parameter's type.
  template <class T>
  [[nodiscard]] bool value(int number, T& target, std::string& problem) const {
    return read("arg" + std::to_string(number), &target, 1, problem);
  }
  /// Reads the memory of parameter `number` as it was before the launch (`input`) or after it
  /// (`output`). Fails like `value`.
  template <class T>
  [[nodiscard]] bool input(int number, std::vector<T>& target, std::string& problem) const {
    return read_all("arg" + std::to_string(number) + ".in", target, problem);
  }
  template <class T>
  [[nodiscard]] bool output(int number, std::vector<T>& target, std::string& problem) const {
    return read_all("arg" + std::to_string(number) + ".out", target, problem);
  }

 private:
  template <class T>
  [[nodiscard]] bool load(const std::string& name, NpyArray& array, std::string& problem) const {
    const std::string path = folder_ + "/" + name + ".npy";
    if (!read_npy(path, array, problem)) return false;
    const std::string wanted = npy_descr(element_type<T>, sizeof(T));
    if (array.descr == wanted && array.data.size() % sizeof(T) == 0) return true;
    problem = path + ": its elements are '" + array.descr + "', but '" + wanted + "' was requested";
    return false;
  }
  template <class T>
  [[nodiscard]] bool read(const std::string& name, T* target, std::size_t count,
                          std::string& problem) const {
    NpyArray array;
    if (!load<T>(name, array, problem)) return false;
    if (array.data.size() != count * sizeof(T)) {
      problem = folder_ + "/" + name + ".npy: it has " + std::to_string(array.elements()) +
                " elements, but " + std::to_string(count) + " were requested";
      return false;
    }
    std::memcpy(static_cast<void*>(target), array.data.data(), array.data.size());
    return true;
  }
  template <class T>
  [[nodiscard]] bool read_all(const std::string& name, std::vector<T>& target,
                              std::string& problem) const {
    NpyArray array;
    if (!load<T>(name, array, problem)) return false;
    target.resize(array.data.size() / sizeof(T));
    if (!target.empty()) {
      std::memcpy(static_cast<void*>(target.data()), array.data.data(), array.data.size());
    }
    return true;
  }

  std::string folder_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
