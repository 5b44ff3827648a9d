// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <optional>
#include <span>
#include <vector>

namespace ws = warpsafe;

// C04: A device_ptr is made of a raw pointer.
auto c04m_device_ptr_of_a_raw_pointer([[maybe_unused]] float* host) {
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return ws::device_ptr<float>(host);
#else
  return ws::trust(host);
#endif
}

// C04: The kernel takes a std::span, which is copied with its host pointer.
namespace c04o_span_as_a_parameter {

WARPSAFE_KERNEL void bad([[maybe_unused]] std::span<float> data) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ws::DeviceSpan<float> data) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::span<float> host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, host);
#else
  return ws::launch(stream, config, ws::kernel<good>, ws::DeviceSpan<float>());
#endif
}

}  // namespace c04o_span_as_a_parameter

// C04: The kernel takes an iterator, which is a host pointer.
namespace c04p_iterator_as_a_parameter {

WARPSAFE_KERNEL void bad([[maybe_unused]] std::vector<float>::iterator parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] ws::device_ptr<float> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, host.begin());
#else
  return ws::launch(stream, config, ws::kernel<good>, nullptr);
#endif
}

}  // namespace c04p_iterator_as_a_parameter

// C04: A structure hides a raw pointer, beside a member without a default constructor.
namespace c04q_pointer_in_a_structure {

struct WithRaw {
  int count;
  float* data;
  ws::rows rows;
};
struct WithTyped {
  int count;
  ws::device_ptr<float> data;
  ws::rows rows;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] WithRaw parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] WithTyped parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, WithRaw{4, host.data(), ws::rows{2}});
#else
  return ws::launch(stream, config, ws::kernel<good>, WithTyped{4, nullptr, ws::rows{2}});
#endif
}

}  // namespace c04q_pointer_in_a_structure

// C04: A structure inside a structure hides raw pointers.
namespace c04r_pointers_inside_a_nested_structure {

struct Matrix {
  int shape[2];
  float* rows[2];
};
struct Typed {
  int shape[2];
  ws::device_ptr<float> rows[2];
};
template <class M>
struct Problem {
  double tolerance;
  M matrix;
};

WARPSAFE_KERNEL void bad([[maybe_unused]] Problem<Matrix> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] Problem<Typed> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>,
                    Problem<Matrix>{0.5, {{2, 2}, {host.data(), nullptr}}});
#else
  return ws::launch(stream, config, ws::kernel<good>,
                    Problem<Typed>{0.5, {{2, 2}, {nullptr, nullptr}}});
#endif
}

}  // namespace c04r_pointers_inside_a_nested_structure

// C04: An optional hides a raw pointer.
namespace c04s_optional_pointer {

WARPSAFE_KERNEL void bad([[maybe_unused]] std::optional<float*> parameter) {}
WARPSAFE_KERNEL void good([[maybe_unused]] std::optional<float> parameter) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] std::vector<float>& host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::kernel<bad>, std::optional<float*>(host.data()));
#else
  return ws::launch(stream, config, ws::kernel<good>, std::optional<float>(2.0F));
#endif
}

}  // namespace c04s_optional_pointer

// C04: The members of a functor go to the device with it.
namespace c04t_functor_with_a_pointer {

struct Fill {
  float* data;
  WARPSAFE_FN void operator()(int) const {}
};
struct TypedFill {
  ws::device_ptr<float> data;
  WARPSAFE_FN void operator()(int) const {}
};

auto launched(ws::StreamRef stream, [[maybe_unused]] float* host) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
#ifdef MISUSE
  // expected-error {{"holds a raw pointer, or is a view"}}
  return ws::launch(stream, config, ws::functor(Fill{host}), 4);
#else
  return ws::launch(stream, config, ws::functor(TypedFill{nullptr}), 4);
#endif
}

}  // namespace c04t_functor_with_a_pointer

// C04: A raw pointer initialises a device_ptr.
namespace c04u_device_ptr_by_assignment {

struct Arguments {
  ws::device_ptr<float> data;
};

auto declared([[maybe_unused]] float* host, [[maybe_unused]] ws::DeviceSpan<float> data) {
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return Arguments{host};
#else
  return Arguments{data.pointer()};
#endif
}

}  // namespace c04u_device_ptr_by_assignment

// C04: Only trust() takes memory that other code allocated.
auto c04v_trusted_pointer_by_hand(float* data) {
#ifdef MISUSE
  // expected-error {{"make a trusted pointer with trust(p)"}}
  return ws::trusted_ptr<float>{data};
#else
  return ws::trust(data);
#endif
}

