// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "scripted_runtime.hpp"
#include <warpsafe/module.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Runtimes with modules that do nothing: they note their calls, and answer what a test says.

namespace warpsafe::core_test {

/// A runtime's module. Counts its objects, so that a test sees the end of the object around it.
class CountedModule {
 public:
  CountedModule() noexcept { ++alive; }
  CountedModule(const CountedModule& other) noexcept : number(other.number) { ++alive; }
  CountedModule& operator=(const CountedModule&) noexcept = default;
  ~CountedModule() { --alive; }

  static inline int alive = 0;
  int number = 0;
};

/// What the module of a ScriptedModules holds.
struct ModuleScript {
  std::vector<std::string> names;  ///< its kernels
  std::string log;                 ///< the messages of the runtime's compiler
  bool tells_parameters = true;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  ///< offsets and sizes
  std::function<void()> while_taking;  ///< called while the runtime looks for a kernel
  std::uint32_t compute_major = 9;
  std::uint32_t compute_minor = 0;
};
inline ModuleScript module_script;

/// `PerDevice`: a module belongs to the device that is current when it is loaded, as on HIP.
/// `Lists`: the runtime lists the names, as CUDA's does.
template <Vendor Whose, bool PerDevice = false, bool Lists = true>
struct ScriptedModules : ScriptedRuntime {
  static constexpr Vendor vendor = Whose;
  static constexpr bool limits_may_change = true;

  static int current_device(int& device) noexcept {
    const int status = script.status_of("current_device");
    if (status == 0) device = script.device;
    return status;
  }
  static int device_synchronize() noexcept { return script.call("device_synchronize"); }
  static int limits_of(int, DeviceLimits& limits) noexcept {
    limits.compute_major = module_script.compute_major;
    limits.compute_minor = module_script.compute_minor;
    return script.status_of("limits_of");
  }
  static Name device_name(int device) noexcept {
    return Name::of(device == 0 ? "Null GPU" : "Other GPU");
  }
  static int attributes_of(const KernelEntry&, KernelLimits&) noexcept {
    return script.call("attributes_of");
  }
};

}  // namespace warpsafe::core_test

template <warpsafe::Vendor Whose, bool PerDevice, bool Lists>
struct warpsafe::ModuleCalls<warpsafe::core_test::ScriptedModules<Whose, PerDevice, Lists>> {
  using native_module = core_test::CountedModule;
  using kernel_calls = core_test::ScriptedModules<Whose, PerDevice, Lists>;
  static constexpr bool per_device = PerDevice;
  template <class Element>
  static constexpr bool is_image_of = !std::is_same_v<Element, float>;

  static int module_load(native_module& module, const unsigned char*, std::size_t bytes, char* log,
                         std::size_t log_bytes) noexcept {
    detail::TextBuffer(log, log_bytes) << core_test::module_script.log.c_str();
    module.number = 7;
    return core_test::script.call("module_load", bytes);
  }
  static int module_unload(native_module module) noexcept {
    return core_test::script.call("module_unload", module.number);
  }
  static int module_function(native_module module, const char* name, KernelEntry& entry) noexcept {
    entry.function = name;
    if (core_test::module_script.while_taking) core_test::module_script.while_taking();
    return core_test::script.call("module_function", module.number);
  }
  static bool not_found(int status) noexcept {
    return status == raw(host::HostStatus::invalid_resource_handle);
  }
  static bool is_no_code_object(int status) noexcept requires PerDevice {
    return status == raw(host::HostStatus::no_kernel_image);
  }
  static constexpr bool lists_names = Lists;
  template <class Visit>
  static int module_names(native_module, Visit visit) noexcept {
    for (const std::string& name : core_test::module_script.names) {
      visit(Name{name.data(), name.size()});
    }
    return core_test::script.status_of("module_names");
  }
  static bool tells_parameters() noexcept { return core_test::module_script.tells_parameters; }
  static int kernel_parameter(const KernelEntry&, std::size_t index, std::size_t& offset,
                              std::size_t& size) noexcept {
    const auto& all = core_test::module_script.parameters;
    if (index >= all.size()) return raw(host::HostStatus::invalid_value);
    offset = all[index].first;
    size = all[index].second;
    return 0;
  }
};

namespace warpsafe::core_test {

/// As on CUDA, and as on HIP.
using SharedModules = ScriptedModules<Vendor::nvidia>;
using DeviceModules = ScriptedModules<Vendor::amd, true, false>;

class ScriptedModuleTest : public ScriptedTest {
 protected:
  ScriptedModuleTest() { module_script = {}; }
  ~ScriptedModuleTest() override { module_script = {}; }
  ScriptedModuleTest(const ScriptedModuleTest&) = delete;
  ScriptedModuleTest& operator=(const ScriptedModuleTest&) = delete;

  /// A module with one reference, which `release` drops.
  template <class B>
  [[nodiscard]] static detail::LoadedModule<B>* unloaded(std::string_view image = "image",
                                                         const char* source = "") {
    const detail::ImageBytes bytes{reinterpret_cast<const unsigned char*>(image.data()),
                                   image.size()};
    return new detail::LoadedModule<B>(detail::copy_image(bytes), image.size(), Name::of(source));
  }
  /// The same, loaded; the script notes no call.
  template <class B>
  [[nodiscard]] static detail::LoadedModule<B>* loaded(std::string_view image = "image",
                                                       const char* source = "") {
    auto* const module = unloaded<B>(image, source);
    EXPECT_EQ(module->load(), 0);
    static_cast<void>(script.taken());
    return module;
  }
};

}  // namespace warpsafe::core_test
