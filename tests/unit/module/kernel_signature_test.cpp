// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Whether the signature that a program declares is that of the module's kernel.

#include "beside_a_name.hpp"
#include "module_script.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

TEST(Parameters, ConflictIfTheyCannotMeanTheSame) {
  using Type = ElementType;
  const auto value = [](Type type) { return ParameterInfo{0, 0, false, false, type}; };
  const auto reads = [](Type type) { return ParameterInfo{0, 0, true, false, type}; };
  const auto writes = [](Type type) { return ParameterInfo{0, 0, true, true, type}; };
  const struct {
    ParameterInfo declared;
    ParameterInfo its;
    bool conflict;
  } cases[] = {
      {value(Type::int32), value(Type::int32), false},
      {value(Type::int32), value(Type::uint32), false},
      {value(Type::int64), value(Type::uint64), false},
      {value(Type::int32), value(Type::float32), true},
      {value(Type::float32), value(Type::int32), true},
      {value(Type::float64), value(Type::uint64), true},
      {value(Type::float16), value(Type::uint16), true},
      {value(Type::int16), value(Type::float16), true},
      {value(Type::float16), value(Type::float16), false},
      {value(Type::float16), value(Type::bfloat16), false},
      {value(Type::bfloat16), value(Type::float16), false},
      {value(Type::int32), value(Type::int64), true},
      {value(Type::float32), value(Type::float64), true},
      // A class and an unknown number may hold anything.
      {value(Type::bytes), value(Type::int32), false},
      {value(Type::int32), value(Type::bytes), false},
      {value(Type::bytes), writes(Type::int32), false},
      {writes(Type::int32), value(Type::bytes), false},
      {value(Type::int64), writes(Type::int64), true},
      {reads(Type::int64), value(Type::int64), true},
      {value(Type::int64), writes(Type::bytes), true},
      {reads(Type::bytes), value(Type::int64), true},
      {reads(Type::float32), reads(Type::float32), false},
      {writes(Type::float32), reads(Type::float32), false},
      {reads(Type::float32), writes(Type::float32), true},
      {reads(Type::bytes), writes(Type::bytes), true},
      {reads(Type::bytes), reads(Type::float32), false},
      {writes(Type::float32), writes(Type::bytes), false},
      {reads(Type::float64), reads(Type::float32), true},
      {writes(Type::int32), reads(Type::float32), true},
  };
  const auto conflict = &detail::conflict;
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(conflict(cases[i].declared, cases[i].its), cases[i].conflict) << i;
  }
}

TEST(Parameters, AreWrittenAsTypes) {
  const auto written = [](const ParameterInfo& parameter) {
    char buffer[64];
    detail::TextBuffer out(buffer, sizeof buffer);
    detail::put_parameter(out, parameter);
    return std::string(buffer, out.size());
  };
  EXPECT_EQ(written({4, 4, false, false, ElementType::float32}), "float32");
  EXPECT_EQ(written({8, 8, true, false, ElementType::float32}), "const float32*");
  EXPECT_EQ(written({8, 8, true, true, ElementType::bytes}), "bytes*");
}

/// "" if the types match, else the error's text.
template <class... P>
std::string type_error(const char* name, const ParameterInfo* parameters = nullptr) {
  LaunchError error;
  const KernelEntry entry{nullptr, nullptr, parameters, sizeof...(P)};
  if (detail::check_types(Name::of(name), entry, detail::TypeList<P...>{}, error)) return "";
  EXPECT_EQ(error.code, Errc::signature_mismatch);
  EXPECT_EQ(error.subcode, Subcode::parameter_type);
  return std::to_string(error.parameter()) + ": " + text(error.raw_text);
}

TEST(Parameters, TypesAreComparedWithTheMangledName) {
  const std::string remedy = "; write the types and the order of the kernel's source";
  EXPECT_EQ((type_error<float*, int>("_Z1kPfi")), "");
  EXPECT_EQ((type_error<float*, double>("_Z1kPfl")),
            "2: parameter 2 is int64 in the kernel, float64 in the declared signature" + remedy);
  EXPECT_EQ((type_error<const float*, int>("_Z1kPfi")),
            "1: parameter 1 is float32* in the kernel, const float32* in the declared signature" +
                remedy);
  EXPECT_EQ((type_error<float*, double>("k")), "") << "nothing is known";
  EXPECT_EQ((type_error<float*, int>("_Z1kPfPPf")), "") << "the rest is not known";
  EXPECT_EQ(type_error<>("_Z1kv"), "");
  EXPECT_EQ(type_error<float*>("_Z1kPfi"), "") << "the numbers are not compared here";
}

