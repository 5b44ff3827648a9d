// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace warpsafe::watch {

/// CUPTI's functions, from the release that the program's machine has.
struct Cupti {
  decltype(&::cuptiSubscribe) subscribe;
  decltype(&::cuptiEnableCallback) enable;
  decltype(&::cuptiGetCallbackName) callback_name;
  decltype(&::cuptiGetResultString) result_string;
#ifdef CUpti_SubscriberParams_STRUCT_SIZE  // from CUDA 13.0 on
  decltype(&::cuptiSubscribe_v2) subscribe_v2;
  decltype(&::cuptiUnsubscribe) unsubscribe;
#endif
  /// Buffer size for a tool's name; CUPTI requires at least 64 bytes.
  static constexpr std::size_t most_name = 128;

  /// Loads the copy that the program has already loaded, else the first that is there: `files`,
  /// then CUPTI by its name, then the toolkit's.
  [[nodiscard]] bool load(const std::vector<std::string>& files) noexcept {
    constexpr const char* names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    void* library = nullptr;
    const auto open = [&](const char* file, int flag) {
      if (library == nullptr && *file != '\0') library = dlopen(file, RTLD_NOW | flag);
    };
    for (const char* name : names) open(name, RTLD_NOLOAD);
    for (const std::string& file : files) open(file.c_str(), RTLD_LOCAL);
    for (const char* name : names) open(name, RTLD_LOCAL);
    for (const char* file : {WARPSAFE_CUPTI, "/usr/local/cuda/lib64/libcupti.so",
                             "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
      open(file, RTLD_LOCAL);
    }
    if (library == nullptr) return false;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
#ifdef CUpti_SubscriberParams_STRUCT_SIZE
    // Older libraries lack this function.
    static_cast<void>(find(subscribe_v2, "cuptiSubscribe_v2"));
    static_cast<void>(find(unsubscribe, "cuptiUnsubscribe"));
#endif
    return find(subscribe, "cuptiSubscribe") && find(enable, "cuptiEnableCallback") &&
           find(callback_name, "cuptiGetCallbackName") &&
           find(result_string, "cuptiGetResultString");
  }

  /// Writes the name of the tool that CUPTI serves into `name`, if CUPTI reports it.
  void name_other(char (&name)[most_name]) const noexcept {
#ifdef CUpti_SubscriberParams_STRUCT_SIZE
    if (subscribe_v2 == nullptr || unsubscribe == nullptr) return;
    char reported[most_name] = "";
    CUpti_SubscriberParams asked{};
    asked.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    asked.oldSubscriberName = reported;
    asked.oldSubscriberSize = sizeof reported;
    CUpti_SubscriberHandle ours{};
    const CUptiResult status = subscribe_v2(
        &ours, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}, nullptr, &asked);
    // On success the other tool has just unsubscribed.
    if (status == CUPTI_SUCCESS) static_cast<void>(unsubscribe(ours));
    reported[most_name - 1] = '\0';
    // For a tool without a name, CUPTI 13.0 reports "CUPTI for <not provided>".
    if (reported[0] == '\0' || std::strstr(reported, "<not provided>") != nullptr) return;
    std::memcpy(name, reported, most_name);
#else
    static_cast<void>(name);
#endif
  }
};

}  // namespace warpsafe::watch
