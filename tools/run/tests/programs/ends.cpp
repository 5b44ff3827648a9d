// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that launches and then ends otherwise than by exit(). Each argument names one thing to
// do.

#include <cuda.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

CUstream stream = nullptr;
CUevent event = nullptr;

int launch(unsigned grid_y) {
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, nullptr, "_ZN4demo4axpyEfPKfPfi") != CUDA_SUCCESS) return -1;
  return cuLaunchKernel(function, 4, grid_y, 1, 256, 1, 1, 0, stream, nullptr, nullptr);
}
[[gnu::noinline]] void write_to_nothing() { *static_cast<volatile int*>(nullptr) = 1; }
/// Returns the status of a child that runs `body`.
template <class Body>
int child_of(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}
void set(int signal, void (*handler)(int)) {
  struct sigaction made {};
  made.sa_handler = handler;
  ::sigaction(signal, &made, nullptr);
}
volatile sig_atomic_t ended_children = 0;

int act(const char* what) {
  const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
  if (is("launch")) return launch(1);
  if (is("refused")) return launch(70000);
  if (is("segv")) write_to_nothing();
  if (is("reads_device")) {
    CUdeviceptr memory = 0;
    if (cuMemAlloc(&memory, 4096) != CUDA_SUCCESS) return -1;
    return *reinterpret_cast<volatile int*>(static_cast<std::uintptr_t>(memory + 8));
  }
  if (is("abort")) std::abort();
  if (is("int")) return std::raise(SIGINT);
  if (is("term")) return ::kill(::getpid(), SIGTERM);
  if (is("quit")) return std::raise(SIGQUIT);
  if (is("sent_segv")) return ::kill(::getpid(), SIGSEGV);
  if (is("_exit")) ::_exit(5);
  if (is("_Exit")) std::_Exit(6);
  if (is("wait")) return cuStreamSynchronize(stream);
  // Handles that are used after they were destroyed.
  if (is("stream")) return cuStreamCreate(&stream, 0);
  if (is("destroyed")) return cuStreamDestroy(stream);
  if (is("event")) return cuEventCreate(&event, 0);
  if (is("destroyed_event")) return cuEventDestroy(event);
  if (is("wait_event")) return cuStreamWaitEvent(nullptr, event, 0);
  if (is("other_thread")) {
    std::thread([] { write_to_nothing(); }).join();
  }
  // The program's own handlers.
  if (is("own_int")) {
    set(SIGINT, [](int) {
      static_cast<void>(!::write(1, "own\n", 4));
      ::_exit(9);
    });
    return 0;
  }
  if (is("own_returns")) {
    set(SIGTERM, [](int) { static_cast<void>(!::write(1, "own\n", 4)); });
    return 0;
  }
  // Calls the handler that was there before, as crash reporters do.
  if (is("chain")) {
    static struct sigaction before;
    struct sigaction made {};
    made.sa_flags = SA_SIGINFO;
    made.sa_sigaction = [](int signal, siginfo_t* info, void* of) {
      static_cast<void>(!::write(1, "mine\n", 5));
      if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, of);
      } else {
        ::signal(signal, SIG_DFL);
      }
    };
    ::sigaction(SIGSEGV, &made, &before);
    return 0;
  }
  // Children: none of their ends is the program's.
  if (is("children")) {
    const int killed = child_of([] { write_to_nothing(); });
    const int left = child_of([] { ::_exit(3); });
    const pid_t at_once = ::vfork();
    if (at_once == 0) ::_exit(4);
    int status = 0;
    ::waitpid(at_once, &status, 0);
    return WTERMSIG(killed) * 10000 + WEXITSTATUS(left) * 100 + WEXITSTATUS(status);
  }
  // Whether a report leaves a child that the program could see.
  if (is("sees_children")) {
    set(SIGCHLD, [](int) { ended_children = ended_children + 1; });
    launch(70000);
    const pid_t found = ::waitpid(-1, nullptr, WNOHANG);
    return found == -1 && errno == ECHILD ? ended_children : -1;
  }
  // Ends while the thread holds a lock that the watch needs: the signal arrives inside of malloc.
  if (is("busy_term")) {
    std::thread([] {
      ::usleep(30'000);
      ::kill(::getpid(), SIGTERM);
    }).detach();
    for (;;) {
      std::free(std::malloc(1 << 20));
      launch(1);
    }
  }
  // Threads that go on while the process ends.
  if (is("busy_threads")) {
    for (int i = 0; i < 4; ++i) {
      std::thread([] {
        for (;;) launch(1);
      }).detach();
    }
    return ::usleep(20'000);
  }
  // Its last thread ends the process, and main is not that thread.
  if (is("main_leaves")) {
    std::thread([] { ::usleep(50'000); }).detach();
    ::pthread_exit(nullptr);
  }
  if (is("close_stderr")) return ::close(2);
  // Output that only exit() writes: of a handler, and of a stream's buffer.
  if (is("unflushed")) {
    static char buffer[4096];
    std::FILE* const stream_of_ours = ::fdopen(::dup(1), "w");
    std::setvbuf(stream_of_ours, buffer, _IOFBF, sizeof buffer);
    std::fputs("of a stream\n", stream_of_ours);
    return std::atexit([] { std::puts("at exit"); });
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  // `ignored` comes first: what is ignored before CUDA starts, as by nohup.
  if (argc > 1 && std::strcmp(argv[1], "ignored") == 0) std::signal(SIGINT, SIG_IGN);
  if (argc > 1 && std::strcmp(argv[1], "early") == 0) {
    set(SIGTERM, [](int) {
      static_cast<void>(!::write(1, "early\n", 6));
      ::_exit(8);
    });
  }
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return 1;
  for (int i = 1; i < argc; ++i) {
    const int status = act(argv[i]);
    std::printf("%s: %d\n", argv[i], status);
    std::fflush(stdout);
  }
}
