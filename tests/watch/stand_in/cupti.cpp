// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcupti.so.13, of which the watch needs six functions. It knows the calls that the
// driver's stand-in makes. With STAND_IN_TAKEN, another tool of that name has subscribed first.
// With STAND_IN_TOO_NEW, it does not work with the driver.

#include "driver.hpp"

#include <bitset>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

CUpti_CallbackFunc subscribed = nullptr;
void* subscriber_data = nullptr;
std::bitset<1024> enabled[CUPTI_CB_DOMAIN_SIZE];

bool is_taken() { return subscribed != nullptr || std::getenv("STAND_IN_TAKEN") != nullptr; }
void pass_on(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (enabled[domain][id]) subscribed(subscriber_data, domain, id, data);
}

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* data) {
  if (std::getenv("STAND_IN_TOO_NEW") != nullptr) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (is_taken()) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  subscribed = callback;
  subscriber_data = data;
  *subscriber = nullptr;
  stand_in_tell = &pass_on;
  return CUPTI_SUCCESS;
}
#ifdef CUpti_SubscriberParams_STRUCT_SIZE
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* data, CUpti_SubscriberParams* asked) {
  const CUptiResult status = cuptiSubscribe(subscriber, callback, data);
  const char* const other = std::getenv("STAND_IN_TAKEN");
  if (status != CUPTI_SUCCESS && other != nullptr) {
    std::snprintf(asked->oldSubscriberName, asked->oldSubscriberSize, "%s", other);
  }
  return status;
}
#endif
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
  *text = status == CUPTI_ERROR_NOT_COMPATIBLE ? "CUPTI_ERROR_NOT_COMPATIBLE"
                                               : "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  return CUPTI_SUCCESS;
}

}  // extern "C"
