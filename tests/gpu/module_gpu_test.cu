// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Modules and checks in kernels on a real device: PTX that its driver compiles, cubins of NVRTC,
// and the statuses that the stand-in only models. Unloading waits, and a failed check does not lose
// the context.

#include "gpu.hpp"
#include <warpsafe/device_check.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>
#include <nvrtc.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

namespace {

const char* const source = R"(
extern "C" __global__ void scale(float factor, float* values, unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
extern "C" __global__ void __launch_bounds__(256) late(float* values, long long cycles) {
  long long end = clock64() + cycles;
  while (clock64() < end) {}
  values[threadIdx.x] = 7;
}
extern "C" __global__ void deep(float* values, int last) {
  extern __shared__ float room[];
  room[last] = 5;
  values[0] = room[last];
}
template <class T> __global__ void offset(T* values, T by) { values[threadIdx.x] += by; }
template __global__ void offset<double>(double*, double);
)";
using Scale = void(float, float*, unsigned long long);
using Late = void(float*, long long);

WARPSAFE_KERNEL void fill_shared(float* values, std::size_t count) {
  // Static memory beside it: the launch's number is of the dynamic memory alone.
  float* const fixed = ws::shared_array<float, 100>([] {});
  float* const memory = ws::dynamic_shared<float>(count);
  if (count == 0) return;
  const unsigned i = ws::thread_in_block().x;
  memory[i] = 1;
  fixed[i] = 2;
  ws::sync_block();
  values[ws::thread_index().x] = memory[31 - i] + fixed[31 - i];
}
WARPSAFE_KERNEL void checked(float* values, std::size_t n, std::size_t bad) {
  const std::size_t i = ws::thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < n, "inside of the array");
  WARPSAFE_DEVICE_CHECK(i != bad, "no bad element");
  ws::sync_block();
  values[i] = 1;
}

class ModuleOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    WARPSAFE_TEST_NEEDS_GPU();
    stream = ws::Stream::create().value();
    limits = ws::device_limits(stream->device()).value();
  }
  void TearDown() override {
    if (stream) EXPECT_TRUE(stream->synchronize().has_value());
  }
  enum class Kind { ptx, cubin };
  [[nodiscard]] std::string compile(Kind kind) const {
    const std::string number = std::to_string(10 * limits.compute_major + limits.compute_minor);
    const std::string option =
        "--gpu-architecture=" + std::string(kind == Kind::ptx ? "compute_" : "sm_") + number;
    const char* const options[] = {option.c_str()};
    nvrtcProgram program = nullptr;
    EXPECT_EQ(nvrtcCreateProgram(&program, source, "kernels.cu", 0, nullptr, nullptr),
              NVRTC_SUCCESS);
    EXPECT_EQ(nvrtcCompileProgram(program, 1, options), NVRTC_SUCCESS);
    std::size_t size = 0;
    EXPECT_EQ(
        kind == Kind::ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size),
        NVRTC_SUCCESS);
    std::string image(size, '\0');
    EXPECT_EQ(kind == Kind::ptx ? nvrtcGetPTX(program, image.data())
                                : nvrtcGetCUBIN(program, image.data()),
              NVRTC_SUCCESS);
    nvrtcDestroyProgram(&program);
    return image;
  }
  std::optional<ws::Stream> stream;
  ws::DeviceLimits limits;
};

template <class Result>
std::string said(const Result& outcome) {
  return outcome.has_value() ? "no error" : ws::message(outcome.error());
}

TEST_F(ModuleOnGpu, RunsPtxAndCubin) {
  for (const Kind kind : {Kind::ptx, Kind::cubin}) {
    const auto loaded = ws::Module::load(compile(kind));
    ASSERT_TRUE(loaded.has_value()) << said(loaded);
    const auto scale = loaded.value().kernel<Scale>("scale");
    ASSERT_TRUE(scale.has_value()) << said(scale);
    auto values = ws::DeviceBuffer<float>::from(*stream, std::vector<float>(1000, 1.5F)).value();
    const auto config = ws::configure(ws::SafeGrid<>::cover(values.size(), ws::block<256>));
    const auto launched =
        ws::launch(*stream, config, scale.value(), 2.0F, values.view(), values.size());
    ASSERT_TRUE(launched.has_value()) << said(launched);
    EXPECT_EQ(values.to_host(*stream).get().value(), std::vector<float>(1000, 3.0F));
    EXPECT_GT(ws::occupancy(*stream, config, scale.value()).value().blocks, 0U);
  }
}

