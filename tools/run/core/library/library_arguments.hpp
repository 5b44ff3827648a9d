// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "library_failure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

namespace detail {

/// The integer parameters of functions, and the rules that their values obey. `names` begin behind
/// the library's name; for BLAS and LAPACK routines also behind the letter of the type.
///
/// A parameter is "name:kind". The kinds:
///   h  a handle, or the result's address: not null     p  a pointer that may be null
///   n  a number that is at least 0       1  one that is at least 1      i  any number
///   x  a number that is not 0            z  a size of eight bytes       f  cuFFT's plan, a number
///   t u s d  cuBLAS's operation, triangle, side, diagonal    c  cuFFT's type   w  its direction
///   y o  NCCL's type and operation
///   a  the address of as many numbers as the parameter before it says
///
/// A rule is "a>=b": a is at least b, and at least 1. "a>=b|c@t": at least b if the operation t is
/// N, or the side t is left; else at least c. "a<b": a is less than b.
struct RoutineArguments {
  std::string_view names;
  std::string_view parameters;
  std::string_view rules;
};

// cuBLAS's documentation, "cuBLAS Level-1 Function Reference" and its like: the conditions of
// CUBLAS_STATUS_INVALID_VALUE.
inline constexpr RoutineArguments cublas_arguments[] = {
    {"gemm gemm3m",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p A:p lda:i B:p ldb:i beta:p C:p ldc:i",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"GemmEx gemmEx gemm3mEx",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p A:p Atype:i lda:i B:p Btype:i ldb:i beta:p C:p "
     "Ctype:i ldc:i",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"gemmStridedBatched gemm3mStridedBatched",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p A:p lda:i strideA:z B:p ldb:i strideB:z beta:p "
     "C:p ldc:i strideC:z batchCount:n",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"GemmStridedBatchedEx",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p A:p Atype:i lda:i strideA:z B:p Btype:i ldb:i "
     "strideB:z beta:p C:p Ctype:i ldc:i strideC:z batchCount:n",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"gemmBatched",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p Aarray:p lda:i Barray:p ldb:i beta:p Carray:p "
     "ldc:i batchCount:n",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"GemmBatchedEx",
     "handle:h transa:t transb:t m:n n:n k:n alpha:p Aarray:p Atype:i lda:i Barray:p Btype:i ldb:i "
     "beta:p Carray:p Ctype:i ldc:i batchCount:n",
     "lda>=m|k@transa ldb>=k|n@transb ldc>=m"},
    {"gemv", "handle:h trans:t m:n n:n alpha:p A:p lda:i x:p incx:x beta:p y:p incy:x", "lda>=m"},
    {"ger geru gerc", "handle:h m:n n:n alpha:p x:p incx:x y:p incy:x A:p lda:i", "lda>=m"},
    {"symv hemv", "handle:h uplo:u n:n alpha:p A:p lda:i x:p incx:x beta:p y:p incy:x", "lda>=n"},
    {"trsv trmv", "handle:h uplo:u trans:t diag:d n:n A:p lda:i x:p incx:x", "lda>=n"},
    {"symm hemm", "handle:h side:s uplo:u m:n n:n alpha:p A:p lda:i B:p ldb:i beta:p C:p ldc:i",
     "lda>=m|n@side ldb>=m ldc>=m"},
    {"syrk herk", "handle:h uplo:u trans:t n:n k:n alpha:p A:p lda:i beta:p C:p ldc:i",
     "lda>=n|k@trans ldc>=n"},
    {"syr2k her2k", "handle:h uplo:u trans:t n:n k:n alpha:p A:p lda:i B:p ldb:i beta:p C:p ldc:i",
     "lda>=n|k@trans ldb>=n|k@trans ldc>=n"},
    {"trsm", "handle:h side:s uplo:u trans:t diag:d m:n n:n alpha:p A:p lda:i B:p ldb:i",
     "lda>=m|n@side ldb>=m"},
    {"trmm", "handle:h side:s uplo:u trans:t diag:d m:n n:n alpha:p A:p lda:i B:p ldb:i C:p ldc:i",
     "lda>=m|n@side ldb>=m ldc>=m"},
    {"geam", "handle:h transa:t transb:t m:n n:n alpha:p A:p lda:i beta:p B:p ldb:i C:p ldc:i",
     "lda>=m|n@transa ldb>=m|n@transb ldc>=m"},
    {"axpy", "handle:h n:i alpha:p x:p incx:i y:p incy:i", ""},
    {"scal sscal dscal", "handle:h n:i alpha:p x:p incx:i", ""},
    {"copy swap", "handle:h n:i x:p incx:i y:p incy:i", ""},
    {"dot dotu dotc", "handle:h n:i x:p incx:i y:p incy:i result:h", ""},
    {"nrm2 cnrm2 znrm2 asum casum zasum amax amin", "handle:h n:i x:p incx:i result:h", ""},
    {"SetMatrix GetMatrix SetMatrixAsync GetMatrixAsync",
     "rows:n cols:n elemSize:1 A:p lda:1 B:p ldb:1", ""},
    {"SetVector GetVector SetVectorAsync GetVectorAsync", "n:i elemSize:1 x:p incx:1 y:p incy:1",
     ""},
    {"getrfBatched", "handle:h n:n Aarray:p lda:i PivotArray:p infoArray:p batchSize:n", "lda>=n"},
    {"Create", "handle:h", ""},
    {"SetStream SetPointerMode SetMathMode SetWorkspace Destroy", "handle:h", ""}};

// cuSOLVER's documentation, "cuSolverDN: dense LAPACK Function Reference".
inline constexpr RoutineArguments cusolver_arguments[] = {
    {"potrf", "handle:h uplo:u n:n A:p lda:i Workspace:p Lwork:i devInfo:p", "lda>=n"},
    {"potrf_bufferSize", "handle:h uplo:u n:n A:p lda:i Lwork:h", "lda>=n"},
    {"potrs", "handle:h uplo:u n:n nrhs:n A:p lda:i B:p ldb:i devInfo:p", "lda>=n ldb>=n"},
    {"getrf", "handle:h m:n n:n A:p lda:i Workspace:p devIpiv:p devInfo:p", "lda>=m"},
    {"getrf_bufferSize geqrf_bufferSize", "handle:h m:n n:n A:p lda:i Lwork:h", "lda>=m"},
    {"getrs", "handle:h trans:t n:n nrhs:n A:p lda:i devIpiv:p B:p ldb:i devInfo:p",
     "lda>=n ldb>=n"},
    {"geqrf", "handle:h m:n n:n A:p lda:i TAU:p Workspace:p Lwork:i devInfo:p", "lda>=m"},
    {"Create", "handle:h", ""},
    {"SetStream Destroy", "handle:h", ""}};

// cuFFT's documentation, "cuFFT API Reference".
inline constexpr RoutineArguments cufft_arguments[] = {
    {"Plan1d", "plan:h nx:1 type:c batch:1", ""},
    {"MakePlan1d", "plan:f nx:1 type:c batch:1 workSize:p", ""},
    {"Plan2d", "plan:h nx:1 ny:1 type:c", ""},
    {"MakePlan2d", "plan:f nx:1 ny:1 type:c workSize:p", ""},
    {"Plan3d", "plan:h nx:1 ny:1 nz:1 type:c", ""},
    {"MakePlan3d", "plan:f nx:1 ny:1 nz:1 type:c workSize:p", ""},
    {"PlanMany",
     "plan:h rank:1 n:a inembed:p istride:i idist:i onembed:p ostride:i odist:i type:c batch:1",
     ""},
    {"MakePlanMany",
     "plan:f rank:1 n:a inembed:p istride:i idist:i onembed:p ostride:i odist:i type:c batch:1",
     ""},
    {"ExecC2C ExecZ2Z", "plan:f idata:p odata:p direction:w", ""},
    {"ExecR2C ExecC2R ExecD2Z ExecZ2D", "plan:f idata:p odata:p", ""},
    {"SetStream SetAutoAllocation Destroy", "plan:f", ""}};

// cuRAND's documentation, "cuRAND Library - API Reference".
inline constexpr RoutineArguments curand_arguments[] = {
    {"CreateGenerator CreateGeneratorHost", "generator:h rng_type:i", ""},
    {"Generate GenerateLongLong GenerateUniform GenerateUniformDouble",
     "generator:h outputPtr:p num:z", ""},
    {"GenerateNormal GenerateNormalDouble GenerateLogNormal GenerateLogNormalDouble",
     "generator:h outputPtr:p n:z", ""},
    {"SetStream DestroyGenerator SetPseudoRandomGeneratorSeed", "generator:h", ""}};

// cuDNN's documentation, "cudnn_ops Library" and "cudnn_cnn Library".
inline constexpr RoutineArguments cudnn_arguments[] = {
    {"Create", "handle:h", ""},
    {"SetStream Destroy", "handle:h", ""},
    {"SetTensor4dDescriptor", "tensorDesc:h format:i dataType:i n:n c:n h:n w:n", ""},
    {"SetFilter4dDescriptor", "filterDesc:h dataType:i format:i k:n c:n h:n w:n", ""},
    {"SetConvolution2dDescriptor",
     "convDesc:h pad_h:n pad_w:n u:1 v:1 dilation_h:1 dilation_w:1 mode:i computeType:i", ""}};

// NCCL's documentation, "NCCL API". The identifier that ncclCommInitRank has between two numbers is
// on the stack.
inline constexpr RoutineArguments nccl_arguments[] = {
    {"AllReduce", "sendbuff:p recvbuff:p count:z datatype:y op:o comm:h", ""},
    {"Reduce", "sendbuff:p recvbuff:p count:z datatype:y op:o root:n comm:h", ""},
    {"Broadcast", "sendbuff:p recvbuff:p count:z datatype:y root:n comm:h", ""},
    {"Bcast", "buff:p count:z datatype:y root:n comm:h", ""},
    {"AllGather", "sendbuff:p recvbuff:p sendcount:z datatype:y comm:h", ""},
    {"ReduceScatter", "sendbuff:p recvbuff:p recvcount:z datatype:y op:o comm:h", ""},
    {"Send", "sendbuff:p count:z datatype:y peer:n comm:h", ""},
    {"Recv", "recvbuff:p count:z datatype:y peer:n comm:h", ""},
    {"CommInitRank", "comm:h nranks:1 rank:n", "rank<nranks"},
    {"CommDestroy CommFinalize CommAbort", "comm:h", ""},
    {"CommCount CommCuDevice CommUserRank", "comm:h result:h", ""}};

[[nodiscard]] inline std::span<const RoutineArguments> arguments_of(
    std::string_view functions) noexcept {
  if (functions == "cublas") return cublas_arguments;
  if (functions == "cufft") return cufft_arguments;
  if (functions == "cusolver") return cusolver_arguments;
  if (functions == "curand") return curand_arguments;
  if (functions == "cudnn") return cudnn_arguments;
  if (functions == "nccl") return nccl_arguments;
  return {};
}
/// Calls `see(part)` for each part of a text, until it returns false.
template <class See>
void each_part(std::string_view text, const See& see) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(' '));
    if (!see(part)) return;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
}
[[nodiscard]] inline const RoutineArguments* find_routine(std::span<const RoutineArguments> all,
                                                          std::string_view name) {
  for (const RoutineArguments& one : all) {
    bool found = false;
    each_part(one.names, [&](std::string_view part) {
      found = found || part == name;
      return !found;
    });
    if (found) return &one;
  }
  return nullptr;
}

}  // namespace detail

