// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace warpsafe::ranks {

/// AMD's HIP runtime, as far as the recorder needs it, with the signatures of CUDA's driver: found
/// in the process by name, and never loaded. A device takes the place of a context.
/// hip_runtime_api.h of ROCm 5 to 7. The numbers of the capture modes and of hipErrorNotReady are
/// CUDA's.
struct HipRuntime {
  using Handle = void*;

  /// False: the process has no HIP runtime, or a release before 5.0.
  [[nodiscard]] static bool find() noexcept {
    void* library = nullptr;
    for (const char* name :
         {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}) {
      if (library == nullptr) library = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    }
    if (library == nullptr) return false;
    (void)load(library, "hipStreamGetDevice", stream_get_device);  // since ROCm 5.6
    return load(library, "hipStreamIsCapturing", stream_is_capturing) &&
           load(library, "hipGetDevice", get_device) && load(library, "hipSetDevice", set_device) &&
           load(library, "hipEventCreateWithFlags", event_create) &&
           load(library, "hipEventRecord", event_record) &&
           load(library, "hipEventQuery", event_query) &&
           load(library, "hipEventElapsedTime", elapsed) &&
           load(library, "hipThreadExchangeStreamCaptureMode", exchange_mode) &&
           load(library, "hipPeekAtLastError", peek_error) &&
           load(library, "hipGetLastError", take_error);
  }

  static inline int (*stream_is_capturing)(Handle, int*) = nullptr;
  static inline int (*event_create)(Handle*, unsigned) = nullptr;
  static inline int (*event_record)(Handle, Handle) = nullptr;
  static inline int (*event_query)(Handle) = nullptr;
  static inline int (*elapsed)(float*, Handle, Handle) = nullptr;
  static inline int (*exchange_mode)(int*) = nullptr;
  static inline int (*peek_error)() = nullptr;
  static inline int (*take_error)() = nullptr;

  /// Without hipStreamGetDevice, the current device: an event on a stream of another one fails.
  static int stream_context(Handle stream, Handle* context) noexcept {
    int device = 0;
    const int status =
        stream_get_device != nullptr ? stream_get_device(stream, &device) : get_device(&device);
    *context = context_of(device);
    return status;
  }
  static int current(Handle* context) noexcept {
    int device = 0;
    const int status = get_device(&device);
    *context = context_of(device);
    return status;
  }
  static int push(Handle context) noexcept {
    const int status = get_device(&before());
    return status != 0 ? status : set_device(device_of(context));
  }
  static int pop(Handle* context) noexcept {
    *context = context_of(before());
    return set_device(before());
  }

 private:
  template <class F>
  static bool load(void* library, const char* name, F& function) noexcept {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
  static Handle context_of(int device) noexcept {
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(device) + 1);
  }
  static int device_of(Handle context) noexcept {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(context) - 1);
  }
  /// The device of the thread before `push`.
  static int& before() noexcept {
    thread_local int device = 0;
    return device;
  }
  static inline int (*stream_get_device)(Handle, int*) = nullptr;
  static inline int (*get_device)(int*) = nullptr;
  static inline int (*set_device)(int) = nullptr;
};

}  // namespace warpsafe::ranks
