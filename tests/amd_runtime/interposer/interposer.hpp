// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "amd_control.hpp"
#include "code_object.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A library in the place of libamdhip64.so that passes each call on to AMD's own. It counts,
// records and fails calls, as a test says (amd_control.hpp).

namespace interposer {

/// Arguments as the registers and the stack hold them. No function of HIP has more than these, and
/// only texture functions, which nothing here uses, take floating point.
using Word = std::uint64_t;
inline constexpr int word_count = 16;
inline constexpr int none = -1;

/// What the interposer knows about a function. `stream` and `bytes` are places in the words.
struct Rule {
  int stream = none;
  int bytes = none;
  bool synchronises = false;
  bool keeps_last_error = false;
  bool needs_device = true;
  /// Its failures before release 7 are answers that this release has: keep_last_error leaves them
  /// out
  bool succeeds_later = false;
  /// Answers in the runtime's place if a control says so. @return whether it did
  bool (*answer)(const Word* words, hipError_t& result) = nullptr;
  /// Sees the runtime's answer, and may change what the call returns.
  void (*after)(const Word* words, hipError_t& result) = nullptr;
};
/// @return the rule of a function that is recorded, or null.
const Rule* rule_of(const std::string& name);

/// Sees a call that is not recorded, and what it returned.
using Watch = void (*)(const Word* words, Word returned);
Watch watch_of(const std::string& name);

/// One function of the runtime.
struct Function {
  const char* name;
  Word (*real)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
               Word, Word);
  const Rule* rule;
  Watch watch;
};
/// How many calls of the runtime the thread is in. Calls of the runtime's own functions by the
/// runtime are no calls of the program.
int& inside_calls();
Word call_real(const Function& function, const Word* words);
Word forward(const Function& function, const Word* words);
/// The runtime's function of this name; ends the process if there is none.
void* real_address(const char* name);
/// Calls the runtime's own function: `real<hipSetDevice>("hipSetDevice")(0)`.
template <auto Fn>
decltype(Fn) real(const char* name) {
  return reinterpret_cast<decltype(Fn)>(real_address(name));
}

/// A kernel, by its host function or by a module's handle.
struct Kernel {
  std::string name;
  const void* host_function = nullptr;
  std::vector<amd_code::CodeObject>* objects = nullptr;  ///< null where unknown
  AmdKernelInfo info{-1, -1, -1, -1, -1, -1};            ///< overridden attributes
  [[nodiscard]] const amd_code::CodeKernel* code() const;
};

/// A launch with the storage that its record points to.
struct Launch {
  AmdLaunch record{};
  std::vector<unsigned char> bytes;
  std::vector<AmdArgument> arguments;
};

struct Failure {
  std::string function;
  unsigned calls_left;
  hipError_t code;
};

/// Everything that controls set and calls leave. Never destroyed. `lock` guards all members.
struct State {
  std::recursive_mutex lock;
  std::vector<AmdCall> calls;
  std::map<std::string, std::uint64_t> counts;
  std::deque<Launch> launches;
  std::deque<Failure> failures;
  std::map<const void*, std::vector<amd_code::CodeObject>> binaries;  ///< by registration
  std::map<const void*, Kernel> kernels;                              ///< by host function
  std::map<const void*, std::vector<amd_code::CodeObject>> modules;
  std::map<const void*, Kernel> module_kernels;  ///< by handle
  std::map<std::pair<int, int>, int> attributes;
  std::set<hipStream_t> capturing;
  std::vector<hipStream_t> graves;  ///< the runtime's streams whose work is held, and which the
                                    ///< program has destroyed
  int visible_devices = 1;
  bool has_peers = true;
  bool deferred = false;
  bool keeps_last_error = false;   ///< a success leaves the last-error slot alone
  bool forgives_captures = false;  ///< the end of a broken capture is a success
  std::set<int> without_code;      ///< devices
  std::set<Word> live;             ///< handles and addresses of what the program has made
  hipError_t async_error = hipSuccess;
  unsigned epoch = 0;  ///< a reset forgets each thread's slot
};
State& state();

/// The calling thread's last error where a control has set it, on top of the runtime's own slot.
struct Slot {
  bool planted = false;
  hipError_t code = hipSuccess;
  unsigned epoch = 0;
};
Slot& slot();
/// The last error as a program sees it.
hipError_t last_error();

/// Lets held work go on, or holds it again (soft_hsa_hold of the agent).
void hold_work(bool held);

}  // namespace interposer
