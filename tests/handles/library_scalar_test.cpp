// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Scalars of a library's functions: their values, and where these are stored.

#include "toy_fixture.hpp"
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <type_traits>

namespace warpsafe::handle_test {
namespace {

template <class T>
using PointerOf = decltype(std::declval<T>().get());
template <class T>
inline constexpr detail::ScalarPlace place_of = detail::scalar_place<std::remove_cvref_t<T>>;
using detail::ScalarPlace;

static_assert(place_of<decltype(host_scalar(1.0F))> == ScalarPlace::host);
static_assert(place_of<decltype(device_scalar(device_ptr<float>()))> == ScalarPlace::device);
static_assert(place_of<const float*> == ScalarPlace::host, "the libraries' own spelling");
static_assert(place_of<int*> == ScalarPlace::unknown, "a size that is told");
static_assert(place_of<toy::toy_handle> == ScalarPlace::unknown, "a descriptor");
static_assert(place_of<float> == ScalarPlace::unknown);

// The tables of scalars hold for every form of a routine. tests/handles/scalar_tables.py compares
// them with the vendors' headers.
constexpr unsigned in_blas(const char* library, const char* function) {
  return detail::blas_scalars(Name::of(library), Name::of(function)) & ~others_on_device;
}
constexpr unsigned in_sparse(const char* library, const char* function) {
  return detail::sparse_scalars(Name::of(library), Name::of(function));
}
static_assert(in_blas("cuBLAS", "cublasSaxpy") == 0b1);
static_assert(in_blas("cuBLAS", "cublasSgemmStridedBatched_64") == 0b1001);
static_assert(in_blas("hipBLAS", "hipblasCsscal") == 0b1);
static_assert(in_blas("rocBLAS", "rocblas_dznrm2_strided_batched") == 0b10);
static_assert(in_blas("rocBLAS", "rocblas_isamax") == 0b10);
static_assert(in_blas("rocBLAS", "rocblas_geam_ex") == 0b1001);
static_assert(in_blas("cuBLAS", "cublasSgeam") == 0b101);
static_assert(in_blas("rocBLAS", "rocblas_srotm") == 0b100);
static_assert(in_blas("rocBLAS", "rocblas_srotm_strided_batched") == 0, "always on the device");
static_assert(in_blas("cuBLAS", "cublasGetVersion_v2") == 0, "a number on the host");
static_assert(in_blas("cuBLAS", "cublasSgetrfBatched") == 0);
static_assert(in_blas("cuBLAS", "cublasSgemmGroupedBatched") == 0, "arrays of scalars");
static_assert(in_blas("cuBLAS", "app::cublasSaxpy") == 0, "a function of the user");
static_assert(in_blas("cuBLAS", "my_cublasSaxpy") == 0 && in_blas("cuBLAS", "cublas") == 0);
static_assert((detail::blas_scalars(Name::of("cuBLAS"), Name::of("cublasScopy_v2")) |
               detail::blas_scalars(Name::of("cuBLAS"), Name::of("cublasSdgmm"))) == 0);
static_assert(in_sparse("cuSPARSE", "cusparseSpMV_bufferSize") == 0b1001);
static_assert(in_sparse("cuSPARSE", "cusparseRot") == 0b11);
static_assert(in_sparse("hipSPARSE", "hipsparseSpSV_updateMatrix") == 0);
static_assert(in_sparse("rocSPARSE", "rocsparse_spvv") == 0b100);

using detail::PointerRole;
using Axpy = detail::TypeList<int, const float*, const float*, int, float*, int>;
static_assert(detail::role_at<0b1U>(Axpy{}, 1) == PointerRole::scalar);
static_assert(detail::role_at<0b1U>(Axpy{}, 2) == PointerRole::other);
static_assert(detail::role_at<0b1U | others_on_device>(Axpy{}, 4) == PointerRole::data);
static_assert(detail::role_at<0b1U>(Axpy{}, 3) == PointerRole::unknown, "no pointer");
static_assert(detail::role_at<0U>(Axpy{}, 1) == PointerRole::unknown);
static_assert(detail::role_at<0b1U>(detail::TypeList<float* const*>{}, 0) == PointerRole::unknown,
              "an array of a batch");

TEST(LibraryScalar, AVariableIsWrittenThrough) {
  double result = 0.0;
  const auto scalar = host_scalar(result);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, double*>);
  *scalar.get() = 2.0;
  EXPECT_EQ(result, 2.0);
}

TEST(LibraryScalar, AConstantIsOnlyRead) {
  const double alpha = 3.0;
  const auto scalar = host_scalar(alpha);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, const double*>);
  EXPECT_EQ(scalar.get(), &alpha);
}

