// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Arrays as files for NumPy: byte for byte in its format, and read back.

#include <warpsafe/debug/data/npy.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::NpyArray;
using debug::read_npy;
using debug::write_npy;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Npy : ::testing::Test {
  Npy() : path("npy_test." + std::to_string(::getpid()) + ".npy") {}
  ~Npy() override { std::remove(path.c_str()); }
  Npy(const Npy&) = delete;
  Npy& operator=(const Npy&) = delete;

  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void become(const std::string& content) const {
    std::ofstream(path, std::ios::binary) << content;
  }
  /// The problem that read_npy reports about the file.
  [[nodiscard]] std::string problem() const {
    NpyArray array;
    std::string said;
    return read_npy(path, array, said) ? "none" : said;
  }
  /// What NumPy makes of it: its repr, or "no numpy".
  [[nodiscard]] std::string in_numpy(const std::string& expression) const {
    const std::string command =
        "python3 -c \"\ntry:\n  import numpy\nexcept ImportError:\n  print('no numpy', end='')\nelse:\n"
        "  a = numpy.load('" +
        path + "')\n  print(" + expression + ", end='')\n\" 2>&1";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "no numpy";
    std::string said;
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
      said += static_cast<char>(letter);
    }
    ::pclose(pipe);
    return said;
  }

  std::string path;
};

