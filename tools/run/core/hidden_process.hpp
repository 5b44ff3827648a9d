// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/held_signals.hpp"
#include <warpsafe/tool_api.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Runs another program beside the watched one, which notices nothing of it: wait() and waitpid(-1)
/// see none of the processes, no SIGCHLD arrives, and no handler of pthread_atfork runs. A process
/// that executes a file sends SIGCHLD to its parent when it ends (execve(2)), so its parent is a
/// helper process, which ends without a signal (clone(2), "the child termination signal").
class HiddenProcess {
 public:
  /// Returns what the program at the path `words[0]` prints, with these arguments. `input` is the
  /// descriptor of its standard input; -1: it has none. Returns "" if it prints more than `most`
  /// bytes or takes longer than `patience` nanoseconds, and then ends it.
  [[nodiscard]] static std::string output(std::vector<std::string> words, int input,
                                          std::uint64_t patience, std::size_t most) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    Start asked{argv.data(), input, ends[1], patience, nullptr, nullptr};
    constexpr std::size_t bytes = 2 * stack_bytes;
    void* const stacks = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    std::string text;
    if (stacks != MAP_FAILED) {
      asked.helper_stack = static_cast<char*>(stacks) + bytes;
      asked.tool_stack = static_cast<char*>(stacks) + stack_bytes;
      const pid_t helper = start_helper(asked);
      ::close(ends[1]);
      if (helper > 0) {
        if (!read_all(ends[0], 2 * patience, most, text)) text.clear();
        int status = 0;
        // The helper ends the tool in time.
        while (::waitpid(helper, &status, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) {
        }
      }
      ::munmap(stacks, bytes);
    } else {
      ::close(ends[1]);
    }
    ::close(ends[0]);
    return text;
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  struct Start {
    char* const* argv;
    int input;
    int output;
    std::uint64_t patience;
    char* helper_stack;  ///< its end
    char* tool_stack;
  };
  /// Runs in the helper, which shares this process's memory, and takes no signals. Makes system
  /// calls only.
  static int help(void* of) noexcept {
    const Start& asked = *static_cast<const Start*>(of);
    const pid_t tool = ::clone(&execute, asked.tool_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, of);
    const std::uint64_t begun = tool::nanoseconds_now();
    while (tool > 0) {
      // Without a child: the program ignores SIGCHLD, and the system has removed it.
      if (::waitpid(tool, nullptr, WNOHANG) != 0) break;
      if (tool::nanoseconds_now() - begun > asked.patience) ::kill(tool, SIGKILL);
      const timespec pause{0, 2'000'000};
      ::nanosleep(&pause, nullptr);
    }
    ::_exit(0);
  }
  /// Runs in the tool's process, which shares this process's memory until it executes the tool.
  static int execute(void* of) noexcept {
    const Start& asked = *static_cast<const Start*>(of);
    static char locale[] = "LC_ALL=C";
    char* environment[] = {locale, nullptr};  // none of the program's: it may preload libraries
    const int nothing = ::open("/dev/null", O_RDWR);
    const int input = asked.input < 0 ? nothing : asked.input;
    if (nothing < 0 || ::dup2(input, 0) < 0 || ::dup2(asked.output, 1) < 0 ||
        ::dup2(nothing, 2) < 0) {
      ::_exit(127);
    }
#ifdef SYS_close_range
    // Descriptors without close-on-exec would stay open in the tool.
    static_cast<void>(::syscall(SYS_close_range, 3U, ~0U, 0U));
#endif
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(asked.argv[0], asked.argv, environment);
    ::_exit(127);
  }
  [[nodiscard]] static pid_t start_helper(Start& asked) noexcept {
    const NoSignals held;
    return ::clone(&help, asked.helper_stack, CLONE_VM, &asked);
  }
  /// Reads until the end. Returns false if that takes too long or is too much.
  [[nodiscard]] static bool read_all(int from, std::uint64_t longest, std::size_t most,
                                     std::string& text) {
    const std::uint64_t begun = tool::nanoseconds_now();
    char part[4096];
    while (text.size() < most) {
      const std::uint64_t waited = tool::nanoseconds_now() - begun;
      if (waited >= longest) return false;
      pollfd ready{from, POLLIN, 0};
      const int count = ::poll(&ready, 1, static_cast<int>((longest - waited) / 1'000'000) + 1);
      if (count < 0 && errno != EINTR) return false;
      if (count <= 0) continue;
      const ssize_t read = ::read(from, part, sizeof part);
      if (read == 0) return true;
      if (read < 0 && errno != EINTR) return false;
      if (read > 0) text.append(part, static_cast<std::size_t>(read));
    }
    return false;
  }
};

}  // namespace warpsafe::watch
