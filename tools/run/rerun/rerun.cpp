// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// warpsafe-rerun PROGRAM ARGUMENT...: runs the program, and after a fault of its work on the GPU
// runs it again, once or twice, with waits after the launches that may have caused the fault.
// `warpsafe-run --rerun` starts it. The watch in the program's processes writes what it finds into
// a private folder (core/rerun). Ends as the first run ended.

#include "../core/rerun/suspect.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {
namespace {

volatile pid_t program = 0;
volatile std::sig_atomic_t interrupted_by = 0;

constexpr int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/// A terminal sends its signals to the program too.
void forward(int signal, siginfo_t* info, void*) {
  const int kept = errno;
  if (signal != SIGUSR1 && signal != SIGUSR2) interrupted_by = signal;
  if (program > 0 && info->si_code != SI_KERNEL) static_cast<void>(::kill(program, signal));
  errno = kept;
}

std::uint64_t milliseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}
std::string counted(std::size_t number, const char* one, const char* several) {
  return std::to_string(number) + ' ' + (number == 1 ? one : several);
}
void say(const std::string& text) { std::fprintf(stderr, "warpsafe: %s\n", text.c_str()); }

/// There is no process for the program.
struct NotStarted {};

/// Removes the folder. A process that outlives its run may have written into it.
void remove(const std::string& folder) {
  for (int tries = 0; tries < 3; ++tries) {
    if (DIR* const files = ::opendir(folder.c_str())) {
      while (const dirent* const one = ::readdir(files)) {
        static_cast<void>(::unlinkat(::dirfd(files), one->d_name, 0));
      }
      ::closedir(files);
    }
    if (::rmdir(folder.c_str()) == 0 || errno != ENOTEMPTY) return;
  }
}

/// What the runs have in common.
class Runs {
 public:
  Runs(char** command, std::string folder) : command_(command), folder_(std::move(folder)) {
    const char* const options = std::getenv("WARPSAFE_RUN");
    if (options != nullptr) options_ = options;
    input_at_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    struct stat about {};
    const bool known = ::fstat(STDIN_FILENO, &about) == 0;
    has_file_input_ = known && S_ISREG(about.st_mode) && input_at_ >= 0;
    keeps_input_ = !known || S_ISCHR(about.st_mode);
    // A caller that ignores it would keep waitpid from the program's status.
    ignores_children_ = std::signal(SIGCHLD, SIG_DFL) == SIG_IGN;
    // Nobody may read standard error any more.
    ignores_pipes_ = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    for (const int signal : forwarded) {
      struct sigaction now {};
      struct sigaction ours {};
      ours.sa_sigaction = &forward;
      ours.sa_flags = SA_SIGINFO | SA_RESTART;
      // A signal that the caller ignores (nohup) stays ignored, for the program too.
      if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
      ::sigaction(signal, &ours, nullptr);
      caught_.push_back(signal);
    }
  }

  /// Returns the first run's status, as waitpid reports it, or the signal that ends a later run.
  int all() {
    const std::uint64_t begun = milliseconds_now();
    const int status = run(1, 0);
    took_ = milliseconds_now() - begun;
    const SuspectFile first = found(1);
    if (interrupted_by != 0 || !faulted_ || first.is_exact) return status;
    if (first.suspects.empty()) {
      say("the program is not run again (--rerun): no launch can have caused the fault");
      return status;
    }
    write(first);
    const std::size_t count = first.suspects.size();
    say("the program faulted, and runs again with a wait after " +
        (count == 1 ? std::string("its suspect")
                    : "each of its " + std::to_string(count) + " suspects") +
        " (--rerun); what it prints appears again");
    const bool ended = again(2);
    SuspectFile later = found(2);
    if (interrupted_by != 0) return interrupted_by;
    if (later.is_exact) return status;
    if (faulted_ && ended) {
      say("the fault came from none of the suspects this time, or others ran beside; the program "
          "runs once more, with a wait after each launch");
      again(3);
      later = found(3);
      if (interrupted_by != 0) return interrupted_by;
      if (later.is_exact) return status;
    }
    if (!faulted_) {
      say("the program did not fault this time: the fault does not always repeat, or the waits "
          "prevent it, as they do where work lacks an order (try --races)");
      list("suspects of the first run", first);
    } else if (!ended) {
      say("no single launch can be named");
      list("suspects of the first run", first);
    }
    return status;
  }

