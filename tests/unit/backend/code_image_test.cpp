// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Images that lie. What the readers accept, and what they make of real images, is tested with the
// errors of modules.

#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/module/detail/mangled_parameters.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe {
namespace {

using detail::ImageBytes;

template <class T>
void put(std::string& image, const T& value) {
  image.append(reinterpret_cast<const char*>(&value), sizeof value);
}
ImageBytes bytes_of(const std::string& image) {
  return {reinterpret_cast<const unsigned char*>(image.data()), image.size()};
}
std::string contents(const std::string& image) {
  char text[512];
  detail::TextBuffer out(text, sizeof text);
  static_cast<void>(detail::put_contents(out, bytes_of(image)));
  return text;
}

TEST(CodeImage, ATextFromAnImageIsOneLine) {
  std::string bundle(detail::bundle_magic.data, detail::bundle_magic.size);
  const std::string target = "hip-amdgcn-amd-amdhsa--gfx90a\nwarpsafe:\tforged\x1b[2J";
  put(bundle, std::uint64_t{1});
  const std::uint64_t end = bundle.size() + 24 + target.size();
  put(bundle, end);
  put(bundle, std::uint64_t{1});
  put(bundle, std::uint64_t{target.size()});
  bundle += target + '\1';
  EXPECT_EQ(contents(bundle), "gfx90a\\x0awarpsafe:\\x09forged\\x1b[2J");
  EXPECT_EQ(contents(".version 8.0\n.target sm_90\x7f"), "PTX for sm_90\\x7f");
}

/// What the mangled name tells: "const float32*, int32, ?".
std::string parameters(const char* name) {
  detail::MangledParameters mangled(Name::of(name));
  std::string text;
  ParameterInfo one{};
  while (mangled.next(one)) {
    if (!text.empty()) text += ", ";
    const bool is_const = one.is_pointer && !one.writes;
    const Name element = element_name(one.element);
    text += (is_const ? "const " : "") + std::string(element.data, element.size) +
            (one.is_pointer ? "*" : "");
  }
  return text;
}

TEST(CodeImage, AMangledNameTellsTheParameters) {
  EXPECT_EQ(parameters("_Z5scalePKfPfm"), "const float32*, float32*, uint64");
  EXPECT_EQ(parameters("_Z3addPKfS0_Pf"), "const float32*, const float32*, float32*");
  EXPECT_EQ(parameters("_Z3addPfS_S_i"), "float32*, float32*, float32*, int32");
  EXPECT_EQ(parameters("_ZN3app5inner5scaleEPdS1_jbd"),
            "float64*, float64*, uint32, bool, float64");
  EXPECT_EQ(parameters("_ZL6hiddenPhx"), "uint8*, int64");
  EXPECT_EQ(parameters("_ZN12_GLOBAL__N_14fillEPKdPd"), "const float64*, float64*");
  EXPECT_EQ(parameters("_Z4halfP6__halfS0_PKS_S2_f"), "bytes*, bytes*") << "it stops at PKS_";
  EXPECT_EQ(parameters("_Z5pairsPKd70float2Pd"), "const float64*") << "a wrong length";
  EXPECT_EQ(parameters("_Z5pairsPKd6float2Pd"), "const float64*, bytes, float64*");
  EXPECT_EQ(parameters("_Z5emptyv"), "bytes");
  // Names that tell nothing, and names that lie.
  for (const char* const name :
       {"", "_", "_Z", "scale", "_Z99scalePf", "_ZN3appE", "_ZN", "_Z4axpyIfEvPKT_PT_i", "_Z3fooS_",
        "_Z3fooS9_", "_Z18446744073709551616fooPf", "_Z3foo", "_Z3fooP", "_Z3fooPPf"}) {
    EXPECT_EQ(parameters(name), "") << name;
  }
}

}  // namespace
}  // namespace warpsafe