TEST(LibraryScalar, AValueIsKept) {
  const auto scalar = host_scalar(1.5F);
  static_assert(std::is_same_v<PointerOf<decltype(scalar)>, const float*>);
  EXPECT_EQ(*scalar.get(), 1.5F);
}

TEST(LibraryScalar, OnTheDeviceItIsAnyDevicePointer) {
  float there = 0.0F;  // only the address matters
  const auto pointer = detail::DeviceAccess::pointer(&there);
  EXPECT_EQ(device_scalar(pointer).get(), &there);
  EXPECT_EQ(device_scalar(DeviceSpan<const float>(pointer, 1)).get(), &there);
  EXPECT_EQ(device_scalar(trust(&there)).get(), &there);
}

TEST(LibraryScalar, OfABufferHasTheBuffersOwner) {
  const Stream stream = Stream::create().value();
  auto buffer = DeviceBuffer<float>::create(stream, 1).value();
  EXPECT_NE(device_scalar(buffer.view()).memory_owner(), nullptr);
  EXPECT_EQ(device_scalar(buffer.view()).memory_owner(), detail::owner_of(buffer.view()));
}

// As cuBLASLt: the descriptor of a call says where its scalars are.
enum class Side { host, device, both };
struct Described {
  Side scalars;
};
struct Counter {
  int calls = 0;
};
int counter_create(Counter** handle) {
  *handle = new Counter;
  return 0;
}
int counter_destroy(Counter* handle) {
  delete handle;
  return 0;
}
int counter_scale(Counter* handle, const Described*, const float*, const float*, float*,
                  host_backend::native_stream) {
  ++handle->calls;
  return 0;
}

}  // namespace
}  // namespace warpsafe::handle_test

template <>
struct warpsafe::handle_traits<warpsafe::handle_test::Counter*>
    : warpsafe::HandleCalls<warpsafe::host_backend, warpsafe::handle_test::counter_create,
                            warpsafe::handle_test::counter_destroy> {
  using Side = warpsafe::handle_test::Side;
  static constexpr Name name = Name::of("counter");
  static constexpr unsigned scalar_pointers(Name) noexcept { return 0b110; }
  static constexpr bool descriptors_place_scalars = true;
  static int set_scalars_on_device(native, bool) noexcept { return 0; }
  static int get_scalars_on_device(native, bool& on) noexcept {
    on = false;
    return 0;
  }
  static bool scalars_fit(const warpsafe::handle_test::Described* descriptor, bool host,
                          bool device) noexcept {
    if (descriptor->scalars == Side::both) return host && device;
    return descriptor->scalars == Side::host ? !device : !host;
  }
};

namespace warpsafe::handle_test {
namespace {

template <CheckLevel Level>
void match_the_descriptor(const Stream& stream) {
  auto counter = StreamBound<Counter*>::create(stream).value();
  auto x = DeviceBuffer<float>::create(stream, 1).value();
  const auto scaled = [&](Side side, const auto& alpha, const auto& beta) {
    const Described descriptor{side};
    return counter.call<counter_scale, Level>(&descriptor, alpha, beta, x.view());
  };
  const auto there = device_scalar(x.view());
  const auto here = host_scalar(1.0F);
  EXPECT_TRUE(scaled(Side::host, here, here).has_value());
  EXPECT_TRUE(scaled(Side::device, there, there).has_value());
  EXPECT_TRUE(scaled(Side::both, there, here).has_value());
  EXPECT_EQ(counter.native()->calls, 3);
  for (const auto& refused : {scaled(Side::host, there, there), scaled(Side::device, here, here),
                              scaled(Side::host, there, here)}) {
    EXPECT_EQ(error_in(refused).code, Errc::handle_pointer_mode);
    EXPECT_THAT(said(refused), ::testing::HasSubstr("the descriptor's POINTER_MODE differs; pass "
                                                    "host_scalar or device_scalar to match"));
  }
  EXPECT_EQ(counter.native()->calls, 3);
}
TEST(LibraryScalar, MatchesTheDescriptorWhereThatPlacesIt) {
  const Stream stream = Stream::create().value();
  match_the_descriptor<CheckLevel::full>(stream);
  match_the_descriptor<CheckLevel::off>(stream);
}

}  // namespace
}  // namespace warpsafe::handle_test
