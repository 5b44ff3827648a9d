// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/stream/stream.hpp>

namespace ws = warpsafe;

// C08: The stream is 0, which other interfaces take for the default stream.
auto c08_stream_0([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(0, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The stream is nullptr.
auto c08b_stream_nullptr([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(nullptr, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The stream is false, which older languages convert to a null pointer.
auto c08c_stream_false([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(false, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The stream is a vendor's, whose device is unknown.
auto c08d_vendor_stream(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(stream.native(), config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The shared memory stands where the stream belongs.
auto c08e_shared_memory_as_stream([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data,
                                  int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(ws::shared<float>(256), config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The stream stands where the shared memory belongs.
auto c08f_stream_as_an_option([[maybe_unused]] ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"pass the stream to launch"}}
  return ws::configure(ws::grid<4>, ws::block<256>, stream);
#else
  return ws::configure(ws::grid<4>, ws::block<256>);
#endif
}

// C08: The argument is the address of a stream.
auto c08g_pointer_to_a_stream(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(&stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: A null stream stands among the options.
auto c08h_null_as_an_option() {
#ifdef MISUSE
  // expected-error {{"a LaunchConfig takes a grid, a block and options"}}
  return ws::configure(ws::grid<4>, ws::block<256>, nullptr);
#else
  return ws::configure(ws::grid<4>, ws::block<256>);
#endif
}

// C08: The kernel comes first, as in hipLaunchKernelGGL.
auto c08i_kernel_first(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(ws::kernel<fill>, config, stream, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C08: The kernel comes before the configuration.
auto c08j_kernel_before_the_configuration(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the second argument of launch is a LaunchConfig"}}
  return ws::launch(stream, ws::kernel<fill>, config, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C09: The launch has no stream.
auto c09_no_stream([[maybe_unused]] ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the first argument of launch is a Stream or StreamRef"}}
  return ws::launch(config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C09: The launch has no stream, and the kernel no parameters.
auto c09b_no_stream_and_no_arguments([[maybe_unused]] ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"launch takes a stream, a configuration and a kernel"}}
  return ws::launch(config, ws::kernel<nothing>);
#else
  return ws::launch(stream, config, ws::kernel<nothing>);
#endif
}

// C09: The stream is a result, whose creation may have failed.
auto c09c_stream_that_may_not_exist([[maybe_unused]] ws::StreamRef stream,
                                    ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"this stream is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()"}}
  return ws::launch(ws::Stream::create(), config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// C09: The launch has a stream and a configuration, and no kernel.
auto c09d_no_kernel(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"launch takes a stream, a configuration and a kernel"}}
  return ws::launch(stream, config);
#else
  return ws::launch(stream, config, ws::kernel<nothing>);
#endif
}
