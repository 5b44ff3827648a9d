// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// A made-up library that works like the vendors' own, on the modelled GPU. It has a C handle with a
// stream, a workspace and a pointer mode; functions that macros rename and C++ overloads; and a
// second handle whose functions take their stream as an argument. It keeps a log of its
// calls.

namespace toy {

using Stream = warpsafe::host_backend::native_stream;

struct Context {
  Stream stream = nullptr;  // the default stream
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  void* memory = nullptr;
  bool scalars_on_device = false;
};
struct Communicator {
  int rank;
};

/// The names that a program uses.
using toy_handle = Context*;
using toy_comm = Communicator*;

enum toy_status { toy_success = 0, toy_invalid_value = 3, toy_broken = 7, toy_slow = 9 };
enum toy_kind { toy_plain, toy_fancy };

inline std::mutex log_mutex;
inline std::vector<std::string> log;
inline std::string failing;  // the function whose next call fails with toy_broken

inline bool allocates = false;     // create and destroy use memory of the device
inline int destroyed_on = -1;      // the device that was current
inline void* scaled_in = nullptr;  // the workspace of the last toy_scale

inline toy_status did(const char* function) {
  const std::lock_guard lock(log_mutex);
  log.emplace_back(function);
  if (failing != function) return toy_success;
  failing.clear();
  return toy_broken;
}
inline std::vector<std::string> take_log() { return std::exchange(log, {}); }

/// Runs once on the device, in the order of a stream.
template <class... A>
toy_status submit(Stream stream, auto kernel, const A&... arguments) {
  int device = 0;  // the stream must not be queried while it captures
  static_cast<void>(warpsafe::host_backend::current_device(device));
  const auto ref = warpsafe::StreamRef::borrow(stream, warpsafe::DeviceId(device));
  const warpsafe::LaunchConfig once{warpsafe::grid<1>, warpsafe::block<1>};
  return warpsafe::launch<warpsafe::CheckLevel::off>(ref.value(), once, kernel, arguments...)
                 .has_value()
             ? toy_success
             : toy_broken;
}
template <class T>
auto memory(T* pointer) {
  return warpsafe::detail::DeviceAccess::pointer(pointer);
}

inline toy_status toy_create(toy_handle* handle) {
  *handle = new Context;
  if (allocates && warpsafe::host_backend::allocate_unordered((*handle)->memory, 64) != 0) {
    return toy_broken;
  }
  return did("create");
}
inline toy_status toy_destroy(toy_handle handle) {
  static_cast<void>(warpsafe::host_backend::current_device(destroyed_on));
  if (handle->memory != nullptr &&
      warpsafe::host_backend::deallocate_unordered(handle->memory) != 0) {
    return toy_broken;
  }
  delete handle;
  return did("destroy");
}
inline toy_status toy_set_stream(toy_handle handle, Stream stream) {
  const toy_status status = did("set_stream");
  if (status != toy_success) return status;
  handle->stream = stream;
  handle->workspace = nullptr;  // as cuBLAS does
  return status;
}
inline toy_status toy_get_stream(toy_handle handle, Stream* stream) {
  *stream = handle->stream;
  return did("get_stream");
}
inline toy_status toy_set_workspace(toy_handle handle, void* workspace, std::size_t bytes) {
  const toy_status status = did("set_workspace");
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return status;
}
inline toy_status toy_set_mode(toy_handle handle, bool on_device) {
  const toy_status status = did(on_device ? "scalars_on_device" : "scalars_on_host");
  if (status == toy_success) handle->scalars_on_device = on_device;
  return status;
}
inline toy_status toy_get_mode(toy_handle handle, bool* on_device) {
  *on_device = handle->scalars_on_device;
  return did("get_mode");
}

WARPSAFE_KERNEL void scale_by_value(int n, float factor, float* x) {
  for (int i = 0; i < n; ++i) x[i] *= factor;
}
WARPSAFE_KERNEL void scale_by_pointer(int n, const float* factor, float* x) {
  for (int i = 0; i < n; ++i) x[i] *= *factor;
}
WARPSAFE_KERNEL void axpy_by_value(int n, float alpha, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += alpha * x[i];
}
WARPSAFE_KERNEL void axpy_by_pointer(int n, const float* alpha, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += *alpha * x[i];
}
/// x *= factor.
inline toy_status toy_scale_v2(toy_handle handle, int n, const float* factor, float* x) {
  const toy_status status = did("scale");
  scaled_in = handle->workspace;
  if (status != toy_success) return status;
  if (n < 0) return toy_invalid_value;
  if (handle->scalars_on_device) {
    return submit(handle->stream, warpsafe::kernel<scale_by_pointer>, n, memory(factor), memory(x));
  }
  return submit(handle->stream, warpsafe::kernel<scale_by_value>, n, *factor, memory(x));
}
#define toy_scale toy_scale_v2

/// The same with the factor in front: a scalar as the first argument.
inline toy_status toy_scale_by(toy_handle handle, const float* factor, std::size_t n, float* x) {
  return toy_scale_v2(handle, static_cast<int>(n), factor, x);
}

WARPSAFE_KERNEL void write(float value, float* x) { *x = value; }
inline toy_status toy_write(toy_handle handle, float value, float* x) {
  const toy_status status = did("write float");
  return status == toy_success ? submit(handle->stream, warpsafe::kernel<write>, value, memory(x))
                               : status;
}
inline toy_status toy_write(toy_handle handle, toy_kind kind, float value, float* x) {
  static_cast<void>(did("write kind"));
  return submit(handle->stream, warpsafe::kernel<write>, kind == toy_fancy ? -value : value,
                memory(x));
}
/// Writes its version to host memory; sums an array of the host.
inline toy_status toy_get_version(toy_handle, int* version) {
  *version = 12;
  return did("get_version");
}
inline toy_status toy_sum_sizes(toy_handle, int rank, int* sizes, int* sum) {
  for (int i = 0; i < rank; ++i) *sum += sizes[i];
  return did("sum_sizes");
}
/// Two scalars, the first of which is the first argument.
inline toy_status toy_rotate(toy_handle, float* a, float* b) {
  std::swap(*a, *b);
  return did("rotate");
}
/// y += alpha * x. The traits tell that alpha is a scalar, and x and y are device memory.
inline toy_status toy_axpy(toy_handle handle, int n, const float* alpha, const float* x, float* y) {
  const toy_status status = did(handle->scalars_on_device ? "axpy, device" : "axpy, host");
  if (status != toy_success) return status;
  return handle->scalars_on_device ? submit(handle->stream, warpsafe::kernel<axpy_by_pointer>, n,
                                            memory(alpha), memory(x), memory(y))
                                   : submit(handle->stream, warpsafe::kernel<axpy_by_value>, n,
                                            *alpha, memory(x), memory(y));
}
/// The same for a scalar in front, and one that is no floating-point number.
inline toy_status toy_blend(toy_handle handle, const float* alpha, const int* beta, float* y) {
  if (handle->scalars_on_device) return did("blend, device");
  *y = *alpha + static_cast<float>(*beta);
  return did("blend, host");
}
inline toy_status toy_reset(toy_handle) { return did("reset"); }

/// Does its work, and returns a status that is only a hint.
inline toy_status toy_crawl(toy_handle) {
  static_cast<void>(did("crawl"));
  return toy_slow;
}

/// The functions of a communicator: the handle is not the first argument, the stream is the last.
inline toy_status toy_comm_create(toy_comm* comm, int rank) {
  *comm = new Communicator{rank};
  return did("comm create");
}
inline toy_status toy_comm_destroy(toy_comm comm) {
  delete comm;
  return did("comm destroy");
}
inline toy_status toy_send(const float* from, std::size_t n, toy_comm comm, float* to,
                           Stream stream) {
  const toy_status status = did("send");
  if (status != toy_success || n != 1) return toy_invalid_value;
  const float rank = static_cast<float>(comm->rank);
  static_cast<void>(submit(stream, warpsafe::kernel<write>, rank, memory(to)));
  return submit(stream, warpsafe::kernel<scale_by_pointer>, 1, memory(from), memory(to));
}

inline const char* toy_name(toy_status status) {
  return status == toy_broken          ? "toy_broken"
         : status == toy_invalid_value ? "toy_invalid_value"
                                       : "toy_success";
}

}  // namespace toy

