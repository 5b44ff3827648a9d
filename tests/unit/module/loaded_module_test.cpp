// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// When a module is loaded and unloaded, on which device, and what is done if the runtime refuses.

#include "module_script.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace warpsafe::core_test {
namespace {

using detail::LoadedModule;
using detail::ModuleHold;
using host::HostStatus;
constexpr int refused_status = raw(HostStatus::invalid_value);
constexpr int lost_status = raw(HostStatus::illegal_address);

class LoadedModuleTest : public ScriptedModuleTest {
 protected:
  int before = CountedModule::alive;  ///< objects that earlier tests have lost on purpose
  [[nodiscard]] int alive() const { return CountedModule::alive - before; }
};

TEST_F(LoadedModuleTest, BelongsToAllDevicesOrToTheCurrentOne) {
  script.device = 3;
  auto* const shared = unloaded<SharedModules>("four", "axpy.cubin");
  EXPECT_EQ(shared->load(), 0);
  EXPECT_EQ(script.taken(), Calls{"module_load 4 ~"}) << "in relaxed mode, beside a capture";
  EXPECT_EQ(shared->device(), -1);
  EXPECT_EQ(shared->native().number, 7);
  EXPECT_EQ(text(shared->source()), "axpy.cubin");
  EXPECT_EQ(shared->image().size, 4U);
  EXPECT_EQ(shared->image().data[4], 0) << "zeros follow";
  EXPECT_EQ(shared->release(), 0);

  auto* const own = loaded<DeviceModules>();
  EXPECT_EQ(own->device(), 3);
  EXPECT_EQ(own->release(), 0);
}

TEST_F(LoadedModuleTest, WithoutACurrentDeviceItIsNotLoaded) {
  script.fails["current_device"] = raw(HostStatus::no_device);
  auto* const module = unloaded<DeviceModules>();
  EXPECT_EQ(module->load(), raw(HostStatus::no_device));
  EXPECT_EQ(module->device(), -1);
  EXPECT_EQ(module->release(), 0);
  EXPECT_EQ(script.taken(), Calls{}) << "what is not loaded is not unloaded";
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, WhatTheRuntimeRefusesIsNotUnloaded) {
  script.fails["module_load"] = refused_status;
  module_script.log = "line 3: syntax error";
  auto* const module = unloaded<SharedModules>();
  EXPECT_EQ(module->load(), refused_status);
  EXPECT_EQ(text(module->log()), "line 3: syntax error");
  static_cast<void>(script.taken());
  EXPECT_EQ(module->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, EachKernelIsTakenOnce) {
  auto* const module = loaded<SharedModules>();
  int status = 0;
  auto* const scale = module->function("scale", Name::of("scale"), status);
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(text(scale->name), "scale");
  EXPECT_EQ(scale->module, module);
  auto* const axpy = module->function("axpy", Name::of("axpy"), status);
  EXPECT_NE(axpy, scale);
  EXPECT_EQ(script.taken(), (Calls{"module_function 7", "module_function 7"}));
  EXPECT_EQ(module->function("scale", Name::of("scale"), status), scale);
  EXPECT_EQ(module->function("axpy", Name::of("axpy"), status), axpy);
  EXPECT_EQ(script.taken(), Calls{});

  script.fails["module_function"] = refused_status;
  EXPECT_EQ(module->function("other", Name::of("other"), status), nullptr);
  EXPECT_EQ(status, refused_status);
  script.fails.clear();
  EXPECT_NE(module->function("other", Name::of("other"), status), nullptr)
      << "a failure is not remembered";
  EXPECT_EQ(module->release(), 0);
}

/// Whether a thread of this process sleeps, as it does while it waits for a lock.
[[nodiscard]] bool sleeps(int thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  return line.find(") S ") != std::string::npos;
}

TEST_F(LoadedModuleTest, TwoThreadsGetTheSameKernel) {
  auto* const module = loaded<SharedModules>();
  std::atomic<int> threads[2] = {};
  std::atomic<int> inside{0};
  std::atomic<int> asked{0};
  // Without a lock, the second thread would arrive in the runtime while the first one is there.
  module_script.while_taking = [&] {
    ++asked;
    ++inside;
    const int other = threads[threads[0] == ::gettid() ? 1 : 0];
    for (int i = 0; i < 100000 && inside == 1 && !sleeps(other); ++i) std::this_thread::yield();
  };
  detail::LoadedFunction<SharedModules>* found[2] = {};
  const auto take = [&](std::size_t which) {
    threads[which] = ::gettid();
    while (threads[0] == 0 || threads[1] == 0) std::this_thread::yield();
    int status = 0;
    found[which] = module->function("scale", Name::of("scale"), status);
  };
  std::thread other(take, 1);
  take(0);
  other.join();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(module->release(), 0);
}

TEST_F(LoadedModuleTest, WaitsForEachDeviceThatItWasLaunchedOn) {
  const struct {
    int launched[2];
    int current;
    Calls calls;
  } cases[] = {
      {{0, 0}, 0, {"device_synchronize", "module_unload 7 ~"}},
      {{5, 5}, 5, {"device_synchronize", "module_unload 7 ~"}},
      {{5, 5}, 0, {"set_device 5", "device_synchronize", "set_device 0", "module_unload 7 ~"}},
      {{0, 0}, 2, {"set_device 0", "device_synchronize", "set_device 2", "module_unload 7 ~"}},
      {{63, 63}, 1, {"set_device 63", "device_synchronize", "set_device 1", "module_unload 7 ~"}},
      {{1, 0},
       1,
       {"set_device 0", "device_synchronize", "set_device 1", "device_synchronize",
        "module_unload 7 ~"}},
      // Devices that have no flag share that of device 0.
      {{64, 64}, 0, {"device_synchronize", "module_unload 7 ~"}},
      {{1000, 1000}, 0, {"device_synchronize", "module_unload 7 ~"}},
      {{-1, -1}, 0, {"device_synchronize", "module_unload 7 ~"}},
  };
  for (const auto& [launched, current, calls] : cases) {
    auto* const module = loaded<SharedModules>();
    for (const int device : launched) module->mark_launched(device);
    script.device = current;
    EXPECT_EQ(module->release(), 0);
    EXPECT_EQ(script.taken(), calls) << launched[0] << " while " << current << " is current";
    EXPECT_EQ(script.device, current);
  }
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, OnlyTheLastHolderUnloads) {
  auto* const module = loaded<SharedModules>();
  module->mark_launched(0);
  module->retain();
  EXPECT_EQ(module->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(alive(), 1);
  EXPECT_EQ(module->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"device_synchronize", "module_unload 7 ~"}));
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, StaysLoadedIfItCannotWaitForItsWork) {
  const struct {
    const char* fails;
    int status;
    Calls calls;
  } cases[] = {
      {"current_device", refused_status, {}},
      {"set_device", refused_status, {"set_device 5"}},
      {"device_synchronize",
       refused_status,
       {"set_device 5", "device_synchronize", "set_device 2"}},
  };
  for (const auto& [fails, status, calls] : cases) {
    auto* const module = loaded<SharedModules>();
    module->mark_launched(5);
    module->mark_launched(6);
    script.device = 2;
    script.fails = {{fails, status}};
    const int held = alive();
    EXPECT_EQ(module->release(), status) << fails;
    EXPECT_EQ(script.taken(), calls) << fails;
    EXPECT_EQ(alive(), held) << fails;
    script.fails.clear();
  }
}

TEST_F(LoadedModuleTest, IsUnloadedIfItsContextIsLost) {
  auto* const module = loaded<SharedModules>();
  module->mark_launched(0);
  script.fails["device_synchronize"] = lost_status;
  EXPECT_EQ(module->release(), lost_status);
  EXPECT_EQ(script.taken(), (Calls{"device_synchronize", "module_unload 7 ~"}));
  EXPECT_EQ(alive(), 0);

  auto* const other = loaded<SharedModules>();
  other->mark_launched(0);
  script.fails["module_unload"] = refused_status;
  EXPECT_EQ(other->release(), lost_status) << "the first failure";
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, TheLastHolderLearnsThatUnloadingFailed) {
  auto* const module = loaded<SharedModules>();
  script.fails["module_unload"] = refused_status;
  EXPECT_EQ(module->release(), refused_status);
  EXPECT_EQ(script.taken(), Calls{"module_unload 7 ~"});
  EXPECT_EQ(alive(), 0) << "there is nothing more that one could do with it";
}

TEST_F(LoadedModuleTest, AModuleOfADeviceIsUnloadedThere) {
  const struct {
    int device;
    int current;
    Calls calls;
  } cases[] = {
      {2, 2, {"module_unload 7 ~"}},
      {2, 0, {"set_device 2 ~", "module_unload 7 ~", "set_device 0 ~"}},
      {0, 1, {"set_device 0 ~", "module_unload 7 ~", "set_device 1 ~"}},
  };
  for (const auto& [device, current, calls] : cases) {
    script.device = device;
    auto* const module = loaded<DeviceModules>();
    script.device = current;
    EXPECT_EQ(module->release(), 0);
    EXPECT_EQ(script.taken(), calls) << device << ' ' << current;
  }
  script.device = 2;
  auto* module = loaded<DeviceModules>();
  script.device = 0;
  script.fails["set_device"] = refused_status;
  EXPECT_EQ(module->release(), refused_status) << "another device may stay current";
  EXPECT_EQ(script.taken(), (Calls{"set_device 2 ~", "module_unload 7 ~", "set_device 0 ~"}));
  script.fails.clear();
  script.device = 2;
  module = loaded<DeviceModules>();
  script.fails["current_device"] = refused_status;
  EXPECT_EQ(module->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"module_unload 7 ~"}) << "no device is known to return to";
  EXPECT_EQ(alive(), 0);
}

