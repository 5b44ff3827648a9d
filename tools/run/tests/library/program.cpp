// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A correct or wrong user of the libraries' stand-ins, under warpsafe-run. It tests itself that the
// watch changes nothing: each argument names a case, and the program prints the line of the call
// that returns a status, or what went wrong.

#include "stand_in.hpp"

#include <alloca.h>
#include <cuda.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

int line = 0;
#define HERE(call) (line = __LINE__, static_cast<int>(call))
/// Ends the program if the watch has changed something.
void must(bool is_right, const char* what) {
  if (is_right) return;
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  _exit(3);
}

int twenty(int status) {
  return cublasTwenty(status, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                      21, 22, 23, 24, 25, 26);
}
[[gnu::noinline]] void arguments(int number, std::size_t depth) {
  auto* const room = static_cast<volatile char*>(alloca(depth + 16));
  room[0] = 0;
  for (const int status : {0, number < 300 ? 7 : 0}) {
    errno = 42;
    must(twenty(status) == status, "words");
    Words words{};
    for (std::uint64_t i = 0; i < 16; ++i) words.word[i] = 100 + i;
    must(cublasMixed(status, 1, 2, words, 3, 4, 5, 6, 7, 8, 9, 10) == status, "mixed");
    must(errno == 42, "errno");
    // Other numbers each time: those of the last time may be on the stack still.
    char text[64];
    const double real = status + number + 0.5;
    std::snprintf(text, sizeof text, "%d %g %d %d %d %g", 1, real, 3, 4, 5, real + 0.25);
    must(cublasVariadic(status, text, "%d %g %d %d %d %g", 1, real, 3, 4, 5, real + 0.25) == status,
         "variadic");
  }
}
/// At all distances from the end of a page, where the words to copy may end.
void arguments() {
  for (std::size_t depth = 0; depth < 4096; depth += 16) {
    arguments(static_cast<int>(100 + depth), depth);
  }
}
void results() {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{7}, std::int64_t{7} << 32 | 7}) {
    const Pair pair = cublasPair(first, -5);
    must(pair.first == first && pair.second == -5, "pair");
  }
  const Reals reals = cublasReals(1.5, 2.5);
  must(reals.first == 1.5 && reals.second == 2.5, "reals");
  const Words words = cublasWords(40);
  for (std::uint64_t i = 0; i < 16; ++i) must(words.word[i] == 40 + i, "structure");
  errno = 42;
  must(cublasErrno(0, 42) == 0 && errno == 42, "errno of a success");
  must(cublasErrno(7, 42) == 7 && errno == 42, "errno of a failure");
}
/// Leaves by an exception that passes the library, with objects to destroy.
void exceptions() {
  struct Counted {
    int& count;
    ~Counted() { ++count; }
  };
  int destroyed = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      const Counted one{destroyed};
      cublasThrow(i + 7);
      must(false, "no exception");
    } catch (int status) {
      must(status == i + 7, "the exception's value");
    }
    try {
      cublasCall(
          [](void* of) -> int {
            const Counted one{*static_cast<int*>(of)};
            throw 2.5;
          },
          &destroyed);
    } catch (double) {
      ++destroyed;
    }
  }
  must(destroyed == 9, "destructors");
}
void jumps() {
  static std::jmp_buf there;
  static int jumped = 0;
  for (int i = 0; i < 3; ++i) {
    if (setjmp(there) == 0) {
      cublasJump(&there);
    } else {
      ++jumped;
    }
  }
  must(jumped == 3, "jumps");
}
[[gnu::noinline]] int frames_inside(void** frames) {
  const int count = cublasFrames(frames, 64);
  asm volatile("");  // no tail call
  return count;
}
/// The caller's own return address is on the stack that the library sees.
[[gnu::noinline]] void backtraces() {
  for (int i = 0; i < 2; ++i) {
    void* frames[64];
    void* own[64];
    const int count = frames_inside(frames);
    const int here = ::backtrace(own, 64);
    must(count > here && here > 2, "frames");
    must(std::memcmp(frames + (count - here) + 1, own + 1,
                     static_cast<std::size_t>(here - 1) * sizeof(void*)) == 0,
         "the callers' frames");
  }
}
/// After each instruction of the watch, a profiler's signal may arrive, and unwind the stack.
struct Steps {
  std::uintptr_t begin = 0;  ///< of the watch's code
  std::uintptr_t end = 0;
  void* caller = nullptr;
  int inside = 0;
  int lost = 0;
};
Steps steps;
void stepped(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (at - steps.begin >= steps.end - steps.begin) return;
  ++steps.inside;
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  bool found = false;
  for (int i = 0; i < count; ++i) found = found || frames[i] == steps.caller;
  steps.lost += found ? 0 : 1;
}
[[gnu::noinline]] int step_by_step() {
  steps.caller = __builtin_return_address(0);
  asm volatile("pushfq; orq $0x100,(%%rsp); popfq" ::: "memory", "cc");
  const int status = cublasReturn(0);
  asm volatile("pushfq; andq $~0x100,(%%rsp); popfq" ::: "memory", "cc");
  return status;
}
int all_steps() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        if (std::strstr(info->dlpi_name, "libwarpsafe_watch_cuda") == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& one = info->dlpi_phdr[i];
          if (one.p_type != PT_LOAD || (one.p_flags & PF_X) == 0) continue;
          steps.begin = info->dlpi_addr + one.p_vaddr;
          steps.end = steps.begin + one.p_memsz;
        }
        return 1;
      },
      nullptr);
  struct sigaction action {};
  action.sa_sigaction = &stepped;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTRAP, &action, nullptr);
  must(cublasReturn(0) == 0, "a status");  // binds the function
  // In the middle of a page: at its end the watch calls other code, whose jumps to the C library
  // have no rules for frames.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto* const room = static_cast<volatile char*>(alloca((here + 4096 - 2048) % 4096 + 16));
  room[0] = 0;
  must(step_by_step() == 0 && steps.inside > 50, "steps");
  return steps.lost;
}
int callback(void* of) { return cublasReturn(*static_cast<int*>(of)); }
[[gnu::noinline]] int tail_call(int status) { return cublasReturn(status); }