TEST_F(Npy, IsTheFormatByteForByte) {
  const std::array<std::uint16_t, 2> values{1, 0x0203};
  ASSERT_EQ(write_npy(path.c_str(), ElementType::uint16, 2, 2, false, values.data()), 0);
  const std::string written = bytes();
  ASSERT_EQ(written.size(), 132U);
  EXPECT_EQ(written.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(written.substr(10, 60), "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }   ");
  EXPECT_THAT(written, EndsWith(std::string(" \n\x01\x00\x03\x02", 6)));
}

TEST_F(Npy, IsReadBack) {
  const std::array<double, 3> values{1, -2.5, 1e300};
  ASSERT_EQ(write_npy(path.c_str(), ElementType::float64, 8, 3, false, values.data()), 0);
  NpyArray array;
  std::string said;
  ASSERT_TRUE(read_npy(path, array, said)) << said;
  EXPECT_EQ(array.descr, "<f8");
  EXPECT_THAT(array.shape, ElementsAre(3U));
  EXPECT_EQ(std::memcmp(array.data.data(), values.data(), sizeof values), 0);
}

TEST_F(Npy, AVectorTypeHasASecondAxisAndAScalarHasNone) {
  const std::array<float, 8> values{};
  NpyArray array;
  std::string said;
  ASSERT_EQ(write_npy(path.c_str(), ElementType::float32, 16, 2, false, values.data()), 0);
  ASSERT_TRUE(read_npy(path, array, said)) << said;
  EXPECT_THAT(array.shape, ElementsAre(2U, 4U));
  ASSERT_EQ(write_npy(path.c_str(), ElementType::float32, 4, 1, true, values.data()), 0);
  ASSERT_TRUE(read_npy(path, array, said)) << said;
  EXPECT_THAT(array.shape, IsEmpty());
  EXPECT_EQ(array.data.size(), 4U);
}

TEST_F(Npy, EveryTypeIsReadBack) {
  const std::array<unsigned char, 24> zeros{};
  for (int type = 0; type <= static_cast<int>(ElementType::float64); ++type) {
    const auto element = static_cast<ElementType>(type);
    const std::size_t bytes = element_size(element);
    ASSERT_EQ(write_npy(path.c_str(), element, bytes, 3, false, zeros.data()), 0);
    NpyArray array;
    std::string said;
    ASSERT_TRUE(read_npy(path, array, said)) << type << said;
    EXPECT_EQ(array.descr, debug::npy_descr(element, bytes));
    EXPECT_EQ(array.data.size(), 3 * bytes) << type;
  }
}

TEST_F(Npy, AnEmptyArrayIsOne) {
  ASSERT_EQ(write_npy(path.c_str(), ElementType::int8, 1, 0, false, nullptr), 0);
  EXPECT_EQ(problem(), "none");
}

TEST_F(Npy, NumpyReadsEveryType) {
  const std::array<unsigned char, 24> zeros{};
  if (write_npy(path.c_str(), ElementType::int8, 1, 1, false, zeros.data()) == 0 &&
      in_numpy("1") == "no numpy") {
    GTEST_SKIP() << "python3 has no numpy here";
  }
  std::string expected;
  for (int type = 1; type <= static_cast<int>(ElementType::float64); ++type) {
    const auto element = static_cast<ElementType>(type);
    const std::string one = path + std::to_string(type);
    ASSERT_EQ(write_npy(one.c_str(), element, element_size(element), 3, false, zeros.data()), 0);
    expected += debug::npy_descr(element, element_size(element)) + " (3,) 0 ";
  }
  EXPECT_EQ(
      in_numpy("' '.join('%s %s %d' % (b.dtype.str, b.shape, b.sum()) for b in (numpy.load('" +
               path + "%d' % i) for i in range(1, 14))), ''"),
      expected);
  for (int type = 1; type <= 13; ++type) std::remove((path + std::to_string(type)).c_str());
  const std::array<float, 4> values{1, 2, 3, 4.5F};
  ASSERT_EQ(write_npy(path.c_str(), ElementType::float32, 8, 2, false, values.data()), 0);
  EXPECT_EQ(in_numpy("a.tolist()"), "[[1.0, 2.0], [3.0, 4.5]]");
  ASSERT_EQ(write_npy(path.c_str(), ElementType::bytes, 12, 2, false, zeros.data()), 0);
  EXPECT_EQ(in_numpy("a.dtype.str, a.shape"), "|V12 (2,)");
}

TEST_F(Npy, AFileThatIsNoneIsRefusedWithItsName) {
  EXPECT_EQ(problem(), path + ": No such file or directory");
  become("something else");
  EXPECT_EQ(
      problem(),
      path + ": it is not an .npy file of version 1.0; write it with numpy.save or WARPSAFE_TRACE");
  const std::array<int, 4> values{};
  ASSERT_EQ(write_npy(path.c_str(), ElementType::int32, 4, 4, false, values.data()), 0);
  const std::string good = bytes();
  become(good.substr(0, good.size() - 1));
  EXPECT_EQ(problem(),
            path + ": it has 15 bytes of data, but its shape needs 16; copy the whole file");
  become(good + "x");
  EXPECT_EQ(problem(),
            path + ": it has 17 bytes of data, but its shape needs 16; copy the whole file");
  become(good.substr(0, 40));
  EXPECT_EQ(problem(), path + ": it ends inside its header of 118 bytes; copy the whole file");
  std::string other = good;
  other.replace(other.find("<i4"), 3, ">i4");
  become(other);
  EXPECT_EQ(problem(),
            path +
                ": its elements '>i4' are not little-endian integers or floats; convert the array "
                "with numpy.ndarray.astype('<f4')");
  other = good;
  other.replace(other.find("False"), 5, "True ");
  become(other);
  EXPECT_THAT(problem(), HasSubstr("it is in Fortran order"));
  other = good;
  other.replace(other.find("(4,)"), 4, "(x,)");
  become(other);
  EXPECT_THAT(problem(),
              HasSubstr("its shape (x,) is not a list of lengths from 0 to 18446744073709551615"));
}

TEST_F(Npy, AHeaderThatLiesIsRefusedBeforeAnyMemoryIsTaken) {
  const auto problem_of = [&](const std::string& descr, const std::string& shape) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size());
    start += '\0';
    become(start + header + "data");
    return problem();
  };
  EXPECT_EQ(problem_of("<f4", "1,"), "none");
  EXPECT_EQ(problem_of("|V2", "2,"), "none");
  for (const char* const descr : {"<f4abc", "<f", "<f04", "|i4", "<b4", "<f-4", "|V", "|V4x",
                                  "|V-4", "|V99999999999999999999", "<c8", "", "|V0"}) {
    EXPECT_THAT(problem_of(descr, "1,"),
                HasSubstr("its elements '" + std::string(descr) + "' are not little-endian"))
        << descr;
  }
  for (const char* const shape :
       {"-1,", "+1,", "1 2", "1,,2", "0x1,", "1L,", "99999999999999999999,", "1.0,"}) {
    EXPECT_THAT(problem_of("<f4", shape), HasSubstr("is not a list of lengths")) << shape;
  }
  for (const char* const shape :
       {"4611686018427387904,", "4294967296, 4294967296", "4611686018427387905, 1"}) {
    EXPECT_THAT(problem_of("<f4", shape),
                HasSubstr("has more bytes than 18446744073709551615, the limit"))
        << shape;
  }
  EXPECT_THAT(problem_of("<f4", "4611686018427387903,"),
              HasSubstr("it has 4 bytes of data, but its shape needs 18446744073709551612"));
  EXPECT_THAT(problem_of("\x1b[2J", "1,"), HasSubstr("its elements '\\x1b[2J' are"));
  // No length matters beside a length of 0.
  EXPECT_THAT(problem_of("<f4", "0, 18446744073709551615, 2"),
              HasSubstr("it has 4 bytes of data, but its shape needs 0"));
  // A zero byte would hide what follows it.
  const std::string zero(1, '\0');
  for (const std::string& shape : {"1" + zero + ",9", "1,), 'x': " + zero}) {
    EXPECT_THAT(problem_of("<f4", shape), HasSubstr("its header has a zero byte"));
  }
  EXPECT_THAT(problem_of("|V4" + zero + "x", "1,"), HasSubstr("its header has a zero byte"));
  // A shape without an end is not that of a scalar.
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (9, }\n";
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size());
  become(start + zero + header + "data");
  EXPECT_THAT(problem(), HasSubstr("it has no shape"));
}

