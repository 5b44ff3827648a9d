// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a running block consists of: its shared memory, its texts, its stacks, and the handler of
// its faults.

#include "host_runners.hpp"
#include <warpsafe/backend/host/detail/fibre.hpp>
#include <warpsafe/backend/host/detail/kernel_faults.hpp>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::BarrierSite;
using host::Failure;
using host::Grid;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::KilledBySignal;

[[nodiscard]] std::unique_ptr<Grid> empty_grid(std::uint64_t dynamic_shared = 0) {
  void* args[] = {nullptr};
  return std::make_unique<Grid>(entry_of(nothing), shape_of(1, 1, dynamic_shared), args);
}

// Bodies of fibres, which go back to the one that started them.
host::Fibre* fibre_back = nullptr;
std::uintptr_t place_of_fibre = 0;
host::Fibre& keep_place(void*) {
  unsigned char local = 0;
  place_of_fibre = reinterpret_cast<std::uintptr_t>(&local);
  return *fibre_back;
}
host::Fibre& count_run(void* runs) {
  ++*static_cast<int*>(runs);
  return *fibre_back;
}

// A block.

TEST(HostBarrierSite, IsALineOfAFileByItsName) {
  const char first[] = "file.cu";
  const char again[] = "file.cu";
  const BarrierSite site{first, 3};
  EXPECT_TRUE(site.same_as({first, 3}));
  EXPECT_TRUE(site.same_as({again, 3}));
  EXPECT_FALSE(site.same_as({first, 4}));
  EXPECT_FALSE(site.same_as({again, 4}));
  EXPECT_FALSE(site.same_as({"other.cu", 3}));
  EXPECT_EQ(BarrierSite{}.line, 0U);
  EXPECT_EQ(BarrierSite{}.file, nullptr);
}

TEST(HostSharedMemory, DynamicMemoryIsFreshInEachBlockAndKeepsItsPlace) {
  host::SharedMemory shared;
  const unsigned block[3] = {1, 2, 3};
  EXPECT_EQ(shared.dynamic(0), nullptr);
  shared.begin_block(100);
  unsigned char* const memory = shared.dynamic(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 1024, 0U);
  EXPECT_TRUE(host::holds_pattern(memory, 100, host::fresh_pattern));
  EXPECT_TRUE(host::holds_pattern(memory + 100, 128, host::guard_pattern));
  std::memset(memory, 1, 100);
  auto grid = empty_grid();
  shared.end_block(*grid, block, false);
  EXPECT_EQ(grid->take_failure().status, 0);
  shared.begin_block(60);
  EXPECT_EQ(shared.dynamic(60), memory) << "smaller memory is where the larger was";
  EXPECT_TRUE(host::holds_pattern(memory, 60, host::fresh_pattern));
  shared.begin_block(100);
  EXPECT_EQ(shared.dynamic(100), memory);
  for (const std::size_t place : {100UL, 227UL}) {
    shared.begin_block(100);
    memory[place] ^= 1U;
    shared.end_block(*grid, block, false);
    EXPECT_EQ(string_of(grid->take_failure().text),
              "the kernel wrote past the end of its 100 bytes of dynamic shared memory, in block "
              "(1,2,3)");
  }
  shared.begin_block(5000);
  EXPECT_TRUE(host::holds_pattern(shared.dynamic(5000), 5000, host::fresh_pattern));
  shared.end_block(*grid, block, false);
  EXPECT_EQ(grid->take_failure().status, 0);
}

