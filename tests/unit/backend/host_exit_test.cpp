// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The end of a program that uses the host backend must not hang or crash, whatever still runs.

#include "host_test_kernel.hpp"
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

/// Read by AddressSanitizer. A forked child does not have its parent's other threads, but still
/// their lists of destructors. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:__cxa_thread_atexit_impl"; }

namespace warpsafe::host_test {
namespace {

using ::testing::ExitedWithCode;

std::atomic<bool> started = false;
void never_ends() {
  started = true;
  while (started) {
  }
}
void brief() {}
int* volatile no_memory = nullptr;
void write_to_no_memory() { *no_memory = 1; }
void ends_soon() {
  started = true;
  ::usleep(100'000);
  static_cast<void>(::write(STDERR_FILENO, "ended\n", 6) == 6);
}

/// An object of each OS thread that runs a block, which needs a while to end.
struct OfThread {
  static inline std::atomic<int> living = 0;
  static inline std::atomic<bool> one_was_made = false;
  OfThread() {
    ++living;
    one_was_made = true;
  }
  ~OfThread() {
    ::usleep(100'000);
    --living;
  }
};
void make_object() { static thread_local const OfThread object; }
std::thread::id worker;  // the stream's, which runs grids of one thread
void keep_worker() { worker = std::this_thread::get_id(); }
void make_object_elsewhere() {
  if (std::this_thread::get_id() != worker) make_object();
  ::usleep(1000);  // so that the pool's threads take blocks
}
/// What a test asks after the backend's end: its only object is made before the backend.
constexpr int too_late = 7;
struct AfterBackend {
  bool objects_have_ended = false;
  std::chrono::seconds wait{0};  // as long as this, and less than a second longer
  std::optional<std::chrono::steady_clock::time_point> since;
  ~AfterBackend() {
    if (objects_have_ended && (!OfThread::one_was_made || OfThread::living != 0)) _exit(9);
    if (!since.has_value()) return;
    const auto waited = std::chrono::steady_clock::now() - *since;
    if (waited < wait) _exit(9);
    if (waited >= wait + std::chrono::seconds(1)) _exit(too_late);
  }
};
AfterBackend after_backend;

/// A stream that is destroyed by a destructor that runs after the backend's own.
struct Late {
  host::StreamHandle* stream = nullptr;
  ~Late() {
    if (stream == nullptr) return;
    if (host_backend::stream_destroy(stream) != host::raw(HostStatus::deinitialized)) _exit(9);
    if (host_backend::device_synchronize() != host::raw(HostStatus::deinitialized)) _exit(9);
  }
};
Late late;

/// The race detector's report of a run that begins after the backend's own end.
struct LateRun {
  bool is_asked_for = false;
  ~LateRun() {
    if (!is_asked_for) return;
    bool has_run = false;
    const auto report = adversarial::run(3, [&] { has_run = true; });
    if (has_run || report.clean() || report.seeds_run != 0) _exit(9);
    const std::string text = report.text();
    static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()) != 0);
  }
};
LateRun late_run;

struct HostExit : ::testing::Test {
  // Each test runs in a separate process, which begins from main().
  HostExit() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  static host::StreamHandle* stream_with(void (*kernel)(), unsigned blocks = 4,
                                         unsigned threads = 2) {
    host::StreamHandle* stream = nullptr;
    if (host_backend::stream_create(stream, 0) != 0) std::_Exit(8);
    if (launch_raw(stream, shape_of(blocks, threads), kernel) != 0) std::_Exit(8);
    return stream;
  }
  /// Expects that the end of a program waits that long after `work`.
  template <class Work>
  static void expect_wait(std::chrono::seconds wait, const Work& work) {
    int status = -1;
    const auto ends = [&](int waited) {
      status = WIFEXITED(waited) ? WEXITSTATUS(waited) : -1;
      return status == 0 || status == too_late;
    };
    // A busy machine may be late once.
    for (int i = 0; i < 5 && status != 0; ++i) {
      EXPECT_EXIT(
          {
            work();
            after_backend.wait = wait;
            after_backend.since = std::chrono::steady_clock::now();
            std::exit(0);
          },
          ends, "");
    }
    EXPECT_EQ(status, 0);
  }
};

TEST_F(HostExit, AnIdleStreamIsNotAwaited) {
  expect_wait(std::chrono::seconds(0), [] {
    if (host_backend::stream_synchronize(stream_with(brief)) != 0) std::_Exit(8);
  });
}

TEST_F(HostExit, WithWorkInFlight) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 20; ++i) stream_with(brief);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(HostExit, AKernelThatRunsIsAwaited) {
  EXPECT_EXIT(
      {
        stream_with(ends_soon, 1);
        while (!started) {
        }
        std::exit(0);
      },
      ExitedWithCode(0), "ended");
}

TEST_F(HostExit, AKernelThatNeverEndsIsAwaitedForTwoSeconds) {
  expect_wait(std::chrono::seconds(2), [] {
    stream_with(never_ends);
    while (!started) {
    }
  });
}

TEST_F(HostExit, AHandlerThatExitsInAWaitingThreadEndsTheProgram) {
  if (host::thread_sanitizer) GTEST_SKIP() << "it reports each call of exit in a handler";
  EXPECT_EXIT(
      {
        // A worker that tells both waiting threads of its progress waits for the interrupted one.
        std::thread([] {
          host::StreamHandle* const other = stream_with(brief, 1);
          while (launch_raw(other, shape_of(1, 1), brief) == 0 &&
                 host_backend::stream_synchronize(other) == 0) {
          }
        }).detach();
        std::signal(SIGALRM, [](int) {
          std::signal(SIGALRM, SIG_DFL);
          ::alarm(20);
          std::exit(3);
        });
        ::ualarm(100'000, 0);
        static_cast<void>(host_backend::stream_synchronize(stream_with(never_ends, 1)));
        std::exit(9);
      },
      ExitedWithCode(3), "");
}

TEST_F(HostExit, ASignalOfTheProcessIsForTheProgramsThreads) {
  EXPECT_EXIT(
      {
        if (host_backend::stream_synchronize(stream_with(brief, 64)) != 0) std::_Exit(8);
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        ::kill(::getpid(), SIGTERM);
        std::exit(sigwaitinfo(&all, nullptr) == SIGTERM ? 3 : 9);
      },
      ExitedWithCode(3), "");
}

void raise_signal() {
  if (block_number() == 0 || block_number() == 63) ::raise(SIGUSR1);
}
TEST_F(HostExit, ASignalThatAKernelRaisesReachesTheProgram) {
  EXPECT_EXIT(
      {
        static std::atomic<int> received = 0;
        std::signal(SIGUSR1, [](int) { ++received; });
        // A signal that waits for the process stays there.
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        ::kill(::getpid(), SIGUSR2);
        if (host_backend::stream_synchronize(stream_with(raise_signal, 64)) != 0) std::_Exit(8);
        // The system, and ThreadSanitizer even more so, may deliver it a little later.
        for (int i = 0; i < 10'000 && received == 0; ++i) ::usleep(1000);
        sigpending(&signals);
        std::exit(received != 0 && sigismember(&signals, SIGUSR2) == 1 ? 3 : 9);
      },
      ExitedWithCode(3), "");
}

TEST_F(HostExit, AThreadThatIsCancelledInAWaitWaitsToTheEnd) {
  EXPECT_EXIT(
      {
        std::atomic<bool> has_waited = false;
        host::StreamHandle* const stream = stream_with(never_ends, 1, 1);
        std::thread waits([&] {
          host_backend::stream_synchronize(stream);
          has_waited = true;
          ::pause();
        });
        while (!started) {
        }
        ::usleep(20'000);  // it waits by now
        pthread_cancel(waits.native_handle());
        started = false;
        waits.join();
        std::exit(has_waited ? 3 : 9);
      },
      ExitedWithCode(3), "");
}

TEST_F(HostExit, AFaultIsReportedAlthoughTheProgramBlocksAllSignals) {
  if (host::address_sanitizer || host::thread_sanitizer) {
    GTEST_SKIP() << "a sanitizer has its own handler of SIGSEGV";
  }
  EXPECT_EXIT(
      {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        const int status = host_backend::stream_synchronize(stream_with(write_to_no_memory, 64));
        std::exit(status == host::raw(HostStatus::illegal_address) ? 3 : 9);
      },
      ExitedWithCode(3), "");
}

TEST_F(HostExit, AStreamsThreadHasEnded) {
  EXPECT_EXIT(
      {
        after_backend.objects_have_ended = true;
        if (host_backend::stream_synchronize(stream_with(make_object, 1, 1)) != 0) std::_Exit(8);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(HostExit, ThePoolsThreadsHaveEnded) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  EXPECT_EXIT(
      {
        after_backend.objects_have_ended = true;
        host::StreamHandle* const stream = stream_with(keep_worker, 1, 1);
        if (launch_raw(stream, shape_of(64, 1), make_object_elsewhere) != 0) std::_Exit(8);
        if (host_backend::stream_synchronize(stream) != 0) std::_Exit(8);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

// What a program does not learn from a call, it prints at its end.

TEST_F(HostExit, AFailureThatNoErrorToldIsPrinted) {
  const auto fail = [](bool told) {
    const Stream stream = Stream::create().value();
    host::fault_in_kernel(1, host::HostStatus::illegal_address);
    if (launch_raw(stream.native(), shape_of(1, 1), brief) != 0) std::_Exit(8);
    if (host_backend::stream_synchronize(stream.native()) == 0) std::_Exit(8);
    if (told && stream.synchronize().has_value()) std::_Exit(8);
    std::exit(0);
  };
  EXPECT_EXIT(fail(false), ExitedWithCode(0),
              "^warpsafe: work failed on device 0, and no call has returned the error: an illegal "
              "memory access was encountered\n  synchronize a stream after the last work, and look "
              "at the result\n$");
  EXPECT_EXIT(fail(true), ExitedWithCode(0), "^$");
}

TEST_F(HostExit, AProgramWithoutAFailurePrintsNothing) {
  EXPECT_EXIT(
      {
        const Stream stream = Stream::create().value();
        if (launch_raw(stream.native(), shape_of(1, 1), brief) != 0) std::_Exit(8);
        if (!stream.synchronize().has_value()) std::_Exit(8);
        std::exit(0);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(HostExit, AFailureOfAnotherDeviceIsPrintedAlthoughOneWasTold) {
  EXPECT_EXIT(
      {
        host::set_device_count(2);
        std::vector<Stream> streams;
        for (const int device : {0, 1}) {
          streams.push_back(Stream::create(DeviceId(device)).value());
          if (host_backend::set_device(device) != 0) std::_Exit(8);
          host::fault_in_kernel(1, host::HostStatus::illegal_address);
          if (launch_raw(streams.back().native(), shape_of(1, 1), brief) != 0) std::_Exit(8);
          if (host_backend::stream_synchronize(streams.back().native()) == 0) std::_Exit(8);
        }
        if (streams[0].synchronize().has_value()) std::_Exit(8);
        std::exit(0);
      },
      ExitedWithCode(0), "^warpsafe: work failed on device 1, and no call has returned the error");
}

TEST_F(HostExit, AWritePastTheEndIsPrinted) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  const auto write = [](bool frees) {
    static std::optional<DeviceBuffer<char>> kept;  // lives longer than the backend
    const Stream stream = Stream::create().value();
    kept.emplace(DeviceBuffer<char>::create(stream, 10).value());
    kept->view().pointer().get()[11] = 1;
    if (frees) kept.reset();
    std::exit(0);
  };
  EXPECT_EXIT(
      write(false), ExitedWithCode(0),
      "^warpsafe: work failed on device 0, and no call has returned the error: something "
      "was written past the end of 10 bytes of memory that were allocated at .*:[0-9]+; "
      "found at the end of the program\n  synchronize a stream after the last work, and look at "
      "the result\n$");
  // The destructor gets the error, which no other call had.
  EXPECT_EXIT(
      write(true), ExitedWithCode(0),
      "^warpsafe: free device memory failed: something was written past the end of 10 bytes "
      "of memory that were allocated at .*; found when the memory was freed "
      "\\(hostErrorIllegalAddress\\); a destructor drops this error: call close\\(\\) to "
      "get it\n$");
}

TEST_F(HostExit, CallsAfterTheShutdownAreRefused) {
  EXPECT_EXIT(
      {
        late.stream = stream_with(brief);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(HostExit, ARunOfTheRaceDetectorAfterTheShutdownIsRefused) {
  const auto end_with = [](void (*kernel)(), bool waits) {
    late_run.is_asked_for = true;
    host::StreamHandle* const stream = stream_with(kernel);
    for (int i = 0; i < 5; ++i) {
      if (launch_raw(stream, shape_of(1, 1), kernel) != 0) std::_Exit(8);
    }
    if (waits && host_backend::stream_synchronize(stream) != 0) std::_Exit(8);
    std::exit(0);
  };
  EXPECT_EXIT(end_with(ends_soon, false), ExitedWithCode(0),
              "hostErrorDeinitialized: the program is ending")
      << "work is left";
  EXPECT_EXIT(end_with(brief, true), ExitedWithCode(0),
              "hostErrorDeinitialized: the program is ending");
}

TEST_F(HostExit, ARunOfTheRaceDetectorThatWaitsForWorkEndsWithTheProgram) {
  EXPECT_EXIT(
      {
        static std::thread waiting;
        static const struct Join {
          ~Join() { waiting.join(); }
        } join;
        host::StreamHandle* const stream = stream_with(ends_soon, 1);
        for (int i = 0; i < 50; ++i) {
          if (launch_raw(stream, shape_of(1, 1), ends_soon) != 0) std::_Exit(8);
        }
        waiting = std::thread([] {
          if (adversarial::run(3, [] {}).clean()) _exit(9);
        });
        ::usleep(50'000);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(HostExit, AForkedChildIsRefusedAndCanEnd) {
  host::StreamHandle* const stream = stream_with(brief);
  ASSERT_EQ(host_backend::stream_synchronize(stream), 0);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    const int status = host_backend::stream_synchronize(stream);
    std::exit(status == host::raw(HostStatus::initialization_error) ? 0 : 9);
  }
  int ended = -1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), 0);
  EXPECT_EQ(host_backend::stream_destroy(stream), 0);
}

}  // namespace
}  // namespace warpsafe::host_test
