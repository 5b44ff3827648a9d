// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The programs of the third list (tests/misuse/second/third_*.inc) that do not compile. There each
// stands whole; here is its wrong line.

#include "data.hpp"
#include <warpsafe/compare/compare.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <functional>
#include <string_view>
#include <variant>

namespace ws = warpsafe;

// I09: The download is written where the upload is meant.
auto i09_pinned_buffer_as_the_target(const ws::Stream& stream, Buffer& x, Pinned& pinned) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy can be written"}}
  return ws::copy(stream, std::move(pinned), x.view());
#else
  return ws::copy(stream, ws::from(std::move(pinned)), ws::to(x.view()));
#endif
}

// I10: The vector that is to go up is overwritten.
auto i10_vector_as_the_target(const ws::Stream& stream, Buffer& x, std::vector<float>& next) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy can be written"}}
  return ws::copy_and_wait(stream, next, x.view());
#else
  return ws::copy_and_wait(stream, ws::from(next), ws::to(x.view()));
#endif
}

// I11: The halo goes the wrong way.
auto i11_parts_of_one_buffer(const ws::Stream& stream, ws::DeviceView<float> border,
                             ws::DeviceView<float> inner) {
#ifdef MISUSE
  // expected-error {{"both sides of this copy can be written"}}
  return ws::copy(stream, inner, border);
#else
  return ws::copy(stream, ws::from(inner), ws::to(border));
#endif
}

// I16: The row of the matrix of a temporary.
auto i16_row_of_a_temporary(const ws::Stream& stream) {
  const ws::extent size{ws::rows{4}, ws::cols{8}};
#ifdef MISUSE
  // expected-error {{"this temporary buffer frees its memory at the end of the statement"}}
  return ws::PitchedBuffer<float>::create(stream, size).value().view();
#else
  return ws::PitchedBuffer<float>::create(stream, size);
#endif
}

// I19: A reference to the stream of a temporary.
auto i19_reference_to_a_temporary([[maybe_unused]] const ws::Stream& owner) {
#ifdef MISUSE
  // expected-error {{"deleted"}}
  const ws::StreamRef other = ws::Stream::create(ws::DeviceId(0)).value();
#else
  const ws::StreamRef other = owner;
#endif
  return other;
}

// I28: A loop waits for the copy, and tests the answer itself.
bool i28_answer_of_a_pending(Token& pending) {
#ifdef MISUSE
  // expected-error {{"as a condition this would test for an error"}}
  while (!pending.ready()) {
  }
#else
  while (!pending.ready().value()) {
  }
#endif
  return true;
}

// I29: The comparison itself stands as the condition.
bool i29_comparison_as_a_condition(const ws::Comparison& compared) {
#ifdef MISUSE
  // expected-error {{"bool"}}
  return compared ? true : false;
#else
  return compared.agrees();
#endif
}

// I30: The number of nodes as a condition.
bool i30_number_of_nodes_as_a_condition(const ws::Graph& graph) {
#ifdef MISUSE
  // expected-error {{"as a condition this would test for an error"}}
  if (graph.node_count()) return true;
#else
  if (graph.node_count().value() != 0) return true;
#endif
  return false;
}

// I43: A variant that may hold a pointer of the host.
namespace i43_variant_with_a_pointer {

#ifdef MISUSE
using Choice = std::variant<float, const float*>;
#else
using Choice = std::variant<float, double>;
#endif
WARPSAFE_KERNEL void choose(float*, Choice) {}

auto launched(const ws::Stream& stream, Buffer& x, Choice choice) {
  // expected-error {{"holds a raw pointer, or is a view or an iterator"}}
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<choose>, x.view(),
                    choice);
}

}  // namespace i43_variant_with_a_pointer

// I44: A string_view names the mode of a kernel.
namespace i44_string_view_as_a_mode {

#ifdef MISUSE
using Mode = std::string_view;
#else
enum class Mode { once, twice };
#endif
WARPSAFE_KERNEL void run(float*, Mode) {}

auto launched(const ws::Stream& stream, Buffer& x, Mode mode) {
  // expected-error {{"holds a raw pointer, or is a view or an iterator"}}
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<run>, x.view(),
                    mode);
}

}  // namespace i44_string_view_as_a_mode

// I45: A lambda captures `this`.
// only: g++ clang++ hipcc
namespace i45_lambda_with_this {

struct Solver {
  float factor;
  auto run(const ws::Stream& stream, Buffer& x) const {
    const auto grid = ws::SafeGrid<>::cover(x.size(), ws::block<64>);
#ifdef MISUSE
    // expected-error {{"a lambda with captures"}}
    return ws::launch(stream, grid, ws::functor([this](ws::DeviceSpan<float> p) {
                        for (auto i : ws::grid_stride(p.size())) p[i] *= factor;
                      }),
                      x.view());
#else
    return ws::launch(stream, grid, ws::functor([by = factor](ws::DeviceSpan<float> p) {
                        for (auto i : ws::grid_stride(p.size())) p[i] *= by;
                      }),
                      x.view());
#endif
  }
};

}  // namespace i45_lambda_with_this

// I46: A pointer to a function of the host.
namespace i46_function_of_the_host {

float twice(float x) { return 2 * x; }
struct Twice {
  WARPSAFE_FN float operator()(float x) const { return 2 * x; }
};
template <class F>
WARPSAFE_KERNEL void map(float* x, std::size_t n, F f) {
  for (auto i : ws::grid_stride(n)) x[i] = f(x[i]);
}

auto launched(const ws::Stream& stream, Buffer& x) {
  const auto grid = ws::SafeGrid<>::cover(x.size(), ws::block<64>);
#ifdef MISUSE
  // expected-error {{"this argument is not device memory"}}
  return ws::launch(stream, grid, ws::kernel<map<float (*)(float)>>, x.view(), x.size(), twice);
#else
  static_cast<void>(&twice);
  return ws::launch(stream, grid, ws::kernel<map<Twice>>, x.view(), x.size(), Twice{});
#endif
}

}  // namespace i46_function_of_the_host

// I47: A class keeps an array of addresses of the host in private.
namespace i47_private_array_of_pointers {

class Tables {
 public:
  constexpr explicit Tables(const float* first) : tables_{} { set(first); }

 private:
#ifdef MISUSE
  constexpr void set(const float* first) { tables_[0] = first; }
  const float* tables_[3];
#else
  constexpr void set(const float* first) { tables_[0] = *first; }
  float tables_[3];
#endif
};
WARPSAFE_KERNEL void look_up(float*, Tables) {}

auto launched(const ws::Stream& stream, Buffer& x, Tables tables) {
  // expected-error {{"could hide the address of host memory"}}
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<look_up>, x.view(),
                    tables);
}

}  // namespace i47_private_array_of_pointers

// I48: A structure holds a reference, by reference_wrapper.
namespace i48_reference_in_disguise {

struct Settings {
#ifdef MISUSE
  std::reference_wrapper<const float> factor;
#else
  float factor;
#endif
};
WARPSAFE_KERNEL void run(float*, Settings) {}

auto launched(const ws::Stream& stream, Buffer& x, Settings settings) {
  // expected-error {{"holds a raw pointer, or is a view or an iterator"}}
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<run>, x.view(),
                    settings);
}

}  // namespace i48_reference_in_disguise
