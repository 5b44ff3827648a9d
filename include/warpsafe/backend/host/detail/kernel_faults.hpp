// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_span.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/fault_place.hpp>
#include <warpsafe/backend/host/detail/fibre.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/predecessor_watch.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

// What ends a kernel that makes a mistake: texts of its failures, and the handler of bad accesses.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

using warpsafe::detail::host_thread;
using warpsafe::detail::HostThread;
using warpsafe::detail::TextBuffer;

/// The source line at which a thread waits for its block.
struct BarrierSite {
  const char* file = nullptr;
  unsigned line = 0;

  [[nodiscard]] bool same_as(const BarrierSite& other) const noexcept {
    // Two translation units may contain the same file name at different addresses.
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
};

/// Threads of one block wait for each other forever.
inline void fail_divergence(Grid& grid, const unsigned (&block)[3], std::uint64_t finished,
                            const BarrierSite& first, std::uint64_t at_first,
                            const BarrierSite& other, std::uint64_t elsewhere) {
  char text[512];
  TextBuffer out(text, sizeof text);
  out << "barrier divergence in block " << block << ": of " << finished + at_first + elsewhere
      << " threads, " << at_first << " wait at " << first.file << ':' << first.line;
  if (elsewhere != 0) out << ", " << elsewhere << " at " << other.file << ':' << other.line;
  if (finished != 0) out << ", " << finished << " have finished";
  grid.fail(HostStatus::barrier_divergence, text);
}

/// An exception leaves kernel code.
inline void fail_exception(Grid& grid, const HostThread& at, const char* what) {
  char text[512];
  TextBuffer out(text, sizeof text);
  out << "the kernel threw in block " << at.block << ", thread " << at.thread << ": " << what;
  grid.fail(HostStatus::launch_failure, text);
}

/// Ends the kernel that the OS thread runs, because of what it does in this line.
template <class... Parts>
void end_kernel(const char* file, unsigned line, const Parts&... parts) {
  HostThread* const self = host_thread;
  if (self == nullptr || self->fault == nullptr) return;
  char text[512];
  TextBuffer out(text, sizeof text);
  ((out << "the kernel ") << ... << parts);
  out << ", in block " << self->block << ", thread " << self->thread << ", at "
      << call_site{file, nullptr, line};
  self->fault(*self, text);
}
/// detail::leave_span.
inline void end_outside_of_span(std::size_t first, std::size_t count, std::size_t size,
                                const char* file, unsigned line) {
  if (count == 1) return end_kernel(file, line, "used element ", first, " of ", size);
  end_kernel(file, line, "took ", count, " elements from ", first, " on, of ", size);
}

/// HostThread::lack_shared.
inline void end_without_shared(HostThread& self, std::size_t count, std::size_t size,
                               const char* file, unsigned line) {
  end_kernel(file, line, "asks dynamic_shared for ", static_cast<std::int64_t>(count),
             count == 1 ? " element of " : " elements of ", size, size == 1 ? " byte" : " bytes",
             ", and the launch gives ", self.dynamic_shared_bytes,
             " bytes (set them with shared<T>(count))");
}

/// detail::see_elements.
inline void see_watched_elements(std::size_t first, std::size_t count, std::size_t size) {
  HostThread* const self = host_thread;
  if (self == nullptr || size < self->watched.least || size > self->watched.most) return;
  const std::size_t own = std::size_t{self->block[0]} * self->block_dim[0] + self->thread[0];
  if (first != own || count != 1) {
    self->use.other = true;
  } else if (own + 1 == std::size_t{self->grid_dim[0]} * self->block_dim[0]) {
    self->use.own = true;
  }
}
/// Whether this OS thread runs a kernel whose elements are watched.
inline void watch_elements(bool watches) noexcept {
  warpsafe::detail::see_elements = watches ? &see_watched_elements : nullptr;
}

/// What an OS thread works on, for the handler of faults. Valid while `host_thread` is not nullptr.
struct RunningBlock {
  const FibrePool* stacks = nullptr;
  Grid* grid = nullptr;
  const bool* in_model = nullptr;  ///< it is inside of a function of the model, not of the kernel
  // Of the requests to end it that found it in the kernel's own code:
  unsigned requests = 0;
  std::size_t least_depth = ~std::size_t{0};  ///< of its stack
};
[[gnu::visibility("default")]] inline thread_local RunningBlock running_block{};

/// A stack for the handler of faults of an OS thread that runs kernels: it cannot run on a stack
/// that is used up. A stack that the program has given the OS thread stays.
class FaultStack {
 public:
  /// Call it before the OS thread runs kernels.
  [[gnu::visibility("default")]] static void provide() noexcept {
    static thread_local const FaultStack mine;
  }

  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  FaultStack() noexcept {
    if constexpr (address_sanitizer || thread_sanitizer) return;
    stack_t other{};
    if (sigaltstack(nullptr, &other) != 0 || (other.ss_flags & SS_DISABLE) == 0) return;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    set(0);
  }
  ~FaultStack() {
    if (memory_ == nullptr) return;
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) set(SS_DISABLE);
    munmap(memory_, bytes);
  }
  void set(int flags) const noexcept {
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = bytes;
    ours.ss_flags = flags;
    static_cast<void>(sigaltstack(&ours, nullptr));
  }

