// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/kernel_code.hpp"

#include "shell.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace warpsafe::watch;

constexpr auto known = KernelCode::is_known;
constexpr auto waits = KernelCode::waits;
constexpr auto triggers = KernelCode::triggers;
constexpr auto first = KernelCode::triggers_first;
constexpr auto shared = KernelCode::uses_shared;

/// The files of dependent.cu; none without nvcc.
std::vector<std::string> cubins() {
  std::vector<std::string> all;
  std::istringstream in(WATCH_CUBINS);
  for (std::string one; std::getline(in, one, ':');) all.push_back(one);
  return all;
}
std::vector<unsigned char> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
unsigned bits_of(KernelCodes& codes, const std::string& name) { return codes.find(name).bits; }

TEST(KernelCode, ShowsWaitsAndTriggers) {
  if (cubins().empty()) GTEST_SKIP() << "nvcc is not installed";
  for (const std::string& path : cubins()) {
    SCOPED_TRACE(path);
    KernelCodes codes;
    codes.loaded(bytes_of(path));
    EXPECT_EQ(bits_of(codes, "_Z5plainPKfPf"), known);
    EXPECT_EQ(bits_of(codes, "_Z5waitsPKfPf"), known | waits);
    EXPECT_EQ(bits_of(codes, "_Z12calls_a_waitPKfPf"), known | waits);
    EXPECT_EQ(bits_of(codes, "_Z9some_waitPKfPf"), known | waits);
    EXPECT_EQ(bits_of(codes, "_Z8triggersPKfPf"), known | triggers | first);
    EXPECT_EQ(bits_of(codes, "_Z19waits_then_triggersPKfPf"), known | waits | triggers);
    EXPECT_EQ(bits_of(codes, "_Z19triggers_then_waitsPKfPf"), known | waits | triggers | first);
    EXPECT_EQ(bits_of(codes, "_Z5swapsPfS_"), known | triggers | first);
    EXPECT_EQ(bits_of(codes, "_Z20shared_out_of_boundsPKfPf"), known | shared);
    EXPECT_EQ(bits_of(codes, "_Z18wait_in_a_functionPf"), 0U);  // not a kernel
    EXPECT_EQ(bits_of(codes, "no such kernel"), 0U);
  }
}

// NVIDIA's own disassembler counts the same instructions in each kernel.
TEST(KernelCode, AgreesWithCuobjdump) {
  if (cubins().empty()) GTEST_SKIP() << "nvcc is not installed";
  if (shell("cuobjdump --version").status != 0) GTEST_SKIP() << "cuobjdump is not installed";
  for (const std::string& path : cubins()) {
    SCOPED_TRACE(path);
    std::map<std::string, unsigned> expected;
    std::istringstream in(shell("cuobjdump -sass " + path).out);
    std::string kernel;
    for (std::string line; std::getline(in, line);) {
      const std::string mark = "Function : ";
      const std::size_t at = line.find(mark);
      if (at != std::string::npos) {
        kernel = line.substr(at + mark.size());
        expected[kernel] = known;
      } else if (!kernel.empty()) {
        unsigned& bits = expected[kernel];
        if (line.find("ACQBULK") != std::string::npos) bits |= waits;
        if (line.find(" LDS") != std::string::npos || line.find(" STS") != std::string::npos) {
          bits |= shared;
        }
        if (line.find("PREEXIT") != std::string::npos) {
          bits |= triggers | ((bits & waits) == 0 ? first : 0U);
        }
      }
    }
    EXPECT_EQ(expected.size(), 9U);
    KernelCodes codes;
    codes.loaded(bytes_of(path));
    for (const auto& [name, bits] : expected) EXPECT_EQ(bits_of(codes, name), bits) << name;
  }
}

TEST(KernelCode, OfOneNameIsWhatAllOfThemDo) {
  if (cubins().empty()) GTEST_SKIP() << "nvcc is not installed";
  // Exchanges the names of two kernels of one length in a second copy of the file.
  std::vector<unsigned char> other = bytes_of(cubins().front());
  const std::string one = "_Z19waits_then_triggersPKfPf";
  const std::string two = "_Z19triggers_then_waitsPKfPf";
  std::string text(other.begin(), other.end());
  for (std::size_t at = 0; (at = text.find("waits_then_triggers", at)) != text.npos; ++at) {
    text.replace(at, 19, "-----");
    text.insert(at + 5, "--------------");
  }
  for (std::size_t at = 0; (at = text.find("triggers_then_waits", at)) != text.npos; ++at) {
    text.replace(at, 19, "waits_then_triggers");
  }
  for (std::size_t at = 0; (at = text.find("-------------------", at)) != text.npos; ++at) {
    text.replace(at, 19, "triggers_then_waits");
  }
  KernelCodes codes;
  codes.loaded(bytes_of(cubins().front()));
  EXPECT_EQ(bits_of(codes, two), known | waits | triggers | first);
  codes.loaded({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  EXPECT_EQ(bits_of(codes, one), known | waits | triggers);
  EXPECT_EQ(bits_of(codes, two), known | waits | triggers);
}

// The bytes come from the program: each may be missing or wrong.
TEST(KernelCode, OfABrokenFileIsUnknown) {
  KernelCodes none;
  none.loaded({});
  const std::string text = "not a cubin";
  none.loaded({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  EXPECT_EQ(bits_of(none, ""), 0U);
  if (cubins().empty()) GTEST_SKIP() << "nvcc is not installed";
  const std::vector<unsigned char> whole = bytes_of(cubins().front());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::vector<unsigned char> part(whole.begin(),
                                          whole.begin() + static_cast<std::ptrdiff_t>(size));
    KernelCodes codes;
    codes.loaded(part);
    // Code that is not there is not taken for code without a wait.
    const unsigned bits = bits_of(codes, "_Z5waitsPKfPf");
    EXPECT_TRUE(bits == 0 || bits == (known | waits)) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::vector<unsigned char> wrong = whole;
    wrong[at] ^= 0xff;
    KernelCodes codes;
    codes.loaded(wrong);
  }
}

}  // namespace