TEST(Parameters, TypesAreComparedWithTheTable) {
  const ParameterInfo table[] = {{8, 8, true, false, ElementType::float32},
                                 {4, 4, false, false, ElementType::int32},
                                 {4, 4, false, false, ElementType::float32}};
  EXPECT_EQ((type_error<const float*, int>("_Z1kPdd", table)), "")
      << "the table counts, and its third row is not a parameter";
  const Fenced fence;
  const std::string_view bytes(reinterpret_cast<const char*>(table), sizeof table);
  const auto* const fenced = reinterpret_cast<const ParameterInfo*>(fence.at_end(bytes).data);
  EXPECT_EQ((type_error<const float*, int, float>("k", fenced)), "") << "no row behind the last";
  EXPECT_EQ((type_error<const float*, float>("k", table)),
            "2: parameter 2 is int32 in the kernel, float32 in the declared signature; write the "
            "types and the order of the kernel's source");
}

class KernelSignatureTest : public ScriptedModuleTest {
 protected:
  using Parameters = std::vector<std::pair<std::size_t, std::size_t>>;
  /// "" if the signature matches, else the error's text.
  template <class... P>
  static std::string mismatch(const Parameters& its, const char* name = "k") {
    module_script.parameters = its;
    const detail::LoadedFunction<SharedModules> function{nullptr, nullptr, {}, Name::of(name)};
    LaunchError error;
    if (detail::check_signature(function, detail::TypeList<P...>{}, error)) return "";
    EXPECT_EQ(error.code, Errc::signature_mismatch);
    return std::to_string(error.parameter()) + ": " + message(error);
  }
};

TEST_F(KernelSignatureTest, HasTheDriversParameters) {
  EXPECT_EQ((mismatch<>({})), "");
  EXPECT_EQ((mismatch<int>({{0, 4}})), "");
  EXPECT_EQ((mismatch<int, double, char, short>({{0, 4}, {8, 8}, {16, 1}, {18, 2}})), "");
  EXPECT_EQ((mismatch<char, char, int, char>({{0, 1}, {1, 1}, {4, 4}, {8, 1}})), "");
}

TEST_F(KernelSignatureTest, DiffersInTheNumberOfParameters) {
  EXPECT_EQ((mismatch<int>({})), "0: the kernel takes 0 parameters, the declared signature has 1");
  EXPECT_EQ((mismatch<>({{0, 4}, {4, 4}, {8, 4}})),
            "0: the kernel takes 3 parameters, the declared signature has 0");
  EXPECT_EQ((mismatch<int>({{0, 4}, {4, 4}})),
            "0: the kernel takes 2 parameters, the declared signature has 1");
  EXPECT_EQ((mismatch<int, int, int>({{0, 4}, {4, 4}})),
            "0: the kernel takes 2 parameters, the declared signature has 3");
}

TEST_F(KernelSignatureTest, DiffersInAParameter) {
  EXPECT_EQ((mismatch<int, int>({{0, 4}, {4, 8}})),
            "2: parameter 2 takes 8 bytes in the kernel, 4 in the declared signature");
  EXPECT_EQ((mismatch<double>({{0, 4}})),
            "1: parameter 1 takes 4 bytes in the kernel, 8 in the declared signature");
  struct Bytes {
    char bytes[8];
  };
  EXPECT_EQ((mismatch<int, Bytes>({{0, 4}, {8, 8}})),
            "2: parameter 2 is at byte 8 in the kernel, at byte 4 in the declared signature");
  EXPECT_EQ((mismatch<int, double>({{0, 4}, {4, 8}})),
            "2: parameter 2 is at byte 4 in the kernel, at byte 8 in the declared signature");
}

TEST_F(KernelSignatureTest, DiffersInATypeOnly) {
  EXPECT_EQ((mismatch<int>({{0, 4}}, "_Z1kf")),
            "1: parameter 1 is float32 in the kernel, int32 in the declared signature; write the "
            "types and the order of the kernel's source");
  module_script.tells_parameters = false;
  EXPECT_EQ((mismatch<int>({}, "_Z1ki")), "") << "the driver does not tell the number";
  EXPECT_EQ((mismatch<int>({{0, 4}, {4, 4}}, "_Z1kf")),
            "1: parameter 1 is float32 in the kernel, int32 in the declared signature; write the "
            "types and the order of the kernel's source");
}

}  // namespace
}  // namespace warpsafe::core_test