  // The registers that a processor saves for a handler take up to 11 KiB.
  static constexpr std::size_t bytes = std::size_t{64} * 1024;
  void* memory_ = nullptr;
};

/// Appends what the instruction did.
inline TextBuffer& operator<<(TextBuffer& out, const siginfo_t& info) noexcept {
  // The processor does not tell an address that no memory can have.
  if (info.si_code == SI_KERNEL) return out << "accessed an address that no memory can have";
  return out << "accessed address " << static_cast<const void*>(info.si_addr)
             << ", where it has no memory";
}

/// A text of the running kernel that ends the program: `warpsafe: kernel '<name>' `, `parts`, and
/// the thread. Called by a signal handler.
template <class... Parts>
[[gnu::cold]] void report_kernel(const HostThread& self, const char* advice,
                                 const Parts&... parts) noexcept {
  char text[1024];
  TextBuffer out(text, sizeof text);
  const Name kernel = running_block.grid->kernel;
  out << "warpsafe: kernel '" << (kernel.empty() ? Name::of("(unknown)") : kernel) << "' ";
  (out << ... << parts) << ", in block " << self.block << ", thread " << self.thread << "\n  "
                        << advice;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, out.size());
}
/// Says that a thread has used up its stack of `bytes` bytes.
[[gnu::cold]] inline void report_overflow(const HostThread& self, std::size_t bytes) noexcept {
  char advice[160];
  TextBuffer out(advice, sizeof advice);
  out << "its local variables and calls need more; set WARPSAFE_HOST_STACK="
      << std::uint64_t{bytes / 512} << "K, or call host::set_stack_bytes before the launch\n";
  report_kernel(self, advice, "used up the stack of a thread, ", std::uint64_t{bytes}, " bytes");
}

[[gnu::visibility("default")]] inline struct sigaction
    outer_handlers[2];  ///< of SIGSEGV and SIGBUS, before end_bad_access

/// Calls the handler before ours, or ends the program as without ours.
inline void forward_signal(int number, siginfo_t* info, void* context) {
  const struct sigaction& outer = outer_handlers[number == SIGBUS ? 1 : 0];
  const bool sent = info->si_code <= 0;
  if ((outer.sa_flags & SA_SIGINFO) != 0) return outer.sa_sigaction(number, info, context);
  if (outer.sa_handler != SIG_DFL && outer.sa_handler != SIG_IGN) return outer.sa_handler(number);
  if (sent && outer.sa_handler == SIG_IGN) return;
  // The instruction runs again, and ends the program as it would have without this handler. A
  // signal that was sent has no instruction.
  static_cast<void>(sigaction(number, &outer, nullptr));
  if (sent) static_cast<void>(std::raise(number));
}

/// The handler of SIGSEGV and SIGBUS that was installed; nullptr: none.
[[gnu::visibility("default")]] inline void (*fault_handler)(int, siginfo_t*, void*) = nullptr;

