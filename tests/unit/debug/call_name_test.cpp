// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The name of a runtime call, as each compiler spells it.

#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/call_trace.hpp>

#include <gtest/gtest.h>

namespace warpsafe {
namespace {

using debug::detail::call_name;

// g++; nvcc, which leaves this to g++
static_assert(call_name("int warpsafe::detail::traced(P ...) [with B = warpsafe::cuda_backend; "
                        "auto Fn = warpsafe::detail::CudaCalls::event_query; P = {CUevent_st*}]") ==
              Name::of("event_query"));
static_assert(call_name("[with B = B; auto Fn = HipCalls<Platform<int> >::copy_2d; P = {int&}]") ==
              Name::of("copy_2d"));
static_assert(call_name("[with auto Fn = Calls::module_names<main()::<lambda(Name)> >; P = {int, "
                        "main()::<lambda(Name)>}]") == Name::of("module_names"));
static_assert(call_name("[with auto Fn = {anonymous}::Calls::fill; P = {void*}]") ==
              Name::of("fill"));
// clang++, hipcc
static_assert(call_name("int warpsafe::detail::traced(P...) [B = warpsafe::cuda_backend, "
                        "Fn = &warpsafe::detail::HipCalls<A, B>::copy_2d, P = <int &, int>]") ==
              Name::of("copy_2d"));
static_assert(call_name("[Fn = &Calls::module_names, P = <int, (lambda at a.cpp:28:28)>]") ==
              Name::of("module_names"));
static_assert(call_name("[Fn = &(anonymous namespace)::Calls::fill, P = <void *>]") ==
              Name::of("fill"));

struct Calls {
  static int ask(int& answer) noexcept { return answer; }
  template <class Visit>
  static int visit(Visit visit) noexcept {
    return visit();
  }
};
template <class B, auto Fn>
constexpr Name name_here() noexcept {
  return call_name(__PRETTY_FUNCTION__);
}

TEST(CallName, IsCutOutOfThisCompilersSpelling) {
  const auto one = [] { return 1; };
  EXPECT_EQ(Calls::visit(one), 1);
  EXPECT_EQ((name_here<int, &Calls::ask>()), Name::of("ask"));
  EXPECT_EQ((name_here<int, &Calls::visit<decltype(one)>>()), Name::of("visit"));
}

}  // namespace
}  // namespace warpsafe
