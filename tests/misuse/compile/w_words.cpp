// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Slips of someone who has read only the guides. They belong to no row of the catalogue: nothing
// wrong would run without these sentences, but the compiler would say so in its own words.

#include "data.hpp"
#include "handles.hpp"
#include <warpsafe/error/try.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/stream/device.hpp>

#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__CUDACC__) || defined(__HIPCC__)
#include <warpsafe/module.hpp>  // the modules of data.hpp's host backend are not declared
#endif

namespace ws = warpsafe;

WARPSAFE_KERNEL void w_fill(float value, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = value;
}
WARPSAFE_KERNEL void w_span(ws::DeviceSpan<float> x) {
  for (auto i : ws::grid_stride(x.size())) x[i] = 1;
}
using Matrix = ws::PitchedBuffer<float>;
using Managed = ws::ManagedBuffer<float>;
using SpanKernel = std::remove_const_t<decltype(ws::kernel<w_span>)>;
inline const auto w_grid = ws::SafeGrid<>::cover(100, ws::block<256>);

// W01: As in <<<grid, block, bytes>>>.
ws::result<void> w01_option_behind_the_grid(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"stands in the kernel's place"}}
  return ws::launch(stream, w_grid, ws::shared<float>(256), ws::kernel<w_fill>, 1.0F, x.view(),
                    x.size());
#else
  return ws::launch(stream, ws::configure(w_grid, ws::shared<float>(256)), ws::kernel<w_fill>, 1.0F,
                    x.view(), x.size());
#endif
}

// W01: As in <<<grid, block>>>.
ws::result<void> w01b_block_behind_the_grid(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"stands in the kernel's place"}}
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>}, ws::block<32>,
                    ws::kernel<w_fill>, 1.0F, x.view(), x.size());
#else
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<w_fill>, 1.0F,
                    x.view(), x.size());
#endif
}

// W01: The kernel is called with its arguments.
ws::result<void> w01c_kernel_is_called(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"a kernel is not called"}}
  return ws::launch(stream, w_grid, ws::kernel<w_fill>(1.0F, x.view(), x.size()));
#else
  return ws::launch(stream, w_grid, ws::kernel<w_fill>, 1.0F, x.view(), x.size());
#endif
}

// W02: The copy may still run.
ws::result<void> w02_pending_in_try(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get()"}}
  WARPSAFE_TRY(const auto values, x.to_host(stream));
#else
  WARPSAFE_TRY(const auto values, x.to_host(stream).get());
#endif
  static_cast<void>(values);
  return ws::success();
}

// W02: The copy may still run.
ws::result<void> w02b_pending_in_tryv(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"call std::move(pending).get()"}}
  WARPSAFE_TRYV(x.to_host(stream));
#else
  WARPSAFE_TRYV(x.to_host(stream).get());
#endif
  return ws::success();
}

// W02: The comma is missing.
ws::result<void> w02c_equals_sign_in_try(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"takes a declaration, a comma and an expression"}}
  WARPSAFE_TRY(auto made = Buffer::create(stream, 5));
#else
  WARPSAFE_TRY(auto made, Buffer::create(stream, 5));
#endif
  return made.close();
}

// W03: The header with << is missing.
void w03_error_without_print(std::ostream& out, const ws::LaunchError& error) {
#ifdef MISUSE
  // expected-error {{"include <warpsafe/print.hpp>"}}
  out << error;
#else
  out << error.raw_name.data;
#endif
}

// W04: A buffer in place of its view.
ws::result<void> w04_buffer_for_a_pointer(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"write buffer.view()"}}
  return ws::launch(stream, w_grid, ws::kernel<w_fill>, 1.0F, x, x.size());
#else
  return ws::launch(stream, w_grid, ws::kernel<w_fill>, 1.0F, x.view(), x.size());
#endif
}

// W04: A buffer in place of its view.
ws::result<void> w04b_buffer_for_a_span(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"write buffer.view()"}}
  return ws::launch(stream, w_grid, ws::kernel<w_span>, x);
#else
  return ws::launch(stream, w_grid, ws::kernel<w_span>, x.view());
#endif
}

// W05: A buffer has one owner.
// only: g++
Buffer w05_copy_of_a_buffer(Buffer& x) {
#ifdef MISUSE
  // expected-error {{"MoveItOrPassItsView"}}
  return Buffer(x);
#else
  return Buffer(std::move(x));
#endif
}

// W06: A device is not a number.
ws::result<void> w06_device_as_a_number() {
#ifdef MISUSE
  // expected-error {{"a device is a DeviceId"}}
  WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(1));