TEST(HostSharedMemory, AVariableIsOneForItsKeyAndFreshInEachBlock) {
  host::SharedMemory shared;
  const unsigned block[3] = {};
  std::array<char, 40> keys{};
  shared.begin_block(0);
  auto* const first = static_cast<unsigned char*>(shared.variable(&keys[0], 16));
  auto* const second = static_cast<unsigned char*>(shared.variable(&keys[1], 48));
  EXPECT_NE(first, second);
  std::memset(first, 1, 16);
  EXPECT_EQ(shared.variable(&keys[0], 16), first);
  EXPECT_EQ(first[15], 1) << "it is live";
  const auto end = [&](std::uint64_t given, bool asks) {
    const auto grid = empty_grid(given);
    shared.end_block(*grid, block, asks);
    grid->check_shared_use();
    return grid->take_failure();
  };
  EXPECT_EQ(end(64, false).status, raw(HostStatus::launch_failure)) << "both have 64 bytes";
  EXPECT_EQ(end(64, true).status, 0);
  EXPECT_EQ(end(65, false).status, 0);
  shared.begin_block(0);
  EXPECT_EQ(shared.variable(&keys[0], 16), first);
  EXPECT_TRUE(host::holds_pattern(first, 16, host::fresh_pattern));
  second[48] = 0;
  EXPECT_EQ(end(16, false).status, raw(HostStatus::launch_failure)) << "one is live, of 16 bytes";
  EXPECT_EQ(end(0, false).status, 0) << "the other one is not of this block";
  first[16] = 0;
  EXPECT_EQ(string_of(end(0, false).text),
            "the kernel wrote past the end of its 16 bytes of static shared memory, in block "
            "(0,0,0)");
  // Many kernels with a variable each.
  for (char& key : keys) {
    shared.begin_block(0);
    auto* const memory = static_cast<unsigned char*>(shared.variable(&key, 8));
    EXPECT_TRUE(host::holds_pattern(memory, 8, host::fresh_pattern));
    EXPECT_EQ(end(0, false).status, 0);
  }
}

TEST(HostBlock, AThreadsIndexIsXFirst) {
  HostThread thread{};
  thread.block_dim[0] = 3;
  thread.block_dim[1] = 4;
  thread.block_dim[2] = 5;
  std::uint64_t number = 0;
  for (unsigned z = 0; z < 5; ++z) {
    for (unsigned y = 0; y < 4; ++y) {
      for (unsigned x = 0; x < 3; ++x) {
        host::set_thread_index(thread, number++);
        EXPECT_THAT(thread.thread, ElementsAre(x, y, z));
      }
    }
  }
}

TEST(HostBlock, ADivergenceTellsWhereItsThreadsAre) {
  const unsigned block[3] = {4, 5, 6};
  struct Case {
    std::uint64_t finished, at_first, elsewhere;
    const char* text;
  };
  const Case cases[] = {{0, 3, 0, "of 3 threads, 3 wait at a.cu:1"},
                        {2, 3, 0, "of 5 threads, 3 wait at a.cu:1, 2 have finished"},
                        {0, 3, 4, "of 7 threads, 3 wait at a.cu:1, 4 at b.cu:2"},
                        {1, 1, 1, "of 3 threads, 1 wait at a.cu:1, 1 at b.cu:2, 1 have finished"}};
  for (const Case& one : cases) {
    const auto grid = empty_grid();
    host::fail_divergence(*grid, block, one.finished, {"a.cu", 1}, one.at_first, {"b.cu", 2},
                          one.elsewhere);
    const Failure failure = grid->take_failure();
    EXPECT_EQ(failure.status, raw(HostStatus::barrier_divergence));
    EXPECT_EQ(string_of(failure.text),
              std::string("barrier divergence in block (4,5,6): ") + one.text);
  }
}

// Faults. The handler is called as the system would call it.

struct HostHandler : ::testing::Test {
  HostHandler() {
    static_cast<void>(host::Runtime::get());  // has installed the handler
    // Tests of runners leave those of theirs, which are gone.
    host::running_block = {nullptr, nullptr};
    if (under_sanitizer) return;
    outer_[0] = host::outer_handlers[0];
    outer_[1] = host::outer_handlers[1];
  }
  ~HostHandler() override {
    detail::host_thread = nullptr;
    host::running_block = {nullptr, nullptr};
    if (under_sanitizer) return;
    host::outer_handlers[0] = outer_[0];
    host::outer_handlers[1] = outer_[1];
  }
  void SetUp() override {
    if (under_sanitizer) GTEST_SKIP() << "the sanitizers have their own handler";
  }
  static siginfo_t info_of(int code, void* address = nullptr) {
    siginfo_t info{};
    info.si_code = code;
    info.si_addr = address;
    return info;
  }
  static void set_handler(int which, void (*handler)(int)) {
    host::outer_handlers[which] = {};
    host::outer_handlers[which].sa_handler = handler;
  }
  static std::string& log() {
    static std::string text;
    return text;
  }
  struct sigaction outer_[2] = {};
};

