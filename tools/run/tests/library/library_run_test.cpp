// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Runs warpsafe-run on programs that call stand-ins for NVIDIA's libraries, linked in each way that
// a linker offers.

#include "../shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LibraryCalls : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static Ran watched(const std::string& options, const std::string& cases,
                                   const std::string& variables = "") {
    return shell("env LD_LIBRARY_PATH=" LIBRARY_FOLDER ":" WATCH_STAND_IN " " + variables +
                 " " WATCH_RUN " --cuda " + options + " " LIBRARY_FOLDER "/library_" + GetParam() +
                 " " LIBRARY_FOLDER "/library_plug_in.so " + cases);
  }
  [[nodiscard]] static int exit_of(const Ran& ran) {
    return WIFEXITED(ran.status) ? WEXITSTATUS(ran.status) : -1;
  }
};
[[nodiscard]] std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_P(LibraryCalls, AFailedOneIsReported) {
  const Ran ran = watched("", "gemm");
  EXPECT_THAT(
      ran.out,
      AllOf(HasSubstr("warpsafe: cublasSgemm failed: CUBLAS_STATUS_INVALID_VALUE (status 7)\n"
                      "  transa = N, transb = T, m = 4, n = 5, k = 3, lda = 4, ldb = 3, ldc = 4\n"
                      "  called by "),
            HasSubstr("program.cpp:"),
            HasSubstr("\n  ldb is 3, and must be at least n = 5 (transb is T)\ngemm: 7, line "),
            HasSubstr("1 other failed call\n")));
}

TEST_P(LibraryCalls, TheCallersLineIsThatOfTheCall) {
  const std::string out = watched("", "loop").out;
  const std::string line = out.substr(out.find("loop: 1400, line ") + 17);
  EXPECT_THAT(out, HasSubstr("program.cpp:" + line.substr(0, line.find('\n')) + '\n'));
}

TEST_P(LibraryCalls, AStatusOfAnotherKindIsNoError) {
  const Ran ran = watched("--error-exitcode 5", "right answers between");
  EXPECT_EQ(exit_of(ran), 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("warpsafe: cu")), Not(HasSubstr("other failed call")),
                             HasSubstr("warpsafe: note: cublasReturn failed: "
                                       "CUBLAS_STATUS_NOT_SUPPORTED (status 15)"),
                             HasSubstr("warpsafe: note: cublasReturn failed: "
                                       "CUBLAS_STATUS_ALLOC_FAILED (status 3)"),
                             HasSubstr("warpsafe: note: cublasAlgoHeuristic failed"),
                             HasSubstr(", 4 notes")));
  EXPECT_THAT(watched("--quiet", "right answers between").out, Not(HasSubstr("warpsafe")));
}

TEST_P(LibraryCalls, AFailureInALoopIsReportedOnceAndCounted) {
  const std::string file = testing::TempDir() + "library_" + std::to_string(::getpid()) + ".json";
  const Ran ran = watched("--report " + file, "loop");
  EXPECT_EQ(count(ran.out, "cublasReturn failed"), 1U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr(", 100 other failed calls"));
  const Ran checked = shell(WATCH_CHECK_REPORT " " + file + " && cat " + file + " && rm " + file);
  EXPECT_THAT(checked.out, AllOf(HasSubstr("valid\n"), HasSubstr(R"("subject":"cublasReturn")"),
                                 HasSubstr(R"("kind":"failed call")"), HasSubstr(R"("count":100)"),
                                 HasSubstr(R"("code":"CUBLAS_STATUS_INTERNAL_ERROR")"),
                                 HasSubstr(R"("failed_calls":100)")));
}

TEST_P(LibraryCalls, ItCountsForTheExitStatus) {
  EXPECT_EQ(exit_of(watched("--error-exitcode 5", "gemm")), 5);
  EXPECT_EQ(exit_of(watched("--error-exitcode 5", "right")), 0);
  EXPECT_EQ(exit_of(watched("--stop-on-error", "gemm")), 99);
}

TEST_P(LibraryCalls, AnOptionLeavesThemAlone) {
  const Ran ran = watched("--no-libraries --error-exitcode 5", "gemm unchanged");
  EXPECT_EQ(exit_of(ran), 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("unchanged: 0"), Not(HasSubstr("cublas"))));
}

TEST_P(LibraryCalls, TheProgramSeesNoChange) {
  const Ran ran = watched("", "unchanged");
  EXPECT_EQ(exit_of(ran), 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("unchanged: 0"), HasSubstr("cublasTwenty failed")));
  EXPECT_EQ(count(ran.out, "cublasReturn failed"), 0U) << "only a child makes this call";
}

TEST_P(LibraryCalls, TheStackCanBeUnwoundAtEachInstruction) {
  EXPECT_THAT(watched("--quiet", "steps").out, HasSubstr("steps: 0, "));
}

TEST_P(LibraryCalls, ANullHandleIsNamed) {
  EXPECT_THAT(watched("", "no_handle").out,
              HasSubstr("CUBLAS_STATUS_NOT_INITIALIZED (status 1)\n  handle = a null pointer, "));
  EXPECT_THAT(watched("", "no_handle").out,
              HasSubstr("\n  the handle is a null pointer: make it with cublasCreate, and check "
                        "that call's status\n"));
}