template <>
struct warpsafe::handle_traits<toy::toy_handle> {
  using backend = host_backend;
  using native = toy::toy_handle;
  using status = toy::toy_status;
  using refused =
      Functions<toy::toy_set_stream, toy::toy_destroy, toy::toy_set_workspace, toy::toy_set_mode>;
  using overloaded = Signatures<status(native, float, float*)>;
  static constexpr Name name = Name::of("toy");
  static constexpr Name version_suffix = Name::of("_v2");
  static bool is_success(status value) noexcept {
    return value == toy::toy_success || value == toy::toy_slow;
  }

  static status create(native& handle) noexcept { return toy::toy_create(&handle); }
  static status destroy(native handle) noexcept { return toy::toy_destroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, toy::Stream stream) noexcept {
    return toy::toy_set_stream(handle, stream);
  }
  static status get_stream(native handle, toy::Stream& stream) noexcept {
    return toy::toy_get_stream(handle, &stream);
  }
  static std::size_t workspace_bytes(int device) noexcept { return device == 0 ? 1024 : 4096; }
  static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept {
    return toy::toy_set_workspace(handle, memory, bytes);
  }
  static status set_scalars_on_device(native handle, bool on) noexcept {
    return toy::toy_set_mode(handle, on);
  }
  static status get_scalars_on_device(native handle, bool& on) noexcept {
    return toy::toy_get_mode(handle, &on);
  }
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return function == Name::of("toy::toy_axpy")    ? 0b001U | others_on_device
           : function == Name::of("toy::toy_blend") ? 0b011U
                                                    : 0U;
  }
  static Name status_name(status value) noexcept { return Name::of(toy::toy_name(value)); }
  static Name status_text(status value) noexcept {
    return Name::of(value == toy::toy_broken ? "the toy is broken" : "the value is invalid");
  }
};

/// The shortest possible traits: options, no stream in the handle, no texts.
template <>
struct warpsafe::handle_traits<toy::toy_comm> {
  using backend = host_backend;
  using native = toy::toy_comm;
  using status = toy::toy_status;
  using options = int;
  using refused = Functions<toy::toy_comm_destroy>;
  static constexpr Name name = Name::of("toy comm");
  static constexpr bool has_functions_without_stream = true;
  static status create(native& comm, int rank) noexcept {
    return toy::toy_comm_create(&comm, rank);
  }
  static status destroy(native comm) noexcept { return toy::toy_comm_destroy(comm); }
  static Name status_name(status value) noexcept { return Name::of(toy::toy_name(value)); }
  static Name status_text(status) noexcept { return {}; }
};