TEST_F(HostHandler, PassesOtherFaultsToTheHandlerBeforeIt) {
  siginfo_t info = info_of(SEGV_MAPERR);
  log().clear();
  set_handler(
      0, +[](int number) { log() += "segv " + std::to_string(number); });
  set_handler(
      1, +[](int number) { log() += "bus " + std::to_string(number); });
  host::forward_signal(SIGSEGV, &info, nullptr);
  EXPECT_EQ(log(), "segv " + std::to_string(SIGSEGV));
  log().clear();
  host::forward_signal(SIGBUS, &info, nullptr);
  EXPECT_EQ(log(), "bus " + std::to_string(SIGBUS));
  log().clear();
  host::outer_handlers[0].sa_flags = SA_SIGINFO;
  host::outer_handlers[0].sa_sigaction = +[](int, siginfo_t* its_info, void* context) {
    log() += its_info->si_code == SEGV_MAPERR && context == &log() ? "all" : "something else";
  };
  host::forward_signal(SIGSEGV, &info, &log());
  EXPECT_EQ(log(), "all");
}

TEST_F(HostHandler, EndsAProgramWithoutAHandlerOnlyByItsInstruction) {
  const auto forward = [](int code, void (*handler)(int)) {
    siginfo_t info = info_of(code);
    set_handler(0, handler);
    host::forward_signal(SIGSEGV, &info, nullptr);
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    std::_Exit(now.sa_handler == handler ? 7 : 8);
  };
  EXPECT_EXIT(forward(SEGV_MAPERR, SIG_DFL), ExitedWithCode(7), "") << "the instruction runs again";
  EXPECT_EXIT(forward(SI_USER, SIG_DFL), KilledBySignal(SIGSEGV), "") << "nothing runs again";
  EXPECT_EXIT(forward(SI_TKILL, SIG_DFL), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(forward(SEGV_MAPERR, SIG_IGN), ExitedWithCode(7), "");
  EXPECT_EXIT(forward(SI_USER, SIG_IGN), ExitedWithCode(8), "") << "it stays ignored, not more";
}

TEST_F(HostHandler, EndsAKernelOnlyWhereOneRuns) {
  int somewhere = 0;
  siginfo_t info = info_of(SEGV_MAPERR, &somewhere);
  set_handler(
      0, +[](int) { log() += "outer"; });
  log().clear();
  host::end_bad_access(SIGSEGV, &info, nullptr);
  EXPECT_EQ(log(), "outer") << "no kernel runs";
  HostThread thread{};
  detail::host_thread = &thread;
  log().clear();
  host::end_bad_access(SIGSEGV, &info, nullptr);
  EXPECT_EQ(log(), "outer") << "a kernel that cannot be ended";
  thread.block[1] = 3;
  thread.thread[2] = 4;
  thread.fault = +[](HostThread&, const char* text) { log() += text; };
  for (const int code : {int{SEGV_MAPERR}, int{SEGV_ACCERR}}) {
    info = info_of(code, &somewhere);
    log().clear();
    host::end_bad_access(SIGSEGV, &info, nullptr);
    EXPECT_THAT(log(), HasSubstr("the kernel accessed address 0x"));
    EXPECT_THAT(log(), HasSubstr(", where it has no memory, in block (0,3,0), thread (0,0,4)"));
  }
  info = info_of(SI_KERNEL);
  log().clear();
  host::end_bad_access(SIGSEGV, &info, nullptr);
  EXPECT_EQ(log(),
            "the kernel accessed an address that no memory can have, in block (0,3,0), thread "
            "(0,0,4)");
  // Another process has sent it while the kernel ran; its number is where an address would be.
  for (const int code : {int{SI_USER}, int{SI_QUEUE}, int{SI_TKILL}}) {
    info = info_of(code, &somewhere);
    log().clear();
    host::end_bad_access(SIGSEGV, &info, nullptr);
    EXPECT_EQ(log(), "outer");
  }
}

TEST_F(HostHandler, AFaultOfAProtectedPageGoesOnWhateverItsCodeIs) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  using Rule = host::PredecessorMemory::Rule;
  host::PredecessorWatch watch;
  set_handler(
      0, +[](int) { log() += "outer"; });
  ucontext_t context{};
  for (const int code : {int{SEGV_MAPERR}, int{SEGV_ACCERR}, int{SI_USER}}) {
    watch.begin({{reinterpret_cast<std::uintptr_t>(memory), page, memory, page, Rule::no_access,
                  Rule::no_access}},
                1, 0);
    siginfo_t info = info_of(code, memory);
    log().clear();
    host::end_bad_access(SIGSEGV, &info, &context);
    EXPECT_EQ(log(), code == SI_USER ? "outer" : "") << "a signal that was sent has no address";
    watch.end();
  }
  munmap(memory, page);
}