 private:
  /// A later run gets so many times the first one's time, and a minute.
  static constexpr std::uint64_t patience = 20;

  /// Runs the program, unless a signal has come between two runs. `limit` is in milliseconds; 0:
  /// none. Returns its status or that of the signal; -1: over the limit.
  int run(int number, std::uint64_t limit) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    if (interrupted_by != 0) {
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      return interrupted_by;
    }
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      // As if the program had this process's place: it does not outlive it.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != self) ::_exit(127);
      for (const int signal : caught_) std::signal(signal, SIG_DFL);
      if (ignores_children_) std::signal(SIGCHLD, SIG_IGN);
      if (!ignores_pipes_) std::signal(SIGPIPE, SIG_DFL);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      execute(number);
    }
    program = child;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) {
      say(std::string("the program cannot be started: ") + std::strerror(errno));
      throw NotStarted{};
    }
    const std::uint64_t begun = milliseconds_now();
    int status = 0;
    bool over = false;
    for (;;) {
      // Until `program` is 0, the child keeps its number, which a handler may use.
      siginfo_t ended{};
      const int asked = ::waitid(P_PID, static_cast<id_t>(child), &ended,
                                 WEXITED | WNOWAIT | (limit == 0 ? 0 : WNOHANG));
      if ((asked == 0 && ended.si_pid == child) || (asked != 0 && errno != EINTR)) break;
      if (limit == 0) continue;
      const timespec pause{0, 10'000'000};
      ::nanosleep(&pause, nullptr);
      const std::uint64_t now = milliseconds_now() - begun;
      if (now > limit && !over) {
        over = true;
        ::kill(child, SIGTERM);
      }
      if (now > limit + 5000) ::kill(child, SIGKILL);
    }
    program = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return over ? -1 : status;
  }
  /// Runs the program again. Returns false if it was ended.
  bool again(int number) {
    const std::uint64_t limit = patience * took_ + 60'000;
    if (run(number, limit) != -1) return true;
    say("the program had not ended after " + std::to_string(limit / 1000) +
        " s in this run, and was ended");
    return false;
  }
  /// The options of a later run: its files do not replace those of the first.
  [[nodiscard]] std::string options_of(int number) const {
    std::string made = "rerun=" + std::to_string(number) + "\nrerun-folder=" + folder_ + '\n';
    if (number > 1) made += "quiet\n";
    for (std::size_t at = 0; at < options_.size();) {
      const std::size_t end = options_.find('\n', at);
      std::string line = options_.substr(at, end - at);
      at = end == std::string::npos ? options_.size() : end + 1;
      const auto is = [&](std::string_view name) {
        return line.compare(0, name.size(), name) == 0;
      };
      if (number > 1) {
        if (is("journal=") || is("timeline=") || is("error-exitcode=")) continue;
        if (is("report=")) {
          const std::size_t dot = line.rfind('.');
          const std::size_t slash = line.rfind('/');
          const bool has_dot =
              dot != std::string::npos && (slash == std::string::npos || dot > slash);
          line.insert(has_dot ? dot : line.size(), ".rerun");
        }
      }
      made += line + '\n';
    }
    return made;
  }
  [[noreturn]] void execute(int number) const {
    ::setenv("WARPSAFE_RUN", options_of(number).c_str(), 1);
    if (number > 1) {
      ::unsetenv("WARPSAFE_RANKS");  // its files are of the first run
      if (has_file_input_) {
        ::lseek(STDIN_FILENO, input_at_, SEEK_SET);
      } else if (!keeps_input_) {
        // The first run has read a pipe, or left what is not for another process.
        const int nothing = ::open("/dev/null", O_RDONLY);
        if (nothing > 0) {
          ::dup2(nothing, STDIN_FILENO);
          ::close(nothing);
        }
      }
    }
    ::execvp(command_[0], command_);
    const int failed = errno;
    std::fprintf(stderr, "warpsafe-run: %s: %s\n", command_[0], std::strerror(failed));
    ::_exit(failed == ENOENT ? 127 : 126);
  }

  /// Returns what all processes of a run have written, and removes their files. Sets `faulted_`.
  SuspectFile found(int number) {
    SuspectFile all;
    faulted_ = false;
    DIR* const files = ::opendir(folder_.c_str());
    if (files == nullptr) return all;
    const std::string begin = std::to_string(number) + '.';
    while (const dirent* const one = ::readdir(files)) {
      const std::string name = one->d_name;
      if (name.compare(0, begin.size(), begin) != 0) continue;
      const std::string path = folder_ + '/' + name;
      std::ifstream in(path, std::ios::binary);
      SuspectFile more = SuspectFile::parse({std::istreambuf_iterator<char>(in), {}});
      faulted_ = true;
      all.is_exact = all.is_exact || more.is_exact;
      all.suspects.insert(all.suspects.end(), more.suspects.begin(), more.suspects.end());
      ::unlink(path.c_str());
    }
    ::closedir(files);
    return all;
  }
  void write(const SuspectFile& first) const {
    std::ofstream(folder_ + '/' + SuspectFile::all, std::ios::binary) << first.text();
  }
  static void list(const std::string& what, const SuspectFile& of) {
    constexpr std::size_t shown = 32;
    std::string text =
        "  " + what + ": " + counted(of.suspects.size(), "launch", "launches") + '\n';
    for (std::size_t i = 0; i < of.suspects.size() && i < shown; ++i) {
      text += "    " + of.suspects[i].text() + '\n';
    }
    if (of.suspects.size() > shown) {
      text += "    and " + std::to_string(of.suspects.size() - shown) + " older ones\n";
    }
    std::fputs(text.c_str(), stderr);
  }

  char** command_;
  const std::string folder_;
  std::string options_{};
  std::vector<int> caught_{};
  off_t input_at_ = -1;
  bool has_file_input_ = false;
  bool keeps_input_ = true;  ///< a terminal
  bool ignores_children_ = false;
  bool ignores_pipes_ = false;
  bool faulted_ = false;    ///< in the run that `found` was asked about
  std::uint64_t took_ = 0;  ///< the first run, in milliseconds
};

/// Ends as the program has ended.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const rlimit none{0, 0};  // the program has written its core file
    ::setrlimit(RLIMIT_CORE, &none);
    std::signal(signal, SIG_DFL);
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    ::raise(signal);
    ::_exit(128 + signal);  // process 1 of a container
  }
  ::_exit(WEXITSTATUS(status));
}

}  // namespace
}  // namespace warpsafe::watch

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: warpsafe-rerun PROGRAM ARGUMENT... (warpsafe-run starts it)\n");
    return 2;
  }
  const char* const temporary = std::getenv("TMPDIR");
  std::string folder = temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
  folder += "/warpsafe.XXXXXXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "warpsafe-run: --rerun needs a folder for its suspects; set TMPDIR\n");
    return 2;
  }
  int status = 0;
  try {
    status = warpsafe::watch::Runs(argv + 1, folder).all();
  } catch (const warpsafe::watch::NotStarted&) {
    status = 126 << 8;
  } catch (...) {
    std::fprintf(stderr, "warpsafe-run: --rerun: out of memory\n");
    status = 2 << 8;
  }
  warpsafe::watch::remove(folder);
  warpsafe::watch::end_as(status);
}