#else
  WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
#endif
  return ws::success();
}

// W07: The stream is missing.
ws::result<Buffer> w07_buffer_without_a_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create takes a stream"}}
  return Buffer::create(5);
#else
  return Buffer::create(stream, 5);
#endif
}

// W07: The count is missing.
ws::result<Buffer> w07b_buffer_without_a_count(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create takes a stream"}}
  return Buffer::create(stream);
#else
  return Buffer::create(stream, 5);
#endif
}

// W07: The stream is still a result.
ws::result<Buffer> w07c_stream_is_a_result([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create takes a stream"}}
  return Buffer::create(ws::Stream::create(ws::DeviceId(0)), 5);
#else
  return Buffer::create(stream, 5);
#endif
}

// W07: The elements have another type.
ws::result<Buffer> w07d_values_of_another_type(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"elements of the buffer's type"}}
  return Buffer::from(stream, std::vector<double>(5));
#else
  return Buffer::from(stream, std::vector<float>(5));
#endif
}

// W07: The stream is missing.
ws::result<Matrix> w07e_matrix_without_a_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create takes a stream"}}
  return Matrix::create(ws::extent{ws::rows{2}, ws::cols{3}});
#else
  return Matrix::create(stream, ws::extent{ws::rows{2}, ws::cols{3}});
#endif
}

// W07: The stream is missing.
ws::result<Managed> w07f_managed_without_a_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"create takes a stream"}}
  return Managed::create(5);
#else
  return Managed::create(stream, 5);
#endif
}

// W07: Pinned memory has no stream.
ws::result<Pinned> w07g_pinned_with_a_stream([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"pinned memory belongs to no stream"}}
  return Pinned::create(stream, 5);
#else
  return Pinned::create(5);
#endif
}

// W08: The stream is missing.
ws::result<void> w08_fill_without_a_stream([[maybe_unused]] const ws::Stream& stream,
                                           [[maybe_unused]] Buffer& x) {
#ifdef MISUSE
  // expected-error {{"takes the stream that runs it"}}
  return x.zero();
#else
  return x.zero(stream);
#endif
}

// W08: The stream is missing.
auto w08b_read_without_a_stream([[maybe_unused]] const ws::Stream& stream,
                                [[maybe_unused]] Buffer& x) {
#ifdef MISUSE
  // expected-error {{"takes the stream that runs it"}}
  return x.to_host();
#else
  return x.to_host(stream);
#endif
}

// W09: The element is in device memory.
float w09_element_on_the_host([[maybe_unused]] const ws::Stream& stream,
                              [[maybe_unused]] Buffer& x) {
#ifdef MISUSE
  // expected-error {{"host code cannot use an element of device memory"}}
  return x[0];
#else
  return x.to_host(stream).get().value()[0];
#endif
}

// W10: The result may hold an error.
float w10_element_of_a_result(const ws::result<std::vector<float>>& result) {
#ifdef MISUSE
  // expected-error {{"take the value first"}}
  return result[0];
#else
  return result.value()[0];
#endif
}

// W10: The result may hold an error.
float w10b_result_is_dereferenced(const ws::result<std::vector<float>>& result) {
#ifdef MISUSE
  // expected-error {{"take the value first"}}
  return (*result)[0];
#else
  return result.value()[0];
#endif
}

// W11: Which of the two waits?
ws::result<void> w11_wait_as_a_member(const ws::Stream& stream, const ws::Event& event) {
#ifdef MISUSE
  // expected-error {{"wait(stream, event)"}}
  return stream.wait(event);
#else
  return ws::wait(stream, event);
#endif
}

// W12: The graph was not instantiated.
ws::result<void> w12_graph_is_launched(const ws::Graph& graph, const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"after WARPSAFE_TRY(auto exec, graph.instantiate())"}}
  return graph.launch(stream);
#else
  WARPSAFE_TRY(auto exec, graph.instantiate());
  return exec.launch(stream);
#endif
}

// W13: The signature is missing.
// only: nvcc hipcc
bool w13_kernel_without_a_signature(const ws::Module& module) {
#ifdef MISUSE
  // expected-error {{"with the signature of its source"}}
  auto found = module.kernel("w_fill");
#else
  auto found = module.kernel<void(float*)>("w_fill");
#endif
  return found.has_value();
}

// W13: The kernel may not exist.
[[maybe_unused]] ws::result<void> w13b_kernel_is_a_result(const ws::result<SpanKernel>& found,
                                                          const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"this kernel is a result"}}
  return ws::launch(stream, w_grid, found, x.view());
