// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <string>

namespace record {

/// A cooperative launch of a module's kernel, which release 5.2 does not have.
inline hipError_t cooperative_module(unsigned grid, unsigned block) {
  using Call = hipError_t (*)(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, unsigned, hipStream_t, void**);
  const auto call = find_in_release<Call>("hipModuleLaunchCooperativeKernel");
  const hipFunction_t function = module_function();
  static_cast<void>(hipGetLastError());
  Arguments arguments;
  if (call != nullptr) {
    return call(function, grid, 1, 1, block, 1, 1, 0, nullptr, arguments.pointers);
  }
  say("not in this release");
  return hipSuccess;
}

inline const Question modules[] = {
    {"module launch", [] { ask([f = module_function()] { return module_launch(f, 4, 64); }); }},
    {"module launch, null function", [] { ask([] { return module_launch(nullptr, 4, 64); }); }},
    {"module launch, grid 0",
     [] { ask([f = module_function()] { return module_launch(f, 0, 64); }); }},
    {"module launch, block 0",
     [] { ask([f = module_function()] { return module_launch(f, 4, 0); }); }},
    {"module launch, block 2048",
     [] { ask([f = module_function()] { return module_launch(f, 4, 2048); }); }},
    {"module launch, block 65536x65536x1, whose product wraps to 0",
     [] { ask([f = module_function()] { return module_launch(f, 1, dim3(65536, 65536, 1)); }); }},
    {"module launch, grid.y 65536",
     [] { ask([f = module_function()] { return module_launch(f, dim3(1, 65536, 1), 64); }); }},
    {"module launch, grid.y 70000",
     [] { ask([f = module_function()] { return module_launch(f, dim3(1, 70000, 1), 64); }); }},
    {"module launch, grid.x 2^24, block 256",
     [] { ask([f = module_function()] { return module_launch(f, 1u << 24, 256); }); }},
    {"module launch, grid.y 2^24, block.y 256",
     [] {
       ask([f = module_function()] {
         return module_launch(f, dim3(1, 1u << 24, 1), dim3(1, 256, 1));
       });
     }},
    {"module launch, grid.y 2^24+1, block.y 256",
     [] {
       ask([f = module_function()] {
         return module_launch(f, dim3(1, (1u << 24) + 1, 1), dim3(1, 256, 1));
       });
     }},
    {"module launch, grid.x 2^31",
     [] { ask([f = module_function()] { return module_launch(f, 1u << 31, 1); }); }},
    {"module launch, shared 70000",
     [] { ask([f = module_function()] { return module_launch(f, 4, 64, 70000); }); }},
    {"module launch, static 32 KiB and dynamic 40000",
     [] { ask([f = module_function("statically")] { return module_launch(f, 4, 1024, 40000); }); }},
    {"module launch, 512 threads, launch bounds 256",
     [] { ask([f = module_function("bounded")] { return module_launch(f, 4, 512); }); }},
    {"module launch, destroyed stream",
     [] {
       ask([f = module_function(), s = dead_stream()] { return module_launch(f, 4, 64, 0, s); });
     }},
    {"module launch, invalid stream",
     [] { ask([f = module_function()] { return module_launch(f, 4, 64, 0, invalid_stream()); }); }},
    {"module launch, packed arguments",
     [] {
       ask([f = module_function()] {
         char block[16] = "";
         std::size_t bytes = sizeof block;
         void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                          &bytes, HIP_LAUNCH_PARAM_END};
         return hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra);
       });
     }},
    {"module launch, parameters and packed arguments",
     [] {
       ask([f = module_function()] {
         Arguments arguments;
         char block[16] = "";
         std::size_t bytes = sizeof block;
         void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                          &bytes, HIP_LAUNCH_PARAM_END};
         return hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments.pointers, extra);
       });
     }},
    {"module launch, neither parameters nor packed arguments",
     [] {
       ask([f = module_function()] {
         return hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr);
       });
     }},
    {"cooperative module launch", [] { ask([] { return cooperative_module(4, 64); }); }},
    {"cooperative module launch, a block too many",
     [] { ask([] { return cooperative_module(881, 256); }); }},
    {"cooperative module launch, grid 0", [] { ask([] { return cooperative_module(0, 64); }); }},
    {"cooperative module launch, block 2048",
     [] { ask([] { return cooperative_module(4, 2048); }); }},
    {"hipModuleLoad of no file",
     [] {
       hipModule_t m = nullptr;
       say(status(hipModuleLoad(&m, "/no such file")));
       say("last", hipGetLastError());
     }},
    {"hipModuleLoad null",
     [] {
       hipModule_t m = nullptr;
       say("path", hipModuleLoad(&m, nullptr));
       say("module", hipModuleLoad(nullptr, image().c_str()));
     }},
    {"hipModuleLoadData of text",
     [] {
       static const char words[4096] = "no code object";
       hipModule_t m = nullptr;
       say(status(hipModuleLoadData(&m, words)));
     }},
    {"hipModuleLoadData null",
     [] {
       hipModule_t m = nullptr;
       say(status(hipModuleLoadData(&m, nullptr)));
     }},
    {"module with no code for the device, a gfx908",
     [] {
       say("hipSetDevice", hipSetDevice(1));
       hipModule_t m = nullptr;
       say("hipModuleLoad", hipModuleLoad(&m, image().c_str()));
     }},
    {"hipModuleGetFunction, no such name",
     [] {
       ask([m = module()] {
         hipFunction_t f = nullptr;
         return hipModuleGetFunction(&f, m, "no such kernel");
       });
     }},
    {"hipModuleGetFunction null",
     [] {
       hipFunction_t f = nullptr;
       say("function", hipModuleGetFunction(nullptr, module(), "plain"));
       say("module", hipModuleGetFunction(&f, nullptr, "plain"));
       say("name", hipModuleGetFunction(&f, module(), nullptr));
       say("empty name", hipModuleGetFunction(&f, module(), ""));
     }},
    {"hipModuleUnload null", [] { ask([] { return hipModuleUnload(nullptr); }); }},
    {"hipModuleUnload twice",
     [] {
       const hipModule_t m = module();
       say("first", hipModuleUnload(m));
       say("second", hipModuleUnload(m));
     }},
    {"hipFuncGetAttribute of a module's kernel",
     [] {
       const hipFunction_t f = module_function("statically");
       for (int which = 0; which <= 9; ++which) {
         int value = -1;
         const hipError_t e =
             hipFuncGetAttribute(&value, unlisted<hipFunction_attribute>(which), f);
         // The registers are the compiler's choice, the versions the architecture's.
         const bool own = which != HIP_FUNC_ATTRIBUTE_NUM_REGS;
         say(std::to_string(which) + " " + status(e) + (own ? " " + std::to_string(value) : ""));
       }
     }},
    {"hipFuncGetAttribute of attribute 10",
     [] {
       int value = -1;
       const hipFunction_t f = module_function();
       say(status(hipFuncGetAttribute(&value, unlisted<hipFunction_attribute>(10), f)));
     }},
    {"hipFuncGetAttribute null",
     [] {
       int value = -1;
       const auto which = HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
       say("value", hipFuncGetAttribute(nullptr, which, module_function()));
       say("function", hipFuncGetAttribute(&value, which, nullptr));
     }},
    {"occupancy of a module's kernel",
     [] {
       int blocks = -1;
       const hipFunction_t f = module_function("statically");
       say(status(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0)));
       say(std::to_string(blocks) + " blocks");
     }},
};

}  // namespace record