TEST_F(ModuleOnGpu, ListsNamesAndComparesSignatures) {
  const auto loaded = ws::Module::load(compile(Kind::cubin)).value();
  const std::string wrong = said(loaded.kernel<Scale>("scael"));
  EXPECT_NE(wrong.find("; it holds: "), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("_Z6offsetIdEvPT_S0_"), std::string::npos) << wrong;
  const auto fewer = loaded.kernel<void(float, float*)>("scale");
  EXPECT_NE(said(fewer).find("takes 3 parameters, the declared signature has 2"), std::string::npos)
      << said(fewer);
  const auto more = loaded.kernel<void(float, float*, unsigned long long, int)>("scale");
  EXPECT_NE(said(more).find("takes 3 parameters, the declared signature has 4"), std::string::npos)
      << said(more);
  const auto other = loaded.kernel<void(double, float*, unsigned long long)>("scale");
  EXPECT_NE(said(other).find("parameter 1 takes 4 bytes in the kernel"), std::string::npos)
      << said(other);
}

TEST_F(ModuleOnGpu, LimitsOfTheKernelAreChecked) {
  const auto loaded = ws::Module::load(compile(Kind::cubin)).value();
  const auto late = loaded.kernel<Late>("late").value();
  EXPECT_EQ(ws::kernel_limits(*stream, late).value().max_threads_per_block, 256U);
  const auto refused =
      ws::launch(*stream, ws::LaunchConfig{ws::grid<1>, ws::block<512>}, late, nullptr, 0);
  EXPECT_NE(said(refused).find("Kernel 'late' not launched: block=(512,1,1) is 512 threads"),
            std::string::npos)
      << said(refused);
}

TEST_F(ModuleOnGpu, AllOfTheSharedMemoryInACooperativeLaunchToo) {
  const auto loaded = ws::Module::load(compile(Kind::cubin)).value();
  const auto deep = loaded.kernel<void(float*, int)>("deep").value();
  const int count = static_cast<int>(limits.shared_per_block_optin / sizeof(float));
  auto values = ws::DeviceBuffer<float>::from(*stream, std::vector<float>(1, 0.0F)).value();
  const auto launched = ws::launch(
      *stream, ws::configure(ws::grid<1>, ws::block<1>, ws::shared<float>(count), ws::cooperative),
      deep, values.view(), count - 1);
  ASSERT_TRUE(launched.has_value()) << said(launched);
  EXPECT_EQ(values.to_host(*stream).get().value()[0], 5.0F);
  const auto refused =
      ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<1>, ws::shared<float>(count + 1)),
                 deep, values.view(), count);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::shared_too_large);
}

TEST_F(ModuleOnGpu, UnloadingWaitsForItsKernels) {
  auto values = ws::DeviceBuffer<float>::from(*stream, std::vector<float>(32, 0.0F)).value();
  {
    const auto late = ws::Module::load(compile(Kind::cubin)).value().kernel<Late>("late").value();
    const auto launched = ws::launch(*stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>}, late,
                                     values.view(), 200000000LL);  // a tenth of a second
    ASSERT_TRUE(launched.has_value()) << said(launched);
  }
  EXPECT_EQ(stream->query().value(), ws::Progress::ready) << "the last holder has waited";
  EXPECT_EQ(values.to_host(*stream).get().value(), std::vector<float>(32, 7.0F));
}

TEST_F(ModuleOnGpu, UnloadingWaitsForAGraphOnAStreamOfAnotherDevice) {
  if (ws::device_count().value() < 2) GTEST_SKIP() << "needs two GPUs, and found one";
  auto values = ws::PinnedBuffer<float>::create(32).value();
  const auto there = ws::Stream::create(ws::DeviceId(1)).value();
  {
    auto exec = [&] {
      const auto late = ws::Module::load(compile(Kind::cubin)).value().kernel<Late>("late").value();
      const auto graph = ws::capture(*stream, [&](ws::Capture&) -> ws::result<void> {
        return ws::launch(*stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>}, late,
                          ws::trust(values.span().data()), 200000000LL);
      });
      return graph.value().instantiate().value();
    }();
    ASSERT_TRUE(exec.launch(there).has_value());
  }
  EXPECT_EQ(there.query().value(), ws::Progress::ready) << "the last holder has waited";
  EXPECT_EQ(values.span()[31], 7.0F);
}