#else
  return ws::launch(stream, w_grid, found.value(), x.view());
#endif
}

// W14: cover returns a result.
ws::result<void> w14_grid_is_a_result(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"a part of this LaunchConfig is a result"}}
  return ws::launch(stream, ws::LaunchConfig{w_grid, ws::shared<float>(8)}, ws::kernel<w_span>,
                    x.view());
#else
  return ws::launch(stream, ws::configure(w_grid, ws::shared<float>(8)), ws::kernel<w_span>,
                    x.view());
#endif
}

// W15: The Pending keeps its value.
ws::result<void> w15_pending_is_not_moved(const ws::Stream& stream, Token& a) {
#ifdef MISUSE
  // expected-error {{"takes the tokens of copies by move"}}
  WARPSAFE_TRY(const auto both, ws::synchronize(stream, a));
#else
  WARPSAFE_TRY(const auto both, ws::synchronize(stream, std::move(a)));
#endif
  static_cast<void>(both);
  return ws::success();
}

// W16: The traits forget set_stream, so the work would run on the default stream.
namespace w16_function_without_a_stream {

using MyHandle = struct MyContext*;
LibraryStatus my_create(MyHandle* handle) noexcept;
LibraryStatus my_destroy(MyHandle handle) noexcept;
LibraryStatus my_set_stream(MyHandle handle, LibraryStream stream) noexcept;
LibraryStatus my_scale(MyHandle handle, float factor) noexcept;

}  // namespace w16_function_without_a_stream

template <>
struct warpsafe::handle_traits<w16_function_without_a_stream::MyHandle>
#ifdef MISUSE
    : HandleCalls<warpsafe::Stream::backend, w16_function_without_a_stream::my_create,
                  w16_function_without_a_stream::my_destroy> {
#else
    : HandleCalls<warpsafe::Stream::backend, w16_function_without_a_stream::my_create,
                  w16_function_without_a_stream::my_destroy,
                  w16_function_without_a_stream::my_set_stream> {
  static constexpr int inner_handles = 0;
#endif
  static constexpr Name name = Name::of("my library");
};

namespace w16_function_without_a_stream {

auto scaled(ws::StreamBound<MyHandle>& handle) {
  // expected-error {{"this function takes no stream, and handle_traits has no set_stream"}}
  return handle.call<my_scale>(2.0F);
}

}  // namespace w16_function_without_a_stream

// W17: As cudaStream_t stream; in CUDA.
ws::result<void> w17_stream_without_create() {
#ifdef MISUSE
  // expected-error {{"a stream is made by a function that can fail"}}
  const ws::Stream stream;
#else
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
#endif
  return stream.synchronize();
}

// W17: As std::vector<float> x(n).
ws::result<void> w17b_buffer_constructor([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a buffer is made by a function that can fail"}}
  Buffer x(stream, 100);
#else
  WARPSAFE_TRY(auto x, Buffer::create(stream, 100));
#endif
  return x.close();
}

// W17: A buffer as a member, before it is made.
struct W17cSolver {
  explicit W17cSolver(Buffer&& its_x) : x(std::move(its_x)) {}
#ifdef MISUSE
  // expected-error {{"a buffer is made by a function that can fail"}}
  explicit W17cSolver(const ws::Stream& stream, int n = 100) : x(stream, n) {}
#endif
  Buffer x;
};
ws::result<W17cSolver> w17c_member_without_create(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, Buffer::create(stream, 100));
  return W17cSolver(std::move(x));
}

// W17: As cudaEvent_t event; in CUDA.
ws::result<void> w17d_event_without_record([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"an event is a point that a stream has reached"}}
  const ws::Event event;
#else
  WARPSAFE_TRY(const auto event, stream.record());
#endif
  return event.synchronize();
}

// W17: A guard as a constructor would make it.
ws::result<void> w17e_guard_without_create() {
#ifdef MISUSE
  // expected-error {{"a guard is made by a function that can fail"}}
  ws::DeviceGuard guard(1);
#else
  WARPSAFE_TRY(auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
#endif
  return guard.close();
}

// W17: A capture as a constructor would make it.
ws::result<void> w17f_capture_without_begin([[maybe_unused]] const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a capture is made by a function that can fail"}}
  ws::Capture capture(stream);
#else
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
#endif
  capture.discard();
  return ws::success();
}

// W18: As a std::vector's data().
ws::result<void> w18_data_of_a_buffer(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"a buffer has no data()"}}
  return ws::launch(stream, w_grid, ws::kernel<w_fill>, 1.0F, x.data(), x.size());