TEST_F(HostHandler, AStackThatIsUsedUpIsToldWithItsKernel) {
  host::FibrePool stacks;
  host::Fibre* const fibre = stacks.after(nullptr);
  ASSERT_NE(fibre, nullptr);
  HostThread thread{};
  thread.fault = +[](HostThread&, const char*) { log() += "fault"; };
  thread.block[0] = 6;
  const auto grid = empty_grid();
  // The lowest guard is at the beginning of the slab: look below the first stack's top.
  const auto guard_of = [&]() -> void* {
    host::Fibre own;
    fibre_back = &own;
    fibre->prepare<&keep_place>(nullptr);
    own.switch_to(*fibre);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* at = reinterpret_cast<unsigned char*>(place_of_fibre);
    while (stacks.overflowed(at) == 0) at -= page;
    return at;
  };
  void* const guard = guard_of();
  set_handler(
      0, +[](int) { log() += "outer"; });
  for (const int code : {int{SEGV_MAPERR}, int{SEGV_ACCERR}, int{SI_USER}}) {
    for (const char* const name : {"", "saxpy"}) {
      grid->kernel = Name::of(name);
      host::running_block = {&stacks, grid.get()};
      detail::host_thread = &thread;
      siginfo_t info = info_of(code, guard);
      log().clear();
      testing::internal::CaptureStderr();
      host::end_bad_access(SIGSEGV, &info, nullptr);
      const std::string text = testing::internal::GetCapturedStderr();
      if (code == SI_USER) {
        EXPECT_EQ(log(), "outer") << "it was sent";
        EXPECT_EQ(text, "");
        continue;
      }
      EXPECT_EQ(log(), "outer");
      EXPECT_EQ(detail::host_thread, nullptr) << "the next fault is told by the system";
      const std::size_t bytes = stacks.overflowed(guard);
      EXPECT_EQ(text, "warpsafe: kernel '" + std::string(*name == '\0' ? "(unknown)" : name) +
                          "' used up the stack of a thread, " + std::to_string(bytes) +
                          " bytes, in block (6,0,0), thread (0,0,0)\n  its local variables and "
                          "calls need more; set WARPSAFE_HOST_STACK=" +
                          std::to_string(bytes / 512) +
                          "K, or call host::set_stack_bytes before the launch\n");
    }
  }
}

/// The calling thread's stack for handlers.
stack_t handler_stack() {
  stack_t now{};
  EXPECT_EQ(sigaltstack(nullptr, &now), 0);
  return now;
}
/// Keeps that stack as it is when the thread's later objects are gone.
struct AtExit {
  stack_t* left = nullptr;
  ~AtExit() {
    if (left != nullptr) *left = handler_stack();
  }
};
AtExit& at_exit() {
  static thread_local AtExit mine;
  return mine;
}

TEST_F(HostHandler, AThreadHasAStackForItUnlessItHasItsOwn) {
  static std::array<unsigned char, 65536> memory{};
  stack_t own{};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  stack_t left{};
  std::thread([&] {
    at_exit().left = &left;
    host::FaultStack::provide();
    const stack_t given = handler_stack();
    EXPECT_NE(given.ss_sp, nullptr);
    EXPECT_EQ(given.ss_size, 65536U);
    EXPECT_EQ(given.ss_flags & SS_DISABLE, 0);
    host::FaultStack::provide();
    EXPECT_EQ(handler_stack().ss_sp, given.ss_sp);
  }).join();
  EXPECT_NE(left.ss_flags & SS_DISABLE, 0) << "its memory is gone";
  std::thread([&] {
    at_exit().left = &left;
    EXPECT_EQ(sigaltstack(&own, nullptr), 0);
    host::FaultStack::provide();
    EXPECT_EQ(handler_stack().ss_sp, own.ss_sp);
  }).join();
  EXPECT_EQ(left.ss_sp, own.ss_sp);
  std::thread([&] {
    at_exit().left = &left;
    host::FaultStack::provide();
    EXPECT_EQ(sigaltstack(&own, nullptr), 0);
  }).join();
  EXPECT_EQ(left.ss_sp, own.ss_sp) << "it has set its own since";
}

