// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A plug-in that is compiled with -fvisibility=hidden, together with the programs of
// tests/failures, which use every header. PLUGIN is its name. Without PLUGIN: the program that
// loads two of them.

#if defined(PLUGIN)

#include "injector.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

// What the programs need of the injector: nothing fails.
namespace failures {
const char* failed_function() noexcept { return nullptr; }
bool library_fails(const char*) noexcept { return false; }
Own::Own() noexcept = default;
Own::~Own() = default;
}  // namespace failures

namespace ws = warpsafe;

#define NAME_OF(plugin, function) plugin##_##function
#define NAME(plugin, function) NAME_OF(plugin, function)
#define EXPORTED(type, function) \
  extern "C" [[gnu::visibility("default")]] type NAME(PLUGIN, function)

EXPORTED(void*, make_stream)() { return new ws::Stream(ws::Stream::create().value()); }
EXPORTED(void, delete_stream)(void* stream) { delete static_cast<ws::Stream*>(stream); }
EXPORTED(const void*, reference)(void* stream) {
  return new ws::StreamRef(static_cast<ws::Stream*>(stream)->ref());
}
EXPORTED(void*, make_buffer)(const void* reference) {
  return new ws::DeviceBuffer<float>(
      ws::DeviceBuffer<float>::create(*static_cast<const ws::StreamRef*>(reference), 1000).value());
}
EXPORTED(bool, close_buffer)(void* buffer) {
  return static_cast<ws::DeviceBuffer<float>*>(buffer)->close().has_value();
}
EXPORTED(const void*, category)() { return &ws::launch_category(); }

#else

#include <cstdio>

#define DECLARE(plugin)                                     \
  extern "C" const void* plugin##_variable(unsigned index); \
  extern "C" void* plugin##_make_stream();                  \
  extern "C" void plugin##_delete_stream(void* stream);     \
  extern "C" const void* plugin##_reference(void* stream);  \
  extern "C" void* plugin##_make_buffer(const void* ref);   \
  extern "C" bool plugin##_close_buffer(void* buffer);      \
  extern "C" const void* plugin##_category();
DECLARE(first)
DECLARE(second)

int main() {
  // The variables that are not one for both, by their index.
  for (unsigned i = 0; first_variable(i) != nullptr; ++i) {
    if (first_variable(i) != second_variable(i)) std::printf("variable %u\n", i);
  }
  if (first_category() != second_category()) std::printf("two categories of errors\n");
  // The second plug-in's buffer keeps the first one's stream.
  void* const stream = first_make_stream();
  void* const buffer = second_make_buffer(first_reference(stream));
  first_delete_stream(stream);
  if (!second_close_buffer(buffer)) std::printf("the buffer lost its stream\n");
}

#endif
