// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The name of a kernel, cut from the spellings of all compilers, while the program runs.

#include "core_test.hpp"
#include <warpsafe/core/detail/pretty_name.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace pretty_name_of_a_kernel {
inline void scale(float*) {}
struct Functor {};
}  // namespace pretty_name_of_a_kernel

namespace warpsafe::core_test {
namespace {

void pretty_name_of_no_namespace() {}

std::string cut(std::string_view pretty) {
  // The text goes on behind what the function may read.
  const std::string all = std::string(pretty) + "::outside";
  return text(detail::name_in({all.data(), pretty.size()}));
}

TEST(PrettyName, IsCutFromTheSpellingOfEachCompiler) {
  EXPECT_EQ(cut("Name f() [Fn = &app::axpy]"), "app::axpy") << "clang++";
  EXPECT_EQ(cut("constexpr Name f() [with auto Fn = app::axpy; Name = N]"), "app::axpy") << "g++";
  EXPECT_EQ(cut("Name f() [Fn = &axpy<float, 4>]"), "axpy<float, 4>");
  EXPECT_EQ(cut("Name f() [with auto Fn = axpy<float, 4>; T = int]"), "axpy<float, 4>");
  EXPECT_EQ(cut("Name f() [Fn = app::Functor]"), "app::Functor");
  EXPECT_EQ(cut("[Fn = f<int[4]>]"), "f<int[4]>");
  EXPECT_EQ(cut("[Fn = f<void (*)(int; int)>; T = int]"), "f<void (*)(int; int)>");
  EXPECT_EQ(cut("[Fn = f<P{1; 2}>; T = int]"), "f<P{1; 2}>");
  EXPECT_EQ(cut("[Fn = f<g<1>]>; T = int]"), "f<g<1>]>; T = int]") << "nothing ends it";
}

TEST(PrettyName, LeavesOutAnUnnamedNamespaceAndWhatIsBeforeIt) {
  EXPECT_EQ(cut("[Fn = &(anonymous namespace)::axpy]"), "axpy") << "clang++";
  EXPECT_EQ(cut("[with auto Fn = app::{anonymous}::axpy; T = int]"), "axpy") << "g++";
  EXPECT_EQ(cut("[Fn = &app::_GLOBAL__N_::axpy]"), "axpy") << "nvcc";
  EXPECT_EQ(cut("[Fn = _GLOBAL__N__7b1c_4_a_cu_1::in::axpy]"), "in::axpy") << "nvcc";
  EXPECT_EQ(cut("[Fn = a::(anonymous namespace)::b::(anonymous namespace)::c::d]"), "c::d");
  EXPECT_EQ(cut("[Fn = a::b::c]"), "a::b::c");
  EXPECT_EQ(cut("[Fn = a::_GLOBAL__M_::c]"), "a::_GLOBAL__M_::c");
  EXPECT_EQ(cut("[Fn = x_GLOBAL__N_::c]"), "x_GLOBAL__N_::c");
  EXPECT_EQ(cut("[Fn = f<(anonymous namespace)::T>]"), "f<(anonymous namespace)::T>")
      << "only the kernel's own namespaces are left out";
  EXPECT_EQ(cut("[Fn = (anonymous namespace):x]"), "(anonymous namespace):x");
  EXPECT_EQ(cut("[Fn = f(int)::x]"), "f(int)::x") << "a bracket inside of a part";
  EXPECT_EQ(cut("[Fn = x::(anonymous namespace):]"), "x::(anonymous namespace):");
}

TEST(PrettyName, EndsWithTheText) {
  EXPECT_EQ(cut("Fn = x"), "x");
  EXPECT_EQ(cut("Fn = &x"), "x");
  EXPECT_EQ(cut("Fn = a::b"), "a::b");
  EXPECT_EQ(cut("Fn = (a)::"), "");
  EXPECT_EQ(cut("Fn = (a):"), "(a):") << "the second colon lies outside";
  EXPECT_EQ(cut("Fn = (a)"), "(a)");
  EXPECT_EQ(cut("Fn = _GLOBAL__N_::"), "");
  EXPECT_EQ(cut("Fn = _GLOBAL__N::f"), "_GLOBAL__N::f");
  EXPECT_EQ(cut("Fn = _GLOBAL__::"), "_GLOBAL__::");
}

TEST(PrettyName, IsTheWholeTextIfNoneIsMarked) {
  for (const char* const plain : {"x", "Fn =", "n = x", "axpy", "a longer text", "app::axpy"}) {
    const std::string whole = plain;
    EXPECT_EQ(cut(whole), whole);
  }
  EXPECT_EQ(cut(""), "");
  EXPECT_EQ(cut("Name of a kernel]"), "Name of a kernel");
}

TEST(PrettyName, BeginsAtTheWholeMarkOnly) {
  for (const char* const name :
       {"f<Xn = 1>", "f<Fx = 1>", "f<Fn_= 1>", "f<Fn - 1>", "f<Fn =_1>", "f< = 1>", "f<n = 1>"}) {
    EXPECT_EQ(cut(std::string("[Fn = ") + name + ']'), name);
  }
}

TEST(PrettyName, IsThatOfAFunctionOrType) {
  Name (*const of_function)() noexcept = &detail::cut_name<&pretty_name_of_a_kernel::scale>;
  Name (*const of_hidden)() noexcept = &detail::cut_name<&pretty_name_of_no_namespace>;
  Name (*const of_type)() noexcept = &detail::cut_type_name<pretty_name_of_a_kernel::Functor>;
  EXPECT_EQ(text(of_function()), "pretty_name_of_a_kernel::scale");
  EXPECT_EQ(text(of_hidden()), "pretty_name_of_no_namespace");
  EXPECT_EQ(text(of_type()), "pretty_name_of_a_kernel::Functor");
}

}  // namespace
}  // namespace warpsafe::core_test