TEST_F(LoadedModuleTest, StaysLoadedInACaptureOnlyIfItHasLaunched) {
  auto* const fresh = loaded<SharedModules>();
  auto* const launched = loaded<SharedModules>();
  launched->mark_launched(1);
  const detail::CountedCapture open;
  EXPECT_EQ(fresh->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"module_unload 7 ~"});
  EXPECT_EQ(launched->release(), 0);
  EXPECT_EQ(script.taken(), Calls{}) << "a wait would break the capture";
  EXPECT_EQ(alive(), 1);
}

TEST_F(LoadedModuleTest, ItsImageEndsWithIt) {
  constexpr std::size_t bytes = std::size_t{64} << 20U;  // glibc maps what is so large by itself
  const std::size_t mapped_before = ::mallinfo2().hblkhd;
  auto* const module = new LoadedModule<SharedModules>(std::malloc(bytes), bytes, Name{});
  // The sanitizers bring their own allocator.
  const bool is_glibc = ::mallinfo2().hblkhd >= mapped_before + bytes;
  EXPECT_EQ(module->release(), 0);
  if (is_glibc) {
    EXPECT_EQ(::mallinfo2().hblkhd, mapped_before);
  }
}

TEST_F(LoadedModuleTest, HoldsCountTheirReferences) {
  const Calls unloaded_once{"module_unload 7 ~"};
  {
    ModuleHold<SharedModules> first(loaded<SharedModules>());
    ModuleHold<SharedModules> copy(first);
    const ModuleHold<SharedModules> moved(std::move(first));
    EXPECT_EQ(first.get(), nullptr);
    EXPECT_EQ(moved.get(), copy.get());
    EXPECT_EQ(copy.release(), 0);
    EXPECT_EQ(copy.get(), nullptr);
    EXPECT_EQ(copy.release(), 0) << "there is nothing to release";
    EXPECT_EQ(script.taken(), Calls{});
  }
  EXPECT_EQ(script.taken(), unloaded_once);
  {
    ModuleHold<SharedModules> one(loaded<SharedModules>());
    ModuleHold<SharedModules> other(loaded<SharedModules>());
    LoadedModule<SharedModules>* const others = other.get();
    one = other;
    EXPECT_EQ(one.get(), others);
    EXPECT_EQ(script.taken(), unloaded_once) << "that of `one`";
    one = ModuleHold<SharedModules>();
    EXPECT_EQ(one.get(), nullptr);
    EXPECT_EQ(script.taken(), Calls{});
  }
  EXPECT_EQ(script.taken(), unloaded_once);
  script.fails["module_unload"] = refused_status;
  ModuleHold<SharedModules> last(loaded<SharedModules>());
  EXPECT_EQ(last.release(), refused_status);
  EXPECT_EQ(alive(), 0);
}

}  // namespace
}  // namespace warpsafe::core_test
