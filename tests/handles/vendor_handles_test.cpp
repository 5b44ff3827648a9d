// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// NVIDIA's libraries through bound handles: each computes a known result on a separate
// stream.

#include "../gpu/gpu.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/handles/cublas.hpp>
#include <warpsafe/handles/cublaslt.hpp>
#include <warpsafe/handles/cufft.hpp>
#include <warpsafe/handles/curand.hpp>
#include <warpsafe/handles/cusolver.hpp>
#include <warpsafe/handles/cusparse.hpp>
#include <warpsafe/memory/buffer.hpp>

#if __has_include(<cudnn.h>)
#include <warpsafe/handles/cudnn.hpp>
#endif
#if __has_include(<nccl.h>)
#include <warpsafe/handles/nccl.hpp>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::handle_test {
namespace {

using testing::ElementsAre;
using CudaStream = basic_stream<cuda_backend>;
template <class T>
using Buffer = basic_device_buffer<cuda_backend, T>;

MATCHER(Succeeds, "succeeds") {
  if (arg.has_value()) return true;
  *result_listener << message(arg.assume_error());
  return false;
}

template <class Handle>
std::string name_of_status(typename handle_traits<Handle>::status status) {
  const Name name = handle_traits<Handle>::status_name(status);
  return {name.data, name.size};
}

TEST(VendorHandles, StatusesHaveTheLibrariesOwnNames) {
  EXPECT_EQ(name_of_status<cublasHandle_t>(CUBLAS_STATUS_INVALID_VALUE),
            "CUBLAS_STATUS_INVALID_VALUE");
  EXPECT_EQ(name_of_status<cublasLtHandle_t>(CUBLAS_STATUS_NOT_SUPPORTED),
            "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(name_of_status<cusparseHandle_t>(CUSPARSE_STATUS_ALLOC_FAILED),
            "CUSPARSE_STATUS_ALLOC_FAILED");
  EXPECT_EQ(name_of_status<cusolverDnHandle_t>(CUSOLVER_STATUS_INVALID_VALUE),
            "CUSOLVER_STATUS_INVALID_VALUE");
  EXPECT_EQ(name_of_status<CufftPlan>(CUFFT_INVALID_SIZE), "CUFFT_INVALID_SIZE");
  EXPECT_EQ(name_of_status<curandGenerator_t>(CURAND_STATUS_LAUNCH_FAILURE),
            "CURAND_STATUS_LAUNCH_FAILURE");
  EXPECT_EQ(name_of_status<CufftPlan>(static_cast<cufftResult>(31)), "") << "not one that is known";
#if __has_include(<cudnn.h>)
  EXPECT_EQ(name_of_status<cudnnHandle_t>(CUDNN_STATUS_BAD_PARAM), "CUDNN_STATUS_BAD_PARAM");
#endif
#if __has_include(<nccl.h>)
  EXPECT_EQ(name_of_status<ncclComm_t>(ncclInvalidUsage), "ncclInvalidUsage");
#endif
}

TEST(VendorHandles, FunctionsHaveTheNamesThatUsersWrite) {
  using Blas = handle_traits<cublasHandle_t>;
  const auto name = [](Name text) { return std::string(text.data, text.size); };
  EXPECT_EQ(name(detail::FunctionName<Blas, cublasSgemm>::value), "cublasSgemm");
  EXPECT_EQ(name(detail::FunctionName<Blas, cublasSgemm_64>::value), "cublasSgemm_64");
  EXPECT_EQ(name(detail::FunctionName<handle_traits<CufftPlan>, cufftExecC2C>::value),
            "cufftExecC2C");
}

struct GpuHandles : testing::Test {
  void SetUp() override {
    WARPSAFE_TEST_NEEDS_GPU();
    stream = CudaStream::create().value();
  }
  template <class T>
  [[nodiscard]] Buffer<T> buffer(const std::vector<T>& values) const {
    return Buffer<T>::from(*stream, values).value();
  }
  template <class T>
  [[nodiscard]] Buffer<T> room(std::size_t count) const {
    return Buffer<T>::create(*stream, count).value();
  }
  template <class T>
  [[nodiscard]] std::vector<T> host(const Buffer<T>& values) const {
    return values.to_host(*stream).get().value();
  }
  std::optional<CudaStream> stream;
};

/// Whole numbers small enough that every sum is exact in any order.
std::vector<float> small_numbers(int count, int step) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    numbers[static_cast<std::size_t>(i)] = static_cast<float>(i * step % 7 - 3);
  }
  return numbers;
}
constexpr int order = 48;
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(a.size(), 0.0F);
  const std::size_t n = order;
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t row = 0; row < n; ++row) {
        c[row + column * n] += a[row + k * n] * b[k + column * n];
      }
    }
  }
  return c;
}

