// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "hip_runtime.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::ranks {

/// CUDA's driver, as far as the recorder needs it: found in the process by name, and never loaded.
/// Its calls leave the runtime's last error alone. cuda.h of CUDA 12; a driver since 11 has these
/// functions. In a process without the driver, AMD's HIP runtime.
class Driver {
 public:
  using Handle = void*;
  using Address = std::uint64_t;  ///< CUdeviceptr
  Driver() noexcept {
    void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) {
      find_hip();
      return;
    }
    found_ =
        load(library, "cuStreamIsCapturing", stream_is_capturing) &&
        load(library, "cuStreamGetCtx", stream_context) &&
        load(library, "cuCtxGetCurrent", current) && load(library, "cuCtxPushCurrent_v2", push) &&
        load(library, "cuCtxPopCurrent_v2", pop) && load(library, "cuEventCreate", event_create) &&
        load(library, "cuEventRecord", event_record) &&
        load(library, "cuEventQuery", event_query) &&
        load(library, "cuEventElapsedTime", elapsed) &&
        load(library, "cuThreadExchangeStreamCaptureMode", exchange_mode);
    (void)load(library, "cuStreamGetId", stream_id);  // since CUDA 12.0
    (void)load(library, "cuCtxGetId", context_id);    // since CUDA 12.0
    launches_ = found_ && load(library, "cuModuleLoadData", module_load) &&
                load(library, "cuModuleGetFunction", module_function) &&
                load(library, "cuLaunchKernel", launch) &&
                load(library, "cuMemHostAlloc", host_alloc) &&
                load(library, "cuMemHostGetDevicePointer_v2", device_pointer) &&
                load(library, "cuMemGetAddressRange_v2", address_range) &&
                load(library, "cuPointerGetAttribute", pointer_attribute) &&
                load(library, "cuCtxGetDevice", device) &&
                load(library, "cuDeviceGetAttribute", device_attribute) &&
                load(library, "cuDriverGetVersion", version);
  }
  /// False: no end of a collective can be seen.
  [[nodiscard]] bool is_found() const noexcept { return found_; }
  /// False: no kernel can be launched.
  [[nodiscard]] bool can_launch() const noexcept { return launches_; }
  /// The newest major release of CUDA that the driver serves.
  [[nodiscard]] int cuda() const noexcept {
    int number = 0;
    return version(&number) == 0 ? number / 1000 : 0;
  }

  int (*stream_is_capturing)(Handle, int*) = nullptr;
  int (*stream_context)(Handle, Handle*) = nullptr;
  /// Numbers that no other stream or context of the process has or had; null: there are none.
  int (*stream_id)(Handle, unsigned long long*) = nullptr;
  int (*context_id)(Handle, unsigned long long*) = nullptr;
  int (*current)(Handle*) = nullptr;
  int (*push)(Handle) = nullptr;
  int (*pop)(Handle*) = nullptr;
  int (*event_create)(Handle*, unsigned) = nullptr;
  int (*event_record)(Handle, Handle) = nullptr;
  int (*event_query)(Handle) = nullptr;
  int (*elapsed)(float*, Handle, Handle) = nullptr;
  int (*exchange_mode)(int*) = nullptr;
  int (*module_load)(Handle*, const void*) = nullptr;
  int (*module_function)(Handle*, Handle, const char*) = nullptr;
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                Handle, void**, void**) = nullptr;
  int (*host_alloc)(void**, std::size_t, unsigned) = nullptr;
  int (*device_pointer)(Address*, void*, unsigned) = nullptr;
  int (*address_range)(Address*, std::size_t*, Address) = nullptr;
  int (*pointer_attribute)(void*, int, Address) = nullptr;
  int (*device)(int*) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*version)(int*) = nullptr;
  /// Of HIP: the runtime's last error, and the same while it is cleared. Null: CUDA.
  int (*peek_error)() = nullptr;
  int (*take_error)() = nullptr;

 private:
  void find_hip() noexcept {
    found_ = HipRuntime::find();
    stream_is_capturing = HipRuntime::stream_is_capturing;
    stream_context = &HipRuntime::stream_context;
    current = &HipRuntime::current;
    push = &HipRuntime::push;
    pop = &HipRuntime::pop;
    event_create = HipRuntime::event_create;
    event_record = HipRuntime::event_record;
    event_query = HipRuntime::event_query;
    elapsed = HipRuntime::elapsed;
    exchange_mode = HipRuntime::exchange_mode;
    peek_error = HipRuntime::peek_error;
    take_error = HipRuntime::take_error;
  }
  template <class F>
  static bool load(void* library, const char* name, F& function) noexcept {
    function = reinterpret_cast<F>(::dlsym(library, name));
    return function != nullptr;
  }
  bool found_ = false;
  bool launches_ = false;
};

/// A query is forbidden while another thread captures, unless the thread says that it is no part of
/// that capture (CUDA Driver API, cuThreadExchangeStreamCaptureMode). With HIP, an error of the
/// calls here does not become the thread's last one.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver)
      : driver_(driver), error_(driver.peek_error != nullptr ? driver.peek_error() : 0) {
    driver_.exchange_mode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() {
    driver_.exchange_mode(&mode_);
    if (driver_.peek_error != nullptr && error_ == 0 && driver_.peek_error() != 0) {
      (void)driver_.take_error();
    }
  }

 private:
  const Driver& driver_;
  const int error_;
  int mode_ = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
};

/// Makes a context the thread's current one, if it is not. That of the calling thread usually is.
class InContext {
 public:
  InContext(const Driver& driver, void* context) : driver_(driver) {
    void* now = nullptr;
    if (driver_.current(&now) == 0 && now == context) return;
    has_failed_ = driver_.push(context) != 0;
    has_pushed_ = !has_failed_;
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext() {
    void* popped = nullptr;
    if (has_pushed_) driver_.pop(&popped);
  }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  const Driver& driver_;
  bool has_failed_ = false;
  bool has_pushed_ = false;
};

}  // namespace warpsafe::ranks
