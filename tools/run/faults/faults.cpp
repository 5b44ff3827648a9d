// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// warpsafe-faults FOLDER PROCESS: prints where kernels faulted, from the core dumps that CUDA's
// driver writes into a folder while the process runs, and removes the folder after its end. It
// returns at once, and does this in the background.
// `warpsafe-run --stop-at-fault` starts it beside the program, because the driver writes no core
// dump in a process with CUPTI or with an injected library (seen with driver 580).

#include "core_dump.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>

namespace warpsafe::watch {
namespace {

/// Reads a core dump. False: it is not whole.
bool read_dump(const std::string& path, FaultSite& site) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat about {};
  void* mapped = MAP_FAILED;
  if (file >= 0 && ::fstat(file, &about) == 0 && about.st_size > 0) {
    mapped =
        ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  if (file >= 0) ::close(file);
  if (mapped == MAP_FAILED) return false;
  const auto size = static_cast<std::size_t>(about.st_size);
  const CoreDump dump({static_cast<const unsigned char*>(mapped), size});
  if (dump.is_readable()) site = dump.fault();
  ::munmap(mapped, size);
  return dump.is_readable();
}

/// Prints the faults of all dumps that are whole, and removes these. After the end of the process,
/// also those that are not.
void report(const std::string& folder, bool has_ended) {
  DIR* const files = ::opendir(folder.c_str());
  if (files == nullptr) return;
  while (const dirent* const one = ::readdir(files)) {
    const std::string name = one->d_name;
    // The driver names a dump by its process. Nothing else here is ours.
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string path = folder + '/' + name;
    FaultSite site;
    const bool is_whole = read_dump(path, site);
    if (!is_whole && !has_ended) continue;
    std::string text = "warpsafe: " + fault_finding(site).text();
    text += is_whole ? "\n  in process " + name
                     : "\n  the driver's core dump of process " + name + " is not whole";
    std::fprintf(stderr, "%s\n", text.c_str());
    static_cast<void>(::unlink(path.c_str()));
  }
  ::closedir(files);
}

/// Whether the process has ended. Its parent may not have asked yet how.
bool has_ended(const std::string& process) {
  std::FILE* const file = std::fopen(("/proc/" + process + "/stat").c_str(), "re");
  // Perhaps /proc shows no process of another user.
  if (file == nullptr) return ::kill(std::stoi(process), 0) != 0 && errno == ESRCH;
  char text[512] = "";
  const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  // The state is behind the name of the program, which may have any letter in it.
  const std::string line(text, size);
  const std::size_t at = line.rfind(')');
  return at == std::string::npos || at + 2 >= size || line[at + 2] == 'Z' || line[at + 2] == 'X';
}

/// Tells of written files and of the process's end. -1: this system cannot, so look often.
struct Events {
  int files = -1;
  int end = -1;  ///< /proc also shows a process as ended whose other threads run on
};
Events open_events(const std::string& folder, const std::string& process) {
  Events events;
  events.end = static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(process), 0));
  events.files = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (::inotify_add_watch(events.files, folder.c_str(), IN_CLOSE_WRITE) < 0) events.files = -1;
  return events;
}

void watch(const Events& events, const std::string& folder, const std::string& process) {
  for (bool ended = false; !ended;) {
    report(folder, false);
    pollfd both[] = {{events.files, POLLIN, 0}, {events.end, POLLIN, 0}};
    const int pause = events.files >= 0 && events.end >= 0 ? -1 : 100;  // milliseconds
    static_cast<void>(::poll(both, 2, pause));
    ended = events.end >= 0 ? both[1].revents != 0 : has_ended(process);
    char told[4096];
    while (::read(events.files, told, sizeof told) > 0) {
    }
  }
  report(folder, true);
}

}  // namespace
}  // namespace warpsafe::watch

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: warpsafe-faults FOLDER PROCESS (warpsafe-run starts it)\n");
    return 2;
  }
  // Whoever reads from the program's other files waits for their last holder.
  for (int one = 3; one < 1024; ++one) ::close(one);
  // Signals are for the program, and the folder is removed after its end. A signal to its whole
  // group, which may be SIGKILL, must not come here.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  try {
    const warpsafe::watch::Events events = warpsafe::watch::open_events(argv[1], argv[2]);
    // The program may wait for its children, so be none of them.
    const ::pid_t child = ::fork();
    if (child != 0) return child < 0 ? 1 : 0;
    ::setsid();
    warpsafe::watch::watch(events, argv[1], argv[2]);
  } catch (...) {
    std::fprintf(stderr, "warpsafe: a kernel faulted; no memory to read where\n");
  }
  return ::rmdir(argv[1]) == 0 ? 0 : 1;
}
