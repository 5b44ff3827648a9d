// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

namespace record {

inline void say_attribute(const char* name, hipDeviceAttribute_t which) {
  int value = -12345;
  const hipError_t e = hipDeviceGetAttribute(&value, which, 0);
  say(std::string(name) + " " + (e == hipSuccess ? std::to_string(value) : status(e)));
}

inline const Question devices[] = {
    {"count and current",
     [] {
       int count = -1;
       say("hipGetDeviceCount", hipGetDeviceCount(&count));
       say(std::to_string(count));
       int current = -1;
       say("hipGetDevice", hipGetDevice(&current));
       say(std::to_string(current));
       say("count to nowhere", hipGetDeviceCount(nullptr));
       say("device to nowhere", hipGetDevice(nullptr));
     }},
    {"hipSetDevice 2 of 2", [] { ask([] { return hipSetDevice(2); }); }},
    {"hipSetDevice -1", [] { ask([] { return hipSetDevice(-1); }); }},
    {"hipInit",
     [] {
       say("0", hipInit(0));
       say("1", hipInit(1));
     }},
    {"hipDeviceGet",
     [] {
       hipDevice_t d = -1;
       say("1", hipDeviceGet(&d, 1));
       say("2", hipDeviceGet(&d, 2));
       say("-1", hipDeviceGet(&d, -1));
       say("to nowhere", hipDeviceGet(nullptr, 0));
     }},
    {"hipDeviceGetName",
     [] {
       char name[64] = "";
       say("device 2", hipDeviceGetName(name, 64, 2));
       say("0 characters", hipDeviceGetName(name, 0, 0));
       say("to nowhere", hipDeviceGetName(nullptr, 64, 0));
       say("4 characters", hipDeviceGetName(name, 4, 0));
     }},
    {"hipDeviceTotalMem",
     [] {
       std::size_t bytes = 0;
       say("device 2", hipDeviceTotalMem(&bytes, 2));
       say("to nowhere", hipDeviceTotalMem(nullptr, 0));
     }},
    {"hipDeviceGetAttribute",
     [] {
       int value = 0;
       say("device 2", hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 2));
       say("to nowhere", hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0));
       say("99999", hipDeviceGetAttribute(&value, unlisted<hipDeviceAttribute_t>(99999), 0));
     }},
    {"limits",
     [] {
       say_attribute("threads", hipDeviceAttributeMaxThreadsPerBlock);
       say_attribute("block.x", hipDeviceAttributeMaxBlockDimX);
       say_attribute("block.y", hipDeviceAttributeMaxBlockDimY);
       say_attribute("block.z", hipDeviceAttributeMaxBlockDimZ);
       say_attribute("grid.x", hipDeviceAttributeMaxGridDimX);
       say_attribute("grid.y", hipDeviceAttributeMaxGridDimY);
       say_attribute("grid.z", hipDeviceAttributeMaxGridDimZ);
       say_attribute("shared", hipDeviceAttributeMaxSharedMemoryPerBlock);
       say_attribute("shared opt-in", hipDeviceAttributeSharedMemPerBlockOptin);
       say_attribute("warp", hipDeviceAttributeWarpSize);
       say_attribute("multiprocessors", hipDeviceAttributeMultiprocessorCount);
       say_attribute("threads per multiprocessor", hipDeviceAttributeMaxThreadsPerMultiProcessor);
       say_attribute("cooperative", hipDeviceAttributeCooperativeLaunch);
       say_attribute("major", hipDeviceAttributeComputeCapabilityMajor);
       say_attribute("minor", hipDeviceAttributeComputeCapabilityMinor);
     }},
    {"versions",
     [] {
       int runtime = -1;
       int driver = -1;
       say("hipRuntimeGetVersion", hipRuntimeGetVersion(&runtime));
       say(std::to_string(runtime / 100000));
       say("hipDriverGetVersion", hipDriverGetVersion(&driver));
       say(driver == runtime ? "the same" : "another");
       say("to nowhere", hipRuntimeGetVersion(nullptr));
     }},
    {"peers",
     [] {
       int can = -1;
       say("hipDeviceCanAccessPeer", hipDeviceCanAccessPeer(&can, 0, 1));
       say(std::to_string(can));
       say("itself", hipDeviceCanAccessPeer(&can, 0, 0));
       say(std::to_string(can));
       say("device 2", hipDeviceCanAccessPeer(&can, 0, 2));
       say("enable", hipDeviceEnablePeerAccess(1, 0));
       say("again", hipDeviceEnablePeerAccess(1, 0));
       say("disable", hipDeviceDisablePeerAccess(1));
       say("again", hipDeviceDisablePeerAccess(1));
       say("itself", hipDeviceEnablePeerAccess(0, 0));
       say("device 2", hipDeviceEnablePeerAccess(2, 0));
       say("flags 1", hipDeviceEnablePeerAccess(1, 1));
     }},
};

}  // namespace record
