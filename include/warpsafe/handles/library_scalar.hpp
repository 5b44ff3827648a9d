// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A scalar argument in host memory. host_scalar makes it.
template <class T>
struct HostScalar {
  static_assert(std::is_trivially_copyable_v<std::remove_reference_t<T>>,
                "warpsafe: a library's scalar must be a plain number or struct");
  T value;  // a reference if host_scalar was given a variable
  [[nodiscard]] constexpr auto* get() const noexcept { return &value; }
};
/// A scalar argument in device memory. device_scalar makes it.
template <class Pointer>
struct DeviceScalar {
  Pointer pointer;
  [[nodiscard]] constexpr auto* get() const noexcept {
    return device_pointer_traits<Pointer>::get(pointer);
  }
  /// For internal use: the owner that records calls on other streams.
  [[nodiscard]] constexpr detail::MemoryOwner* memory_owner() const noexcept {
    return detail::owner_of(pointer);
  }
};

/// A scalar argument of StreamBound::call in host memory. Pass a value (`host_scalar(1.0F)`), or a
/// variable if the function writes its result there (`host_scalar(norm)`). The handle's pointer
/// mode is host, except in calls with a device_scalar.
template <class T>
[[nodiscard]] constexpr HostScalar<T> host_scalar(T&& scalar) noexcept {
  return {std::forward<T>(scalar)};
}
/// A scalar argument in device memory: a buffer's view(), a device_ptr, trust(p). All scalars of
/// the call must then be on the device; the handle's pointer mode is device for this one call.
template <class Pointer>
[[nodiscard]] constexpr DeviceScalar<Pointer> device_scalar(const Pointer& pointer) noexcept {
  static_assert(
      detail::DevicePointer<Pointer>,
      "warpsafe: device_scalar takes device memory: a device buffer's view(), or trust(p)");
  return {pointer};
}
/// Diagnoses a temporary that owns the device memory.
template <class Pointer>
requires detail::FreesTooEarly<Pointer>
auto device_scalar(Pointer&&) noexcept {
  static_assert(
      !detail::FreesTooEarly<Pointer>,
      "warpsafe: this temporary frees its device memory at the end of the statement, while the library's work may still run; give it a name that lives until the stream is synchronized, or declare may_be_temporary in its device_pointer_traits if its free waits for the handle's stream");
  return DeviceScalar<Pointer>{};
}

/// Set beside the bits of handle_traits::scalar_pointers if all other pointers of the function are
/// device memory.
inline constexpr unsigned others_on_device = 1U << 31U;

