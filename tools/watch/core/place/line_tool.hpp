// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/held_signals.hpp"
#include <warpsafe/debug/run_listener.hpp>

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
#include <cstdio>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Runs addr2line, which reads an object's debug information. The program notices nothing of the
/// process: its end raises no SIGCHLD, and wait() and waitpid(-1) of the program do not see it
/// (clone(2): a child without an exit signal), and no handler of pthread_atfork runs.
class LineTool {
 public:
  /// Returns what the tool at `path` prints about `addresses` of `object`: for each address a line
  /// "0x…", and then two lines, function and file:line, for each function that the compiler has
  /// inlined there. Returns "" if the tool fails or takes longer than two seconds.
  [[nodiscard]] static std::string ask(const std::string& path, const std::string& object,
                                       const std::vector<std::uint64_t>& addresses) {
    if (path.empty() || addresses.empty()) return {};
    std::vector<std::string> words = {path, "-a", "-f", "-C", "-i", "-e", object};
    for (const std::uint64_t one : addresses) words.push_back(hexadecimal(one));
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    const pid_t child = start(argv.data(), ends[1]);
    ::close(ends[1]);
    std::string text;
    const bool whole = child > 0 && read_all(ends[0], text);
    ::close(ends[0]);
    if (child <= 0) return {};
    if (!whole) static_cast<void>(::kill(child, SIGKILL));
    int status = 0;
    while (::waitpid(child, &status, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) {
    }
    return whole ? text : std::string();
  }

 private:
  struct Start {
    char* const* argv;
    int output;
  };
  [[nodiscard]] static std::string hexadecimal(std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
  }
  /// Runs in the child, which shares this process's memory until it executes the tool.
  static int run(void* of) noexcept {
    const Start& asked = *static_cast<const Start*>(of);
    static char locale[] = "LC_ALL=C";
    char* environment[] = {locale, nullptr};  // none of the program's: it may preload libraries
    const int nothing = ::open("/dev/null", O_RDWR);
    // Descriptors without close-on-exec would stay open in the tool.
    if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(asked.output, 1) < 0 ||
        ::dup2(nothing, 2) < 0) {
      ::_exit(127);
    }
#ifdef SYS_close_range
    static_cast<void>(::syscall(SYS_close_range, 3U, ~0U, 0U));
#endif
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(asked.argv[0], asked.argv, environment);
    ::_exit(127);
  }
  [[nodiscard]] static pid_t start(char* const* argv, int output) {
    constexpr std::size_t bytes = std::size_t{64} << 10;
    void* const stack = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return -1;
    Start asked{argv, output};
    // A handler of the program must not run in the child, which shares its memory.
    const NoSignals held;
    const pid_t child =
        ::clone(&run, static_cast<char*>(stack) + bytes, CLONE_VM | CLONE_VFORK, &asked);
    ::munmap(stack, bytes);
    return child;
  }
  /// Reads until the end. Returns false if that takes too long or is too much.
  [[nodiscard]] static bool read_all(int from, std::string& text) {
    constexpr std::uint64_t patience = 2'000'000'000;  // nanoseconds
    constexpr std::size_t most = std::size_t{1} << 20;
    const std::uint64_t begun = debug::detail::nanoseconds_now();
    char part[4096];
    while (text.size() < most) {
      const std::uint64_t waited = debug::detail::nanoseconds_now() - begun;
      if (waited >= patience) return false;
      pollfd ready{from, POLLIN, 0};
      const int count = ::poll(&ready, 1, static_cast<int>((patience - waited) / 1'000'000) + 1);
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
