// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program of the driver API that does not use warpsafe. Each argument names one thing to do.

#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

/// Functions of the stand-in for a library (stand_in/library.cpp), on the legacy default stream.
extern "C" int stand_in_scale(CUdeviceptr memory);
extern "C" int stand_in_own(CUstream stream);
extern "C" int stand_in_fill(CUdeviceptr memory, CUstream stream);
extern "C" int stand_in_garbage();

/// Exported, so that it has a name.
extern "C" __attribute__((visibility("default"))) int plain_function(int value) {
  return value + 1;
}

namespace {

CUstream stream = nullptr;
CUdeviceptr memory = 0;
constexpr std::size_t count = 1024;

CUfunction function_of(const char* name) {
  CUfunction function = nullptr;
  if (cuModuleGetFunction(&function, nullptr, name) != CUDA_SUCCESS) std::abort();
  return function;
}
int launch_of(CUfunction function, unsigned grid_y, unsigned threads, unsigned shared) {
  return cuLaunchKernel(function, 4, grid_y, 1, threads, 1, 1, shared, stream, nullptr, nullptr);
}
int launch(const char* name, unsigned grid_y, unsigned threads, unsigned shared) {
  return launch_of(function_of(name), grid_y, threads, shared);
}
/// Fills the memory on the program's stream, and has a library scale it on the legacy stream. With
/// `waits` the legacy stream waits for an event after the fill.
int scale(bool waits) {
  if (cuMemAlloc(&memory, count * 4) != CUDA_SUCCESS) return -1;
  int failed = cuMemsetD32Async(memory, 0, count, stream);
  if (waits) {
    CUevent filled = nullptr;
    failed += cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING);
    failed += cuEventRecord(filled, stream);
    failed += cuStreamWaitEvent(nullptr, filled, 0);
  }
  return failed + stand_in_scale(memory);
}

/// Launches something that is no kernel, by its address.
int launch_wrong(const void* handle) {
  return cuLaunchKernel(static_cast<CUfunction>(const_cast<void*>(handle)), 1, 1, 1, 32, 1, 1, 0,
                        stream, nullptr, nullptr);
}
const std::uintptr_t wild[] = {0x1230, 0};
const char control[] = "kernel\x1b[2Jname";
const char* const binary[] = {control, nullptr};
/// Letters up to the end of a page, behind which nothing can be read.
const char* const* endless_name() {
  constexpr std::size_t page = 4096;
  auto* const pages = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(pages, 'a', page);
  ::munmap(pages + page, page);
  static const char* handle[] = {nullptr, nullptr};
  handle[0] = pages + page - 100;
  return handle;
}
/// Launches with so many attributes at that address.
int launch_with(const CUlaunchAttribute* attributes, unsigned attribute_count) {
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY =
      config.blockDimZ = 1;
  config.attrs = const_cast<CUlaunchAttribute*>(attributes);
  config.numAttrs = attribute_count;
  return cuLaunchKernelEx(&config, function_of("_ZN4demo7boundedEPf"), nullptr, nullptr);
}
constexpr const char* axpy = "_ZN4demo4axpyEfPKfPfi";

/// An executable graph of a kernel that receives this address, and perhaps a function of the host,
/// or a kernel that receives another one. `first` gets the node of the first kernel.
CUgraphExec graph_on(CUdeviceptr address, bool with_host_node = false, CUdeviceptr other = 0,
                     CUgraphNode* first = nullptr) {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec made = nullptr;
  CUDA_KERNEL_NODE_PARAMS of{};
  void* values[] = {&address};
  of.func = function_of("_ZN4demo7boundedEPf");
  of.gridDimX = of.gridDimY = of.gridDimZ = of.blockDimX = of.blockDimY = of.blockDimZ = 1;
  of.kernelParams = values;
  int failed = cuGraphCreate(&graph, 0) + cuGraphAddKernelNode(&node, graph, nullptr, 0, &of);
  if (first != nullptr) *first = node;
  const CUDA_HOST_NODE_PARAMS host{};
  values[0] = &other;
  if (other != 0) failed += cuGraphAddKernelNode(&node, graph, nullptr, 0, &of);
  if (with_host_node) failed += cuGraphAddHostNode(&node, graph, &node, 1, &host);
  if (failed + cuGraphInstantiateWithFlags(&made, graph, 0) != 0) std::abort();
  return made;
}

long resident_pages() {
  long all = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &all, &resident) != 2) std::abort();
  std::fclose(file);
  return resident;
}

