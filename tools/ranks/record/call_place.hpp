// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/python_stack.hpp"
#include "../../common/script_frame.hpp"
#include "call_stack.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// An instruction of the program, or a line of its script. `warpsafe-ranks` translates object and
/// offset of an instruction into file and line, if the object has debug information.
struct CallPlace {
  std::uint32_t number = 0;  ///< from 1
  std::uint32_t caller = 0;  ///< the number of the place that called this function; 0: not known
  std::string object;        ///< or the script's file
  std::uint64_t offset = 0;
  std::string function;   ///< mangled; the nearest exported name before an instruction
  std::int32_t line = 0;  ///< of a script; 0: this is an instruction
};

/// The places of calls, each with the places that led there: programs have functions of their own
/// around the library's. Frames of the libraries that pass calls on, such as PyTorch's, are left
/// out if the program itself or its script is on the stack.
class CallPlaces {
 public:
  /// The number of the place of a call of the program that returns to `call`, with the stack up to
  /// there. Places that were not known are added to `added`, a caller before the place that it
  /// called.
  [[nodiscard]] std::uint32_t number_of(void* call, const ReturnAddresses& stack,
                                        std::vector<CallPlace>& added) {
    // Other code may be where the known calls were.
    if (stack_.forget_changed()) numbers_.clear();
    CallStack::Walked& walked = stack_.of(stack);
    // Each call has its own stack in a script, and each call in generated code its own place.
    if (walked.number == 0 || walked.reached_interpreter || stack.count == 0) {
      walked.number = number_of(call, walked, added);
    }
    return walked.number;
  }

 private:
  /// Object, function, offset, line and caller.
  using Key = std::tuple<std::string, std::string, std::uint64_t, std::int32_t, std::uint32_t>;

  std::uint32_t number_of(void* call, const CallStack::Walked& walked,
                          std::vector<CallPlace>& added) {
    std::uint32_t number = 0;
    // The program's own functions are the innermost. The script called them.
    const std::size_t room = CallStack::most_places - walked.program.size();
    if (walked.reached_interpreter) number = number_of_script(room, added);
    if (!walked.program.empty() || number != 0) return chained(walked.program, number, added);
    if (!walked.framework.empty()) return chained(walked.framework, 0, added);
    // The stack cannot be read, for example in code that was generated while the program ran.
    return chained({call}, 0, added);
  }
  std::uint32_t number_of_script(std::size_t room, std::vector<CallPlace>& added) {
    const std::vector<const ScriptFrame*> frames = python_.frames(room);
    std::uint32_t number = 0;
    for (std::size_t i = frames.size(); i-- > 0;) {
      const ScriptFrame& frame = *frames[i];
      std::uint32_t& known = numbers_[{&frame, number}];
      if (known == 0) {
        known = number_of({0, number, frame.file, 0, frame.function, frame.line}, added);
      }
      number = known;
    }
    return number;
  }
  std::uint32_t chained(const std::vector<void*>& addresses, std::uint32_t caller,
                        std::vector<CallPlace>& added) {
    for (std::size_t i = addresses.size(); i-- > 0;) {
      std::uint32_t& known = numbers_[{addresses[i], caller}];
      if (known == 0) known = number_of(described(addresses[i], caller), added);
      caller = known;
    }
    return caller;
  }
  /// A library that is loaded again has its places again.
  std::uint32_t number_of(CallPlace place, std::vector<CallPlace>& added) {
    // Generated code has no object, and each of its places is another one.
    const Key key{place.object, place.function, place.offset, place.line, place.caller};
    const auto known = place.object.empty() ? again_.end() : again_.find(key);
    if (known != again_.end()) return known->second;
    place.number = ++count_;
    again_[key] = count_;
    added.push_back(std::move(place));
    return count_;
  }
  static CallPlace described(void* address, std::uint32_t caller) {
    CallPlace place;
    place.caller = caller;
    Dl_info info{};
    // A return address may be the first one behind its function.
    const char* const call = static_cast<char*>(address) - 1;
    if (::dladdr(call, &info) == 0) return place;
    place.object = info.dli_fname != nullptr ? info.dli_fname : "";
    place.offset = static_cast<std::uint64_t>(call - static_cast<const char*>(info.dli_fbase));
    place.function = info.dli_sname != nullptr ? info.dli_sname : "";
    return place;
  }

  CallStack stack_;
  PythonStack python_;
  std::uint32_t count_ = 0;
  std::map<Key, std::uint32_t> again_;
  /// By instruction or ScriptFrame, and caller.
  std::map<std::pair<const void*, std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace warpsafe::ranks
