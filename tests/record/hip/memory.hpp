// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <cstdint>

namespace record {

alignas(4096) inline float host[8192];

inline void* allocated(std::size_t bytes) {
  void* p = nullptr;
  if (hipMalloc(&p, bytes) != hipSuccess) std::abort();
  return p;
}

/// What HIP 5 calls memoryType is called type from HIP 6 on.
template <class Attributes>
hipMemoryType type_of(const Attributes& attributes) {
  if constexpr (requires { attributes.memoryType; }) {
    return attributes.memoryType;
  } else {
    return attributes.type;
  }
}

inline void ask_pointer(const void* pointer) {
  static_cast<void>(hipGetLastError());
  hipPointerAttribute_t a{};
  const hipError_t e = hipPointerGetAttributes(&a, pointer);
  say(status(e));
  say("last", hipGetLastError());
  if (e != hipSuccess) return;
  const hipMemoryType type = type_of(a);
  const auto place = [pointer](const void* p) {
    return p == nullptr ? " null" : p == pointer ? " as asked" : " another";
  };
  // Of memory that the runtime does not know, HIP 6 gives a type that earlier headers lack.
  say(a.device == hipInvalidDeviceId ? "unknown memory"
      : type == hipMemoryTypeHost    ? "host"
      : type == hipMemoryTypeDevice  ? "device"
                                     : "another type");
  say("on device " + std::to_string(a.device));
  say(std::string("device pointer") + place(a.devicePointer));
  say(std::string("host pointer") + place(a.hostPointer));
  say("managed " + std::to_string(a.isManaged));
}

inline const Question allocations[] = {
    {"hipMalloc 0",
     [] {
       ask([] {
         void* p = &p;
         const hipError_t e = hipMalloc(&p, 0);
         say(set_or_null(p));
         return e;
       });
     }},
    {"hipMalloc null", [] { ask([] { return hipMalloc(static_cast<void**>(nullptr), 4); }); }},
    {"hipMalloc of more than the device has",
     [] {
       ask([] {
         void* p = nullptr;
         return hipMalloc(&p, std::size_t{1} << 50);
       });
     }},
    {"hipMalloc of SIZE_MAX",
     [] {
       ask([] {
         void* p = nullptr;
         return hipMalloc(&p, SIZE_MAX);
       });
     }},
    {"hipMallocAsync 0",
     [] {
       ask([s = stream()] {
         void* p = &p;
         const hipError_t e = hipMallocAsync(&p, 0, s);
         say(set_or_null(p));
         return e;
       });
     }},
    {"hipMallocAsync null", [] { ask([s = stream()] { return hipMallocAsync(nullptr, 4, s); }); }},
    {"hipMallocAsync of more than the device has",
     [] {
       ask([s = stream()] {
         void* p = nullptr;
         return hipMallocAsync(&p, std::size_t{1} << 50, s);
       });
     }},
    {"hipMallocManaged 0",
     [] {
       ask([] {
         void* p = nullptr;
         return hipMallocManaged(&p, 0, hipMemAttachGlobal);
       });
     }},
    {"hipMallocManaged, flags 77",
     [] {
       ask([] {
         void* p = nullptr;
         return hipMallocManaged(&p, 4, 77);
       });
     }},
    {"hipHostMalloc, coherent and not",
     [] {
       ask([] {
         void* p = nullptr;
         return hipHostMalloc(&p, 4, hipHostMallocCoherent | hipHostMallocNonCoherent);
       });
     }},
    {"hipHostMalloc 0",
     [] {
       ask([] {
         void* p = &p;
         const hipError_t e = hipHostMalloc(&p, 0, 0);
         say(set_or_null(p));
         return e;
       });
     }},
    {"hipFree null", [] { ask([] { return hipFree(nullptr); }); }},
    {"hipFree twice",
     [] {
       void* const p = allocated(4096);
       say("first", hipFree(p));
       say("second", hipFree(p));
     }},
    {"hipFree of the middle",
     [] {
       ask([] { return hipFree(memory + 16); });
       say("of the first byte", hipFree(memory));
     }},
    {"hipFree of host memory", [] { ask([] { return hipFree(host); }); }},
    {"hipFree of hipHostMalloc",
     [] {
       ask([] {
         void* p = nullptr;
         static_cast<void>(hipHostMalloc(&p, 64, 0));
         return hipFree(p);
       });
     }},
    {"hipHostFree of hipMalloc", [] { ask([] { return hipHostFree(allocated(64)); }); }},
    {"hipHostFree null", [] { ask([] { return hipHostFree(nullptr); }); }},
    {"hipFreeAsync null", [] { ask([s = stream()] { return hipFreeAsync(nullptr, s); }); }},
    {"hipFreeAsync of hipMalloc",
     [] { ask([s = stream()] { return hipFreeAsync(allocated(64), s); }); }},
    {"hipFreeAsync of host memory", [] { ask([s = stream()] { return hipFreeAsync(host, s); }); }},
    {"hipHostRegister twice",
     [] {
       say("first", hipHostRegister(host, 4096, 0));
       say("second", hipHostRegister(host, 4096, 0));
       say("hipHostUnregister", hipHostUnregister(host));
       say("again", hipHostUnregister(host));
     }},
    {"hipHostRegister once",
     [] {
       say(status(hipHostRegister(host, 4096, 0)));
       say("hipHostUnregister", hipHostUnregister(host));
       say("again", hipHostUnregister(host));
     }},
    {"hipHostRegister null or 0",
     [] {
       say("null", hipHostRegister(nullptr, 4096, 0));
       say("0", hipHostRegister(host, 0, 0));
       say("unregister null", hipHostUnregister(nullptr));
     }},
    {"hipMemGetInfo",
     [] {
       std::size_t bytes = 0;
       say(status(hipMemGetInfo(&bytes, &bytes)));
       say("to nowhere", hipMemGetInfo(nullptr, nullptr));
     }},
    {"attributes of device memory", [] { ask_pointer(memory + 4); }},
    {"attributes of pageable memory", [] { ask_pointer(host); }},
    {"attributes of null", [] { ask_pointer(nullptr); }},
    {"attributes of hipHostMalloc",
     [] {
       void* p = nullptr;
       static_cast<void>(hipHostMalloc(&p, 4096, 0));
       ask_pointer(p);
     }},
    {"attributes of memory of another device",
     [] {
       static_cast<void>(hipSetDevice(1));
       const void* const p = allocated(64);
       static_cast<void>(hipSetDevice(0));
       ask_pointer(p);
     }},
    {"attributes of freed memory",
     [] {
       void* const p = allocated(4096);
       static_cast<void>(hipFree(p));
       ask_pointer(p);
     }},
};

inline hipError_t copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return hipMemcpy(to, from, bytes, kind);
}

