// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The bytes of a launch's arguments, as the runtime receives them.
#include "../kernels.hpp"
#include "../stand_in.hpp"

#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

namespace vendor_test {

/// Another library's owner of device memory, with an adapter.
struct Tensor {
  float* data;
};

}  // namespace vendor_test

template <>
struct warpsafe::device_pointer_traits<vendor_test::Tensor> {
  static float* get(const vendor_test::Tensor& tensor) noexcept { return tensor.data; }
};

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ws::CheckLevel;

template <class T>
std::string bytes(const T& value) {
  std::string text(sizeof value, '\0');
  std::memcpy(text.data(), &value, sizeof value);
  return text;
}

/// The same launch has the same arguments at each level.
template <class T>
class Arguments : public VendorTest {
 protected:
  template <class K, class... A>
  Launch sent(K kernel, const A&... arguments) {
    const ws::Stream stream = make_stream();
    const auto config = ws::configure(ws::grid<2>, ws::block<64>);
    EXPECT_THAT((ws::launch<T::value>(stream, config, kernel, arguments...)), Succeeds());
    const Launch launch = last_launch();
    EXPECT_EQ(launch.host_function, K::entry().function);
    EXPECT_EQ(launch.argument_count, sizeof...(A));
    return launch;
  }
};
struct LevelNames {
  template <class T>
  static std::string GetName(int) {
    return T::value == CheckLevel::full ? "full" : "off";
  }
};
using Levels = testing::Types<std::integral_constant<CheckLevel, CheckLevel::full>,
                              std::integral_constant<CheckLevel, CheckLevel::off>>;
TYPED_TEST_SUITE(Arguments, Levels, LevelNames);

TYPED_TEST(Arguments, NoneAtAll) {
  const Launch launch = this->sent(ws::kernel<nothing>);
  EXPECT_EQ(launch.arguments_known, 1);
  EXPECT_EQ(launch.argument_byte_count, 0U);
}

template <class... T>
struct Ends {
  static auto largest() { return std::tuple(std::numeric_limits<T>::max()...); }
  static auto smallest() { return std::tuple(std::numeric_limits<T>::min()...); }
};

TYPED_TEST(Arguments, IntegersOfEveryWidthAtTheirEnds) {
  using Every =
      Ends<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
           long long, unsigned long long, char, bool, wchar_t, char16_t, char32_t>;
  const auto send = [&](const auto&... values) {
    const Launch launch = this->sent(ws::kernel<integers>, values...);
    std::size_t at = 0;
    for (const std::string& expected : {bytes(values)...}) {
      EXPECT_EQ(bytes_of(launch, at), expected) << at;
      ++at;
    }
    EXPECT_EQ(at, 15U);
  };
  std::apply(send, Every::largest());
  std::apply(send, Every::smallest());
}

TYPED_TEST(Arguments, NarrowerNumbersAreWidenedToTheParameter) {
  const Launch launch = this->sent(
      ws::kernel<integers>, static_cast<signed char>(-1), static_cast<unsigned char>(2),
      static_cast<signed char>(-3), static_cast<unsigned char>(255), static_cast<short>(-32768),
      static_cast<unsigned char>(255), -5, 6, -7, 8, 'k', true, L'm', u'n', U'o');
  EXPECT_EQ(argument<short>(launch, 2), -3);
  EXPECT_EQ(argument<unsigned short>(launch, 3), 255);
  EXPECT_EQ(argument<int>(launch, 4), -32768);
  EXPECT_EQ(argument<unsigned>(launch, 5), 255U);
  EXPECT_EQ(argument<long>(launch, 6), -5);
  EXPECT_EQ(argument<unsigned long>(launch, 7), 6U);
  EXPECT_EQ(argument<long long>(launch, 8), -7);
  EXPECT_EQ(argument<unsigned long long>(launch, 9), 8U);
}

TYPED_TEST(Arguments, Floats) {
  const double values[] = {0.0, -0.0, 1.5, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::denorm_min()};
  for (const double value : values) {
    const auto single = static_cast<float>(value);
    const Launch launch = this->sent(ws::kernel<floats>, single, value);
    EXPECT_EQ(bytes_of(launch, 0), bytes(single));
    EXPECT_EQ(bytes_of(launch, 1), bytes(value));
    // A float for the double, and a whole number for the float.
    const Launch widened = this->sent(ws::kernel<floats>, static_cast<short>(-9), single);
    EXPECT_EQ(bytes_of(widened, 0), bytes(-9.0F));
    EXPECT_EQ(bytes_of(widened, 1), bytes(static_cast<double>(single)));
  }
}

