// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The image of a module: copied from memory or read from a file, with zeros behind it.

#include "core_test.hpp"
#include "host_test_kernel.hpp"
#include <warpsafe/host.hpp>
#include <warpsafe/module.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::ModuleFile;
constexpr std::size_t first_room = 65536;  ///< bytes that are read at first

/// Frees much memory that holds no zeros, for the next allocations.
void soil_memory() {
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(std::malloc(first_room + 64));
    std::memset(blocks.back(), 0xab, first_room + 64);
  }
  void* const end = std::malloc(64);  // without it, the memory would go back to the system
  for (void* block : blocks) std::free(block);
  std::free(end);
}

/// Bytes of which each 4 differ from the 4 at any other place that a test compares.
[[nodiscard]] std::string image_of(std::size_t bytes) {
  std::string image(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) image[i] = static_cast<char>(1 + i % 251);
  return image;
}

/// Whether `bytes` bytes are `expected`, with 64 zeros behind, in memory that has room for both.
void expect_image(void* image, std::size_t bytes, std::string_view expected) {
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(bytes, expected.size());
  ASSERT_GE(::malloc_usable_size(image), expected.size() + 64);
  const auto* const begin = static_cast<const char*>(image);
  EXPECT_TRUE(std::string_view(begin, expected.size()) == expected) << bytes;
  EXPECT_TRUE(std::string_view(begin + expected.size(), 64) == std::string(64, '\0')) << bytes;
}

class ModuleImageTest : public ::testing::Test {
 protected:
  ModuleImageTest() = default;
  ~ModuleImageTest() override { std::remove(path.c_str()); }
  ModuleImageTest(const ModuleImageTest&) = delete;
  ModuleImageTest& operator=(const ModuleImageTest&) = delete;

  void write(const std::string& image) const {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(std::fwrite(image.data(), 1, image.size(), file), image.size());
    EXPECT_EQ(std::fclose(file), 0);
  }
  /// The number of the next file that the process opens.
  [[nodiscard]] static int next_file() {
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(::close(next), 0);
    return next;
  }
  std::string path = testing::TempDir() + "warpsafe_module_image." + std::to_string(getpid());
};

TEST_F(ModuleImageTest, IsCopiedFromMemory) {
  for (const std::size_t bytes : {0U, 1U, 2U, 63U, 64U, 1000U}) {
    soil_memory();
    const std::string image = image_of(bytes);
    void* const copy =
        detail::copy_image({reinterpret_cast<const unsigned char*>(image.data()), image.size()});
    EXPECT_NE(copy, image.data());
    expect_image(copy, bytes, image);
    std::free(copy);
  }
}

TEST_F(ModuleImageTest, IsReadFromAFileOfAnySize) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, first_room - 1, first_room,
        first_room + 1, 2 * first_room - 1, 2 * first_room, 4 * first_room, 5 * first_room + 7}) {
    const std::string image = image_of(bytes);
    write(image);
    soil_memory();
    const ModuleFile file = detail::read_module_file(path.c_str());
    EXPECT_EQ(file.error, 0);
    expect_image(file.image, file.bytes, image);
    std::free(file.image);
  }
}

TEST_F(ModuleImageTest, OfAFileThatCannotBeReadNothingIsLeft) {
  const int next = next_file();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 100; ++i) {
    const ModuleFile missing = detail::read_module_file("/nowhere/axpy.cubin");
    EXPECT_EQ(missing.error, ENOENT);
    EXPECT_EQ(missing.image, nullptr);
    const ModuleFile folder = detail::read_module_file("/");
    EXPECT_EQ(folder.error, EISDIR);
    EXPECT_EQ(folder.image, nullptr);
    EXPECT_EQ(folder.bytes, 0U);
  }
  EXPECT_EQ(next_file(), next) << "no file is open";
  EXPECT_LT(::mallinfo2().uordblks, before + 50 * first_room);
}

TEST_F(ModuleImageTest, TheFileIsClosed) {
  write("image");
  const int next = next_file();
  std::free(detail::read_module_file(path.c_str()).image);
  EXPECT_EQ(next_file(), next);
}

using ModuleImageDeathTest = ModuleImageTest;

// In a process that may use little memory.
TEST_F(ModuleImageDeathTest, AFileWithoutAnEndIsRefused) {
  if (host_test::under_sanitizer)
    GTEST_SKIP() << "the sanitizers' allocators end a program without memory";
  const auto refused = [] {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = std::size_t{64} << 20U;
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return false;
    const std::size_t mapped = ::mallinfo2().hblkhd;
    const ModuleFile file = detail::read_module_file("/dev/zero");
    if (::mallinfo2().hblkhd > mapped) return false;  // what was read is still there
    const auto loaded = Module::load_file("/dev/zero", app);
    return file.error == ENOMEM && file.image == nullptr && file.bytes == 0 &&
           !loaded.has_value() &&
           message(loaded.error()) ==
               "loading module '/dev/zero' failed: the file cannot be read: Cannot allocate memory"
               "\n  at app.cpp:7";
  };
  EXPECT_EXIT(std::_Exit(refused() ? 0 : 1), ::testing::ExitedWithCode(0), "^$");
}

/// An image that claims more bytes than any memory has.
struct VastImage {
  [[nodiscard]] static const host::NamedKernel* data() { return nullptr; }
  [[nodiscard]] static std::size_t size() { return count; }
  static inline std::size_t count = (std::size_t{1} << 62U) / sizeof(host::NamedKernel);
};

TEST_F(ModuleImageTest, WithoutMemoryForACopyNothingIsLoaded) {
  if (host_test::under_sanitizer)
    GTEST_SKIP() << "the sanitizers' allocators end a program without memory";
  const auto refused = Module::load(VastImage{}, app);
  EXPECT_EQ(finding(error_in(refused)),
            (Finding{Errc::out_of_memory, Stage::runtime_call,
                     VastImage::count * sizeof(host::NamedKernel), 0, Axis::none}));
  EXPECT_EQ(said(refused),
            "out of memory: " + std::to_string(VastImage::count * sizeof(host::NamedKernel)) +
                " bytes requested\n  at app.cpp:7");
}

}  // namespace
}  // namespace warpsafe::core_test
