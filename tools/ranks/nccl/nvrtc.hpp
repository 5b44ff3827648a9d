// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/object_walk.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpsafe::ranks {

/// NVIDIA's compiler at run time (NVRTC of CUDA 11.2 and later), found by name and loaded: nvrtc.h
/// declares these functions. PyTorch and the CUDA toolkit bring it.
class Nvrtc {
 public:
  using Program = void*;

  /// Loads the release that belongs to the CUDA libraries of this process, if there is one.
  /// `newest`: the driver's major release of CUDA, because it refuses the code of a newer one; 0:
  /// any.
  [[nodiscard]] static Nvrtc find(int newest) {
    Nvrtc found;
    found.newest_ = newest;
    // What the process has loaded itself comes first.
    for (const int only_loaded : {RTLD_NOLOAD, 0}) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
        if (found.load(name, only_loaded)) return found;
      }
      if (only_loaded == 0) break;
      for (const std::string& folder : folders_beside_cuda()) {
        if (found.load_from(folder)) return found;
      }
    }
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* const toolkit = std::getenv(variable);
      if (toolkit != nullptr && found.load_from(std::string(toolkit) + "/lib64")) return found;
    }
    (void)found.load_from("/usr/local/cuda/lib64");
    return found;
  }
  [[nodiscard]] bool is_found() const noexcept { return create != nullptr; }

  int (*create)(Program*, const char* source, const char* name, int headers,
                const char* const* texts, const char* const* names) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int count, const char* const* options) = nullptr;
  int (*architectures_size)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;

 private:
  /// A library that fits is never unloaded.
  bool load(const char* file, int flags) noexcept {
    void* const library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL | flags);
    if (library == nullptr) return false;
    const auto get = [library](const char* name, auto& function) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    int (*version)(int*, int*) = nullptr;
    int major = 0;
    int minor = 0;
    const bool is_complete =
        get("nvrtcVersion", version) && version(&major, &minor) == 0 &&
        (newest_ == 0 || major <= newest_) && get("nvrtcDestroyProgram", destroy) &&
        get("nvrtcCompileProgram", compile) &&
        get("nvrtcGetNumSupportedArchs", architectures_size) &&
        get("nvrtcGetSupportedArchs", architectures) && get("nvrtcGetCUBINSize", cubin_size) &&
        get("nvrtcGetCUBIN", cubin) && get("nvrtcGetPTXSize", ptx_size) &&
        get("nvrtcGetPTX", ptx) && get("nvrtcGetProgramLogSize", log_size) &&
        get("nvrtcGetProgramLog", log) && get("nvrtcCreateProgram", create);
    if (!is_complete) {
      create = nullptr;
      ::dlclose(library);
    }
    return is_complete;
  }
  /// PyTorch's own copy has a hash in its name.
  bool load_from(const std::string& folder) {
    DIR* const entries = ::opendir(folder.c_str());
    if (entries == nullptr) return false;
    while (const dirent* const entry = ::readdir(entries)) {
      const std::string name = entry->d_name;
      const bool is_compiler =
          name.rfind("libnvrtc", 0) == 0 && name.find(".so") != std::string::npos &&
          name.find("builtins") == std::string::npos && name.find(".alt.") == std::string::npos;
      if (is_compiler && load((folder + '/' + name).c_str(), 0)) break;
    }
    ::closedir(entries);
    return is_found();
  }
  int newest_ = 0;

  /// Where packages have NVRTC: in the folder of a CUDA library, in a folder of its own beside that
  /// one (nvidia/cuda_runtime/lib and nvidia/cuda_nvrtc/lib), or, seen from torch/lib, in one of
  /// these.
  static std::vector<std::string> folders_beside_cuda() {
    std::vector<std::string> folders;
    ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* data) {
          const std::string_view file = info->dlpi_name == nullptr ? "" : info->dlpi_name;
          const std::size_t slash = file.rfind('/');
          if (slash == std::string_view::npos) return 0;
          for (const std::string_view name : {"libcudart", "libtorch", "libc10", "libnccl"}) {
            if (file.substr(slash + 1, name.size()) != name) continue;
            for (const char* other : {"", "/../../cuda_nvrtc/lib", "/../../nvidia/cuda_nvrtc/lib",
                                      "/../../cu13/lib", "/../../nvidia/cu13/lib"}) {
              static_cast<std::vector<std::string>*>(data)->push_back(
                  std::string(file.substr(0, slash)) + other);
            }
          }
          return 0;
        },
        &folders);
    return folders;
  }
};

}  // namespace warpsafe::ranks