struct CublasTest : GpuHandles {
  const std::vector<float> a = small_numbers(order * order, 5);
  const std::vector<float> b = small_numbers(order * order, 3);
  const std::vector<float> c = product(a, b);
};

TEST_F(CublasTest, Sgemm) {
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto da = buffer(a);
  const auto db = buffer(b);
  auto dc = room<float>(c.size());
  const float one = 1.0F;
  const float zero = 0.0F;
  const auto n = order;
  ASSERT_THAT(blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da.view(), n,
                                     db.view(), n, &zero, dc.view(), n),
              Succeeds());
  EXPECT_EQ(host(dc), c);
  ASSERT_THAT(dc.zero(*stream), Succeeds());
  // The overloaded form, and 64-bit sizes.
  ASSERT_THAT(
      blas.call<cublasGemmEx>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, host_scalar(1.0F), da.view(),
                              CUDA_R_32F, n, db.view(), CUDA_R_32F, n, host_scalar(zero), dc.view(),
                              CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      Succeeds());
  EXPECT_EQ(host(dc), c);
  ASSERT_THAT(dc.zero(*stream), Succeeds());
  ASSERT_THAT(blas.call<cublasSgemm_64>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da.view(), n,
                                        db.view(), n, &zero, dc.view(), n),
              Succeeds());
  EXPECT_EQ(host(dc), c);
}

TEST_F(CublasTest, ScalarsInBothPlaces) {
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto x = buffer<float>({1, 2, 3, 4});
  float dot = 0.0F;
  ASSERT_THAT(blas.call<cublasSdot>(4, x.view(), 1, x.view(), 1, host_scalar(dot)), Succeeds());
  EXPECT_EQ(dot, 30.0F);
  auto there = room<float>(1);
  ASSERT_THAT(blas.call<cublasSdot>(4, x.view(), 1, x.view(), 1, device_scalar(there.view())),
              Succeeds());
  EXPECT_THAT(host(there), ElementsAre(30.0F));
  auto y = buffer<float>({1, 1, 1, 1});
  ASSERT_THAT(blas.call<cublasSaxpy>(4, device_scalar(there.view()), x.view(), 1, y.view(), 1),
              Succeeds());
  EXPECT_THAT(host(y), ElementsAre(31.0F, 61.0F, 91.0F, 121.0F));
  const float two = 2.0F;
  ASSERT_THAT(blas.call<cublasSscal>(4, &two, y.view(), 1), Succeeds()) << "on the host again";
  EXPECT_THAT(host(y), ElementsAre(62.0F, 122.0F, 182.0F, 242.0F));
}

TEST_F(CublasTest, ErrorsHaveTheLibrarysWords) {
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto x = buffer<float>({1, 2});
  const auto failed =
      blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, host_scalar(1.0F), x.view(), 1,
                             x.view(), 1, host_scalar(0.0F), nullptr, 1);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::library_failed);
  EXPECT_THAT(message(failed.error()), testing::StartsWith("cublasSgemm failed: "));
  EXPECT_THAT(message(failed.error()), testing::HasSubstr("(CUBLAS_STATUS_INVALID_VALUE, 7)"));
}