inline const Question copies[] = {
    {"hipMemcpy beyond the allocation",
     [] { ask([] { return copy(allocated(4096), host, 8192, hipMemcpyHostToDevice); }); }},
    {"hipMemcpy of the wrong kind, from the device, called host to device",
     [] { ask([] { return copy(host, memory, 64, hipMemcpyHostToDevice); }); }},
    {"hipMemcpy kind 77",
     [] { ask([] { return copy(memory, host, 64, unlisted<hipMemcpyKind>(77)); }); }},
    {"hipMemcpy to null",
     [] { ask([] { return copy(nullptr, memory, 64, hipMemcpyDeviceToDevice); }); }},
    {"hipMemcpy of 0 bytes to null",
     [] { ask([] { return copy(nullptr, memory, 0, hipMemcpyDeviceToDevice); }); }},
    {"hipMemcpy between host memory, called host to device",
     [] { ask([] { return copy(host, host + 64, 64, hipMemcpyHostToDevice); }); }},
    {"hipMemcpy between host memory, called default",
     [] { ask([] { return copy(host, host + 64, 64, hipMemcpyDefault); }); }},
    {"hipMemcpyAsync beyond the allocation",
     [] {
       ask([s = stream()] {
         return hipMemcpyAsync(allocated(4096), host, 8192, hipMemcpyHostToDevice, s);
       });
     }},
    {"hipMemcpyAsync kind 77",
     [] {
       ask([s = stream()] {
         return hipMemcpyAsync(memory, host, 64, unlisted<hipMemcpyKind>(77), s);
       });
     }},
    {"hipMemcpy2D, rows longer than the pitch",
     [] { ask([] { return hipMemcpy2D(memory, 16, host, 32, 32, 2, hipMemcpyHostToDevice); }); }},
    {"hipMemcpy2D beyond the allocation",
     [] {
       ask([] { return hipMemcpy2D(allocated(64), 32, host, 32, 32, 3, hipMemcpyHostToDevice); });
     }},
    {"hipMemcpy2D of no rows",
     [] { ask([] { return hipMemcpy2D(memory, 32, host, 32, 32, 0, hipMemcpyHostToDevice); }); }},
    {"hipMemcpy2DAsync on a stream",
     [] {
       ask([s = stream()] {
         return hipMemcpy2DAsync(memory, 32, host, 32, 16, 4, hipMemcpyHostToDevice, s);
       });
     }},
    {"hipMemset beyond the allocation",
     [] { ask([] { return hipMemset(allocated(4096), 0, 8192); }); }},
    {"hipMemset null", [] { ask([] { return hipMemset(nullptr, 0, 4); }); }},
    {"hipMemset null, 0 bytes", [] { ask([] { return hipMemset(nullptr, 0, 0); }); }},
    {"hipMemset of host memory", [] { ask([] { return hipMemset(host, 0, 4); }); }},
    {"hipMemset2D beyond the allocation",
     [] { ask([] { return hipMemset2D(allocated(64), 32, 0, 32, 3); }); }},
    {"hipMemcpyToSymbol",
     [] {
       int value = 5;
       say(status(hipMemcpyToSymbol(HIP_SYMBOL(device_variable), &value, sizeof value)));
       say("beyond", hipMemcpyToSymbol(HIP_SYMBOL(device_variable), &value, sizeof value, 1));
       say("no symbol", hipMemcpyToSymbol(host, &value, sizeof value));
       say("kind", hipMemcpyToSymbol(HIP_SYMBOL(device_variable), &value, sizeof value, 0,
                                     hipMemcpyDeviceToHost));
       say("null", hipMemcpyToSymbol(HIP_SYMBOL(device_variable), nullptr, sizeof value));
     }},
    {"hipGetSymbolAddress",
     [] {
       void* p = nullptr;
       std::size_t bytes = 0;
       say(status(hipGetSymbolAddress(&p, HIP_SYMBOL(device_variable))));
       say(set_or_null(p));
       say("size", hipGetSymbolSize(&bytes, HIP_SYMBOL(device_variable)));
       say(std::to_string(bytes));
       say("no symbol", hipGetSymbolAddress(&p, host));
       say("its size", hipGetSymbolSize(&bytes, host));
     }},
};

}  // namespace record
