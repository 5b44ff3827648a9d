// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "scripted_runtime.hpp"
#include <warpsafe/handles/handle_traits.hpp>

#include <cstddef>

// A library on the scripted runtime. Its handles have two inner handles, a workspace and a pointer
// mode. Its functions note their calls, and answer what the script says.

namespace warpsafe::handle_test {

using core_test::script;
using core_test::ScriptedRuntime;
using ScriptedStream = ScriptedRuntime::native_stream;

struct Rig {
  ScriptedStream stream = nullptr;
  ScriptedStream inner[2] = {nullptr, nullptr};
  bool keeps_inner = false;  ///< setting the stream does not reach the second inner handle
  bool scalars_on_device = false;
};

/// The members of handle_traits, for a backend.
template <class B>
struct RigTraits {
  using backend = B;
  using native = Rig*;
  using status = int;
  using refused = Functions<>;
  static constexpr Name name = Name::of("rig");
  static constexpr int inner_handles = 2;
  static status create(native&) noexcept { return script.call("create"); }
  static status destroy(native) noexcept { return script.call("destroy"); }
  static status set_stream(native rig, ScriptedStream stream) noexcept {
    rig->stream = rig->inner[0] = stream;
    if (!rig->keeps_inner) rig->inner[1] = stream;
    return script.call("set_stream", stream);
  }
  static status get_stream(native rig, ScriptedStream& stream) noexcept {
    stream = rig->stream;
    return script.status_of("get_stream");
  }
  static status get_stream(native rig, int inner, ScriptedStream& stream) noexcept {
    stream = rig->inner[inner];
    return script.status_of("get_inner");
  }
  static std::size_t workspace_bytes(int device) noexcept {
    return 100 + static_cast<std::size_t>(device);
  }
  static status set_workspace(native, void* memory, std::size_t bytes) noexcept {
    return script.call("set_workspace", memory, bytes);
  }
  static status set_scalars_on_device(native rig, bool on) noexcept {
    rig->scalars_on_device = on;
    return script.call(on ? "scalars_on_device" : "scalars_on_host");
  }
  static status get_scalars_on_device(native rig, bool& on) noexcept {
    on = rig->scalars_on_device;
    return script.status_of("get_mode");
  }
  static Name status_name(status value) noexcept { return Name::of(value == 7 ? "BROKEN" : ""); }
  static Name status_text(status value) noexcept { return Name::of(value == 7 ? "it broke" : ""); }
};

}  // namespace warpsafe::handle_test