TYPED_TEST(Arguments, StructuresWithPadding) {
  const Padded padded{'p', 2.5, -3};
  Large large{};
  for (std::size_t i = 0; i < sizeof large.bytes; ++i)
    large.bytes[i] = static_cast<unsigned char>(i * 7);
  const Launch launch = this->sent(ws::kernel<structures>, 'c', padded, large, Colour::green, -1);
  EXPECT_EQ(argument<char>(launch, 0), 'c');
  EXPECT_EQ(launch.arguments[1].offset, 8U);
  EXPECT_EQ(launch.arguments[1].size, sizeof(Padded));
  const auto got = argument<Padded>(launch, 1);
  EXPECT_EQ(got.tag, 'p');
  EXPECT_EQ(got.value, 2.5);
  EXPECT_EQ(got.tail, -3);
  EXPECT_EQ(bytes_of(launch, 2), bytes(large));
  EXPECT_EQ(argument<Colour>(launch, 3), Colour::green);
  EXPECT_EQ(argument<int>(launch, 4), -1);
}

TYPED_TEST(Arguments, Pointers) {
  void* memory = nullptr;
  const ws::Stream stream = this->make_stream();
  ASSERT_EQ(Backend::allocate_unordered(memory, 256), 0);
  auto* floats_there = static_cast<float*>(memory);
  auto* ints_there = static_cast<int*>(memory) + 8;
  const auto whole = ws::detail::DeviceAccess::pointer(floats_there);
  const auto ints = ws::detail::DeviceAccess::pointer(ints_there);

  Launch launch = this->sent(ws::kernel<pointers>, ws::trust(floats_there), whole + 3, ints, ints,
                             nullptr, nullptr);
  EXPECT_EQ(argument<float*>(launch, 0), floats_there);
  EXPECT_EQ(argument<const float*>(launch, 1), floats_there + 3);
  EXPECT_EQ(argument<int*>(launch, 2), ints_there);
  EXPECT_EQ(argument<const int*>(launch, 3), ints_there);
  EXPECT_EQ(argument<void*>(launch, 4), nullptr);
  EXPECT_EQ(argument<double**>(launch, 5), nullptr);

  // A type of another library, a span for a pointer, device memory for void*, and null pointers.
  const ws::DeviceSpan<float> span(whole, 12);
  launch = this->sent(ws::kernel<pointers>, Tensor{floats_there + 1}, span, nullptr,
                      ws::trust(ints_there), ws::trust(floats_there), nullptr);
  EXPECT_EQ(argument<float*>(launch, 0), floats_there + 1);
  EXPECT_EQ(argument<const float*>(launch, 1), floats_there);
  EXPECT_EQ(argument<int*>(launch, 2), nullptr);
  EXPECT_EQ(argument<const int*>(launch, 3), ints_there);
  EXPECT_EQ(argument<void*>(launch, 4), memory);
  EXPECT_EQ(Backend::deallocate_unordered(memory), 0);
}

TYPED_TEST(Arguments, SpansAndExtents) {
  float value = 0;
  const ws::DeviceSpan<float> span(ws::detail::DeviceAccess::pointer(&value), 1234567890123);
  const ws::extent line{ws::x{5}};
  const ws::extent matrix{ws::rows{6}, ws::cols{7}};
  const ws::extent volume{ws::z{10}, ws::x{8}, ws::y{9}};
  const Launch launch = this->sent(ws::kernel<spans>, span, span, line, matrix, volume);
  EXPECT_EQ(argument<ws::DeviceSpan<float>>(launch, 0).pointer().get(), &value);
  EXPECT_EQ(argument<ws::DeviceSpan<float>>(launch, 0).size(), 1234567890123U);
  EXPECT_EQ(argument<ws::DeviceSpan<const float>>(launch, 1).pointer().get(), &value);
  EXPECT_EQ(bytes_of(launch, 0), bytes(span));
  EXPECT_EQ(bytes_of(launch, 2), bytes(line));
  EXPECT_EQ(bytes_of(launch, 3), bytes(matrix));
  EXPECT_EQ(bytes_of(launch, 4), bytes(volume));
}

TYPED_TEST(Arguments, SixteenOfMixedAlignment) {
  const Padded padded{'q', -1.25, 77};
  const Launch launch =
      this->sent(ws::kernel<sixteen>, 'a', 1, 'b', 2.0, 'c', static_cast<short>(3), 'd', 4.0F, 'e',
                 5L, 'f', nullptr, 'g', true, 'h', padded);
  const char* letters = "abcdefgh";
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(argument<char>(launch, 2 * i), letters[i]);
  EXPECT_EQ(argument<int>(launch, 1), 1);
  EXPECT_EQ(argument<double>(launch, 3), 2.0);
  EXPECT_EQ(argument<short>(launch, 5), 3);
  EXPECT_EQ(argument<float>(launch, 7), 4.0F);
  EXPECT_EQ(argument<long>(launch, 9), 5);
  EXPECT_EQ(argument<const int*>(launch, 11), nullptr);
  EXPECT_TRUE(argument<bool>(launch, 13));
  EXPECT_EQ(argument<Padded>(launch, 15).tail, 77);
  EXPECT_EQ(launch.argument_byte_count, launch.arguments[15].offset + sizeof(Padded));
}

}  // namespace
}  // namespace vendor_test
