// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that unloads plug-ins, and launches and captures after that. With PLUGIN: the plug-in,
// 1 with the optional parts, 2 with a capture and a free that waits for its end, 3 with work on the
// program's stream.

#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

#if !defined(PLUGIN)
#define PLUGIN 0
#endif

// The program and the first plug-in each launch their own kernel of this name.
WARPSAFE_KERNEL_EXTERN void same_name(int* x) { *x = PLUGIN; }
extern "C" int launch_same_name() {
  const ws::Stream stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<int>::create(stream, 1).value();
  ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<same_name>,
             buffer.view())
      .value();
  return buffer.to_host(stream).get().value().front();
}

#if PLUGIN == 2

extern "C" [[gnu::visibility("default")]] void work() {
  const ws::Stream stream = ws::Stream::create().value();
  auto buffer = ws::DeviceBuffer<int>::create(stream, 3).value();
  auto capture = ws::Capture::begin(stream, ws::CaptureMode::relaxed).value();
  buffer.close().value();
  static_cast<void>(std::move(capture).end().value());
}

#elif PLUGIN == 3

extern "C" [[gnu::visibility("default")]] void work_on(const ws::StreamRef& stream) {
  auto buffer = ws::DeviceBuffer<int>::create(stream, 3).value();
  buffer.zero(stream).value();
  buffer.close().value();
  stream.synchronize().value();
}

#elif PLUGIN == 1

#include <warpsafe/debug.hpp>
#include <warpsafe/device_check.hpp>

WARPSAFE_KERNEL void checked(int value) { WARPSAFE_DEVICE_CHECK(value > 0, "positive"); }

#else

#include <dlfcn.h>

#include <cstdio>

WARPSAFE_KERNEL void nothing(int value) { static_cast<void>(value); }

int main(int, char** arguments) {
  for (int time = 0; time < 2; ++time) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) std::puts(dlerror());
    if (plugin == nullptr) return 1;
    const int launched = reinterpret_cast<int (*)()>(dlsym(plugin, "launch_same_name"))();
    if (launched != 1 || launch_same_name() != 0) return 1;
    if (dlclose(plugin) != 0) return 1;
    const ws::Stream stream = ws::Stream::create().value();
    auto capture = ws::Capture::begin(stream, ws::CaptureMode::relaxed).value();
    void* const second = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    if (second == nullptr) std::puts(dlerror());
    if (second == nullptr) return 1;
    reinterpret_cast<void (*)()>(dlsym(second, "work"))();
    dlclose(second);
    static_cast<void>(std::move(capture).end().value());
    void* const third = dlopen(arguments[3], RTLD_NOW | RTLD_LOCAL);
    if (third == nullptr) std::puts(dlerror());
    if (third == nullptr) return 1;
    reinterpret_cast<void (*)(const ws::StreamRef&)>(dlsym(third, "work_on"))(stream);
    dlclose(third);
    ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<nothing>, 1).value();
    stream.synchronize().value();
  }
  std::puts("launched");
}

#endif
