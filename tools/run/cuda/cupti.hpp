// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace warpsafe::watch {

/// The parameters of cuptiSubscribe_v2 (CUpti_SubscriberParams in cupti_callbacks.h of CUDA 13.3).
/// Declared here, since the headers that compile the watch may be older than the program's CUPTI.
struct SubscriberRequest {
  std::size_t size;  ///< bytes of this structure that the caller has filled
  const char* name = nullptr;
  char* other_name = nullptr;      ///< receives the name of the tool that CUPTI serves
  std::size_t other_size = 0;      ///< bytes at other_name
  std::uint8_t allow_several = 0;  ///< from CUPTI 13.3 on
  std::uint8_t padding[7] = {};
};

/// CUPTI's functions, from the release that the program's machine has.
struct Cupti {
  decltype(&::cuptiSubscribe) subscribe;
  decltype(&::cuptiEnableCallback) enable;
  decltype(&::cuptiGetCallbackName) callback_name;
  decltype(&::cuptiGetResultString) result_string;
  decltype(&::cuptiUnsubscribe) unsubscribe;
  decltype(&::cuptiGetVersion) version;
  /// cuptiSubscribe_v2; nullptr before CUPTI 13.0.
  CUptiResult (*subscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void* request);
  /// Buffer size for a tool's name; CUPTI requires at least 64 bytes.
  static constexpr std::size_t most_name = 128;
  /// CUPTI_API_VERSION of CUDA 13.3, whose CUPTI is the first that serves several tools (CUPTI,
  /// "Multiple Subscribers").
  static constexpr std::uint32_t first_shared = 130300;

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
    static_cast<void>(find(subscribe_v2, "cuptiSubscribe_v2"));
    return find(subscribe, "cuptiSubscribe") && find(unsubscribe, "cuptiUnsubscribe") &&
           find(version, "cuptiGetVersion") && find(enable, "cuptiEnableCallback") &&
           find(callback_name, "cuptiGetCallbackName") &&
           find(result_string, "cuptiGetResultString");
  }

  /// Subscribes together with other tools, if the release of CUPTI and the driver can serve several
  /// (CUPTI 13.3, driver 610), and each of them asks for it. CUPTI then refuses the functions that
  /// know no subscriber, such as cuptiActivityEnable, for every tool in the process.
  [[nodiscard]] CUptiResult share(CUpti_SubscriberHandle& ours,
                                  CUpti_CallbackFunc callback) const noexcept {
    // An older release may accept the parameters and not read the last one.
    std::uint32_t release = 0;
    if (subscribe_v2 == nullptr || version(&release) != CUPTI_SUCCESS || release < first_shared) {
      return CUPTI_ERROR_NOT_SUPPORTED;
    }
    // NVIDIA's CUpti_SubscriberParams_STRUCT_SIZE counts the padding too.
    SubscriberRequest request{.size = sizeof(SubscriberRequest), .allow_several = 1};
    return subscribe_v2(&ours, callback, nullptr, &request);
  }

  /// Writes the name of the tool that CUPTI serves into `name`, if CUPTI reports it.
  void name_other(char (&name)[most_name]) const noexcept {
    if (subscribe_v2 == nullptr) return;
    char reported[most_name] = "";
    SubscriberRequest request{.size = offsetof(SubscriberRequest, allow_several),
                              .other_name = reported,
                              .other_size = sizeof reported};
    CUpti_SubscriberHandle ours{};
    const CUptiResult status = subscribe_v2(
        &ours, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}, nullptr,
        &request);
    // On success the other tool has just unsubscribed.
    if (status == CUPTI_SUCCESS) static_cast<void>(unsubscribe(ours));
    reported[most_name - 1] = '\0';
    // For a tool without a name, CUPTI 13.0 reports "CUPTI for <not provided>".
    if (reported[0] == '\0' || std::strstr(reported, "<not provided>") != nullptr) return;
    std::memcpy(name, reported, most_name);
  }
};

}  // namespace warpsafe::watch
