// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The mistakes of programs/refused.inc.

#include "data.hpp"
#include "handles.hpp"
#include <warpsafe/compare/compare.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/stream/device.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace ws = warpsafe;

WARPSAFE_KERNEL void h_fill(float value, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = value;
}

// H17: The guard ends in the same line.
ws::result<void> h17_guard_dropped_at_once() {
#ifdef MISUSE
  // expected-error {{"this object would end in the same statement"}}
  WARPSAFE_TRYV(ws::DeviceGuard::create(ws::DeviceId(1)));
#else
  WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
#endif
  return ws::success();
}

// H17: The capture ends in the same line.
ws::result<void> h17b_capture_dropped_at_once(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this object would end in the same statement"}}
  WARPSAFE_TRYV(ws::Capture::begin(stream));
#else
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  static_cast<void>(capture);
#endif
  return ws::success();
}

// H19: Free memory is asked of the current device, and the buffer goes to another.
auto h19_memory_of_no_named_device(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"memory_info"}}
  return ws::memory_info();
#else
  return ws::memory_info(stream.device());
#endif
}

// H29: The view of a buffer that is a temporary.
auto h29_view_of_a_temporary(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this temporary buffer frees its memory at the end of the statement"}}
  return ws::DeviceBuffer<float>::create(stream, 10).value().view();
#else
  return ws::DeviceBuffer<float>::create(stream, 10);
#endif
}

// H44: Source and target of a copy are swapped.
auto h44_copy_the_wrong_way(const ws::Stream& stream, Buffer& from, Buffer& to) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, from.view(), to.view());
#else
  return ws::copy(stream, ws::from(from.view()), ws::to(to.view()));
#endif
}

// H45: Source and target of a copy are swapped, and the source is const.
auto h45_copy_to_the_const_source(const ws::Stream& stream, const Buffer& from, Buffer& to) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, from.view(), to.view());
#else
  return ws::copy(stream, ws::from(from.view()), ws::to(to.view()));
#endif
}

// H51: Elements that own host memory.
auto h51_strings_on_the_device(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a buffer holds only trivially copyable elements"}}
  return ws::DeviceBuffer<std::string>::create(stream, 10);
#else
  return ws::DeviceBuffer<char>::create(stream, 10);
#endif
}

// H52: A copy of values of another type.
auto h52_doubles_for_floats(const ws::Stream& stream, Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"the source is not sized host memory of these elements"}}
  return ws::copy_and_wait(stream, ws::from(std::vector<double>(10, 1.0)), ws::to(buffer));
#else
  return ws::copy_and_wait(stream, ws::from(std::vector<float>(10, 1.0F)), ws::to(buffer));
#endif
}

// H56: A buffer is copied by its copy constructor.
auto h56_copy_of_a_buffer(Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"basic_device_buffer"}}
  Buffer other = buffer;
#else
  Buffer other = std::move(buffer);
#endif
  return other.size();
}

// H79: A function object with a pointer to a function of the host.
struct HApply {
  float (*op)(float);
  WARPSAFE_FN void operator()(ws::DeviceSpan<float> x) const {
    for (auto i : ws::grid_stride(x.size())) x[i] = op(x[i]);
  }
};
struct HScale {
  float factor;
  WARPSAFE_FN void operator()(ws::DeviceSpan<float> x) const {
    for (auto i : ws::grid_stride(x.size())) x[i] *= factor;
  }
};
auto h79_host_function_in_a_functor(const ws::Stream& stream, Buffer& buffer, float (*op)(float)) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"raw pointer"}}
  return ws::launch(stream, one, ws::functor(HApply{op}), buffer.view());
#else
  static_cast<void>(op);
  return ws::launch(stream, one, ws::functor(HScale{2}), buffer.view());
#endif
}

// H80: An object with virtual functions as a parameter.
struct HShape {
  virtual ~HShape() = default;
  virtual float area() const { return 1; }
};
WARPSAFE_KERNEL void h_polymorphic(HShape) {}
struct HArea {
  float area;
};
WARPSAFE_KERNEL void h_plain(HArea) {}
auto h80_polymorphic_parameter(const ws::Stream& stream) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"the kernel takes a polymorphic type"}}
  return ws::launch(stream, one, ws::kernel<h_polymorphic>, HShape{});
#else
  return ws::launch(stream, one, ws::kernel<h_plain>, HArea{2});
#endif
}