// Stacks.

TEST(HostStack, BeginsAtAnotherPlaceOfItsLastPageAndGoesBackToTheSystem) {
  const auto address_bytes = [] {
    std::ifstream in("/proc/self/statm");
    std::size_t pages = 0;
    in >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  const std::size_t before = address_bytes();
  const std::size_t wanted = std::size_t{1} << 20U;
  {
    const host::StackSlab slab(wanted);
    ASSERT_TRUE(slab.valid());
    for (std::size_t i = 0; i < host::StackSlab::stacks; ++i) {
      EXPECT_EQ(slab.top(i), slab.bottom(i) + wanted - i % 16 * 256) << i;
    }
    const unsigned char* const end = slab.bottom(host::StackSlab::stacks - 1) + wanted;
    EXPECT_EQ(slab.overflowed(end - 1), 0U);
    EXPECT_EQ(slab.overflowed(end), 0U) << "of something else";
  }
  if (!under_sanitizer) {
    EXPECT_LT(address_bytes(), before + 32 * wanted);
  }
}

TEST(HostFibre, IsPreparedOnceItHasABody) {
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  host::FibrePool pool;
  host::Fibre* fibre = pool.after(nullptr);
  ASSERT_NE(fibre, nullptr);
  EXPECT_EQ(pool.after(nullptr), fibre);
  EXPECT_FALSE(fibre->prepared());
  EXPECT_TRUE(fibre->done());
  host::Fibre own;
  EXPECT_FALSE(own.done());
  fibre_back = &own;
  int runs = 0;
  fibre->prepare<&count_run>(&runs);
  EXPECT_TRUE(fibre->prepared());
  EXPECT_FALSE(fibre->done());
  own.switch_to(*fibre);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(fibre->done());
  // A row of fibres over more than one slab.
  std::vector<host::Fibre*> row;
  for (std::size_t i = 0; i < 2 * host::StackSlab::stacks + 1; ++i) {
    row.push_back(fibre);
    host::Fibre* const next = pool.after(fibre);
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(fibre->following(), next);
    fibre = next;
    fibre->prepare<&count_run>(&runs);
    own.switch_to(*fibre);
  }
  EXPECT_EQ(runs, static_cast<int>(2 * host::StackSlab::stacks + 2));
  std::sort(row.begin(), row.end());
  EXPECT_EQ(std::unique(row.begin(), row.end()), row.end());
}

TEST(HostStackSize, IsReadDigitByDigit) {
  EXPECT_EQ(host::parse_stack_bytes("98304"), 98304U);
  EXPECT_EQ(host::parse_stack_bytes("1073741824"), std::size_t{1} << 30U);
  EXPECT_EQ(host::parse_stack_bytes("1073741825"), 0U);
  EXPECT_EQ(host::parse_stack_bytes("1048576K"), std::size_t{1} << 30U);
  EXPECT_EQ(host::parse_stack_bytes("1048577K"), 0U);
  EXPECT_EQ(host::parse_stack_bytes("10737418240"), 0U);
}

/// A process of its own for what changes the limits of a process.
struct HostLimitDeathTest : ::testing::Test {
  HostLimitDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  void SetUp() override {
    if (under_sanitizer) GTEST_SKIP() << "the sanitizers reserve more addresses than any limit";
  }
  /// Lets the process have `more` bytes of addresses than it has.
  static void leave_addresses(std::size_t more) {
    std::ifstream in("/proc/self/statm");
    std::size_t pages = 0;
    in >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(99);
  }
  /// Ends the process, with 0 if the grid failed for want of memory, as `text` says.
  [[noreturn]] static void exit_without_memory(Grid& grid, const char* text) {
    const Failure failure = grid.take_failure();
    const bool right =
        failure.status == raw(HostStatus::out_of_memory) && string_of(failure.text) == text;
    std::_Exit(right ? 0 : 1);
  }
  static std::size_t stack_of(std::size_t wanted) {
    const host::StackSlab slab(wanted);
    if (!slab.valid() && slab.overflowed(nullptr) != 0) return 1;
    if (!slab.valid() && slab.overflowed(reinterpret_cast<void*>(4096)) != 0) return 1;
    return slab.valid() ? slab.overflowed(slab.bottom(0) - 1) : 0;
  }
};

TEST_F(HostLimitDeathTest, StacksAreSmallerWhereTheProcessHasNoAddresses) {
  const auto expect = [](std::size_t more, std::size_t wanted, std::size_t stack) {
    leave_addresses(more);
    std::_Exit(stack_of(wanted) == stack ? 0 : 1);
  };
  const std::size_t kib = 1024;
  const std::size_t mib = 1024 * kib;
  EXPECT_EXIT(expect(700 * mib, 1024 * mib, 8 * mib), ExitedWithCode(0), "");
  EXPECT_EXIT(expect(10 * mib + 512 * kib, 200 * kib, 128 * kib), ExitedWithCode(0), "");
  EXPECT_EXIT(expect(10 * mib + 512 * kib, 256 * kib, 128 * kib), ExitedWithCode(0), "");
  EXPECT_EXIT(expect(10 * mib + 512 * kib, 308 * kib, 152 * kib), ExitedWithCode(0), "");
  EXPECT_EXIT(expect(4 * mib, 1024 * mib, 0), ExitedWithCode(0), "");
  EXPECT_EXIT(expect(4 * mib, 64 * kib, 0), ExitedWithCode(0), "") << "no smaller one is tried";
}

TEST_F(HostLimitDeathTest, TheFirst8192StacksHaveAGuardWhateverWasThereBefore) {
  const auto check = [] {
    int ends[2] = {};
    if (pipe(ends) != 0) std::_Exit(99);
    const auto guarded = [&](const host::StackSlab& slab, std::size_t number) {
      return write(ends[1], slab.bottom(number) - 1, 1) != 1;
    };
    std::vector<std::unique_ptr<host::StackSlab>> slabs;
    for (std::size_t i = 0; i < 8192 / host::StackSlab::stacks; ++i) {
      slabs.push_back(std::make_unique<host::StackSlab>(host::least_stack_bytes));
      if (!slabs.back()->valid() || !guarded(*slabs.back(), 0)) std::_Exit(1);
      if (!guarded(*slabs.back(), host::StackSlab::stacks - 1)) std::_Exit(2);
    }
    {
      const host::StackSlab last(host::least_stack_bytes);
      if (!last.valid() || guarded(last, 0)) std::_Exit(3);
    }
    slabs.pop_back();
    const host::StackSlab again(host::least_stack_bytes);
    std::_Exit(again.valid() && guarded(again, host::StackSlab::stacks - 1) ? 0 : 4);
  };
  EXPECT_EXIT(check(), ExitedWithCode(0), "");
}

TEST_F(HostLimitDeathTest, ARowOfFibresEndsWhereTheProcessHasNoAddresses) {
  const auto check = [] {
    host::stack_bytes() = host::least_stack_bytes;
    leave_addresses(std::size_t{60} << 20U);
    host::FibrePool pool;
    std::size_t count = 0;
    for (host::Fibre* one = pool.after(nullptr); one != nullptr; one = pool.after(one)) ++count;
    std::_Exit(count != 0 && count % host::StackSlab::stacks == 0 ? 0 : 1);
  };
  EXPECT_EXIT(check(), ExitedWithCode(0), "");
}

void waits_once() { sync_block("once.cu", 1); }

TEST_F(HostLimitDeathTest, AStackThatTheSystemDoesNotGiveFailsTheGrid) {
  const auto check = [] {
    void* args[] = {nullptr};
    Grid grid(entry_of(waits_once), shape_of(1, host::StackSlab::stacks + 1), args);
    host::stack_bytes() = host::least_stack_bytes;
    host::FibreRunner runner;
    runner.run_block(grid, 0);
    if (grid.take_failure().status != 0) std::_Exit(2);
    Grid larger(entry_of(waits_once), shape_of(1, 1024), args);
    leave_addresses(std::size_t{1} << 20U);
    runner.run_block(larger, 0);
    exit_without_memory(larger, "no memory for the stack of a thread that waits");
  };
  EXPECT_EXIT(check(), ExitedWithCode(0), "");
}

TEST_F(HostLimitDeathTest, AThreadThatTheSystemDoesNotGiveFailsTheGrid) {
  const auto check = [] {
    void* args[] = {nullptr};
    Grid grid(entry_of(waits_once), shape_of(1, 64), args);
    host::ThreadRunner runner;
    leave_addresses(std::size_t{100} << 20U);
    runner.run_block(grid, 0);
    exit_without_memory(grid, "no OS thread for a thread of the block");
  };
  EXPECT_EXIT(check(), ExitedWithCode(0), "");
}

// Runners.

struct Seen {
  std::atomic<unsigned> threads;
  std::atomic<unsigned> wrong;
};
void look_around(Seen* seen) {
  const HostThread& me = self();
  const unsigned dims[] = {2, 3, 4, 5, 6, 7};
  for (int axis = 0; axis < 3; ++axis) {
    if (me.block_dim[axis] != dims[axis] || me.grid_dim[axis] != dims[axis + 3]) ++seen->wrong;
  }
  if (me.block[0] != 3 || me.block[1] != 4 || me.block[2] != 5) ++seen->wrong;
  if (me.dynamic_shared_bytes != 24 || me.dynamic_shared == nullptr) ++seen->wrong;
  ++seen->threads;
}
void uses_dynamic_after_one(std::atomic<unsigned>* asked) {
  if (thread_number() == 2) self().asks_dynamic_shared = true;
  ++*asked;
}
/// Bit 0: thread 2 strides; bit 1: thread 1 asks for its index.
void strides_and_asks(unsigned how) {
  if (thread_number() == 2 && (how & 1U) != 0) self().use.strides = true;
  if (thread_number() == 1 && (how & 2U) != 0) self().use.thread = true;
}
/// Two threads ask for memory, in lines of their own.
void asks_in_two_lines(unsigned count) {
  if (thread_number() == 1) self().ask_shared(self(), count, 4, "a.cu", 1);
  if (thread_number() == 2) self().ask_shared(self(), 2, 4, "a.cu", 2);
}
void static_of_64() {
  static const char key = 0;
  static_cast<void>(self().static_shared(self(), &key, 64, 8));
}
void leaves_at_2() {
  if (thread_number() == 2) self().leave(self(), "leave.cu", 1);
  sync_block("leave.cu", 2);
}
void faults_at_2() {
  if (thread_number() == 2) self().fault(self(), "no memory there");
  sync_block("leave.cu", 2);
}
std::atomic<bool> let_go;
/// Thread 0 waits at a barrier, thread 1 leaves, and thread 2 runs until thread 0 is let go.
void leaves_beside_a_busy_thread(std::atomic<bool>* ended_in_time) {
  static std::atomic<bool> waits;
  struct Told {
    ~Told() { let_go = true; }
  };
  switch (thread_number()) {
    case 0: {
      const Told told;
      waits = true;
      sync_block("leave.cu", 1);
      break;
    }
    case 1:
      while (!waits) std::this_thread::yield();
      self().leave(self(), "leave.cu", 2);
      break;
    default: {
      const auto begun = std::chrono::steady_clock::now();
      while (!let_go && std::chrono::steady_clock::now() - begun < std::chrono::seconds(20)) {
        std::this_thread::yield();
      }
      *ended_in_time = let_go.load();
    }
  }
}
void waits_at_0_allows_at_1() {
  if (thread_number() < 2) self().depend(self(), thread_number() == 0, "depend.cu", 3);
}

template <class Runner>
struct HostRunnerParts : RunnerTest<Runner> {};
TYPED_TEST_SUITE(HostRunnerParts, Runners);

TYPED_TEST(HostRunnerParts, AThreadSeesItsGrid) {
  LaunchShape shape;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    shape.block[axis] = 2 + axis;
    shape.grid[axis] = 5 + axis;
  }
  shape.dynamic_shared = 24;
  Seen seen{};
  Seen* argument = &seen;
  void* args[] = {&argument};
  Grid grid(entry_of(look_around), shape, args);
  this->run(grid, 3 + 5 * (4 + 6 * 5));
  EXPECT_EQ(seen.threads, 24U);
  EXPECT_EQ(seen.wrong, 0U);
}