namespace detail {

/// Where a library's function finds a scalar that it takes by address.
enum class ScalarPlace : unsigned char { unknown, host, device };

template <class A>
inline constexpr ScalarPlace scalar_place = ScalarPlace::unknown;
template <class Pointer>
inline constexpr bool holds_owner<DeviceScalar<Pointer>> = true;
template <class T>
inline constexpr ScalarPlace scalar_place<HostScalar<T>> = ScalarPlace::host;
template <class Pointer>
inline constexpr ScalarPlace scalar_place<DeviceScalar<Pointer>> = ScalarPlace::device;
/// `&alpha` is how the libraries themselves spell a scalar on the host. Pointers to other types may
/// be outputs, such as sizes.
template <class T>
inline constexpr ScalarPlace scalar_place<T*> =
    std::is_floating_point_v<T> ? ScalarPlace::host : ScalarPlace::unknown;

/// What a pointer parameter of a library's function takes. Its type does not show this: a scalar
/// and an array are both a `const float*`.
enum class PointerRole : unsigned char {
  unknown,
  scalar,  ///< on the host or on the device, as the handle's pointer mode says
  data,    ///< an array in device memory
  other,   ///< no scalar: an array, a descriptor, a size
};

/// Whether the library writes the argument, a number in host memory, in the order of its stream.
template <class P, class A, PointerRole Role>
inline constexpr bool is_host_result =
    std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>> &&
    scalar_place<A> == ScalarPlace::host && (Role == PointerRole::scalar || !std::is_pointer_v<A>);

/// Where an argument of type A is, if it is a scalar. A raw pointer is host memory where the
/// function takes a scalar. Elsewhere it is an array, or the place of a size, which is on the host
/// in both modes.
template <class A, PointerRole Role>
inline constexpr ScalarPlace place_of_role =
    Role == PointerRole::scalar&& std::is_pointer_v<A>                     ? ScalarPlace::host
    : Role == PointerRole::unknown || scalar_place<A> != ScalarPlace::host ? scalar_place<A>
    : Role == PointerRole::scalar                                          ? ScalarPlace::host
                                                                           : ScalarPlace::unknown;

/// Routines of a library, and which of their pointer parameters are scalars: bit n is set for the
/// pointer parameter n, counted from 0 without the handle.
struct ScalarRow {
  Name routines;
  unsigned scalars;
};

/// BLAS, levels 1 to 3 (cuBLAS documentation, chapter 2; rocBLAS API reference). One row holds for
/// all types, and for the batched, strided, Ex and 64-bit forms.
inline constexpr ScalarRow blas_rows[] = {
    {Name::of("geamex"), 0b1001},                     // alpha A B beta C D
    {Name::of("rotmbatched rotmstridedbatched"), 0},  // parameters on the device in both modes
    {Name::of("axpy scal ger geru gerc syr syr2 her her2 spr spr2 hpr hpr2 trmm trsm"), 0b1},
    {Name::of("nrm2 asum amax amin"), 0b10},                             // x result
    {Name::of("dot dotu dotc rotm"), 0b100},                             // x y result
    {Name::of("rot"), 0b1100},                                           // x y c s
    {Name::of("rotg"), 0b1111},                                          // a b c s
    {Name::of("rotmg"), 0b11111},                                        // d1 d2 x1 y1 parameters
    {Name::of("syrk herk geam"), 0b101},                                 // alpha A beta C
    {Name::of("gemv gbmv symv sbmv spmv hemv hbmv hpmv"), 0b1001},       // alpha A x beta y
    {Name::of("gemm gemmt symm hemm syr2k her2k syrkx herkx"), 0b1001},  // alpha A B beta C
};
/// The generic functions of cuSPARSE, hipSPARSE and rocSPARSE, and older ones with scalars
/// (cuSPARSE documentation, chapters 5 and 6).
inline constexpr ScalarRow sparse_rows[] = {
    {Name::of("spsv spsm axpyi bsrsv2solve bsrsm2solve csrsv2solve csrsm2"), 0b1},  // alpha ...
    {Name::of("axpby"), 0b101},                                       // alpha x beta y
    {Name::of("rot"), 0b11},                                          // c s x y
    {Name::of("spvv"), 0b100},                                        // x y result
    {Name::of("doti dotci nnz"), 0b1000},                             // x indices y result
    {Name::of("spmv spmm sddmm spgemm spgemmreusecompute"), 0b1001},  // alpha A B beta C
    {Name::of("gemvibuffersize"), 0},
    {Name::of("gemvi hybmv"), 0b10001},              // alpha A x indices beta y
    {Name::of("gemmi csrgeam csrgeam2"), 0b100001},  // alpha A values rows columns beta ...
    {Name::of("bsrmv bsrmm csrmv csrmm csrmm2"), 0b1000001},  // alpha A values rows columns x beta
    {Name::of("bsrxmv"), 0b100000001},                        // alpha A values mask ... beta y
    {Name::of("csrgemm2buffersizeext"), 0b10000001},          // alpha A rows columns B ... beta
    {Name::of("csrgemm2"), 0b1000000001},  // alpha A values rows columns B ... beta
};

/// cuDNN (its API reference): the scalars are always on the host.
inline constexpr ScalarRow dnn_rows[] = {
    {Name::of("transformtensor addtensor softmaxforward convolutionbackwardbias"), 0b1001},
    {Name::of("transformtensorex transformfilter poolingforward activationforward "
              "lrncrosschannelforward"),
     0b10010},                                   // descriptor alpha x x beta
    {Name::of("optensor"), 0b10010010},          // descriptor alpha1 A A alpha2 B B beta
    {Name::of("reducetensor"), 0b1001000},       // descriptor indices workspace alpha A A beta
    {Name::of("settensor scaletensor"), 0b100},  // y y value
    {Name::of("divisivenormalizationforward"), 0b10000010},
    {Name::of("divisivenormalizationbackward poolingbackward activationbackward "
              "lrncrosschannelbackward"),
     0b100000010},
    {Name::of("softmaxbackward"), 0b100001},
    {Name::of("batchnormalizationforwardinference batchnormalizationforwardtraining "
              "batchnormalizationforwardtrainingex normalizationforwardinference "
              "normalizationforwardtraining"),
     0b11},
    {Name::of("batchnormalizationbackward batchnormalizationbackwardex normalizationbackward"),
     0b1111},
    {Name::of("spatialtfsamplerforward"), 0b100010},
    {Name::of("spatialtfsamplerbackward"), 0b100010010010},
    {Name::of("convolutionforward convolutionbiasactivationforward convolutionbackwarddata "
              "convolutionbackwardfilter"),
     0b10000001},
};
/// cuBLASLt (cuBLAS documentation, chapter 3).
inline constexpr ScalarRow lt_rows[] = {
    {Name::of("matmul"), 0b1000010},         // descriptor alpha A A B B beta
    {Name::of("matrixtransform"), 0b10010},  // descriptor alpha A A beta
};

/// A routine's name in lower case and without underscores: sgemmstridedbatched for
/// cublasSgemmStridedBatched and rocblas_sgemm_strided_batched.
class RoutineName {
 public:
  constexpr explicit RoutineName(Name name) noexcept {
    for (std::size_t i = 0; i < name.size && size_ < sizeof text_; ++i) {
      const char letter = name.data[i];
      if (letter == '_') continue;
      text_[size_++] =
          letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  /// Removes the library's own name from the front. False if it is not there.
  constexpr bool remove_front(const RoutineName& library) noexcept {
    if (size_ < library.size_ || !same(0, Name{library.text_, library.size_})) return false;
    size_ -= library.size_;
    for (std::size_t i = 0; i < size_; ++i) text_[i] = text_[i + library.size_];
    return true;
  }
  /// Removes one of these words from the end. False if none is there.
  constexpr bool remove_end(Name words) noexcept {
    const std::size_t found = find_end(words);
    size_ -= found;
    return found != 0;
  }
  /// Whether this is one of these words, behind at most three letters for the types of its numbers.
  [[nodiscard]] constexpr bool is_one_of(Name words) const noexcept {
    const std::size_t found = find_end(words, 3);
    return found != 0;
  }

 private:
  [[nodiscard]] constexpr bool same(std::size_t from, Name word) const noexcept {
    return Name{text_ + from, word.size} == word;
  }
  [[nodiscard]] constexpr bool is_type(std::size_t letters) const noexcept {
    for (std::size_t i = 0; i < letters; ++i) {
      bool known = false;
      for (const char type : {'s', 'd', 'c', 'z', 'h', 'b', 'f', 't', 'i'})
        known = known || text_[i] == type;
      if (!known) return false;
    }
    return true;
  }
  /// The size of the word at the end, with at most `in_front` letters of types before it; or 0.
  [[nodiscard]] constexpr std::size_t find_end(Name words, std::size_t in_front = ~std::size_t{
                                                               0}) const noexcept {
    for (std::size_t begin = 0; begin < words.size;) {
      std::size_t end = begin;
      while (end < words.size && words.data[end] != ' ') ++end;
      const Name word{words.data + begin, end - begin};
      if (size_ >= word.size && same(size_ - word.size, word) &&
          (in_front == ~std::size_t{0} ||
           (size_ - word.size <= in_front && is_type(size_ - word.size)))) {
        return word.size;
      }
      begin = end + 1;
    }
    return 0;
  }
  char text_[64] = {};
  std::size_t size_ = 0;
};

/// The scalars of a library's function by these rows; 0 for a function that they do not name.
template <std::size_t Rows>
[[nodiscard]] constexpr unsigned find_scalars(const ScalarRow (&rows)[Rows], Name library,
                                              Name function, Name endings) noexcept {
  RoutineName routine(function);
  if (!routine.remove_front(RoutineName(library))) return 0;
  do {
    for (const ScalarRow& row : rows) {
      if (routine.is_one_of(row.routines)) return row.scalars;
    }
  } while (routine.remove_end(endings));
  return 0;
}
/// handle_traits::scalar_pointers of a library whose functions are named as those of BLAS.
[[nodiscard]] constexpr unsigned blas_scalars(Name library, Name function) noexcept {
  const unsigned found = find_scalars(blas_rows, library, function,
                                      Name::of("64 ex ex3 withflags batched strided 3m"));
  return found == 0 ? 0 : found | others_on_device;
}
/// The same for functions that are named as those of cuSPARSE. Their other pointers are not only
/// device memory but also descriptors and sizes.
[[nodiscard]] constexpr unsigned sparse_scalars(Name library, Name function) noexcept {
  return find_scalars(
      sparse_rows, library, function,
      Name::of(
          "buffersize buffersizeext preprocess analysis solve workestimation estimatememory compute copy"));
}

[[nodiscard]] constexpr unsigned dnn_scalars(Name library, Name function) noexcept {
  return find_scalars(dnn_rows, library, function, Name{});
}
[[nodiscard]] constexpr unsigned lt_scalars(Name library, Name function) noexcept {
  return find_scalars(lt_rows, library, function, Name{});
}

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