TEST_F(Npy, AFileThatHasNoEndOrNoMemoryIsRefused) {
  NpyArray array;
  std::string said;
  EXPECT_FALSE(read_npy("/dev/zero", array, said));
  EXPECT_THAT(said, HasSubstr("/dev/zero: it is not an .npy file"));
  EXPECT_FALSE(read_npy(".", array, said));
  // A file of 2^60 bytes that take no room.
  const std::size_t bytes = std::size_t{1} << 60U;
  const std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1152921504606846976,), }\n";
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size());
  become(start + '\0' + header);
  if (::truncate(path.c_str(), static_cast<off_t>(10 + header.size() + bytes)) == 0) {
    EXPECT_THAT(problem(), HasSubstr("it has 1152921504606846976 bytes, and this machine has"));
  }
  // A pipe tells its size only at its end.
  std::remove(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const char* const content : {"1234", "123", "12345"}) {
    std::thread writer([&] {
      become(std::string("\x93NUMPY\x01\x00\x40\x00", 10) +
             "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }      \n" + content);
    });
    const std::string expected =
        std::strlen(content) == 4 ? "none" : "bytes of data, but its shape needs 4; copy";
    EXPECT_THAT(problem(), HasSubstr(expected)) << content;
    writer.join();
  }
}

TEST_F(Npy, ElementsThatAreNoNumbersAreOneEach) {
  const std::array<unsigned char, 24> values{};
  EXPECT_EQ(debug::npy_descr(ElementType::bytes, 12), "|V12");
  ASSERT_EQ(write_npy(path.c_str(), ElementType::bytes, 12, 2, false, values.data()), 0);
  NpyArray array;
  std::string said;
  ASSERT_TRUE(read_npy(path, array, said)) << said;
  EXPECT_EQ(array.descr, "|V12");
  EXPECT_THAT(array.shape, ElementsAre(2U));
  EXPECT_EQ(array.data.size(), 24U);
}

/// A file of version 1.0 with this header, and `rest` after it.
std::string npy_text(const std::string& header, const std::string& rest) {
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size());
  return start + '\0' + header + rest;
}
std::string npy_header(const std::string& shape) {
  return "{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + "), }\n";
}
TEST_F(Npy, AHeaderWithoutAShapeIsRefused) {
  become(npy_text("{'descr': '<f4', 'fortran_order': False, }\n", "data"));
  EXPECT_EQ(problem(), path + ": it has no shape");
  become(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (9, }\n", "data"));
  EXPECT_EQ(problem(), path + ": it has no shape");
}
TEST_F(Npy, AnArrayWithALengthOfZeroHasNoData) {
  become(npy_text(npy_header("0, 5"), ""));
  EXPECT_EQ(problem(), "none");
  become(npy_text(npy_header("18446744073709551615, 2, 0"), ""));
  EXPECT_EQ(problem(), "none") << "no other length matters";
  become(npy_text(npy_header("5, 0"), "x"));
  EXPECT_EQ(problem(),
            path + ": it has 1 bytes of data, but its shape needs 0; copy the whole file");
}

/// What read_npy says of these bytes in a pipe, which tells its size only at its end.
std::string problem_in_pipe(const std::string& content) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  std::thread writer([&] {
    std::size_t written = 0;
    while (written < content.size()) {
      const ssize_t now = ::write(ends[1], content.data() + written, content.size() - written);
      if (now <= 0) break;
      written += static_cast<std::size_t>(now);
    }
    ::close(ends[1]);
  });
  NpyArray array;
  std::string said;
  const std::string name = "/proc/self/fd/" + std::to_string(ends[0]);
  const bool worked = read_npy(name, array, said);
  // What is left, so that the writer ends.
  std::array<char, 4096> rest{};
  while (::read(ends[0], rest.data(), rest.size()) > 0) {
  }
  writer.join();
  ::close(ends[0]);
  return worked ? "none, " + std::to_string(array.data.size()) : said.substr(name.size() + 2);
}
TEST_F(Npy, APipeHasJustTheDataThatItsHeaderPromises) {
  const auto wrong = [](const std::string& found, const std::string& needed) {
    return "it has " + found + " bytes of data, but its shape needs " + needed +
           "; copy the whole file";
  };
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("4,"), "1234")), "none, 4");
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("4,"), "123")), wrong("3", "4"));
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("4,"), "12345")), wrong("more than 4", "4"));
  // It is read in pieces of a megabyte.
  const std::string piece(std::size_t{1} << 20U, 'x');
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("1048580,"), piece + "1234")), "none, 1048580");
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("1048580,"), piece + "123456")),
            wrong("more than 1048580", "1048580"));
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header("1048580,"), piece + "12")),
            wrong("1048578", "1048580"));
}
TEST_F(Npy, APipeMayPromiseAsMuchAsTheMachineHas) {
  const std::size_t most = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string memory = std::to_string(most), more = std::to_string(most + 1);
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header(memory + ","), "1234")),
            "it has 4 bytes of data, but its shape needs " + memory + "; copy the whole file");
  EXPECT_EQ(problem_in_pipe(npy_text(npy_header(more + ","), "1234")),
            "it has " + more + " bytes, and this machine has " + memory +
                " bytes of memory; compare a part of the array");
}

TEST_F(Npy, WhatCannotBeWrittenSaysWhy) {
  EXPECT_EQ(write_npy("no/such/folder.npy", ElementType::int8, 1, 0, false, nullptr), ENOENT);
}

}  // namespace
}  // namespace warpsafe::core_test
