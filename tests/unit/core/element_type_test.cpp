// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/tolerance.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

// A vendor's name, and another size: five bytes are no doubles.
struct double1 {
  unsigned char bytes[5];
};
// A vendor's name and a size that suits it.
struct double2 {
  double x, y;
};

namespace warpsafe::core_test {
namespace {

enum class ElementColour : std::uint16_t { red };
enum class ElementSwitch : bool { off };
struct ElementPair {
  float x, y;
};

/// Asks while the program runs.
template <class T>
Name element_found() {
  ElementType (*const find)() noexcept = &detail::find_element_type<T>;
  return element_name(find());
}

TEST(ElementTypeOf, ANumberIsItsFormat) {
  EXPECT_EQ(element_found<bool>(), Name::of("bool"));
  EXPECT_EQ(element_found<signed char>(), Name::of("int8"));
  EXPECT_EQ(element_found<unsigned char>(), Name::of("uint8"));
  EXPECT_EQ(element_found<std::int16_t>(), Name::of("int16"));
  EXPECT_EQ(element_found<std::uint16_t>(), Name::of("uint16"));
  EXPECT_EQ(element_found<std::int32_t>(), Name::of("int32"));
  EXPECT_EQ(element_found<std::uint32_t>(), Name::of("uint32"));
  EXPECT_EQ(element_found<std::int64_t>(), Name::of("int64"));
  EXPECT_EQ(element_found<unsigned long long>(), Name::of("uint64"));
  EXPECT_EQ(element_found<float>(), Name::of("float32"));
  EXPECT_EQ(element_found<double>(), Name::of("float64"));
  EXPECT_EQ(element_found<char16_t>(), Name::of("uint16"));
}

TEST(ElementTypeOf, AnEnumerationIsTheNumberUnderIt) {
  EXPECT_EQ(element_found<ElementColour>(), Name::of("uint16"));
  EXPECT_EQ(element_found<ElementSwitch>(), Name::of("bool"));
  EXPECT_EQ(element_found<std::byte>(), Name::of("uint8"));
}

TEST(ElementTypeOf, AnotherTypeIsBytesUnlessAVendorDefinesIt) {
  EXPECT_EQ(element_found<ElementPair>(), Name::of("bytes"));
  EXPECT_EQ(element_found<long double>(), Name::of("bytes"));
  EXPECT_EQ(element_found<::double1>(), Name::of("bytes"));
  EXPECT_EQ(element_found<::double2>(), Name::of("float64"));
}

TEST(ElementTypeOf, AVendorsTypeIsFoundByItsName) {
  struct Case {
    const char* name;
    const char* element;
  };
  for (const Case& one : {Case{"__half", "float16"},
                          Case{"_Float16", "float16"},
                          Case{"c10::Half", "float16"},
                          Case{"__nv_bfloat16", "bfloat16"},
                          Case{"hip_bfloat16", "bfloat16"},
                          Case{"__hip_bfloat16", "bfloat16"},
                          Case{"__bf16", "bfloat16"},
                          Case{"c10::BFloat16", "bfloat16"},
                          Case{"float1", "float32"},
                          Case{"float2", "float32"},
                          Case{"float3", "float32"},
                          Case{"float4", "float32"},
                          Case{"HIP_vector_type<float, 4>", "float32"},
                          Case{"HIP_vector_type<float,2>", "float32"},
                          Case{"std::complex<float>", "float32"},
                          Case{"double1", "float64"},
                          Case{"double2", "float64"},
                          Case{"double3", "float64"},
                          Case{"double4", "float64"},
                          Case{"HIP_vector_type<double, 3>", "float64"},
                          Case{"std::complex<double>", "float64"},
                          Case{"HIP_vector_type<int, 4>", "bytes"},
                          Case{"float5", "bytes"},
                          Case{"float", "bytes"},
                          Case{"app::float4", "bytes"},
                          Case{"__half2", "bytes"},
                          Case{",float4", "bytes"},
                          Case{"", "bytes"}}) {
    EXPECT_EQ(text(element_name(detail::vendor_element(Name::of(one.name)))), one.element)
        << one.name;
  }
  // The name ends where it says, whatever follows in memory.
  EXPECT_EQ(detail::vendor_element({"float4, 4>", 6}), ElementType::float32);
  EXPECT_EQ(detail::vendor_element({"float4x", 6}), ElementType::float32);
  EXPECT_EQ(detail::vendor_element({"float4,", 5}), ElementType::bytes);
}

TEST(ToleranceOf, AToleranceMadeByHandAllowsNothingElse) {
  const Tolerance exact{};
  EXPECT_EQ(exact.absolute, 0);
  EXPECT_EQ(exact.relative, 0);
  EXPECT_TRUE(exact.nan_agrees);
  const Tolerance absolute{.absolute = 0.5};
  EXPECT_EQ(absolute.relative, 0) << "a member that is not named";
  const Tolerance relative{.relative = 0.5};
  EXPECT_EQ(relative.absolute, 0) << "a member that is not named";
}

}  // namespace
}  // namespace warpsafe::core_test
