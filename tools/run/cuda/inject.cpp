// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library that CUDA's driver loads into a program whose environment names it
// (CUDA_INJECTION64_PATH; CUDA Programming Guide, "Environment Variables"). It subscribes to
// CUPTI's callbacks (CUPTI, "Callback API") and passes them to the watch.

#include "../core/end/watch_the_end.hpp"
#include "../core/forked_child.hpp"
#include "../core/report/standard_error.hpp"
#include "../core/unnoticed.hpp"
#include "call_table.hpp"
#include "cupti.hpp"
#include "describe.hpp"
#include "driver_log.hpp"
#include "known_call.hpp"
#include "libraries.hpp"
#include "session.hpp"
#include "thread_state.hpp"
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/tool_api.hpp>

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace warpsafe::watch {
namespace {

/// Never freed: callbacks may arrive until the process ends.
Session* session = nullptr;

constexpr CUpti_CallbackId most_calls = 4096;
KnownCall driver_calls[most_calls];
KnownCall runtime_calls[most_calls];

[[gnu::cold, gnu::noinline]] void report_call_in_child(CUpti_CallbackDomain domain,
                                                       CUpti_CallbackId id, const void* data) {
  const bool of_driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if ((!of_driver && domain != CUPTI_CB_DOMAIN_RUNTIME_API) || id >= most_calls) return;
  const auto& info = *static_cast<const CUpti_CallbackData*>(data);
  if (info.callbackSite == CUPTI_API_ENTER) return;
  // The statuses of both domains are numbers of this size, and 0 means success.
  ForkedChild::called(of_driver ? driver_calls[id].call : runtime_calls[id].call,
                      *static_cast<const int*>(info.functionReturnValue) != 0);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  ThreadState& mine = ThreadState::get();
  if (mine.inside || session == nullptr) return;  // a call made by the watch itself
  const Unnoticed unnoticed;
  if (ForkedChild::here()) [[unlikely]]
    return report_call_in_child(domain, id, data);
  mine.inside = true;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < most_calls) {
    session->driver_call(mine, driver_calls[id], *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && id < most_calls) {
    session->runtime_call(mine, runtime_calls[id], *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
    if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED) {
      session->stream_created(resource.resourceHandle.stream);
    } else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      session->module_loaded(resource);
    } else {
      session->stream_destroyed(resource.resourceHandle.stream);
    }
  }
  mine.inside = false;
}

/// Enables each function separately, because a whole domain would report every call of the program.
void enable_all(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  for (CUpti_CallbackId id = 1; id < most_calls; ++id) {
    const char* name = nullptr;
    if (cupti.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr) {
      const CallName parts = CallName::of(name);
      driver_calls[id] = KnownCall::of(driver_call(parts), parts, name);
      const Call call = driver_calls[id].call;
      const bool is_for_rerun = call == Call::graph_destroyed || call == Call::graph_node_destroyed;
      if (call != Call::other && (call != Call::address_range || session->guard().on()) &&
          (!is_for_rerun || session->watcher().rerun().waits())) {
        static_cast<void>(cupti.enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
      }
    }
    name = nullptr;
    if (cupti.callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr) {
      const CallName parts = CallName::of(name);
      runtime_calls[id] = KnownCall::of(runtime_call(parts), parts, name);
      if (runtime_calls[id].call != Call::other) {
        static_cast<void>(cupti.enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, id));
      }
    }
  }
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_STREAM_CREATED, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_MODULE_LOADED}) {
    static_cast<void>(cupti.enable(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id));
  }
}

void library_returned(const LibraryFrame& frame, std::uint64_t& result) {
  ThreadState& mine = ThreadState::get();
  if (mine.inside || session == nullptr) return;
  const Unnoticed unnoticed;
  if (ForkedChild::here()) return;
  mine.inside = true;
  session->libraries().returned(frame, result);
  mine.inside = false;
}

void at_exit() {
  // The watch's own queries at the end do not belong to the program.
  ThreadState::get().inside = true;
  session->guard().finish();
  session->watcher().finish();
}

/// Runs on a thread of the watch's own.
void speak(const End& end) noexcept {
  ThreadState::get().inside = true;
  session->watcher().ends(end);
}

void watch_end(const Options& options) noexcept {
  watch_the_end(options, &speak,
                [](int status) noexcept { return session->watcher().exit_status(status); });
}

CUptiResult subscribe(const Cupti& cupti, const Options& options,
                      CUpti_SubscriberHandle& subscriber) {
  const CUptiResult shared =
      options.share_cupti ? cupti.share(subscriber, &called) : CUPTI_ERROR_NOT_SUPPORTED;
  if (shared == CUPTI_SUCCESS) return shared;
  const CUptiResult alone = cupti.subscribe(&subscriber, &called, nullptr);
  // The tool that came first may have asked to share.
  if (alone == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && !options.share_cupti &&
      cupti.share(subscriber, &called) == CUPTI_SUCCESS) {
    return CUPTI_SUCCESS;
  }
  if (alone == CUPTI_SUCCESS && options.share_cupti) {
    const char* text = "";
    static_cast<void>(cupti.result_string(shared, &text));
    tool::log_line(debug::LogLevel::warn,
                   "warpsafe: CUPTI serves no other tool beside warpsafe-run: it returned "
                   "%s; --share-cupti needs CUPTI 13.3 and driver 610, or newer ones",
                   text);
  }
  return alone;
}