#else
  return ws::launch(stream, w_grid, ws::kernel<w_fill>, 1.0F, x.view(), x.size());
#endif
}

// W19: As a call's cudaError_t is compared with cudaSuccess.
bool w19_result_compared(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a result is no status code"}}
  return stream.synchronize() != 0;
#else
  return !stream.synchronize().has_value();
#endif
}

// W19: As a call's cudaError_t is kept.
enum W19Status { its_success };
bool w19b_result_as_status(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"a result is no status code"}}
  const W19Status done = stream.synchronize();
  return done == its_success;
#else
  const auto done = stream.synchronize();
  return done.has_value();
#endif
}

// W19: The result of a copy in the place of its elements.
ws::result<void> w19c_result_as_value([[maybe_unused]] const ws::Stream& stream,
                                      [[maybe_unused]] Buffer& x) {
#ifdef MISUSE
  // expected-error {{"this result may hold an error instead of a value"}}
  const std::vector<float> values = x.to_host(stream).get();
#else
  WARPSAFE_TRY(const std::vector<float> values, x.to_host(stream).get());
#endif
  return values.empty() ? stream.synchronize() : ws::success();
}

// W19: The result of a stream for a function that takes a stream.
inline ws::result<void> waited_for(ws::StreamRef stream) { return stream.synchronize(); }
ws::result<void> w19d_result_as_stream() {
#ifdef MISUSE
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  // expected-error {{"this result may hold an error instead of a value"}}
  return waited_for(stream);
#else
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  return waited_for(stream);
#endif
}

// W21: An index without an axis.
WARPSAFE_KERNEL void w21_index_without_an_axis(float* x, std::size_t n) {
#ifdef MISUSE
  // expected-error {{"an index has an axis"}}
  const std::size_t i = ws::thread_index();
#else
  const std::size_t i = ws::thread_index().x;
#endif
  if (i < n) x[i] = 1;
}

// W22: A literal of type int for a counter of another type.
WARPSAFE_KERNEL void w22_amount_of_another_type(unsigned* count) {
#ifdef MISUSE
  // expected-error {{"an amount of the counter's type"}}
  ws::atomic_add(count, 1);
#else
  ws::atomic_add(count, 1U);
#endif
}

// W22: A counter of a size, for which CUDA has no addition.
#ifdef MISUSE
WARPSAFE_KERNEL void w22c_counter_of_a_size(std::size_t* count) {
  // expected-error {{"GPUs add atomically to int, unsigned, unsigned long long, float and double"}}
  ws::atomic_add(count, std::size_t{1});
#else
WARPSAFE_KERNEL void w22c_counter_of_a_size(unsigned long long* count) {
  ws::atomic_add(count, 1ULL);
#endif
}

// W22: A counter in place of its address.
WARPSAFE_KERNEL void w22b_counter_without_address(unsigned* counts) {
#ifdef MISUSE
  // expected-error {{"atomic_add takes a pointer to a counter"}}
  ws::atomic_add(counts[0], 1U);
#else
  ws::atomic_add(&counts[0], 1U);
#endif
}

// W23: The number of elements in parentheses.
WARPSAFE_KERNEL void w23_size_in_parentheses(float* x) {
#ifdef MISUSE
  // expected-error {{"the number of elements of shared_array is a constant in the brackets"}}
  auto* const tile = ws::shared_array<float>(256);
#else
  auto* const tile = ws::shared_array<float, 256>([] {});
#endif
  tile[ws::thread_in_block().x] = *x;
}

// W24: A lambda, with nvcc.
// only: nvcc
struct Nothing {
  WARPSAFE_FN void operator()(ws::DeviceSpan<float>) const {}
};
ws::result<void> w24_lambda(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"with nvcc, a lambda cannot be a kernel"}}
  return ws::launch(stream, w_grid, ws::functor([](ws::DeviceSpan<float>) {}), x.view());
#else
  return ws::launch(stream, w_grid, ws::functor(Nothing{}), x.view());
#endif
}

// W25: A view of a buffer that ends with the function. g++ does not see it.
// only: clang++ hipcc
#ifdef MISUSE
#pragma clang diagnostic error "-Wreturn-stack-address"
ws::DeviceView<float> w25_view_of_a_local_buffer(Buffer&& given) {
  Buffer x = std::move(given);
  // expected-error {{"address of stack memory associated with local variable 'x' returned"}}
  return x.view();
}
#else
ws::DeviceView<float> w25_view_of_a_local_buffer(Buffer& x) { return x.view(); }
#endif