/// The arguments of a library's function in words, and the first that breaks a rule.
struct LibraryArguments {
  std::string words;   ///< "transa = N, m = 4"; empty: the function's parameters are not known
  std::string broken;  ///< "ldb is 3, and must be at least k = 4"; empty: none is known to be wrong
  enum class Handle : std::uint8_t { unknown, none, null, given };
  Handle handle = Handle::unknown;  ///< the first argument

  /// May throw std::bad_alloc.
  [[nodiscard]] static LibraryArguments of(const LibraryFailure& call) {
    LibraryArguments made;
    std::string_view name = call.symbol;
    name.remove_prefix(call.family->functions.size());
    // Functions with numbers of eight bytes.
    bool wide = false;
    const auto cut = [&](std::string_view end) {
      const bool has = name.size() > end.size() && name.substr(name.size() - end.size()) == end;
      if (has) name.remove_suffix(end.size());
      return has;
    };
    wide = cut("_64");
    static_cast<void>(cut("_v2"));
    wide = wide || (call.family->functions == "cufft" && cut("64"));
    if (call.family->functions == "cusolver") {
      if (name.substr(0, 2) != "Dn") return made;
      name.remove_prefix(2);
    }
    const auto all = detail::arguments_of(call.family->functions);
    const detail::RoutineArguments* found = detail::find_routine(all, name);
    const bool has_types =
        call.family->functions == "cublas" || call.family->functions == "cusolver";
    if (found == nullptr && has_types) {
      if (!name.empty() && name.front() == 'I') name.remove_prefix(1);
      if (!name.empty() && std::string_view("SDCZHsdcz").find(name.front()) != name.npos) {
        found = detail::find_routine(all, name.substr(1));
      }
    }
    if (found == nullptr) return made;
    made.read(*found, call, wide);
    made.check(*found);
    return made;
  }