TEST_F(CublasTest, FindsAStreamThatWasChangedBehindItsBack) {
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto x = buffer<float>({1, 2});
  float dot = 0.0F;
  ASSERT_EQ(cublasSetStream(blas.native(), nullptr), CUBLAS_STATUS_SUCCESS);
  const auto refused =
      blas.call<cublasSdot, CheckLevel::full>(2, x.view(), 1, x.view(), 1, host_scalar(dot));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::handle_stream_changed);
}

/// The number of nodes of that kind that `work` captures on the stream. Runs the graph once.
template <class Work>
std::size_t nodes_captured(const CudaStream& stream, cudaGraphNodeType kind, Work work) {
  cudaGraph_t graph{};
  cudaGraphExec_t runnable{};
  EXPECT_EQ(cudaStreamBeginCapture(stream.native(), cudaStreamCaptureModeGlobal), cudaSuccess);
  work();
  EXPECT_EQ(cudaStreamEndCapture(stream.native(), &graph), cudaSuccess);
  std::size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  std::vector<cudaGraphNode_t> nodes(count);
  EXPECT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
  std::size_t found = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType its_kind{};
    EXPECT_EQ(cudaGraphNodeGetType(node, &its_kind), cudaSuccess);
    found += its_kind == kind ? 1U : 0U;
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(runnable, stream.native()), cudaSuccess);
  EXPECT_THAT(stream.synchronize(), Succeeds());
  EXPECT_EQ(cudaGraphExecDestroy(runnable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return found;
}

TEST_F(CublasTest, AGraphHasNoAllocationNodeAfterARebindToo) {
  const int n = order;
  const auto da = buffer(a);
  const auto db = buffer(b);
  auto dc = room<float>(c.size());
  ASSERT_THAT(stream->synchronize(), Succeeds());
  const auto multiply = [&](StreamBound<cublasHandle_t>& blas) {
    EXPECT_THAT(blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, host_scalar(1.0F),
                                       da.view(), n, db.view(), n, host_scalar(0.0F), dc.view(), n),
                Succeeds());
  };
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  EXPECT_EQ(nodes_captured(*stream, cudaGraphNodeTypeMemAlloc, [&] { multiply(blas); }), 0U);
  EXPECT_EQ(host(dc), c);
  ASSERT_THAT(dc.zero(*stream), Succeeds());
  const CudaStream other = CudaStream::create().value();
  auto moved = std::move(blas).rebind(other).value();
  ASSERT_THAT(stream->synchronize(), Succeeds());
  EXPECT_EQ(nodes_captured(other, cudaGraphNodeTypeMemAlloc, [&] { multiply(moved); }), 0U);
  EXPECT_EQ(host(dc), c);
}

// cuBLAS splits sums as long as these, and adds their parts in the workspace.
TEST_F(CublasTest, AGraphOfTheHandleRunsBesideItsOtherWork) {
  constexpr int rows = 64;
  constexpr int terms = 1 << 18;
  const CudaStream other = CudaStream::create().value();
  const auto ones = buffer(std::vector<float>(std::size_t{rows} * terms, 1.0F));
  const auto twos = buffer(std::vector<float>(std::size_t{rows} * terms, 2.0F));
  auto first = room<float>(std::size_t{rows} * rows);
  auto second = room<float>(std::size_t{rows} * rows);
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto multiply = [&](const Buffer<float>& x, Buffer<float>& sums) -> result<void> {
    for (int i = 0; i < 20; ++i) {
      WARPSAFE_TRYV(blas.call<cublasSgemm>(CUBLAS_OP_T, CUBLAS_OP_N, rows, rows, terms,
                                           host_scalar(1.0F), x.view(), terms, ones.view(), terms,
                                           host_scalar(0.0F), sums.view(), rows));
    }
    return success();
  };
  ASSERT_THAT(multiply(ones, first), Succeeds());
  const auto graph_of = [&](const Buffer<float>& x, Buffer<float>& sums) {
    return capture(*stream,
                   [&](basic_capture<cuda_backend>&) -> result<void> { return multiply(x, sums); })
        .value()
        .instantiate()
        .value();
  };
  auto sums_of_ones = graph_of(ones, first);
  auto sums_of_twos = graph_of(twos, second);
  for (int round = 0; round < 10; ++round) {
    ASSERT_THAT(sums_of_ones.launch(other), Succeeds());
    if (round % 2 == 0) {
      ASSERT_THAT(multiply(twos, second), Succeeds());
    } else {
      ASSERT_THAT(sums_of_twos.launch(*stream), Succeeds());
    }
    ASSERT_THAT(other.synchronize(), Succeeds());
    EXPECT_EQ(host(first), std::vector<float>(first.size(), float{terms})) << round;
    EXPECT_EQ(host(second), std::vector<float>(second.size(), 2 * float{terms})) << round;
  }
}

