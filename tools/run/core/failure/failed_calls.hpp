// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/memory_kind.hpp"
#include "../call/stream_call.hpp"
#include "../kernel/foreign_memory.hpp"
#include "../kernel/foreign_text.hpp"
#include "../library/library_arguments.hpp"
#include "../library/library_failure.hpp"
#include "../library/library_remedy.hpp"
#include "../place/host_stack.hpp"
#include "../place/script_places.hpp"
#include "../place/source_places.hpp"
#include "../platform.hpp"
#include "../report/findings.hpp"
#include "../report/standard_error.hpp"
#include "../stream/known_streams.hpp"
#include "../stream/stream_names.hpp"
#include "call_weight.hpp"
#include "memory_table.hpp"
#include "remedy.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Reports failed calls other than launches: each place in the program once, at most ten places of
/// one function and status. A call that a program may make to ask something is a note, or nothing
/// (call_weight.hpp). Thread-safe.
class FailedCalls {
 public:
  FailedCalls(const Platform& platform, KnownStreams& streams, SourcePlaces& places,
              Findings& findings, const Options& options)
      : platform_(platform),
        streams_(streams),
        places_(places),
        findings_(findings),
        quiet_(options.quiet),
        silent_(options.rerun > 1) {}

  [[nodiscard]] MemoryTable& memory() noexcept { return memory_; }

  /// Reports a failed call. `stack` is the program's; `log` is what the runtime's own log says;
  /// `kind_of` returns what the runtime knows about an address. Returns whether it is an error.
  bool failed(const StreamCall& of, int status, const HostStack& stack, const char* log,
              MemoryKind (*kind_of)(std::uintptr_t) noexcept) noexcept {
    const bool of_library = *platform_.caller.careful(stack) != '\0';
    CallWeight weight = weight_of(of.call, status, of_library);
    if (weight == CallWeight::quiet) return false;
    int devices = 0;
    if (status == status::invalid_device &&
        (platform_.device_count(devices) != 0 || devices == 0)) {
      weight = CallWeight::note;  // the machine has none, which the program may say itself
    }
    return report({of.name.data, of.name.size}, status, weight, stack, [&](Finding& made) {
      made.log = single_line(log);
      describe(made, of, status, devices, stack, kind_of);
      keep_breaker(status, made);
    });
  }
  /// The same for a call of a library's function.
  bool failed(const LibraryFailure& of, const HostStack& stack) noexcept {
    CallWeight weight = weight_of(of);
    if (weight == CallWeight::quiet) return false;
    int devices = 0;
    if (of.status->trouble == LibraryTrouble::handle &&
        (platform_.device_count(devices) != 0 || devices == 0)) {
      weight = CallWeight::note;  // the program may have another way without a device
    }
    return report(of.symbol, of.status->value, weight, stack, [&](Finding& made) {
      made.subject = of.function();
      made.code = of.status->name;
      made.title = made.subject + " failed: " + made.code + " (status " +
                   std::to_string(of.status->value) + ')';
      const LibraryArguments arguments = LibraryArguments::of(of);
      if (!arguments.words.empty()) made.details = "\n  " + arguments.words;
      std::size_t free_bytes = 0;
      std::size_t total_bytes = 0;
      if (of.status->trouble == LibraryTrouble::memory) {
        static_cast<void>(platform_.memory_info(free_bytes, total_bytes));
      }
      made.remedy = remedy_for(of, arguments, free_bytes, total_bytes);
      made.places = places_.find(stack);
    });
  }
  /// Returns the call that broke the capture that is open, with its place; empty: unknown.
  [[nodiscard]] std::string capture_breaker() {
    const std::lock_guard lock(mutex_);
    return breaker_;
  }
  /// Call when a capture begins.
  void capture_begins() {
    const std::lock_guard lock(mutex_);
    breaker_.clear();
  }
  /// Returns what is past the end of which allocation the address is, if no memory is known there
  /// and the host cannot read it.
  [[nodiscard]] std::optional<Allocation> ends_before(std::uintptr_t address) {
    char letter = 0;
    if (read_foreign(letter, reinterpret_cast<const void*>(address))) return std::nullopt;
    return memory_.before(address);
  }
  /// "address 0x7f1000, 0 bytes past the end of device memory 0x7f00 of 4096 bytes, allocated by
  /// cuMemAlloc at main.cpp:10".
  [[nodiscard]] std::string past_the_end(std::uintptr_t address, const Allocation& before) {
    FailedAddress of;
    of.address = before.begin;
    of.allocation = before;
    return "address " + hexadecimal(address) + ", " +
           std::to_string(address - before.begin - before.bytes) + " bytes past the end of " +
           words(of);
  }
  /// Describes an address in words: "device memory 0x7f00 of 4096 bytes, allocated by cuMemAlloc at
  /// main.cpp:10".
  [[nodiscard]] std::string words(const FailedAddress& at) {
    if (at.address == 0) return "a null pointer";
    if (at.before.has_value()) return past_the_end(at.address, *at.before);
    if (!at.allocation.has_value()) {
      return std::string(at.kind == MemoryKind::device   ? "device memory "
                         : at.kind == MemoryKind::pinned ? "pinned host memory "
                                                         : "host memory ") +
             hexadecimal(at.address);
    }
    const Allocation& is = *at.allocation;
    std::string text = is.kind == AllocationKind::device    ? "device memory "
                       : is.kind == AllocationKind::managed ? "managed memory "
                                                            : "pinned host memory ";
    text += hexadecimal(at.address);
    if (at.address != is.begin) {
      text += ", " + std::to_string(at.address - is.begin) + " bytes into an allocation";
    }
    text += " of " + std::to_string(is.bytes) + " bytes, allocated by " +
            std::string(is.made_by.data, is.made_by.size) + place(is.made_at);
    if (at.is_freed()) {
      text += ", freed by " + std::string(is.freed_by.data, is.freed_by.size) + place(is.freed_at);
      if (const std::uint64_t since = memory_.calls_since(is); since != 0) {
        text += ", " + counted(since, "allocation or free", "allocations and frees") + " ago";
      }
    }
    return text;
  }

