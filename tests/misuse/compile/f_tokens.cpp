// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/kernel_api.hpp>

namespace ws = warpsafe;

// Tokens and views differ in their elements, because a compiler reports an error of a template
// once.
template <class T>
using TokenOf = ws::Pending<std::vector<T>>;

// F01: The host reads before the copy has ended.
auto f01_element_of_a_token(TokenOf<float> pending) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  return pending[0];
#else
  return std::move(pending).get().value()[0];
#endif
}

// F01: A token stands where its value belongs.
auto f01b_token_for_its_value(TokenOf<int> pending) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  const std::vector<int>& values = pending;
  return values.size();
#else
  return std::move(pending).get().value().size();
#endif
}

// F01: The token is used like a std::optional.
auto f01c_token_dereferenced(TokenOf<double> pending) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  return pending->size();
#else
  return std::move(pending).get().value().size();
#endif
}

// F01: The token is used like a container.
auto f01d_loop_over_a_token(TokenOf<short> pending) {
#ifdef MISUSE
  int sum = 0;
  // expected-error {{"call std::move(pending).get(), which waits"}}
  for (const short value : pending) sum += value;
  return sum;
#else
  int sum = 0;
  const std::vector<short> values = std::move(pending).get().value();
  for (const short value : values) sum += value;
  return sum;
#endif
}

// F01: get() takes the value out of the token, which must be moved.
auto f01e_get_of_a_named_token(TokenOf<long> pending) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get(), which waits"}}
  return pending.get();
#else
  return std::move(pending).get();
#endif
}

// F01: Host code reads an element of device memory.
auto f01p_element_of_a_view(ws::DeviceView<float> view) {
#ifdef MISUSE
  // expected-error {{"host code cannot read or write device memory"}}
  return view[0];
#else
  return view.size();
#endif
}

// F01: Host code iterates over device memory.
int f01q_walk_over_a_view([[maybe_unused]] ws::DeviceView<int> view) {
  int all = 0;
#ifdef MISUSE
  // expected-error {{"host code cannot read or write"}}
  for (const int x : view) all += x;
#endif
  return all;
}

// F01: Host code passes the address of device memory to a function that expects host memory.
auto f01r_address_of_a_view(ws::DeviceView<double> view) {
#ifdef MISUSE
  // expected-error {{"host code cannot read or write device memory"}}
  return view.data();
#else
  return view.pointer();
#endif
}

// F01: Host code writes to device memory.
void f01s_write_through_a_device_ptr([[maybe_unused]] ws::device_ptr<float> data) {
#ifdef MISUSE
  // expected-error {{"a device_ptr cannot be dereferenced"}}
  *data = 1.0F;
#endif
}

// F01: Host code reads a member of a structure in device memory.
namespace f01t_member_through_a_device_ptr {

struct Item {
  int value;
};

auto read(ws::device_ptr<Item> data) {
#ifdef MISUSE
  // expected-error {{"a device_ptr cannot be dereferenced"}}
  return data->value;
#else
  return data.get();
#endif
}

}  // namespace f01t_member_through_a_device_ptr

// F01: Host code uses the type that kernels use.
// only: nvcc hipcc
// code: needed
float f01u_element_of_a_span_in_host_code([[maybe_unused]] ws::DeviceSpan<float> span) {
#ifdef MISUSE
  // expected-error {{"host code cannot read or write device memory"}}
  return span[0];
#else
  return 0.0F;
#endif
}

// F01: Host code asks for its thread in a kernel.
// only: nvcc hipcc
// code: needed
unsigned long f01v_kernel_code_in_host_code() {
#ifdef MISUSE
  // expected-error {{"host code called a device function"}}
  return ws::thread_index().x;
#else
  return 0;
#endif
}

// F01: The question whether the work is done is a condition, which is true while the work runs.
bool f01w_question_as_a_condition(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"write ready().value() for the answer"}}
  if (stream.ready()) return true;
  return false;
#else
  return stream.ready().value();
#endif
}

// F01: The question whether a value has arrived is a condition.
bool f01x_token_as_a_condition(const TokenOf<float>& token) {
#ifdef MISUSE
  const auto asked = token.ready();
  // expected-error {{"write ready().value() for the answer"}}
  return !!asked;
#else
  const auto asked = token.ready();
  return asked.has_value() && asked.value();
#endif
}