TEST_F(CublasTest, ASumOfAGraphRunsBesideAnotherOfItsHandle) {
  constexpr int terms = 1 << 22;
  const CudaStream other = CudaStream::create().value();
  const auto ones = buffer(std::vector<float>(terms, 1.0F));
  const auto twos = buffer(std::vector<float>(terms, 2.0F));
  auto first = room<float>(1);
  auto second = room<float>(1);
  auto blas = StreamBound<cublasHandle_t>::create(*stream).value();
  const auto add_up = [&](const Buffer<float>& x, Buffer<float>& sum) -> result<void> {
    for (int i = 0; i < 100; ++i) {
      WARPSAFE_TRYV(
          blas.call<cublasSdot>(terms, x.view(), 1, ones.view(), 1, device_scalar(sum.view())));
    }
    return success();
  };
  ASSERT_THAT(add_up(ones, first), Succeeds());
  auto exec =
      capture(*stream,
              [&](basic_capture<cuda_backend>&) -> result<void> { return add_up(ones, first); })
          .value()
          .instantiate()
          .value();
  for (int round = 0; round < 10; ++round) {
    ASSERT_THAT(exec.launch(other), Succeeds());
    ASSERT_THAT(add_up(twos, second), Succeeds());
    ASSERT_THAT(other.synchronize(), Succeeds());
    EXPECT_EQ(host(first), std::vector<float>{float{terms}}) << round;
    EXPECT_EQ(host(second), std::vector<float>{2 * float{terms}}) << round;
  }
}