/// A stack above which there is no memory: the calls' frames lie at its end.
ucontext_t before;
ucontext_t inside;
int at_the_end = 0;
extern "C" [[gnu::noinline]] void run_at_the_end() {
  errno = 42;
  at_the_end = cublasReturnOther(0) + twenty(0);
  at_the_end += cublasReturnOther(7);
  must(errno == 42, "errno on a small stack");
}
void small_stacks() {
  constexpr std::size_t page = 4096;
  constexpr std::size_t bytes = 64 * page;
  auto* const memory = static_cast<char*>(::mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::mprotect(memory, page, PROT_NONE);
  ::mprotect(memory + page + bytes, page, PROT_NONE);
  // Frames at all distances from the end, so that the words to copy end there too.
  for (std::size_t room = 0; room < 512; room += 16) {
    ::getcontext(&inside);
    inside.uc_stack.ss_sp = memory + page;
    inside.uc_stack.ss_size = bytes - room;
    inside.uc_link = &before;
    ::makecontext(&inside, &run_at_the_end, 0);
    must(::swapcontext(&before, &inside) == 0 && at_the_end == 7, "a small stack");
  }
}
void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i) {
    all.emplace_back([i] {
      for (int j = 0; j < 2000; ++j) {
        must(twenty((i + j) % 7 == 0 ? 7 : 0) == ((i + j) % 7 == 0 ? 7 : 0), "a thread's words");
        CUdeviceptr memory = 0;
        if (j % 100 == 0) must(cuMemAlloc(&memory, 64) == CUDA_SUCCESS, "an allocation");
      }
    });
  }
  for (std::thread& one : all) one.join();
}
void children() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(cublasReturn(7) + cublasReturnOther(0) == 7 && twenty(7) == 7 ? 0 : 1);
  }
  int status = 0;
  must(child > 0 && ::waitpid(child, &status, 0) == child && status == 0, "a child");
}
/// Loads the object that calls the libraries, calls it, and unloads it.
int plug_in(const char* file, int status) {
  void* const object = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  must(object != nullptr, "dlopen");
  const auto call = reinterpret_cast<int (*)(int)>(::dlsym(object, "plugged_in"));
  must(call != nullptr, "dlsym");
  CUdeviceptr memory = 0;
  must(cuMemAlloc(&memory, 64) == CUDA_SUCCESS, "an allocation");  // the watch looks again
  const int returned = call(status);
  must(::dlclose(object) == 0 && returned == status, "the plug-in's status");
  return returned;
}
/// The watch looks at objects that another thread loads and unloads at the same time.
void races(const char* file) {
  bool done = false;
  std::thread asking([&] {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
      CUdeviceptr memory = 0;
      must(cuMemAlloc(&memory, 64) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_SUCCESS, "memory");
    }
  });
  for (int i = 0; i < 300; ++i) {
    void* const object = ::dlopen(file, (i % 2 == 0 ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
    must(object != nullptr, "dlopen");
    const auto call = reinterpret_cast<int (*)(int)>(::dlsym(object, "plugged_in"));
    for (const int status : {0, 5, 0}) must(call(status) == status, "the plug-in's status");
    must(::dlclose(object) == 0, "dlclose");
  }
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  asking.join();
}
int sgemm(void* handle, int m, int n, int k, int lda, int ldb, int ldc) {
  const float one = 1;
  static float data[16];
  return HERE(cublasSgemm_v2(handle, 0, 1, m, n, k, &one, data, lda, data, ldb, &one, data, ldc));
}

int act(const char* what, const char* plug) {
  const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
  void* handle = nullptr;
  must(cublasCreate_v2(&handle) == 0, "a handle");
  if (is("gemm")) return sgemm(handle, 4, 5, 3, 4, 3, 4);
  if (is("no_handle")) return sgemm(nullptr, 4, 4, 4, 4, 4, 4);
  if (is("negative")) return sgemm(handle, -1, 5, 3, 4, 5, 4);
  if (is("right")) return sgemm(handle, 4, 5, 3, 4, 5, 4);
  if (is("potrf")) {
    int info = 0;
    return HERE(cusolverDnSpotrf(handle, 1, 8, nullptr, 4, nullptr, 0, &info));
  }
  if (is("loop")) {
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += HERE(cublasReturn(14));
    return sum;
  }
  if (is("answers")) {
    // What correct programs try, and what is no status.
    return HERE(cublasReturn(15) + cublasReturn(8) + cublasReturn(3) + cublasReturn(99) +
                cublasReturn(-7) + cublasAlgoHeuristic(7) + cublasSgemm(7)) +
           (cublasGetStatusString(7) == nullptr ? 1 : 0);
  }
  if (is("between")) return HERE(cusolverDnCreate(&handle));
  if (is("tail")) return HERE(tail_call(14));
  if (is("callback")) {
    int status = 14;
    return HERE(cublasCall(&callback, &status));
  }
  if (is("address")) {
    int (*volatile call)(int) = &cublasReturn;
    return HERE(call(14));
  }
  if (is("plug_in")) {
    return plug_in(plug, 14) + plug_in(plug, 0) + plug_in(plug, 14);
  }
  if (is("looked_up")) {
    void* const library = ::dlopen("libcufft.so.12", RTLD_NOW | RTLD_LOCAL);
    must(library != nullptr, "dlopen");
    const auto call = reinterpret_cast<int (*)(int)>(::dlsym(library, "cufftReturn"));
    must(call != nullptr && ::dlsym(library, "cufftNothing") == nullptr, "dlsym");
    must(call(0) == 0 && call(4) == 4, "a status");
    const char* const text = ::dlerror();
    must(text != nullptr && std::strstr(text, "cufftNothing") != nullptr, "dlerror");
    // Programs find a library's folder in this way, and Python's ctypes looks dladdr up.
    using Lookup = int (*)(const void*, Dl_info*);
    const Lookup both[] = {&::dladdr, reinterpret_cast<Lookup>(::dlsym(library, "dladdr"))};
    for (const Lookup look_up : both) {
      Dl_info info{};
      must(look_up(reinterpret_cast<const void*>(call), &info) != 0, "dladdr");
      must(std::strstr(info.dli_fname, "libcufft") != nullptr, "the library's file");
      must(std::strcmp(info.dli_sname, "cufftReturn") == 0, "the function's name");
    }
    return HERE(call(5));
  }
  if (is("steps")) return all_steps();
  if (is("names")) {
    for (int i = 0; i < 2; ++i) {
      const auto here = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "stand_in_number"));
      const auto next = reinterpret_cast<int (*)()>(::dlsym(RTLD_NEXT, "stand_in_number"));
      must(here != nullptr && here() == 1, "RTLD_DEFAULT");
      must(next != nullptr && next() == 2, "RTLD_NEXT");
    }
    return 0;
  }
  if (is("races")) {
    races(plug);
    return 0;
  }
  if (is("unchanged")) {
    arguments();
    results();
    exceptions();
    jumps();
    backtraces();
    small_stacks();
    threads();
    children();
    return 0;
  }
  return -1;
}

}  // namespace

// The program's own; RTLD_NEXT finds that of the library behind it.
extern "C" int stand_in_number() { return 1; }

int main(int argc, char** argv) {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  for (int i = 2; i < argc; ++i) {
    const int status = act(argv[i], argv[1]);
    std::printf("%s: %d, line %d\n", argv[i], status, line);
    std::fflush(stdout);
  }
}
