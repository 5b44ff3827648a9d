// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/dims/bytes.hpp>

#include <cstdint>
#include <string>

namespace ws = warpsafe;

// C10: The kernel reads dynamic shared memory, and the launch provides none.
auto c10_shared_memory_forgotten(ws::StreamRef stream) {
  [[maybe_unused]] const auto config = ws::configure(ws::grid<4>, ws::block<256>);
  [[maybe_unused]] const auto with_memory =
      ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(256));
#ifdef MISUSE
  // expected-error {{"the launch gives no dynamic shared memory"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::needs_shared<float>>);
#else
  return ws::launch(stream, with_memory, ws::kernel<nothing, ws::needs_shared<float>>);
#endif
}

// C10: The kernel reads 256 doubles, and the launch provides 256 floats.
auto c10b_shared_memory_of_another_type(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(256));
#ifdef MISUSE
  // expected-error {{"the dynamic shared memory has a different element type"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::needs_shared<double>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::needs_shared<float>>);
#endif
}

// C11: A number of elements stands where bytes belong.
auto c11_elements_for_bytes(int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::configure(ws::grid<4>, ws::block<256>, n);
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}

// C11: The bytes are computed by hand.
auto c11b_bytes_by_hand(std::uint64_t n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::configure(ws::grid<4>, ws::block<256>, n * sizeof(float));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}

// C11: The shared memory has no element type.
auto c11c_shared_memory_of_nothing(int n) {
#ifdef MISUSE
  // expected-error {{"shared needs the type of its elements"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared(n));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}

// C11: The number of elements is a fraction.
auto c11d_floating_count(int n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number of elements"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(1.5 * n));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(n));
#endif
}

// C11: The bytes do not say what they are for.
auto c11e_bytes_without_shared() {
#ifdef MISUSE
  // expected-error {{"a LaunchConfig takes a grid, a block and options"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::Bytes(1024));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared(ws::Bytes(1024)));
#endif
}

// C11: The number of elements counts bytes, four times too many.
auto c11f_bytes_as_elements() {
#ifdef MISUSE
  // expected-error {{"counts elements of T"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(ws::Bytes(1024)));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared(ws::Bytes(1024)));
#endif
}

// C11: Two pieces of shared memory are given, and a launch passes one.
auto c11g_two_pieces() {
#ifdef MISUSE
  // expected-error {{"dynamic shared memory is given twice"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<float>(64), ws::shared<int>(64));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<int>(128));
#endif
}

// C11: Nothing destroys the elements.
auto c11h_elements_with_a_destructor() {
#ifdef MISUSE
  // expected-error {{"shared memory holds only trivially destructible types"}}
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<std::string>(64));
#else
  return ws::configure(ws::grid<4>, ws::block<256>, ws::shared<char>(64));
#endif
}

// C11: The shared memory has no size.
auto c11i_shared_without_a_count([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"takes one number, the number of elements"}}
  return ws::shared<float>();
#else
  return ws::shared<float>(256);
#endif
}

// C11: Two arrays of one type and size would be one array. These functions are inline, so that nvcc
// makes no host code of them.
inline void c11j_arrays_without_a_lambda() {
  [[maybe_unused]] const float* const rows = ws::shared_array<float, 256>([] {});
#ifdef MISUSE
  // expected-error {{"which makes each call an array of its own"}}
  [[maybe_unused]] const float* const columns = ws::shared_array<float, 256>();
#else
  [[maybe_unused]] const float* const columns = ws::shared_array<float, 256>([] {});
#endif
}

// C11: One lambda for two arrays makes them one array.
inline void c11k_arrays_with_one_lambda() {
#ifdef MISUSE
  const auto site = [] {};
  // expected-error {{"shared_array takes an empty lambda, written in the call"}}
  [[maybe_unused]] const float* const tile = ws::shared_array<float, 256>(site);
#else
  [[maybe_unused]] const float* const tile = ws::shared_array<float, 256>([] {});
#endif
}

// C11: Objects of one class make two arrays one array.
inline void c11l_arrays_with_a_tag() {
  struct Tag {};
  [[maybe_unused]] const Tag tag;
#ifdef MISUSE
  // expected-error {{"shared_array takes an empty lambda, written in the call"}}
  [[maybe_unused]] const float* const tile = ws::shared_array<float, 256>(Tag{});
#else
  [[maybe_unused]] const float* const tile = ws::shared_array<float, 256>([] {});
#endif
}
