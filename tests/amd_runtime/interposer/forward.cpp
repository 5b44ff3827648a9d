// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A function of the same name for each of the runtime's, and the way of a call.
#include "handles.hpp"
#include "interposer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace interposer {
namespace {

/// The agent comes first, so that the runtime, which asks for a library of its name, gets it.
void load_agent() {
  // vendor_test::device_count, the most that a test program uses.
  setenv("SOFT_HSA_GPUS", "64", 0);
  if (dlopen(INTERPOSER_AGENT, RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND) == nullptr) {
    std::fprintf(stderr, "interposer: %s\n", dlerror());
    std::abort();
  }
}

void* runtime_library() {
  static void* const library = [] {
    load_agent();
    const char* const named = std::getenv("INTERPOSER_RUNTIME");
    const char* const path = named == nullptr ? INTERPOSER_RUNTIME : named;
    void* const object = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
    if (object == nullptr) {
      std::fprintf(stderr, "interposer: %s\n", dlerror());
      std::abort();
    }
    return object;
  }();
  return library;
}

struct Inside {
  Inside() { ++inside_calls(); }
  ~Inside() { --inside_calls(); }
};

/// A failure that a control asked for.
bool fails(const char* function, hipError_t& result) {
  State& s = state();
  for (auto failure = s.failures.begin(); failure != s.failures.end(); ++failure) {
    if (failure->function != function || --failure->calls_left != 0) continue;
    result = failure->code;
    s.failures.erase(failure);
    return true;
  }
  return false;
}

/// Whether a control answers in the runtime's place.
bool is_answered(const Function& function, const Word* words, hipError_t& result) {
  const std::lock_guard hold(state().lock);
  if (fails(function.name, result)) return true;
  if (function.rule->answer != nullptr && function.rule->answer(words, result)) return true;
  if (!function.rule->needs_device || state().visible_devices > 0) return false;
  result = hipErrorNoDevice;
  return true;
}

void update_slot(const Rule& rule, bool answered, hipError_t result) {
  if (rule.keeps_last_error) return;
  const bool is_error = result != hipSuccess && result != hipErrorNotReady;
  if (state().keeps_last_error && (!is_error || rule.succeeds_later)) return;
  // What the runtime itself returned is in its own slot.
  slot() = {answered || state().keeps_last_error, result, state().epoch};
}

}  // namespace

int& inside_calls() {
  thread_local int depth = 0;
  return depth;
}

void* real_address(const char* name) {
  void* const address = dlsym(runtime_library(), name);
  if (address == nullptr) {
    std::fprintf(stderr, "interposer: the runtime has no function %s\n", name);
    std::abort();
  }
  return address;
}

Word call_real(const Function& function, const Word* words) {
  Word w[word_count];
  std::copy_n(words, word_count, w);
  // What `<<<>>>` pushes, the program gets back.
  const bool is_kept = std::strcmp(function.name, "__hipPushCallConfiguration") == 0;
  for (Word& word : w) word = is_kept ? word : Handles::all().real(word);
  return function.real(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
                       w[12], w[13], w[14], w[15]);
}

Word forward(const Function& function, const Word* words) {
  if (inside_calls() != 0 || function.rule == nullptr) {
    const Inside inside;
    const Word returned = call_real(function, words);
    if (function.watch != nullptr) function.watch(words, returned);
    return returned;
  }
  const Inside inside;
  const Rule& rule = *function.rule;
  hipError_t result = hipSuccess;
  const bool answered = is_answered(function, words, result);
  if (!answered) {
    const bool lets_go = rule.synchronises && state().deferred;
    if (lets_go) hold_work(false);
    result = static_cast<hipError_t>(call_real(function, words));
    if (lets_go) hold_work(true);
  }
  State& s = state();
  const std::lock_guard hold(s.lock);
  bool changed = answered;
  const hipError_t from_runtime = result;
  if (!answered && rule.after != nullptr) rule.after(words, result);
  if (rule.synchronises && result == hipSuccess && s.async_error != hipSuccess) {
    result = std::exchange(s.async_error, hipSuccess);
  }
  changed = changed || result != from_runtime;
  update_slot(rule, changed, result);
  int device = 0;
  static_cast<void>(real<&hipGetDevice>("hipGetDevice")(&device));
  ++s.counts[function.name];
  const auto stream =
      rule.stream == none ? nullptr : reinterpret_cast<hipStream_t>(words[rule.stream]);
  s.calls.push_back({function.name, s.calls.size() + 1, result, stream, device,
                     rule.bytes == none ? 0 : words[rule.bytes]});
  return static_cast<Word>(result);
}

}  // namespace interposer

#define SOFT_HIP_PARAMETERS                                                           \
  interposer::Word a, interposer::Word b, interposer::Word c, interposer::Word d,     \
      interposer::Word e, interposer::Word f, interposer::Word g, interposer::Word h, \
      interposer::Word i, interposer::Word j, interposer::Word k, interposer::Word l, \
      interposer::Word m, interposer::Word n, interposer::Word o, interposer::Word p
#define SOFT_HIP_FORWARD(number, symbol)                                                          \
  extern "C" interposer::Word soft_hip_##number(SOFT_HIP_PARAMETERS) __asm__(symbol);             \
  extern "C" interposer::Word soft_hip_##number(SOFT_HIP_PARAMETERS) {                            \
    static const interposer::Function function{                                                   \
        symbol,                                                                                   \
        reinterpret_cast<decltype(interposer::Function::real)>(interposer::real_address(symbol)), \
        interposer::rule_of(symbol), interposer::watch_of(symbol)};                               \
    const interposer::Word words[interposer::word_count] = {a, b, c, d, e, f, g, h,               \
                                                            i, j, k, l, m, n, o, p};              \
    return interposer::forward(function, words);                                                  \
  }
#include "functions.inc"