// W25: A reference to a stream that ends with the function. g++ does not see it.
// only: clang++ hipcc
#ifdef MISUSE
#pragma clang diagnostic error "-Wreturn-stack-address"
ws::StreamRef w25b_reference_to_a_local_stream(ws::Stream&& given) {
  const ws::Stream stream = std::move(given);
  // expected-error {{"address of stack memory associated with local variable 'stream' returned"}}
  return stream.ref();
}
#else
ws::StreamRef w25b_reference_to_a_local_stream(const ws::Stream& stream) { return stream.ref(); }
#endif

// W26: As std::vector takes its elements.
ws::result<Buffer> w26_create_of_values(const ws::Stream& stream, const std::vector<float>& v) {
#ifdef MISUSE
  // expected-error {{"create takes a number of elements and leaves them unset"}}
  return Buffer::create(stream, v);
#else
  return Buffer::from(stream, v);
#endif
}

// W26: As std::vector takes a value for all elements.
ws::result<Buffer> w26b_create_with_a_value(const ws::Stream& stream, std::size_t n) {
#ifdef MISUSE
  // expected-error {{"create takes a number of elements and leaves them unset"}}
  return Buffer::create(stream, n, 0.0F);
#else
  return Buffer::create(stream, n);
#endif
}

// W27: As a range-based loop takes an array.
inline WARPSAFE_FN void w27_loop_over_a_span(ws::DeviceSpan<float> x) {
#ifdef MISUSE
  // expected-error {{"grid_stride takes the number of elements"}}
  for (auto i : ws::grid_stride(x)) x[i] = 1;
#else
  for (auto i : ws::grid_stride(x.size())) x[i] = 1;
#endif
}

// W28: The index of a thread as a number in a comparison.
inline WARPSAFE_FN bool w28_index_compared(std::size_t n) {
#ifdef MISUSE
  // expected-error {{"an index has an axis"}}
  return ws::thread_index() < n;
#else
  return ws::thread_index().x < n;
#endif
}

// W28: As blockIdx.x * blockDim.x is written.
inline WARPSAFE_FN unsigned w28b_index_multiplied() {
#ifdef MISUSE
  // expected-error {{"an index has an axis"}}
  return (ws::block_index() * ws::block_size()).x;
#else
  return ws::block_index().x * ws::block_size().x;
#endif
}

// W29: The error cannot leave a function that returns a vector.
#ifdef MISUSE
std::vector<float> w29_try_in_a_function_of_a_vector(ws::result<std::vector<float>> values) {
  // expected-error {{"this one returns no result; let it return result<T>"}}
#else
ws::result<std::vector<float>> w29_try_in_a_function_of_a_vector(
    ws::result<std::vector<float>> values) {
#endif
  WARPSAFE_TRY(auto found, values);
  return found;
}

// W29: The error cannot leave a function that returns a number with a fraction.
#ifdef MISUSE
double w29b_try_in_a_function_of_a_double(ws::result<double> number) {
  // expected-error {{"this one returns no result; let it return result<T>"}}
#else
ws::result<double> w29b_try_in_a_function_of_a_double(ws::result<double> number) {
#endif
  WARPSAFE_TRY(const auto found, number);
  return found;
}

// W30: The parentheses are missing. Each compiler names the argument in its own words; without the
// overload of launch for this, g++ lists every overload.
// only: g++
ws::result<void> w30_view_without_parentheses(const ws::Stream& stream, Buffer& x) {
#ifdef MISUSE
  // expected-error {{"did you forget the"}}
  return ws::launch(stream, w_grid, ws::kernel<w_span>, x.view);
#else
  return ws::launch(stream, w_grid, ws::kernel<w_span>, x.view());
#endif
}

// W31: A call that cannot fail.
ws::result<void> w31_try_without_a_result(ws::HostManaged<float>&& host) {
#ifdef MISUSE
  // expected-error {{"this expression is none, because it cannot fail"}}
  WARPSAFE_TRY(auto device, std::move(host).to_device());
#else
  auto device = std::move(host).to_device();
#endif
  static_cast<void>(device);
  return ws::success();
}

// W31: A call that cannot fail.
ws::result<void> w31b_tryv_without_a_result(Buffer& x) {
#ifdef MISUSE
  // expected-error {{"this expression is none, because it cannot fail"}}
  WARPSAFE_TRYV(x.view());
#else
  static_cast<void>(x.view());
#endif
  return x.close();
}