// C04: trust() takes a pointer; a vector is known to own host memory.
auto c04w_trust_of_a_vector([[maybe_unused]] float* data,
                            [[maybe_unused]] std::vector<float>& host) {
#ifdef MISUSE
  // expected-error {{"trust takes a raw pointer to device memory"}}
  return ws::trust(host);
#else
  return ws::trust(data);
#endif
}

// C04: A DeviceSpan is made of a raw pointer and a count.
ws::DeviceSpan<float> c04x_raw_pointer_with_a_count([[maybe_unused]] float* host,
                                                    [[maybe_unused]] ws::device_ptr<float> data) {
#ifdef MISUSE
  // expected-error {{"a raw pointer may be host memory"}}
  return {host, 4};
#else
  return {data, 4};
#endif
}

// C04: A DeviceSpan is made of a vector.
ws::DeviceSpan<float> c04y_span_of_a_vector([[maybe_unused]] std::vector<float>& host,
                                            [[maybe_unused]] ws::device_ptr<float> device) {
#ifdef MISUSE
  // expected-error {{"a DeviceSpan is device memory"}}
  ws::DeviceSpan<float> span = host;
  return span;
#else
  return ws::DeviceSpan<float>(device, 4);
#endif
}

// C04: The private members of a class cannot be inspected, and hide a host pointer.
namespace c04z_pointer_behind_a_constructor {

class Closed {
 public:
  explicit Closed(float* values) : values_(values) {}

 private:
  [[maybe_unused]] float* values_;
};
struct Open {
  ws::DeviceSpan<float> values;
};

WARPSAFE_KERNEL void fill_closed(Closed) {}
WARPSAFE_KERNEL void fill_open(Open) {}

auto launched(ws::StreamRef stream, [[maybe_unused]] float* host, ws::DeviceSpan<float> data) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(data.size(), ws::block<256>));
#ifdef MISUSE
  // expected-error {{"could hide the address of host memory"}}
  return ws::launch(stream, config, ws::kernel<fill_closed>, Closed(host));
#else
  return ws::launch(stream, config, ws::kernel<fill_open>, Open{data});
#endif
}

}  // namespace c04z_pointer_behind_a_constructor

// C07: The private array holds pointers to a class. g++ does not look into a private array.
// only: clang++ hipcc
namespace c07j_private_array_of_pointers_to_a_class {

struct Layer {
  float weight;
};
class Network {
 public:
  explicit Network(const Layer& first);

 private:
  [[maybe_unused]] double rate_, momentum_;
  [[maybe_unused]] int count_;
#ifdef MISUSE
  [[maybe_unused]] const Layer* layers_[4];
#else
  [[maybe_unused]] Layer layers_[4];
#endif
};

WARPSAFE_KERNEL void train([[maybe_unused]] Network network) {}

auto launched(ws::StreamRef stream, const Network& network) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
  // expected-error {{"could hide the address of host memory"}}
  return ws::launch(stream, config, ws::kernel<train>, network);
}

}  // namespace c07j_private_array_of_pointers_to_a_class

// C07: The span is private, so no compiler tells it from an address of the host.
namespace c07k_private_span {

class Window {
 public:
  explicit Window(ws::DeviceSpan<float> values);

#ifdef MISUSE
 private:
  [[maybe_unused]] ws::DeviceSpan<float> values_;
#else
 private:
  [[maybe_unused]] double low_, high_;
  [[maybe_unused]] short first_, last_;
#endif
};

WARPSAFE_KERNEL void read([[maybe_unused]] Window window) {}

auto launched(ws::StreamRef stream, const Window& window) {
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
  // expected-error {{"use a plain struct of values and DeviceSpans (all public, without a constructor)"}}
  return ws::launch(stream, config, ws::kernel<read>, window);
}

}  // namespace c07k_private_span

// C07: The elements of a buffer hold a raw pointer, and the device cannot follow one to the host.
namespace c07l_pointer_in_the_elements {

struct Row {
  float* data;
  int size;
};
struct TypedRow {
  ws::DeviceSpan<float> data;
  int kind;
};

auto filled(const ws::Stream& stream, [[maybe_unused]] const std::vector<Row>& rows,
            [[maybe_unused]] const std::vector<TypedRow>& typed) {
#ifdef MISUSE
  // expected-error {{"these elements hold a raw pointer"}}
  return ws::DeviceBuffer<Row>::from(stream, rows);
#else
  return ws::DeviceBuffer<TypedRow>::from(stream, typed);
#endif
}

}  // namespace c07l_pointer_in_the_elements