/// Runs `body` on a thread, and returns how many bytes of the thread's stack it changed.
int stack_of(void (*body)()) {
  constexpr std::size_t bytes = 1 << 16;
  constexpr unsigned char untouched = 0xa5;
  auto* const stack = static_cast<unsigned char*>(std::aligned_alloc(4096, bytes));
  std::memset(stack, untouched, bytes);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstack(&attributes, stack, bytes);
  static unsigned char* begin;  // of the frame from which `body` is called
  pthread_t thread = {};
  ::pthread_create(
      &thread, &attributes,
      [](void* of) -> void* {
        begin = static_cast<unsigned char*>(__builtin_frame_address(0));
        reinterpret_cast<void (*)()>(of)();
        return nullptr;
      },
      reinterpret_cast<void*>(body));
  ::pthread_join(thread, nullptr);
  unsigned char* lowest = stack;
  while (*lowest == untouched) ++lowest;
  const auto used = begin - lowest;
  std::free(stack);
  return static_cast<int>(used);
}

}  // namespace

/// Exported, so that it has a name. Allocates more than it hands out.
extern "C" __attribute__((visibility("default"))) int caching_allocator_of_ours() {
  static const float host[count] = {};
  if (cuMemAlloc(&memory, sizeof host) != CUDA_SUCCESS) return -1;
  return cuMemcpyHtoD(memory, host, count) + cuMemFree(memory);
}

