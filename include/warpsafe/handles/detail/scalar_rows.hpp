// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/handles/library_scalar.hpp>

#include <cstddef>

// Which parameters of the vendors' libraries are scalars, by the functions' names.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

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
    return find_end(words, true) != 0;
  }

 private:
  [[nodiscard]] constexpr bool same(std::size_t from, Name word) const noexcept {
    return Name{text_ + from, word.size} == word;
  }
  /// Whether the first letters are those of at most three types.
  [[nodiscard]] constexpr bool is_types(std::size_t letters) const noexcept {
    if (letters > 3) return false;
    for (std::size_t i = 0; i < letters; ++i) {
      bool known = false;
      for (const char type : {'s', 'd', 'c', 'z', 'h', 'b', 'f', 't', 'i'})
        known = known || text_[i] == type;
      if (!known) return false;
    }
    return true;
  }
  /// The size of the word at the end, or 0. `behind_types`: only letters of types are before it.
  [[nodiscard]] constexpr std::size_t find_end(Name words,
                                               bool behind_types = false) const noexcept {
    for (std::size_t begin = 0; begin < words.size;) {
      std::size_t end = begin;
      while (end < words.size && words.data[end] != ' ') ++end;
      const Name word{words.data + begin, end - begin};
      if (size_ >= word.size && same(size_ - word.size, word) &&
          (!behind_types || is_types(size_ - word.size))) {
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