/// Lets the program find the functions for its pool by dlsym(RTLD_DEFAULT). The driver loads this
/// library for itself alone.
void publish() noexcept {
  static const char here = 0;
  Dl_info own{};
  if (::dladdr(&here, &own) == 0 || own.dli_fname == nullptr) return;
  static_cast<void>(::dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL));
}

bool begin() {
  StandardError::begin();
  const Options options = Options::parse(tool::read_environment("WARPSAFE_RUN"));
  Cupti cupti{};
  if (!cupti.load(options.cupti)) {
    StandardError::line(
        "warpsafe: not watched: libcupti was not found; name it (warpsafe-run --cupti FILE), or "
        "add its folder to LD_LIBRARY_PATH. It is in CUDA's extras/CUPTI, and in the packages "
        "nvidia-cuda-cupti-cu12 (CUDA 12) and nvidia-cuda-cupti (CUDA 13) of pip");
    return false;
  }
  static const Platform platform =
      platform_of<cuda_backend>(&describe_function, cuda_caller, &driver_log, &watch_end);
  auto* const made = new Session(platform, options);
  CUpti_SubscriberHandle subscriber{};
  const CUptiResult status = subscribe(cupti, options, subscriber);
  if (status != CUPTI_SUCCESS) {
    const char* text = "";
    static_cast<void>(cupti.result_string(status, &text));
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      char other[Cupti::most_name] = "perhaps a profiler";
      cupti.name_other(other);
      tool::log_line(
          debug::LogLevel::error,
          "warpsafe: not watched: CUPTI returned %s; it serves only one tool in a process: %s",
          text, other);
    } else {
      tool::log_line(
          debug::LogLevel::error,
          "warpsafe: not watched: CUPTI returned %s; if it is newer than the driver, name an older "
          "one (warpsafe-run --cupti FILE)",
          text);
    }
    delete made;
    return false;
  }
  session = made;
  // The first call loads the unwinder, which should not happen inside a callback.
  static_cast<void>(HostStack::here());
  enable_all(cupti, subscriber);
  if (session->pools().on()) publish();
  // A signal handler that calls a library must not wait for this thread.
  ThreadState::get().inside = true;
  session->libraries().begin(&library_returned);
  ThreadState::get().inside = false;
  std::atexit(&at_exit);
  ForkedChild::expect();
  return true;
}

/// Calls `body(pools, device)` unless nothing is watched or the watch itself makes the call.
template <class Body>
void tell_pools(const Body& body) noexcept {
  if (session == nullptr || !session->pools().on()) return;
  ThreadState& mine = ThreadState::get();
  if (mine.inside) return;
  const Unnoticed unnoticed;
  if (ForkedChild::here()) return;
  mine.inside = true;  // the driver is queried
  int device = 0;
  static_cast<void>(call_driver(&Driver::context_device, &device));
  body(session->pools(), device);
  mine.inside = false;
}

/// Runs at the end of exit().
[[gnu::destructor]] void end_of_exit() {
  if (session == nullptr) return;
  session->watcher().end_files();
  end_with(session->watcher().exit_status(-1));
}

}  // namespace
}  // namespace warpsafe::watch

// The functions that pools/warpsafe_pool.h looks for.
extern "C" __attribute__((visibility("default"))) void warpsafe_pool_allocated(const void* memory,
                                                                               std::size_t bytes,
                                                                               void* stream,
                                                                               const char* where) {
  warpsafe::watch::tell_pools([&](warpsafe::watch::PoolCalls& pools, int device) {
    pools.allocated(memory, bytes, stream, device, where);
  });
}
extern "C" __attribute__((visibility("default"))) void warpsafe_pool_freed(const void* memory,
                                                                           void* stream) {
  warpsafe::watch::tell_pools(
      [&](warpsafe::watch::PoolCalls& pools, int device) { pools.freed(memory, stream, device); });
}
extern "C" __attribute__((visibility("default"))) void warpsafe_pool_returned(const void* memory) {
  warpsafe::watch::tell_pools(
      [&](warpsafe::watch::PoolCalls& pools, int) { pools.returned(memory); });
}

/// The driver calls this when it is initialised. Returns 1 for success; the program continues
/// either way.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static const bool begun = [] {
    try {
      return warpsafe::watch::begin();
    } catch (...) {
      return false;
    }
  }();
  static_cast<void>(begun);
  return 1;
}