TEST_F(CublasTest, IsNotMadeWhileItsStreamCaptures) {
  ASSERT_EQ(cudaStreamBeginCapture(stream->native(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  const auto refused = StreamBound<cublasHandle_t>::create(*stream);
  cudaGraph_t graph{};
  EXPECT_EQ(cudaStreamEndCapture(stream->native(), &graph), cudaSuccess) << "still intact";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::stream_capturing);
}

TEST_F(CublasTest, IsNeitherTakenOverNorReboundWhileAStreamCaptures) {
  const CudaStream& first = *stream;
  const CudaStream other = CudaStream::create().value();
  auto blas = StreamBound<cublasHandle_t>::create(first).value();
  cublasHandle_t raw{};
  ASSERT_EQ(cublasCreate(&raw), CUBLAS_STATUS_SUCCESS);
  for (const CudaStream* const captured : {&first, &other}) {
    ASSERT_EQ(cudaStreamBeginCapture(captured->native(), cudaStreamCaptureModeGlobal), cudaSuccess);
    const auto taken = StreamBound<cublasHandle_t>::adopt(raw, *captured);
    const auto rebound = std::move(blas).rebind(other);
    cudaGraph_t graph{};
    EXPECT_EQ(cudaStreamEndCapture(captured->native(), &graph), cudaSuccess) << "still intact";
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    ASSERT_FALSE(taken.has_value() || rebound.has_value());
    EXPECT_EQ(taken.error().code, Errc::stream_capturing);
    EXPECT_EQ(rebound.error().code, Errc::stream_capturing);
  }
  EXPECT_EQ(cublasDestroy(raw), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(std::move(blas).rebind(other), Succeeds());
}

TEST_F(CublasTest, LtMatmul) {
  auto lt = StreamBound<cublasLtHandle_t>::create(*stream).value();
  const auto da = buffer(a);
  const auto db = buffer(b);
  auto dc = room<float>(c.size());
  const std::uint64_t n = order;
  cublasLtMatmulDesc_t multiply{};
  cublasLtMatrixLayout_t square{};
  ASSERT_EQ(cublasLtMatmulDescCreate(&multiply, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, n, n, order), CUBLAS_STATUS_SUCCESS);
  EXPECT_THAT(lt.call<cublasLtMatmul>(multiply, host_scalar(1.0F), da.view(), square, db.view(),
                                      square, host_scalar(0.0F), dc.view(), square, dc.view(),
                                      square, nullptr, nullptr, 0U),
              Succeeds());
  EXPECT_EQ(host(dc), c);
  // The descriptor says where the scalars are.
  const std::int32_t device = CUBLASLT_POINTER_MODE_DEVICE;
  ASSERT_EQ(cublasLtMatmulDescSetAttribute(multiply, CUBLASLT_MATMUL_DESC_POINTER_MODE, &device,
                                           sizeof device),
            CUBLAS_STATUS_SUCCESS);
  const auto one_and_zero = buffer(std::vector<float>{1, 0});
  const auto multiplied = [&](const auto& alpha, const auto& beta) {
    return lt.call<cublasLtMatmul>(multiply, alpha, da.view(), square, db.view(), square, beta,
                                   dc.view(), square, dc.view(), square, nullptr, nullptr, 0U);
  };
  EXPECT_EQ(multiplied(host_scalar(1.0F), host_scalar(0.0F)).error().code,
            Errc::handle_pointer_mode);
  EXPECT_THAT(multiplied(device_scalar(one_and_zero.view()),
                         device_scalar(one_and_zero.view().subspan(1).value())),
              Succeeds());
  EXPECT_EQ(host(dc), c);
  EXPECT_EQ(cublasLtMatrixLayoutDestroy(square), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulDescDestroy(multiply), CUBLAS_STATUS_SUCCESS);
}

TEST_F(GpuHandles, CufftTransformsAWaveToItsLines) {
  constexpr int n = 64;
  std::vector<cufftComplex> wave(n);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::acos(-1.0) * 5.0 * i / n;
    wave[static_cast<std::size_t>(i)] = {static_cast<float>(std::cos(angle)), 0.0F};
  }
  auto out = room<cufftComplex>(wave.size());
  auto fft = StreamBound<CufftPlan>::create(*stream).value();
  std::size_t bytes = 0;
  ASSERT_THAT(fft.call<cufftMakePlan1d>(n, CUFFT_C2C, 1, &bytes), Succeeds());
  auto in = buffer(wave);  // not const: the library takes a pointer to write by
  ASSERT_THAT(fft.call<cufftExecC2C>(in.view(), out.view(), CUFFT_FORWARD), Succeeds());
  const auto lines = host(out);
  for (int i = 0; i < n; ++i) {
    const float expected = i == 5 || i == n - 5 ? n / 2.0F : 0.0F;
    EXPECT_NEAR(lines[static_cast<std::size_t>(i)].x, expected, 1e-4F) << i;
    EXPECT_NEAR(lines[static_cast<std::size_t>(i)].y, 0.0F, 1e-4F) << i;
  }
  const auto failed = fft.call<cufftMakePlan1d>(-1, CUFFT_C2C, 1, &bytes);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(message(failed.error()), testing::StartsWith("cufftMakePlan1d failed: CUFFT_"));
}

TEST_F(GpuHandles, CurandRepeatsItsNumbersFromOneSeed) {
  constexpr std::size_t count = 10000;
  const auto numbers = [&] {
    auto random = StreamBound<curandGenerator_t>::create(*stream, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    EXPECT_THAT(random, Succeeds());
    auto values = room<float>(count);
    EXPECT_THAT(random.value().call<curandSetPseudoRandomGeneratorSeed>(1234ULL), Succeeds());
    EXPECT_THAT(random.value().call<curandGenerateUniform>(values.view(), values.size()),
                Succeeds());
    return host(values);
  };
  const std::vector<float> first = numbers();
  EXPECT_EQ(first, numbers());
  EXPECT_THAT(first, testing::Each(testing::AllOf(testing::Gt(0.0F), testing::Le(1.0F))));
  // Four standard deviations of the mean of 10000: 4 * 0.2887 / 100.
  EXPECT_NEAR(std::accumulate(first.begin(), first.end(), 0.0) / count, 0.5, 0.012);
}

TEST_F(GpuHandles, CusparseMultipliesAMatrixByAVector) {
  // (1 0 2; 0 3 0; 4 0 5) times (1 2 3)
  auto starts = buffer<int>({0, 2, 3, 5});
  auto columns = buffer<int>({0, 2, 1, 0, 2});
  auto values = buffer<float>({1, 2, 3, 4, 5});
  auto x = buffer<float>({1, 2, 3});
  auto y = room<float>(3);
  const auto raw = [](auto& from) { return from.view().pointer().get(); };
  auto sparse = StreamBound<cusparseHandle_t>::create(*stream).value();
  cusparseSpMatDescr_t matrix{};
  cusparseDnVecDescr_t in{};
  cusparseDnVecDescr_t out{};
  ASSERT_EQ(cusparseCreateCsr(&matrix, 3, 3, 5, raw(starts), raw(columns), raw(values),
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_32F),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseCreateDnVec(&in, 3, raw(x), CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseCreateDnVec(&out, 3, raw(y), CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  std::size_t bytes = 0;
  ASSERT_THAT(sparse.call<cusparseSpMV_bufferSize>(
                  CUSPARSE_OPERATION_NON_TRANSPOSE, host_scalar(1.0F), matrix, in,
                  host_scalar(0.0F), out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
              Succeeds());
  auto scratch = room<std::byte>(bytes);
  ASSERT_THAT(sparse.call<cusparseSpMV>(CUSPARSE_OPERATION_NON_TRANSPOSE, host_scalar(1.0F), matrix,
                                        in, host_scalar(0.0F), out, CUDA_R_32F,
                                        CUSPARSE_SPMV_ALG_DEFAULT, scratch.view()),
              Succeeds());
  EXPECT_THAT(host(y), ElementsAre(7.0F, 6.0F, 19.0F));
  EXPECT_EQ(cusparseDestroyDnVec(in), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDestroyDnVec(out), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);
}

TEST_F(GpuHandles, CusolverSolvesASystem) {
  // By columns: (2 1 1; 4 -6 0; -2 7 2) x = (5 -2 9), so x = (1 1 2).
  auto matrix = buffer<float>({2, 4, -2, 1, -6, 7, 1, 0, 2});
  auto right = buffer<float>({5, -2, 9});
  auto pivots = room<int>(3);
  auto info = room<int>(1);
  auto solver = StreamBound<cusolverDnHandle_t>::create(*stream).value();
  int elements = 0;
  ASSERT_THAT(
      solver.call<cusolverDnSgetrf_bufferSize>(3, 3, matrix.view(), 3, host_scalar(elements)),
      Succeeds());
  auto scratch = room<float>(static_cast<std::size_t>(elements));
  ASSERT_THAT(solver.call<cusolverDnSgetrf>(3, 3, matrix.view(), 3, scratch.view(), pivots.view(),
                                            info.view()),
              Succeeds());
  EXPECT_THAT(host(info), ElementsAre(0));
  ASSERT_THAT(solver.call<cusolverDnSgetrs>(CUBLAS_OP_N, 3, 1, matrix.view(), 3, pivots.view(),
                                            right.view(), 3, info.view()),
              Succeeds());
  EXPECT_THAT(host(right), testing::Pointwise(testing::FloatNear(1e-5F), {1.0F, 1.0F, 2.0F}));
}

#if __has_include(<cudnn.h>)
TEST_F(GpuHandles, CudnnActivates) {
  const auto in = buffer<float>({-2, -1, 0, 1, 2, 3});
  auto out = room<float>(6);
  auto dnn = StreamBound<cudnnHandle_t>::create(*stream).value();
  cudnnTensorDescriptor_t shape{};
  cudnnActivationDescriptor_t relu{};
  ASSERT_EQ(cudnnCreateTensorDescriptor(&shape), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnCreateActivationDescriptor(&relu), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnSetTensor4dDescriptor(shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 2, 3),
            CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0.0),
            CUDNN_STATUS_SUCCESS);
  ASSERT_THAT(dnn.call<cudnnActivationForward>(relu, host_scalar(1.0F), shape, in.view(),
                                               host_scalar(0.0F), shape, out.view()),
              Succeeds());
  EXPECT_THAT(host(out), ElementsAre(0.0F, 0.0F, 0.0F, 1.0F, 2.0F, 3.0F));
  EXPECT_EQ(cudnnDestroyActivationDescriptor(relu), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnDestroyTensorDescriptor(shape), CUDNN_STATUS_SUCCESS);
}
#endif

#if __has_include(<nccl.h>)
TEST_F(GpuHandles, NcclReducesOverOneRank) {
  NcclRank rank{{}, 1, 0};
  ASSERT_EQ(ncclGetUniqueId(&rank.id), ncclSuccess);
  auto comm = StreamBound<ncclComm_t>::create(*stream, rank).value();
  const auto in = buffer<float>({1, 2, 3});
  auto out = room<float>(3);
  ASSERT_THAT(comm.call<ncclAllReduce>(in.view(), out.view(), in.size(), ncclFloat, ncclSum),
              Succeeds());
  EXPECT_THAT(host(out), ElementsAre(1.0F, 2.0F, 3.0F));
  EXPECT_THAT(comm.close(), Succeeds());
}

/// One thread, two devices, a communicator for each: they are made together, and taken over.
TEST_F(GpuHandles, NcclReducesOverTwoDevices) {
  constexpr std::size_t ranks = 2;
  constexpr std::size_t count = 1U << 20U;
  if (device_count<cuda_backend>().value() < 2) GTEST_SKIP() << "needs two GPUs, and found one";
  std::vector<ncclComm_t> raw(ranks);
  ASSERT_EQ(ncclCommInitAll(raw.data(), ranks, nullptr), ncclSuccess);
  std::vector<CudaStream> streams;
  std::vector<StreamBound<ncclComm_t>> comms;
  std::vector<Buffer<float>> in;
  std::vector<Buffer<float>> out;
  const auto on = [](std::size_t rank) {
    return basic_device_guard<cuda_backend>::create(DeviceId(static_cast<int>(rank))).value();
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto guard = on(rank);
    streams.push_back(CudaStream::create().value());
    comms.push_back(StreamBound<ncclComm_t>::adopt(raw[rank], streams.back()).value());
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(i % 1000 + 1000 * rank);
    }
    in.push_back(Buffer<float>::from(streams.back(), values).value());
    out.push_back(Buffer<float>::create(streams.back(), count).value());
  }
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto guard = on(rank);
    EXPECT_THAT(comms[rank].call<ncclAllReduce>(in[rank].view(), out[rank].view(), in[rank].size(),
                                                ncclFloat, ncclSum),
                Succeeds());
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto sums = out[rank].to_host(streams[rank]).get().value();
    std::size_t right = 0;
    for (std::size_t i = 0; i < count; ++i) {
      right += sums[i] == static_cast<float>(2 * (i % 1000) + 1000) ? 1U : 0U;
    }
    EXPECT_EQ(right, count) << "on device " << rank;
  }
  // A call on the other device is refused before it reaches NCCL.
  const auto guard = on(1);
  EXPECT_EQ((comms[0]
                 .call<ncclAllReduce, CheckLevel::full>(in[0].view(), out[0].view(), in[0].size(),
                                                        ncclFloat, ncclSum)
                 .error()
                 .code),
            Errc::stream_wrong_device);
  for (auto& comm : comms) EXPECT_THAT(comm.close(), Succeeds());
}
#endif

}  // namespace
}  // namespace warpsafe::handle_test