// H81: An integer that float cannot hold, for a float parameter.
auto h81_int_for_float(const ws::Stream& stream, Buffer& buffer, int value) {
  constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
#ifdef MISUSE
  // expected-error {{"this argument may lose its value in the kernel's narrower parameter"}}
  return ws::launch(stream, one, ws::kernel<h_fill>, value, buffer.view(), buffer.size());
#else
  return ws::launch(stream, one, ws::kernel<h_fill>, static_cast<float>(value), buffer.view(),
                    buffer.size());
#endif
}

// H96: Two numbers in a row, which are swapped.
auto h96_tolerances_in_a_row(double relative, double absolute) {
#ifdef MISUSE
  // expected-error {{"two numbers in a row could be swapped; name them"}}
  return ws::Tolerance{relative, absolute};
#else
  return ws::Tolerance{.absolute = absolute, .relative = relative};
#endif
}

// H96: One number, of which the reader does not know which it is.
auto h96b_tolerance_without_a_name() {
#ifdef MISUSE
  // expected-error {{"two numbers in a row could be swapped; name them"}}
  return ws::Tolerance{1e-3};
#else
  ws::Tolerance chosen{.relative = 1e-3};
  const ws::Tolerance usual = ws::tolerance_for<float>;
  chosen.absolute = usual.absolute;
  return chosen;
#endif
}

// H102: A scalar of another type than the library reads.
auto h102_int_for_the_librarys_float(ws::StreamBound<LibraryHandle>& library, Buffer& x,
                                     Buffer& y) {
#ifdef MISUSE
  // expected-error {{"this scalar has a different type than the library's parameter points to"}}
  return library.call<library_axpy>(library_plain, 10, ws::host_scalar(2), x.view(), y.view());
#else
  return library.call<library_axpy>(library_plain, 10, ws::host_scalar(2.0F), x.view(), y.view());
#endif
}

// H103: A scalar in device memory for a library that reads its scalars on the host.
auto h103_device_scalar_for_the_host(ws::StreamBound<OtherHandle>& library, Buffer& alpha) {
#ifdef MISUSE
  // expected-error {{"this library reads its scalars on the host"}}
  return library.call<other_run>(10, ws::device_scalar(alpha.view()));
#else
  static_cast<void>(alpha);
  return library.call<other_run>(10, ws::host_scalar(2.0F));
#endif
}

// H06: The value of an event's query is used as a bool.
bool h06_progress_as_a_bool(const ws::Event& event) {
#ifdef MISUSE
  // expected-error {{"bool"}}
  while (event.query().value()) {
  }
#else
  while (event.query().value() != ws::Progress::ready) {
  }
#endif
  return true;
}

// H64: A kernel that counts along x, and a block that is long in y.
auto h64_block_of_two_axes_for_a_size(std::size_t n) {
#ifdef MISUSE
  // expected-error {{"a block of several axes needs an extent of as many axes"}}
  return ws::SafeGrid<>::cover(n, ws::block<1, 64>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<64>);
#endif
}

// H86: A cluster is counted as one block of the grid.
// only: g++ clang++ nvcc
auto h86_cluster_counted_as_a_block() {
#ifdef MISUSE
  // expected-error {{"the cluster does not divide the grid"}}
  constexpr ws::LaunchConfig config{ws::grid<5>, ws::block<32>, ws::cluster<4, 1, 1>};
#else
  constexpr ws::LaunchConfig config{ws::grid<20>, ws::block<32>, ws::cluster<4, 1, 1>};
#endif
  return config;
}

// I09: The download is written where the upload is meant.
auto i09_pinned_buffer_as_the_target(const ws::Stream& stream, Buffer& x, Pinned& pinned) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy(stream, std::move(pinned), x.view());
#else
  return ws::copy(stream, ws::from(std::move(pinned)), ws::to(x.view()));
#endif
}

// I10: The vector that is to go up is overwritten.
auto i10_vector_as_the_target(const ws::Stream& stream, Buffer& x, std::vector<float>& next) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
  return ws::copy_and_wait(stream, next, x.view());
#else
  return ws::copy_and_wait(stream, ws::from(next), ws::to(x.view()));
#endif
}

// I11: The halo goes the wrong way.
auto i11_parts_of_one_buffer(const ws::Stream& stream, ws::DeviceView<float> border,
                             ws::DeviceView<float> inner) {
#ifdef MISUSE
  // expected-error {{"a copy names its sides"}}
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
  // expected-error {{"this stream is a temporary"}}
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
