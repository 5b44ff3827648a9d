// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcupti.so.13, of which the watch needs seven functions. It knows the calls that the
// driver's stand-in makes. With STAND_IN_TAKEN, another tool of that name has subscribed first.
// With STAND_IN_TOO_NEW, it does not work with the driver. With STAND_IN_SHARES, it can serve
// several tools, as CUPTI 13.3 with driver 610 can: if the first tool asks for it, and each tool
// uses cuptiSubscribe_v2. STAND_IN_SHARES=taken: another tool has come first and asked for it. "old
// driver": only CUPTI is new enough.

// CUDA 13.0 declares this function with parameters that are older than those below.
#define cuptiSubscribe_v2 cuptiSubscribe_v2_of_the_header
#include "driver.hpp"
#undef cuptiSubscribe_v2

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

CUpti_CallbackFunc subscribed = nullptr;
void* subscriber_data = nullptr;
std::bitset<1024> enabled[CUPTI_CB_DOMAIN_SIZE];

bool is_taken() {
  const char* const shares = std::getenv("STAND_IN_SHARES");
  return subscribed != nullptr || std::getenv("STAND_IN_TAKEN") != nullptr ||
         (shares != nullptr && std::strcmp(shares, "taken") == 0);
}
void pass_on(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (enabled[domain][id]) subscribed(subscriber_data, domain, id, data);
}

void take(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* data) {
  subscribed = callback;
  subscriber_data = data;
  *subscriber = nullptr;
  stand_in_tell = &pass_on;
}

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* data) {
  if (std::getenv("STAND_IN_TOO_NEW") != nullptr) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (is_taken()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  take(subscriber, callback, data);
  return CUPTI_SUCCESS;
}
// The parameters as CUDA 13.3 has them; the last two are new there.
struct Request {
  std::size_t size;
  const char* name;
  char* other_name;
  std::size_t other_size;
  std::uint8_t allow_several;
  std::uint8_t padding[7];
};

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* data, Request* asked) {
  const char* const shares = std::getenv("STAND_IN_SHARES");
  // CUpti_SubscriberParams_STRUCT_SIZE of CUDA 13.3.
  if (asked->size == sizeof(Request)) {
    if (shares == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    if (asked->allow_several == 0 || std::strcmp(shares, "old driver") == 0) {
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    take(subscriber, callback, data);
    std::fputs("stand-in: CUPTI is shared\n", stderr);
    return CUPTI_SUCCESS;
  }
  if (asked->size != offsetof(Request, allow_several)) return CUPTI_ERROR_INVALID_PARAMETER;
  const CUptiResult status = cuptiSubscribe(subscriber, callback, data);
  const char* const other = std::getenv("STAND_IN_TAKEN");
  if (status != CUPTI_SUCCESS && other != nullptr) {
    std::snprintf(asked->other_name, asked->other_size, "%s", other);
  }
  return status;
}
CUptiResult cuptiGetVersion(std::uint32_t* release) {
  *release = std::getenv("STAND_IN_SHARES") != nullptr ? 130300 : 130000;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  subscribed = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  enabled[domain][id] = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    for (const StandInRuntimeCall& call : stand_in_runtime_calls) {
      if (call.id == static_cast<CUpti_runtime_api_trace_cbid>(id)) *name = call.name;
    }
    return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return CUPTI_ERROR_INVALID_PARAMETER;
  for (const StandInCall& call : stand_in_calls) {
    if (call.id == static_cast<CUpti_driver_api_trace_cbid>(id)) *name = call.name;
  }
  return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiGetResultString(CUptiResult status, const char** text) {
  *text = status == CUPTI_ERROR_NOT_COMPATIBLE  ? "CUPTI_ERROR_NOT_COMPATIBLE"
          : status == CUPTI_ERROR_NOT_SUPPORTED ? "CUPTI_ERROR_NOT_SUPPORTED"
                                                : "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  return CUPTI_SUCCESS;
}

}  // extern "C"