TEST_F(ModuleOnGpu, SaysWhatIsNoImage) {
  // CUDA loads lazily: it takes unknown bytes as PTX, and refuses them at the query for a kernel.
  auto nothing = ws::Module::load(std::string("axpy.cubin"));
  const std::string refused =
      nothing.has_value() ? said(nothing.value().kernel<Scale>("scale")) : said(nothing);
  EXPECT_NE(refused.find("the runtime cannot load the image"), std::string::npos) << refused;
  std::string broken = compile(Kind::ptx);
  broken.insert(broken.find("ret;"), "no_such_instruction %r1;\n\t");
  auto loaded = ws::Module::load(broken);
  const std::string text =
      loaded.has_value() ? said(loaded.value().kernel<Scale>("scale")) : said(loaded);
  EXPECT_NE(text.find("the runtime cannot load the image"), std::string::npos) << text;
  EXPECT_NE(text.find("no_such_instruction"), std::string::npos)
      << "the compiler's own words: " << text;
}

TEST_F(ModuleOnGpu, SaysThatThereIsNoCodeForTheDevice) {
  std::string foreign = compile(Kind::cubin);
  // e_flags (byte 48): the architecture, in its second byte from ABI version 8 on, else in its
  // first.
  const std::size_t at = foreign[8] >= 8 ? 49 : 48;
  foreign[at] = static_cast<char>(limits.compute_major == 8 ? 90 : 80);
  auto loaded = ws::Module::load(foreign);
  const auto text = loaded.has_value() ? said(loaded.value().kernel<Scale>("scale")) : said(loaded);
  EXPECT_NE(text.find("the module has no code for device 0"), std::string::npos) << text;
  EXPECT_NE(text.find("it holds sm_"), std::string::npos) << text;
}

TEST_F(ModuleOnGpu, ReportsMissingDynamicSharedMemory) {
  auto values = ws::DeviceBuffer<float>::create(*stream, 64).value();
  const auto run = [&](std::size_t given, std::size_t count) {
    const ws::LaunchConfig config{ws::grid<2>, ws::block<32>, ws::shared<float>(given)};
    const auto launched =
        ws::launch(*stream, config, ws::kernel<fill_shared>, values.view(), count);
    EXPECT_TRUE(launched.has_value()) << said(launched);
    return stream->synchronize();
  };
  EXPECT_TRUE(run(32, 32).has_value());
  EXPECT_EQ(values.to_host(*stream).get().value(), std::vector<float>(64, 3.0F));
  EXPECT_TRUE(run(0, 0).has_value()) << "a kernel may use the memory only in some launches";
  for (const long count : {33L, -1L}) {
    const auto failed = run(32, static_cast<std::size_t>(count));
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, ws::Errc::device_check_failed);
    const std::string wanted = "after kernel 'fill_shared': check 'dynamic_shared for " +
                               std::to_string(count) +
                               " elements of 4 bytes, and the launch gives 128 bytes (set them "
                               "with shared<T>(count))' failed in block (";
    EXPECT_NE(said(failed).find(wanted), std::string::npos) << said(failed);
    EXPECT_NE(said(failed).find("at module_gpu_test.cu:"), std::string::npos) << said(failed);
  }
  EXPECT_TRUE(run(32, 32).has_value()) << "the device goes on";
}

TEST_F(ModuleOnGpu, AFailedCheckIsSaidAndTheContextIsWhole) {
  const cudaError_t before = cudaPeekAtLastError();  // the tests above leave the runtime's errors
  auto values = ws::DeviceBuffer<float>::create(*stream, 64).value();
  const auto run = [&](std::size_t n, std::size_t bad) {
    const auto launched = ws::launch(*stream, ws::LaunchConfig{ws::grid<2>, ws::block<32>},
                                     ws::kernel<checked>, values.view(), n, bad);
    EXPECT_TRUE(launched.has_value()) << said(launched);
    return stream->synchronize();
  };
  for (int again = 0; again < 2; ++again) {
    const auto failed = run(64, 37);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, ws::Errc::device_check_failed);
    EXPECT_NE(said(failed).find("after kernel 'checked': check 'no bad element (i != bad)' failed "
                                "in block (1,0,0), thread (5,0,0), at module_gpu_test.cu:"),
              std::string::npos)
        << said(failed);
  }
  EXPECT_NE(said(run(0, 99)).find("inside of the array"), std::string::npos) << "all 64 fail";
  EXPECT_TRUE(run(64, 99).has_value()) << "the device goes on";
  EXPECT_EQ(values.to_host(*stream).get().value(), std::vector<float>(64, 1.0F));
  EXPECT_EQ(cudaPeekAtLastError(), before);
}

}  // namespace