 private:
  struct Value {
    std::string_view name;
    char kind;
    std::int64_t number;
    std::string text;  ///< empty: the number
  };

  void read(const detail::RoutineArguments& routine, const LibraryFailure& call, bool wide) {
    std::size_t at = 0;
    detail::each_part(routine.parameters, [&](std::string_view part) {
      if (at == call.count) return false;
      const std::uint64_t word = call.words[at++];
      Value one{part.substr(0, part.size() - 2), part.back(), 0, {}};
      const bool is_pointer = one.kind == 'h' || one.kind == 'p' || one.kind == 'a';
      const bool is_size = one.kind == 'n' || one.kind == '1' || one.kind == 'i' || one.kind == 'x';
      one.number = is_pointer || one.kind == 'z' || (wide && is_size)
                       ? static_cast<std::int64_t>(word)
                       : static_cast<std::int32_t>(word);
      one.text = text_of(one);
      if (one.kind == 'a' && !values_.empty()) read_array(one, values_.back().number, wide);
      values_.push_back(std::move(one));
      return true;
    });
    if (!values_.empty()) {
      const Value& first = values_.front();
      handle = first.kind != 'h' ? Handle::none : first.number == 0 ? Handle::null : Handle::given;
    }
    for (const Value& one : values_) {
      const bool is_pointer = one.kind == 'h' || one.kind == 'p';
      if (is_pointer && one.number != 0) continue;
      words += (words.empty() ? "" : ", ") + std::string(one.name) + " = " + shown(one);
    }
  }
  [[nodiscard]] static std::string shown(const Value& one) {
    return one.text.empty() ? std::to_string(one.number) : one.text;
  }
  [[nodiscard]] static std::string text_of(const Value& one) {
    const auto named = [&](std::span<const std::string_view> names) {
      const bool is_known = one.number >= 0 && static_cast<std::size_t>(one.number) < names.size();
      return is_known ? std::string(names[static_cast<std::size_t>(one.number)]) : std::string();
    };
    static constexpr std::string_view operations[] = {"N", "T", "C", "CONJG"};
    static constexpr std::string_view triangles[] = {"lower", "upper", "full"};
    static constexpr std::string_view sides[] = {"left", "right"};
    static constexpr std::string_view diagonals[] = {"non-unit", "unit"};
    static constexpr std::string_view types[] = {"int8",    "uint8",   "int32",   "uint32",
                                                 "int64",   "uint64",  "float16", "float32",
                                                 "float64", "bfloat16"};
    static constexpr std::string_view reductions[] = {"sum", "product", "max", "min", "average"};
    switch (one.kind) {
      case 'y':
        return named(types);
      case 'o':
        return named(reductions);
      case 't':
        return named(operations);
      case 'u':
        return named(triangles);
      case 's':
        return named(sides);
      case 'd':
        return named(diagonals);
      case 'c':
        return one.number == 0x2a   ? "CUFFT_R2C"
               : one.number == 0x2c ? "CUFFT_C2R"
               : one.number == 0x29 ? "CUFFT_C2C"
               : one.number == 0x6a ? "CUFFT_D2Z"
               : one.number == 0x6c ? "CUFFT_Z2D"
               : one.number == 0x69 ? "CUFFT_Z2Z"
                                    : "";
      case 'w':
        return one.number == -1 ? "CUFFT_FORWARD" : one.number == 1 ? "CUFFT_INVERSE" : "";
      case 'h':
      case 'p':
      case 'a':
        return one.number == 0 ? "a null pointer" : "";
      default:
        return {};
    }
  }
  void read_array(Value& one, std::int64_t count, bool wide) {
    if (one.number == 0 || count < 1 || count > 3) return;
    std::int64_t numbers[3] = {};
    std::int32_t narrow[3] = {};
    const auto size = static_cast<std::size_t>(count);
    const auto* const from = reinterpret_cast<const void*>(one.number);
    one.text = "an address that cannot be read";
    if (!(wide ? copy_foreign(numbers, from, size * sizeof *numbers)
               : copy_foreign(narrow, from, size * sizeof *narrow))) {
      return;
    }
    one.text = "{";
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t number = wide ? numbers[i] : narrow[i];
      one.text += (i == 0 ? "" : ", ") + std::to_string(number);
      if (number < 1 && broken.empty()) {
        broken = std::string(one.name) + "[" + std::to_string(i) + "] is " +
                 std::to_string(number) + ", and must be at least 1";
      }
    }
    one.text += "}";
  }
  [[nodiscard]] const Value* find(std::string_view name) const noexcept {
    for (const Value& one : values_) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }
  void check(const detail::RoutineArguments& routine) {
    for (const Value& one : values_) {
      if (broken.empty()) broken = broken_alone(one);
    }
    detail::each_part(routine.rules, [&](std::string_view rule) {
      if (broken.empty()) broken = broken_rule(rule);
      return broken.empty();
    });
    for (const Value& one : values_) {
      if (broken.empty() && one.kind == 'p' && one.number == 0) {
        broken = std::string(one.name) + " is a null pointer";
      }
    }
  }
  [[nodiscard]] static std::string broken_alone(const Value& one) {
    const std::string is = std::string(one.name) + " is " + shown(one);
    switch (one.kind) {
      case 'n':
        return one.number < 0 ? is + ", and must not be negative" : "";
      case '1':
        return one.number < 1 ? is + ", and must be at least 1" : "";
      case 'x':
        return one.number == 0 ? is + ", and must not be 0" : "";
      case 'h':
        return one.number == 0 ? is : "";
      case 't':
        return one.text.empty() ? is + ", and must be CUBLAS_OP_N, CUBLAS_OP_T or CUBLAS_OP_C" : "";
      case 'u':
        return one.text.empty()
                   ? is + ", and must be CUBLAS_FILL_MODE_LOWER or CUBLAS_FILL_MODE_UPPER"
                   : "";
      case 's':
        return one.text.empty() ? is + ", and must be CUBLAS_SIDE_LEFT or CUBLAS_SIDE_RIGHT" : "";
      case 'd':
        return one.text.empty() ? is + ", and must be CUBLAS_DIAG_NON_UNIT or CUBLAS_DIAG_UNIT"
                                : "";
      case 'c':
        return one.text.empty() ? is + ", and is none of cufftType's values" : "";
      case 'w':
        return one.text.empty() ? is + ", and must be CUFFT_FORWARD or CUFFT_INVERSE" : "";
      default:
        return {};
    }
  }
  [[nodiscard]] std::string broken_rule(std::string_view rule) const {
    if (const std::size_t less = rule.find('<'); less != rule.npos) {
      const Value* const small = find(rule.substr(0, less));
      const Value* const large = find(rule.substr(less + 1));
      if (small == nullptr || large == nullptr || small->number < large->number) return {};
      return std::string(small->name) + " is " + std::to_string(small->number) +
             ", and must be less than " + std::string(large->name) + " = " +
             std::to_string(large->number);
    }
    const std::size_t at = rule.find(">=");
    const Value* const left = find(rule.substr(0, at));
    std::string_view name = rule.substr(at + 2);
    std::string reason;
    if (const std::size_t when = name.find('@'); when != name.npos) {
      const Value* const chooses = find(name.substr(when + 1));
      if (chooses == nullptr) return {};
      const std::size_t bar = name.find('|');
      name = chooses->number == 0 ? name.substr(0, bar) : name.substr(bar + 1, when - bar - 1);
      reason = " (" + std::string(chooses->name) + " is " + shown(*chooses) + ')';
    }
    const Value* const right = find(name);
    if (left == nullptr || right == nullptr) return {};
    const std::int64_t least = std::max<std::int64_t>(1, right->number);
    if (left->number >= least) return {};
    std::string text =
        std::string(left->name) + " is " + std::to_string(left->number) + ", and must be at least ";
    if (right->number < 1) return text + '1';
    return text + std::string(right->name) + " = " + std::to_string(right->number) + reason;
  }

  std::vector<Value> values_;
};

}  // namespace warpsafe::watch