namespace {

int act(const char* what) {
  const auto is = [&](const char* one) { return std::strcmp(what, one) == 0; };
  if (is("good")) return launch(axpy, 1, 256, 0);
  if (is("grid_y")) return launch(axpy, 70000, 256, 0);
  if (is("bounds")) return launch("_ZN4demo7boundedEPf", 1, 512, 0);
  if (is("shared")) return launch("_ZN4demo4tileIfEEvPT_", 1, 32, 16000);
  if (is("stream_as_shared")) {
    return launch("_ZN4demo4tileIfEEvPT_", 1, 32,
                  static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(stream)));
  }
  if (is("out_of_bounds")) return launch("_ZN4demo13out_of_boundsEPf", 1, 1, 0);
  if (is("sync")) return cuCtxSynchronize();
  if (is("wait")) return cuStreamSynchronize(stream);
  if (is("many")) {
    int failed = 0;
    for (int i = 0; i < 100; ++i) failed += launch(axpy, 70000, 256, 0);
    return failed;
  }
  if (is("crash")) std::raise(SIGSEGV);
  if (is("fork")) {
    const pid_t child = ::fork();
    if (child == 0) std::exit(0);  // the parent's handlers run here too
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  if (is("fork_launch")) {
    const CUfunction known = function_of(axpy);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(launch_of(known, 1, 256, 0) + launch_of(known, 1, 256, 0));
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  // Forks children that use the GPU while other threads do. No call of a child succeeds.
  if (is("fork_busy")) {
    const CUfunction known = function_of(axpy), other = function_of("_ZN4demo7boundedEPf");
    bool stop = false;
    const auto work = [&](bool once) {
      int failed = 0;
      unsigned rounds = 0;
      do {
        CUdeviceptr one = 0;
        CUevent event = nullptr;
        char host[64];
        CUstream made = nullptr;
        failed = 0;
        const auto call = [&](int status) { failed += status == CUDA_ERROR_NOT_INITIALIZED; };
        call(cuMemAlloc(&one, 64));
        call(cuMemcpyDtoH(host, one, sizeof host));
        call(cuMemFree(one));
        if (once || ++rounds % 64 == 0) call(cuMemFree(12345));  // the driver's log says why
        call(cuEventCreate(&event, 0));
        call(cuEventRecord(event, stream));
        call(cuEventDestroy(event));
        call(cuStreamCreate(&made, 0));
        call(cuStreamDestroy(made));
        call(cuStreamSynchronize(stream));
      } while (!once && !__atomic_load_n(&stop, __ATOMIC_RELAXED));
      return failed;
    };
    std::thread others[] = {std::thread(work, false), std::thread(work, false)};
    int bad = 0;
    for (int i = 0; i < 300; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(20);
        const int calls = work(true);
        const int launches = launch_of(known, 1, 256, 0) + launch_of(other, 1, 32, 0);
        if (i % 2 == 0) std::exit(calls == 10 && launches == 6 ? 0 : 1);
        ::_exit(calls == 10 && launches == 6 ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      bad += status != 0 ? 1 : 0;
      if (bad != 0) break;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (std::thread& one : others) one.join();
    return bad;
  }
  // Handles of no kernel. Where a kernel has the address of its name, these have letters, an
  // address that cannot be read, text that nothing ends, and bytes that are no text.
  if (is("text_as_function")) return launch_wrong("hello, this is no kernel but a text");
  if (is("wild_name")) return launch_wrong(reinterpret_cast<const char*>(wild));
  if (is("endless_name")) return launch_wrong(reinterpret_cast<const char*>(endless_name()));
  if (is("binary_name")) return launch_wrong(reinterpret_cast<const char*>(binary));
  if (is("host_function")) return launch_wrong(reinterpret_cast<const char*>(&plain_function));
  if (is("null_function")) return launch_wrong(nullptr);
  if (is("null_graph")) return cuGraphLaunch(nullptr, stream);
  if (is("library")) return scale(false);
  if (is("library_waits")) return scale(true);
  if (is("library_own")) return stand_in_own(stream);
  if (is("library_fills")) {
    if (cuMemAlloc(&memory, count * 4) != CUDA_SUCCESS) return -1;
    return stand_in_fill(memory, stream) + stand_in_scale(memory) + stand_in_fill(memory, stream);
  }
  if (is("fill_other")) {  // the program's own kernel beside its own fill: no library
    if (cuMemAlloc(&memory, count * 4) != CUDA_SUCCESS) return -1;
    cuMemsetD32Async(memory, 0, count, stream);
    void* values[] = {&memory};
    return cuLaunchKernel(function_of("_ZN4demo7boundedEPf"), 1, 1, 1, 32, 1, 1, 0, nullptr, values,
                          nullptr);
  }
  // A kernel that may write through either of its pointers, beside a fill of what it receives.
  if (is("fill_swapped") || is("fill_part_swapped")) {
    CUdeviceptr other = 0;
    if (cuMemAlloc(&memory, count * 4) + cuMemAlloc(&other, count * 4) != 0) return -1;
    const std::size_t filled = is("fill_swapped") ? count : count - 1;
    void* values[] = {&other, &memory};
    return cuMemsetD32Async(memory, 0, filled, stream) +
           cuLaunchKernel(function_of("_ZN4demo4swapEPfS0_"), 1, 1, 1, 32, 1, 1, 0, nullptr, values,
                          nullptr);
  }
  // A kernel receives its memory and the end of it, where other memory begins that is filled beside
  // it; or it receives that memory alone.
  if (is("fill_behind") || is("fill_received")) {
    CUdeviceptr behind = 0;
    if (cuMemAlloc(&memory, 512) + cuMemAlloc(&behind, 512) != 0 || behind != memory + 512)
      return -1;
    void* values[] = {is("fill_behind") ? &memory : &behind, &behind};
    return cuLaunchKernel(function_of("_ZN4demo4swapEPfS0_"), 1, 1, 1, 32, 1, 1, 0, nullptr, values,
                          nullptr) +
           cuMemsetD32Async(behind, 0, 128, stream);
  }
  // A graph calls a function of the host, after which the program fills its memory on another
  // stream; or the function is not there.
  if (is("fill_after_graph") || is("fill_beside_graph")) {
    if (cuMemAlloc(&memory, count * 4) != CUDA_SUCCESS) return -1;
    return launch(axpy, 1, 256, 0) +
           cuGraphLaunch(graph_on(memory, is("fill_after_graph")), stream) +
           cuMemsetD32Async(memory, 0, count, nullptr);
  }
  // A kernel writes a word in pinned memory, for which the host waits before it fills the kernel's
  // memory on another stream; or the word is not there.
  if (is("fill_after_flag") || is("fill_without_flag")) {
    void* flag = nullptr;
    CUdeviceptr other = 0;
    if (cuMemAlloc(&memory, count * 4) + cuMemAlloc(&other, 64) + cuMemAllocHost(&flag, 64) != 0)
      return -1;
    if (is("fill_after_flag")) other = reinterpret_cast<CUdeviceptr>(flag);
    void* values[] = {&memory, &other};
    return cuLaunchKernel(function_of("_ZN4demo4swapEPfS0_"), 1, 1, 1, 32, 1, 1, 0, nullptr, values,
                          nullptr) +
           cuMemsetD32Async(memory, 0, count, stream);
  }
  if (is("garbage_parameters")) {
    if (cuMemAlloc(&memory, count * 4) != CUDA_SUCCESS) return -1;
    return stand_in_garbage();
  }
  if (is("garbage_attributes")) {
    const auto* const nowhere = reinterpret_cast<const CUlaunchAttribute*>(0x1230);
    const auto* const page_end = reinterpret_cast<const CUlaunchAttribute*>(*endless_name());
    return launch_with(nowhere, 3) + launch_with(nowhere, ~0U) + launch_with(page_end, ~0U);
  }
  if (is("garbage_node")) {
    CUgraphNode node = nullptr;
    const auto* const nowhere = reinterpret_cast<const CUDA_KERNEL_NODE_PARAMS*>(0x1230);
    return cuGraphAddKernelNode(&node, nullptr, nullptr, 0, nowhere);
  }
  // Closes everything, as a daemon does, and has its data in place of it.
  if (is("reuse_descriptors")) {
    constexpr int most = 1100;
    ::close(2);
    for (int i = 3; i < most; ++i) ::close(i);
    const int data = ::open(std::getenv("WATCH_DATA"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 3; i < most; ++i) ::dup2(data, i);
    return data;
  }
  if (is("pause")) return ::usleep(300'000);
  // Fills the pipe that is its standard error.
  if (is("fill_stderr")) {
    const int flags = ::fcntl(2, F_GETFL);
    ::fcntl(2, F_SETFL, flags | O_NONBLOCK);
    while (::write(2, "\n", 1) == 1) {
    }
    return ::fcntl(2, F_SETFL, flags);
  }
  // Overwrites its environment, as programs that change their title do.
  if (is("clear_environment")) {
    for (char** one = environ; *one != nullptr; ++one) std::memset(*one, 'x', std::strlen(*one));
    environ = nullptr;
    return ::chdir("/");
  }
  // Launches until the process is gone: on other threads, and in a handler that runs at exit.
  if (is("launch_at_exit")) {
    for (int i = 0; i < 3; ++i) {
      std::thread([] {
        while (launch(axpy, 1, 256, 0) == 0) {
        }
      }).detach();
    }
    struct Last {
      ~Last() { launch(axpy, 1, 256, 0); }
    };
    static const Last last;
    return std::atexit([] { launch(axpy, 1, 256, 0); });
  }
  if (is("timer")) {
    struct sigaction interrupts {};
    interrupts.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &interrupts, nullptr);
    const itimerval often{{0, 5000}, {0, 5000}};
    return ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  // Sends itself a signal that no thread of its own takes for a while.
  if (is("signal")) {
    static pthread_t taken_by = {};
    std::signal(SIGUSR1, [](int) { taken_by = ::pthread_self(); });
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
    ::kill(::getpid(), SIGUSR1);
    ::usleep(50'000);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    return taken_by == ::pthread_self() ? 0 : 1;
  }
  if (is("errno")) {
    errno = 4321;
    launch(axpy, 70000, 256, 0);
    return errno;
  }
  // Launches on a thread that has been asked to end at its next cancellation point.
  if (is("cancel")) {
    int launched = -1;
    std::thread([&] {
      ::pthread_cancel(::pthread_self());
      launched = launch(axpy, 70000, 256, 0);
      ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    }).join();
    return launched;
  }
  // Returns by how many MiB forty thousand short lives of graphs, streams and memory grow it.
  if (is("grow")) {
    const long before = resident_pages();
    for (int i = 0; i < 40'000; ++i) {
      CUgraphExec graph = nullptr;
      CUdeviceptr one = 0;
      if (cuGraphInstantiateWithFlags(&graph, nullptr, 0) + cuGraphLaunch(graph, stream) +
              cuGraphExecDestroy(graph) + cuMemAlloc(&one, 64) + cuMemFree(one) +
              launch(axpy, 1, 256, 0) !=
          0) {
        return -1;
      }
    }
    return static_cast<int>((resident_pages() - before) / 256);
  }
  // Returns how many bytes of its stack a thread uses for a launch.
  if (is("stack_new")) return stack_of([] { launch("_ZN4demo7boundedEPf", 1, 32, 0); });
  if (is("stack_long_name")) {
    return stack_of([] { launch(("_Z900" + std::string(900, 'a') + "v").c_str(), 1, 32, 0); });
  }
  if (is("stack_good")) return stack_of([] { launch(axpy, 1, 256, 0); });
  if (is("stack_refused")) return stack_of([] { launch(axpy, 70000, 256, 0); });
  if (is("stack_fault")) return stack_of([] { cuCtxSynchronize(); });
  if (is("stack_memory")) {
    return stack_of([] {
      cuMemAlloc(&memory, 4096);
      cuMemsetD32Async(memory, 0, 1, stream);
      cuMemFree(memory);
    });
  }
  // A thread that waits for a line of input.
  if (is("read")) {
    std::thread([] {
      char text[16];
      static_cast<void>(std::fgets(text, sizeof text, stdin));
    }).detach();
    return ::usleep(50'000);
  }
  if (is("threads_refused")) {
    std::thread threads[8];
    for (std::thread& one : threads) one = std::thread([] { launch(axpy, 70000, 256, 0); });
    for (std::thread& one : threads) one.join();
    return 0;
  }
  if (is("garbage_node_function")) {
    CUgraphNode node = nullptr;
    CUDA_KERNEL_NODE_PARAMS of{};
    of.func = reinterpret_cast<CUfunction>(0x1230);
    return cuGraphAddKernelNode(&node, nullptr, nullptr, 0, &of);
  }
  if (is("elements_as_bytes")) {
    static const float host[count] = {};
    if (cuMemAlloc(&memory, sizeof host) != CUDA_SUCCESS) return -1;
    return cuMemcpyHtoD(memory, host, count) + cuMemFree(memory);
  }
  // The data of a library's kernel, which is on the legacy stream.
  if (is("library_copies") || is("library_copies_waits") || is("library_copies_rows") ||
      is("library_copies_rows_here")) {
    static const float host[count] = {};
    if (cuMemAlloc(&memory, sizeof host) != CUDA_SUCCESS) return -1;
    int copied = cuMemcpyHtoDAsync(memory, host, sizeof host, stream);
    // A fill of two dimensions, for which the host may wait, on this stream or on another.
    if (is("library_copies_rows")) copied += cuMemsetD2D8Async(memory, 64, 0, 64, 2, nullptr);
    if (is("library_copies_rows_here")) copied += cuMemsetD2D8Async(memory, 64, 0, 64, 2, stream);
    return copied + (is("library_copies_waits") ? cuStreamSynchronize(stream) : CUDA_SUCCESS) +
           stand_in_scale(memory);
  }
  // An allocator that hands out parts.
  if (is("parts")) {
    static const float host[count] = {};
    if (cuMemAlloc(&memory, sizeof host) != CUDA_SUCCESS) return -1;
    return cuMemcpyHtoD(memory, host, count) + cuMemcpyHtoD(memory + count, host, 64) +
           cuMemFree(memory);
  }
  if (is("pool")) return caching_allocator_of_ours();
  // A copy out of memory that the driver's pool has back, and the same before the free.
  if (is("freed_in_order") || is("freed_after_use")) {
    static float host[count];
    if (cuMemAllocAsync(&memory, sizeof host, stream) != CUDA_SUCCESS) return -1;
    const bool late = is("freed_after_use");
    const int copied = late ? cuMemcpyDtoHAsync(host, memory, sizeof host, stream) : CUDA_SUCCESS;
    const int freed = cuMemFreeAsync(memory, stream);
    return copied + freed +
           (late ? CUDA_SUCCESS : cuMemcpyDtoHAsync(host, memory, sizeof host, stream));
  }
  // A result in pinned memory: without a wait for it, with one, and without a free.
  if (is("unawaited") || is("awaited") || is("left")) {
    void* host = nullptr;
    if (cuMemAlloc(&memory, count) + cuMemAllocHost(&host, count) != 0) return -1;
    const int copied = cuMemcpyDtoHAsync(host, memory, count, stream);
    return copied + (is("awaited") ? cuStreamSynchronize(stream) : CUDA_SUCCESS) +
           (is("left") ? CUDA_SUCCESS : cuMemFreeHost(host));
  }
  // A graph allocates its memory at each launch, and frees it, or the program does.
  if (is("graph_memory") || is("graph_memory_freed_late")) {
    CUgraph graph = nullptr;
    CUdeviceptr other = 0;
    int failed = cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED) +
                 cuMemAllocAsync(&memory, count, stream);
    if (is("graph_memory")) failed += cuMemFreeAsync(memory, stream);
    failed += cuStreamEndCapture(stream, &graph) + cuMemAlloc(&other, count);
    const CUgraphExec made = graph_on(memory);
    failed += cuGraphLaunch(made, stream);
    if (!is("graph_memory")) failed += cuMemFreeAsync(memory, stream);
    return failed + cuMemFree(other) + cuGraphLaunch(made, stream);
  }
  // A kernel receives the end of its memory, where other memory began that is freed.
  if (is("graph_end_pointer") || is("graph_freed_pointer")) {
    CUdeviceptr behind = 0;
    if (cuMemAlloc(&memory, 512) + cuMemAlloc(&behind, 512) != 0 || behind != memory + 512)
      return -1;
    const CUgraphExec made =
        is("graph_end_pointer") ? graph_on(behind, false, memory) : graph_on(behind);
    return cuGraphLaunch(made, stream) + cuMemFree(behind) + cuGraphLaunch(made, stream);
  }
  // A graph keeps the address of pinned memory that is freed, and ordinary memory has it again.
  if (is("graph_host_again") || is("graph_host_gone")) {
    constexpr std::size_t bytes = std::size_t{1} << 20U;
    void* host = nullptr;
    if (cuMemAllocHost(&host, bytes) != CUDA_SUCCESS) return -1;
    const auto begin = reinterpret_cast<std::uintptr_t>(host);
    const CUgraphExec made = graph_on(begin);
    int failed = cuGraphLaunch(made, stream) + cuMemFreeHost(host);
    void* const pages = reinterpret_cast<void*>(begin / 4096 * 4096);
    if (is("graph_host_again") &&
        ::mmap(pages, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != pages) {
      failed += 1;
    }
    return failed + cuGraphLaunch(made, stream);
  }
  // A graph's node is off when its memory is freed.
  if (is("graph_node_off")) {
    if (cuMemAlloc(&memory, count) != CUDA_SUCCESS) return -1;
    CUgraphNode node = nullptr;
    CUgraphExec made = graph_on(memory, false, 0, &node);
    return cuGraphLaunch(made, stream) + cuGraphNodeSetEnabled(made, node, 0) + cuMemFree(memory) +
           cuGraphLaunch(made, stream);
  }
  // The host learns of the end of a copy to pinned memory from a function of the host in a graph,
  // or from a word in pinned memory that a kernel or the stream writes. The graph alone tells it
  // nothing.
  if (is("told_by_graph") || is("told_by_kernel") || is("told_by_kernel_often") ||
      is("told_by_kernel_late") || is("told_by_graph_kernel") || is("told_by_stream") ||
      is("not_told_by_graph") || is("not_told_by_kernel")) {
    void* host = nullptr;
    void* flag = nullptr;
    if (cuMemAlloc(&memory, count) + cuMemAllocHost(&host, count) + cuMemAllocHost(&flag, 64) != 0)
      return -1;
    auto word = reinterpret_cast<CUdeviceptr>(flag);
    if (is("told_by_kernel_often") || is("told_by_kernel_late")) {  // and before any copy
      void* values[] = {is("told_by_kernel_late") ? &memory : &word};
      for (int i = 0; i < 100; ++i) {
        cuLaunchKernel(function_of("_ZN4demo7boundedEPf"), 1, 1, 1, 32, 1, 1, 0, stream, values,
                       nullptr);
      }
    }
    CUgraphExec graph = nullptr;
    if (std::strstr(what, "graph") != nullptr) {
      graph = graph_on(is("told_by_graph_kernel") ? word : memory, is("told_by_graph"));
    }
    int failed = cuMemcpyDtoHAsync(host, memory, count, stream);
    if (graph != nullptr) {
      failed += cuGraphLaunch(graph, stream);
    } else if (is("told_by_stream")) {
      failed += cuStreamWriteValue32(stream, word, 1, 0);
    } else {
      void* values[] = {is("not_told_by_kernel") ? &memory : &word};
      failed += cuLaunchKernel(function_of("_ZN4demo7boundedEPf"), 1, 1, 1, 32, 1, 1, 0, stream,
                               values, nullptr);
    }
    return failed + cuMemFreeHost(host) + cuMemFreeHost(flag);
  }
  // Threads that allocate and free at the same time, and use only their own memory.
  if (is("pool_threads")) {
    std::thread threads[4];
    for (std::thread& one : threads) {
      one = std::thread([] {
        char host[64];
        for (int i = 0; i < 20'000; ++i) {
          CUdeviceptr own = 0;
          cuMemAllocAsync(&own, sizeof host, stream);
          cuMemcpyDtoHAsync(host, own, sizeof host, stream);
          cuMemFreeAsync(own, stream);
        }
      });
    }
    for (std::thread& one : threads) one.join();
    return 0;
  }
  if (is("exec")) return std::system("echo from a child");
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return 1;
  for (int i = 1; i < argc; ++i) {
    std::printf("%s: %d\n", argv[i], act(argv[i]));
    std::fflush(stdout);
  }
}