TYPED_TEST(HostRunnerParts, AThreadAtABarrierIsLetGoOnceAnotherLeaves) {
  if (!std::is_same_v<TypeParam, host::ThreadRunner>) {
    GTEST_SKIP() << "the threads of a block run one after another";
  }
  let_go = false;
  std::atomic<bool> ended_in_time = false;
  static_cast<void>(this->run(shape_of(1, 3), leaves_beside_a_busy_thread, &ended_in_time));
  EXPECT_TRUE(ended_in_time) << "although a third thread still runs";
}

TYPED_TEST(HostRunnerParts, AGridIsToldWhatItsBlocksAskFor) {
  for (const bool asks : {false, true}) {
    std::atomic<unsigned> asked = 0;
    std::atomic<unsigned>* argument = &asked;
    void* args[] = {&argument};
    // The last block's static arrays count.
    Grid first(entry_of(uses_dynamic_after_one), shape_of(1, 4, 64), args);
    void* none[] = {nullptr};
    Grid second(entry_of(static_of_64), shape_of(1, 4, 64), none);
    this->run(second, 0);
    second.check_shared_use();
    EXPECT_EQ(second.take_failure().status, raw(HostStatus::launch_failure));
    this->run(first, 0);
    if (asks) first.add_shared_use(false, 64);
    first.check_shared_use();
    EXPECT_EQ(first.take_failure().status, 0) << "one of its threads asks for dynamic memory";
    EXPECT_EQ(asked, 4U);
  }
}