TEST_P(LibraryCalls, CallsThroughPointersTailCallsAndCallbacksAreSeen) {
  EXPECT_EQ(count(watched("", "address").out, "cublasReturn failed"), 1U);
  EXPECT_EQ(count(watched("", "tail").out, "cublasReturn failed"), 1U);
  const std::string out = watched("", "callback").out;
  EXPECT_EQ(count(out, "cublasReturn failed"), 1U) << out;
  EXPECT_EQ(count(out, "cublasCall failed"), 1U) << out;
}

TEST_P(LibraryCalls, AnObjectThatIsLoadedLaterAndAgainIsSeen) {
  const Ran ran = watched("", "plug_in");
  EXPECT_EQ(exit_of(ran), 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("cublasReturn failed: CUBLAS_STATUS_INTERNAL_ERROR"),
                             HasSubstr("note: cufftReturn failed: CUFFT_NOT_IMPLEMENTED"),
                             HasSubstr("called by plugged_in at "),
                             HasSubstr("4 other failed calls, 2 notes")));
}

TEST_P(LibraryCalls, AFunctionThatTheProgramLooksUpIsSeen) {
  const Ran ran = watched("", "looked_up names");
  EXPECT_EQ(exit_of(ran), 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("cufftReturn failed: CUFFT_INTERNAL_ERROR (status 5)\n"
                                       "  called by (anonymous namespace)::act at "),
                             HasSubstr("names: 0"), HasSubstr("2 other failed calls\n")));
}

TEST_P(LibraryCalls, ObjectsMayComeAndGoOnOtherThreads) {
  for (int i = 0; i < 3; ++i) {
    const Ran ran = watched("--quiet", "races");
    EXPECT_EQ(exit_of(ran), 0);
    EXPECT_THAT(ran.out, HasSubstr("races: 0"));
  }
}

TEST_P(LibraryCalls, ALoaderThatBindsNothingIsNoHarm) {
  const Ran ran = watched("", "right unchanged", "LD_BIND_NOT=1");
  EXPECT_EQ(exit_of(ran), 0);
  EXPECT_THAT(ran.out, HasSubstr("unchanged: 0"));
}

TEST(PythonPrograms, AreReportedWithTheirLines) {
  const Ran ran = shell("env LD_LIBRARY_PATH=" LIBRARY_FOLDER ":" WATCH_STAND_IN " " WATCH_RUN
                        " --cuda " WATCH_PYTHON " -S " LIBRARY_PYTHON);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("warpsafe: cublasReturn failed: CUBLAS_STATUS_INTERNAL_ERROR"),
                    HasSubstr("6 other failed calls")));
  if (ran.out.find("not readable") != std::string::npos) return;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\n  called by multiply at " LIBRARY_PYTHON
                                       ":15\n  called by train at " LIBRARY_PYTHON ":20\n"),
                             HasSubstr("\n  called by train at " LIBRARY_PYTHON ":21\n"),
                             Not(HasSubstr("ffi"))));
}

TEST(RealLibraries, RefuseWrongCallsWithoutADevice) {
  const std::string program = LIBRARY_REAL;
  if (program.empty())
    GTEST_SKIP() << "no" LIBRARY_MISSING
                    " of the CUDA toolkit: the calls of NVIDIA's own "
                    "libraries need them; the other tests call stand-ins";
  const Ran ran =
      shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --cupti " WATCH_CUPTI " " +
            program);
  EXPECT_THAT(
      ran.out,
      AllOf(
          HasSubstr("warpsafe: cublasSgemm failed: CUBLAS_STATUS_NOT_INITIALIZED (status 1)\n"
                    "  handle = a null pointer, transa = N, transb = N, m = 4, n = 4, k = 4, "
                    "lda = 4, ldb = 4, ldc = 4\n  called by main at "),
          HasSubstr("warpsafe: cublasSgemm_64 failed: CUBLAS_STATUS_NOT_INITIALIZED (status 1)"),
          HasSubstr("warpsafe: cublasSetVector failed: CUBLAS_STATUS_INVALID_VALUE (status 7)\n"
                    "  n = 4, elemSize = 4, incx = 0, incy = 1\n"),
          HasSubstr("\n  incx is 0, and must be at least 1\n"),
          HasSubstr("warpsafe: cufftExecC2C failed: CUFFT_INVALID_PLAN (status 1)\n  plan = 7, "),
          HasSubstr("warpsafe: cusparseSetStream failed: CUSPARSE_STATUS_INVALID_VALUE (status 3)"),
          HasSubstr("warpsafe: curandGenerateNormal failed: "
                    "CURAND_STATUS_LENGTH_NOT_MULTIPLE (status 105)\n  n = 3\n"),
          Not(HasSubstr("curandGenerateUniform")), HasSubstr("1 1 7 1 3 0 105 0 0"),
          HasSubstr(", 6 other failed calls")));
}

INSTANTIATE_TEST_SUITE_P(Linked, LibraryCalls,
                         testing::Values("lazy", "now", "fixed", "fixed_now", "no_plt"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
