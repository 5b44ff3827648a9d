// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include "launches.hpp"
#include <warpsafe/compare/compare.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <coroutine>
#include <vector>

namespace ws = warpsafe;

#if defined(__CUDACC__)
#pragma nv_diag_error 2809, 2810, 3004
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif

// D01: A failed launch did nothing, and the program does not check it.
bool d01_launch_not_looked_at(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"nodiscard"}}
  ws::launch(stream, config, ws::kernel<fill>, data, n);
  return true;
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n).has_value();
#endif
}

// D01: The program checks neither of two launches. g++ 12 reports a call that is a statement,
// not one in an arm of ?: or on the right of a comma.
// only: clang++ nvcc hipcc
namespace d01b_arms_of_a_conditional {

WARPSAFE_KERNEL void nothing() {}

bool checked(ws::StreamRef stream, bool large) {
  [[maybe_unused]] const auto few = ws::configure(ws::grid<4>, ws::block<256>);
  [[maybe_unused]] const auto many = ws::configure(ws::grid<64>, ws::block<256>);
#ifdef MISUSE
  // expected-error {{"nodiscard"}}
  large ? ws::launch(stream, many, ws::kernel<nothing>)
        : ws::launch(stream, few, ws::kernel<nothing>);
  return true;
#else
  return (large ? ws::launch(stream, many, ws::kernel<nothing>)
                : ws::launch(stream, few, ws::kernel<nothing>))
      .has_value();
#endif
}

}  // namespace d01b_arms_of_a_conditional

// D08: This wait reports the faults of kernels, and the program does not check it.
bool d08_synchronise_not_looked_at(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"nodiscard"}}
  stream.synchronize();
  return true;
#else
  return stream.synchronize().has_value();
#endif
}

// D08: The configuration is never launched.
bool d08b_configuration_not_looked_at() {
#ifdef MISUSE
  // expected-error {{"nodiscard"}}
  ws::configure(ws::grid<4>, ws::block<256>);
  return true;
#else
  return ws::configure(ws::grid<4>, ws::block<256>).has_value();
#endif
}

// D08: The program tests whether the query failed, and drops its answer.
ws::result<void> d08c_answer_dropped(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"this tests for an error and drops the answer"}}
  WARPSAFE_TRYV(stream.ready());
#else
  WARPSAFE_TRY(const bool done, stream.ready());
  static_cast<void>(done);
#endif
  return ws::success();
}

// D08: The condition is true although the arrays differ.
bool d08d_comparison_as_a_condition(const std::vector<float>& actual,
                                    const std::vector<float>& expected) {
#ifdef MISUSE
  // expected-error {{"compare(a, b).value().agrees() for the verdict"}}
  if (ws::compare(actual, expected)) return true;
  return false;
#else
  return ws::compare(actual, expected).value().agrees();
#endif
}

// D08: The allocation may have failed.
auto d08e_view_of_an_unchecked_buffer(const ws::Stream& stream) {
#ifdef MISUSE
  // expected-error {{"take the value first, and give it a name"}}
  return ws::DeviceBuffer<float>::create(stream, 10).view();
#else
  auto buffer = ws::DeviceBuffer<float>::create(stream, 10).value();
  return buffer;
#endif
}

// D11: The error is compared with the number of one vendor.
auto d11_code_of_the_vendor(const ws::LaunchError& error) {
#ifdef MISUSE
  // expected-error {{"operand"}}
  return error.code == 9;
#else
  return error.code == ws::Errc::block_too_large;
#endif
}

// D11: The result of a launch is compared with 0.
auto d11b_result_as_a_status(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a result is no status code"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n) == 0;
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n).has_value();
#endif
}

// D11: The result of a launch is stored as a number.
int d11c_result_stored_as_a_status(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"conver"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n).has_error() ? 1 : 0;
#endif
}

// D01: The error of a buffer was not looked at, and its result is passed to the launch.
auto d01c_result_as_an_argument(ws::StreamRef stream, ws::result<ws::device_ptr<float>> data,
                                int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"unwrap it with WARPSAFE_TRY or .value()"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data.value(), n);
#endif
}

// D01: A function that returns void has nowhere to return the error to.
namespace d01d_try_in_a_void_function {

#ifdef MISUSE
void synchronised(ws::StreamRef stream) {
  // expected-error {{"WARPSAFE_TRY returns the error from the enclosing function"}}
  WARPSAFE_TRYV(stream.synchronize());
}
#else
ws::result<void> synchronised(ws::StreamRef stream) {
  WARPSAFE_TRYV(stream.synchronize());
  return ws::success();
}
#endif

}  // namespace d01d_try_in_a_void_function

// D01: main returns a number, which cannot hold the error.
namespace d01e_try_in_main {

#ifdef MISUSE
int main_function(ws::StreamRef stream) {
  // expected-error {{"WARPSAFE_TRY returns the error from the enclosing function"}}
  WARPSAFE_TRYV(stream.synchronize());
  return 0;
}
#else
int main_function(ws::StreamRef stream) { return stream.synchronize().has_value() ? 0 : 1; }
#endif

}  // namespace d01e_try_in_main

// D01: A constructor has nowhere to return the error to. nvcc says so in its own words.
// only: g++ clang++ hipcc
namespace d01f_try_in_a_constructor {

class Waiter {
 public:
#ifdef MISUSE
  explicit Waiter(ws::StreamRef stream) {
    // expected-error {{"a constructor or destructor returns none; write a static function"}}
    WARPSAFE_TRYV(stream.synchronize());
  }
#else
  static ws::result<Waiter> create(ws::StreamRef stream) {
    WARPSAFE_TRYV(stream.synchronize());
    return Waiter();
  }

 private:
  Waiter() = default;
#endif
};

}  // namespace d01f_try_in_a_constructor

// D01: The lambda has no return type, and returns an error here and a number there.
auto d01g_try_in_a_lambda([[maybe_unused]] ws::result<int> device) {
#ifdef MISUSE
  const auto next = [](ws::result<int> number) {
    WARPSAFE_TRY(const int one, number);
    // expected-error {{"NeedsResultAsReturnTypeOrCoTry"}}
    return one + 1;
  };
#else
  const auto next = [](ws::result<int> number) -> ws::result<int> {
    WARPSAFE_TRY(const int one, number);
    return one + 1;
  };
#endif
  return next(device);
}

// D01: The error leaves a coroutine by co_return.
namespace d01h_try_in_a_coroutine {

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(ws::result<void>) {}
    void unhandled_exception() {}
  };
};

#ifdef MISUSE
Task synchronised(ws::StreamRef stream) {
  // expected-error {{"in a coroutine, write WARPSAFE_CO_TRY"}}
  WARPSAFE_TRYV(stream.synchronize());
  co_return ws::success();
}
#else
Task synchronised(ws::StreamRef stream) {
  WARPSAFE_CO_TRYV(stream.synchronize());
  co_return ws::success();
}
#endif

}  // namespace d01h_try_in_a_coroutine