TYPED_TEST(HostRunnerParts, AGridIsToldWhichIndicesItsThreadsAskFor) {
  for (unsigned how = 0; how < 4; ++how) {
    for (const unsigned rows : {1U, 2U}) {
      LaunchShape shape = shape_of(3, 4);
      shape.grid[1] = rows;
      void* args[] = {&how};
      Grid grid(entry_of(strides_and_asks), shape, args);
      for (std::uint64_t block = 0; block < 3; ++block) this->run(grid, block);
      grid.check_use();
      EXPECT_EQ(grid.take_failure().status,
                how == 1 && rows == 2 ? raw(HostStatus::launch_failure) : 0)
          << how;
    }
  }
}

TYPED_TEST(HostRunnerParts, AGridIsToldWhatItsThreadsAskForInEachLine) {
  for (unsigned count = 1; count < 5; ++count) {
    void* args[] = {&count};
    Grid grid(entry_of(asks_in_two_lines), shape_of(2, 4, 16), args);
    this->run(grid, 0);
    this->run(grid, 1);
    grid.check_use();
    EXPECT_EQ(grid.take_failure().status, count == 2 ? raw(HostStatus::launch_failure) : 0);
  }
}

TYPED_TEST(HostRunnerParts, AThreadThatLeavesEndsItsBlockWithoutAHang) {
  for (int i = 0; i < 3; ++i) {
    void* args[] = {nullptr};
    Grid leaves(entry_of(leaves_at_2), shape_of(1, 4), args);
    this->run(leaves, 0);
    EXPECT_TRUE(leaves.stopped());
    EXPECT_EQ(leaves.take_failure().status, 0);
    Grid faults(entry_of(faults_at_2), shape_of(1, 4), args);
    this->run(faults, 0);
    const Failure failure = faults.take_failure();
    EXPECT_EQ(failure.status, raw(HostStatus::illegal_address));
    EXPECT_EQ(string_of(failure.text), "no memory there");
    Grid fine(entry_of(waits_once), shape_of(1, 4), args);
    this->run(fine, 0);
    EXPECT_EQ(fine.take_failure().status, 0);
  }
}

TYPED_TEST(HostRunnerParts, AWatchIsToldOfWaitsAndOfEachBlock) {
  void* args[] = {nullptr};
  for (const bool watched : {false, true}) {
    Grid grid(entry_of(waits_at_0_allows_at_1), shape_of(4, 2), args);
    host::PredecessorWatch watch;
    watch.begin({}, 100, 50);
    if (watched) grid.watch = &watch;
    this->run(grid, 1);  // not followed by itself
    EXPECT_TRUE(grid.waited());
    EXPECT_TRUE(grid.allowed());
    if (std::is_same_v<TypeParam, host::FibreRunner>) {
      EXPECT_EQ(watch.covered(), watched) << "it waited before it allowed the next";
    }
    watch.end();
  }
}

}  // namespace
}  // namespace warpsafe::host_test