/// Asks another OS thread to end the block that it runs. Does nothing where ours is not the
/// handler: with a sanitizer, or where the program has its own in its place.
inline void request_end([[maybe_unused]] pthread_t thread) noexcept {
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
  struct sigaction now {};
  if (fault_handler == nullptr || sigaction(SIGSEGV, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != fault_handler) return;
  sigval ours{};
  ours.sival_ptr = &fault_handler;
  static_cast<void>(pthread_sigqueue(thread, SIGSEGV, ours));
#endif
}
[[nodiscard]] inline bool is_end_request(const siginfo_t& info) noexcept {
  return info.si_code == SI_QUEUE && info.si_pid == getpid() &&
         info.si_value.sival_ptr == &fault_handler;
}
/// What request_end makes the thread do: it ends a block of a stopped grid, which may wait for ever
/// for one that has failed. Not inside of a function that may hold a lock: one of a library or of
/// the model, or one that the loop of the kernel calls, such as an allocator of the program. The
/// latter is known by its depth: the loop itself is where the stack is least deep, which many
/// requests tell. A function as sched_yield, which the loop calls and which calls nothing itself,
/// counts as the loop. Whoever asked asks again. A signal handler.
inline void end_waiting_block(const void* context) noexcept {
  constexpr unsigned enough_requests = 100;
  HostThread* const self = host_thread;
  if (self == nullptr || running_block.in_model == nullptr) return;
  RunningBlock& block = running_block;
  if (!block.grid->stopped() || *block.in_model) return;
  const FaultPlace place = FaultPlace::of(context);
  void* const kernel = const_cast<void*>(block.grid->function());
  const bool is_called = !is_kernel_code(kernel, place.code);
  if (is_called && !is_kernel_code(kernel, place.caller)) return;
  const std::size_t depth = block.stacks->depth(is_called ? place.caller_stack : place.stack);
  if (depth == 0) return;
  ++block.requests;
  if (depth < block.least_depth) block.least_depth = depth;
  if (block.requests < enough_requests || depth != block.least_depth) return;
  self->leave(*self, "", 0);
}

/// Ends a kernel that accesses an address without memory, as a GPU does. Where a function of the
/// program may be interrupted that holds a lock, such as the allocator's or that of stdout, nothing
/// can release it. So a kernel that has used up its stack ends the program, as does a function of
/// another library that a kernel calls. Every other fault of the program, and a signal that was
/// sent, goes on to its own handler. A signal handler: it neither locks nor allocates. It leaves a
/// kernel by switching fibres, so its signal must not stay blocked meanwhile.
inline void end_bad_access(int number, siginfo_t* info, void* context) {
  if (is_end_request(*info)) return end_waiting_block(context);
  if (info->si_code <= 0) return forward_signal(number, info, context);
  if (PredecessorWatch::takes(info->si_addr, context)) return;
  HostThread* const self = host_thread;
  if (self == nullptr || self->fault == nullptr) return forward_signal(number, info, context);
  const auto end_program = [&] {
    // If the program's handler returns, the instruction faults again: then without our text.
    host_thread = nullptr;
    forward_signal(number, info, context);
  };
  if (running_block.stacks != nullptr) {
    if (const std::size_t bytes = running_block.stacks->overflowed(info->si_addr); bytes != 0) {
      report_overflow(*self, bytes);
      return end_program();
    }
    void* const kernel = const_cast<void*>(running_block.grid->function());
    if (const link_map* const library = library_of_fault(kernel, FaultPlace::of(context))) {
      report_kernel(*self, "the function may hold a lock, so the program ends\n",
                    "called a function of ", library->l_name, ", which ", *info);
      return end_program();
    }
  }
  char text[256];
  TextBuffer out(text, sizeof text);
  out << "the kernel " << *info << ", in block " << self->block << ", thread " << self->thread;
  if (running_block.grid != nullptr) {
    running_block.grid->fail(HostStatus::illegal_address, text, info->si_addr);
  }
  self->fault(*self, text);
}

/// Kernels that leave their memory then fail, not the program. Called once.
inline void install_fault_handlers() noexcept {
  warpsafe::detail::leave_span = &end_outside_of_span;
  // A sanitizer has its own handler, and explains the access.
  if constexpr (address_sanitizer || thread_sanitizer) return;
  struct sigaction ours {};
  ours.sa_sigaction = &end_bad_access;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  fault_handler = &end_bad_access;
  static_cast<void>(sigaction(SIGSEGV, &ours, &outer_handlers[0]));
  static_cast<void>(sigaction(SIGBUS, &ours, &outer_handlers[1]));
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
