// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that unloads a plug-in with the optional parts, and launches after that. With PLUGIN:
// the plug-in.

#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

#if defined(PLUGIN)

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
    if (plugin == nullptr || dlclose(plugin) != 0) return 1;
    const ws::Stream stream = ws::Stream::create().value();
    ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<nothing>, 1).value();
    stream.synchronize().value();
  }
  std::puts("launched");
}

#endif