 private:
  static constexpr std::uint64_t most_places = 10;

  using Frames = std::vector<void*>;
  /// Reports a failure at a place that is new, and counts the others. `describe` fills in the
  /// finding. Returns whether the failure is a new error.
  template <class Describe>
  bool report(std::string_view function, int status, CallWeight weight, const HostStack& stack,
              const Describe& describe) noexcept {
    try {
      const Finding::Kind kind =
          weight == CallWeight::note ? Finding::Kind::note : Finding::Kind::call;
      const ScriptPlaces::Lines lines = scripts_.lines();
      Frames frames(stack.frames, stack.frames + stack.count);
      // All lines of Python may reach the function through the same frames.
      for (const void* const one : lines) frames.push_back(const_cast<void*>(one));
      std::size_t number = Findings::none;
      if (!is_new(function, status, frames, number)) {
        findings_.again(number, kind);
        return false;
      }
      Finding made;
      made.kind = kind;
      describe(made);
      ScriptPlaces::add(made.places, lines, SourcePlaces::most);
      if (weight == CallWeight::error || !quiet_) {
        if (!debug::Environment::get().silent && !silent_) StandardError::line(shown(made));
      }
      number = findings_.add(std::move(made));
      is_reported(function, status, frames, number);
    } catch (...) {  // out of memory: the call is not reported
      return false;
    }
    return weight == CallWeight::error;
  }
  [[nodiscard]] std::map<Frames, std::size_t>& reported(std::string_view function, int status) {
    return reported_[{std::string(function), status}];
  }
  /// Whether this place has not been reported yet, and may be. If it was, `number` is that of its
  /// finding.
  [[nodiscard]] bool is_new(std::string_view function, int status, const Frames& frames,
                            std::size_t& number) {
    const std::lock_guard lock(mutex_);
    auto& known = reported(function, status);
    const auto found = known.find(frames);
    if (found != known.end()) {
      number = found->second;
      return false;
    }
    if (known.size() >= most_places) return false;
    known.emplace(frames, Findings::none);
    return true;
  }
  void is_reported(std::string_view function, int status, const Frames& frames,
                   std::size_t number) {
    const std::lock_guard lock(mutex_);
    reported(function, status)[frames] = number;
  }
  [[nodiscard]] std::string shown(const Finding& made) {
    return (made.kind == Finding::Kind::note ? "warpsafe: note: " : "warpsafe: ") + made.text();
  }
  void describe(Finding& made, const StreamCall& of, int status, int devices,
                const HostStack& stack, MemoryKind (*kind_of)(std::uintptr_t) noexcept) {
    const tool::BackendCalls& calls = *platform_.calls;
    const auto text_of = [](Name name) { return single_line({name.data, name.size}); };
    FailedCallFacts facts;
    facts.to = address(of.to, kind_of, writes_memory(of.call));
    facts.from = address(of.from, kind_of, copies(of.call));
    made.subject = std::string(of.name.data, of.name.size);
    made.code = text_of(calls.error_name(status));
    made.title =
        made.subject + " failed: " + made.code + " (" + text_of(calls.error_text(status)) + ')';
    if (status == status::out_of_memory) {
      static_cast<void>(platform_.memory_info(facts.free_bytes, facts.total_bytes));
    }
    facts.devices = devices;
    const bool has_stream = of.stream != nullptr && !is_legacy(of.stream, of.per_thread) &&
                            of.stream != per_thread_handle();
    facts.stream_is_known = !has_stream || streams_.device_of(of.stream) >= 0;
    if (status == status::capture_invalidated) facts.capture_broken_by = capture_breaker();
    if (of.bytes != 0) made.details += "\n  " + std::to_string(of.bytes) + " bytes";
    if (const std::string text = foreign_text(of.text); !text.empty()) {
      made.details += "\n  asked for '" + text + '\'';
    }
    if (of.call == Call::set_device) made.details += "\n  device " + std::to_string(of.number);
    if (of.call == Call::set_attribute) {
      made.details += "\n  " + attribute_name(of.kind) + ' ' + std::to_string(of.number);
      DeviceLimits limits;
      if (calls.limits_of(of.device, limits) == 0)
        facts.shared_limit = limits.shared_per_block_optin;
    }
    if (facts.from.is_memory) made.details += "\n  from " + words(facts.from);
    if (facts.to.is_memory) {
      made.details += std::string(copies(of.call) ? "\n  to " : "\n  of ") + words(facts.to);
    }
    if (has_stream) {
      made.details += "\n  on stream " + hexadecimal(reinterpret_cast<std::uintptr_t>(of.stream));
    }
    made.remedy = remedy_for(of, status, facts);
    made.places = places_.find(stack);
  }
  /// The first failure of a call that is not allowed during a capture breaks the capture.
  void keep_breaker(int status, const Finding& made) {
    if (status < status::capture_unsupported || status > 909 ||
        status == status::capture_invalidated) {
      return;
    }
    const std::lock_guard lock(mutex_);
    if (!breaker_.empty()) return;
    breaker_ = made.subject;
    if (!made.places.empty()) breaker_ += " in " + made.places.front().text();
  }
  [[nodiscard]] static bool copies(Call call) noexcept {
    switch (call) {
      case Call::copy_in:
      case Call::copy_out:
      case Call::copy_in_async:
      case Call::copy_out_async:
      case Call::copy_any:
      case Call::copy_any_async:
      case Call::copy_device:
      case Call::copy_device_async:
        return true;
      default:
        return false;
    }
  }
  [[nodiscard]] static bool writes_memory(Call call) noexcept {
    return copies(call) || call == Call::fill || call == Call::fill_async || call == Call::free ||
           call == Call::free_async || call == Call::free_host;
  }
  [[nodiscard]] FailedAddress address(std::uintptr_t at,
                                      MemoryKind (*kind_of)(std::uintptr_t) noexcept,
                                      bool is_memory) {
    FailedAddress made;
    made.address = at;
    made.is_memory = is_memory;
    if (!is_memory || at == 0) return made;
    made.allocation = memory_.find(at);
    if (!made.allocation.has_value()) made.kind = kind_of(at);
    if (!made.allocation.has_value() && made.kind == MemoryKind::ordinary) {
      made.before = ends_before(at);
    }
    return made;
  }
  [[nodiscard]] std::string place(std::uint32_t stack) {
    if (stack == 0) return {};
    const std::vector<SourcePlace> found = places_.find(memory_.stack(stack));
    return found.empty() ? std::string() : " in " + found.front().text();
  }
  [[nodiscard]] static std::string hexadecimal(std::uintptr_t number) {
    char text[32];
    tool::TextBuffer out(text, sizeof text);
    out << reinterpret_cast<const void*>(number);
    return text;
  }

  const Platform& platform_;
  KnownStreams& streams_;
  SourcePlaces& places_;
  Findings& findings_;
  bool quiet_;
  bool silent_;  ///< a later run of --rerun repeats nothing
  MemoryTable memory_;
  ScriptPlaces scripts_;
  std::mutex mutex_;
  /// The numbers of the findings by stack, by function and status.
  std::map<std::pair<std::string, int>, std::map<Frames, std::size_t>> reported_;
  std::string breaker_;
};

}  // namespace warpsafe::watch
