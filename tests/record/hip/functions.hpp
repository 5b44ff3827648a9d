// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <string>

namespace record {

template <class Kernel>
void ask_occupancy(Kernel* kernel, int block, std::size_t shared) {
  ask([&] {
    int blocks = -1;
    const hipError_t e =
        hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address(kernel), block, shared);
    say(std::to_string(blocks) + " blocks");
    return e;
  });
}

template <class Kernel>
void ask_block_size(Kernel* kernel, std::size_t shared, int limit) {
  ask([&] {
    int grid = -1;
    int block = -1;
    const hipError_t e =
        hipOccupancyMaxPotentialBlockSize(&grid, &block, address(kernel), shared, limit);
    say("grid " + std::to_string(grid) + " block " + std::to_string(block));
    return e;
  });
}

template <class Kernel>
void ask_attributes(Kernel* kernel) {
  ask([&] {
    hipFuncAttributes a{};
    const hipError_t e = hipFuncGetAttributes(&a, address(kernel));
    say("threads " + std::to_string(a.maxThreadsPerBlock) + " static " +
        std::to_string(a.sharedSizeBytes) + " dynamic " +
        std::to_string(a.maxDynamicSharedSizeBytes) + " local " + std::to_string(a.localSizeBytes) +
        " const " + std::to_string(a.constSizeBytes) + " version " +
        std::to_string(a.binaryVersion));
    return e;
  });
}

template <class Kernel>
void ask_to_set(Kernel* kernel, hipFuncAttribute attribute, int value) {
  ask([&] { return hipFuncSetAttribute(address(kernel), attribute, value); });
}

inline constexpr auto most_dynamic = hipFuncAttributeMaxDynamicSharedMemorySize;
inline constexpr auto carveout = hipFuncAttributePreferredSharedMemoryCarveout;

inline const Question functions[] = {
    {"hipFuncSetAttribute dynamic shared 65536",
     [] { ask_to_set(dynamically, most_dynamic, 65536); }},
    {"hipFuncSetAttribute dynamic shared 70000",
     [] { ask_to_set(dynamically, most_dynamic, 70000); }},
    {"hipFuncSetAttribute dynamic shared -1", [] { ask_to_set(dynamically, most_dynamic, -1); }},
    {"hipFuncSetAttribute dynamic shared 32769 of a kernel with static 32 KiB",
     [] { ask_to_set(statically, most_dynamic, 32769); }},
    {"hipFuncSetAttribute, host function", [] { ask_to_set(host_function, most_dynamic, 1024); }},
    {"hipFuncSetAttribute, null function",
     [] { ask_to_set(static_cast<void (*)()>(nullptr), most_dynamic, 1024); }},
    {"hipFuncSetAttribute, attribute 77",
     [] { ask_to_set(plain, unlisted<hipFuncAttribute>(77), 1024); }},
    {"hipFuncSetAttribute, carveout 100", [] { ask_to_set(plain, carveout, 100); }},
    {"hipFuncSetAttribute, carveout 101", [] { ask_to_set(plain, carveout, 101); }},
    {"hipFuncSetAttribute, carveout -2", [] { ask_to_set(plain, carveout, -2); }},
    {"hipFuncGetAttributes after hipFuncSetAttribute dynamic shared 4096",
     [] {
       say("set", hipFuncSetAttribute(address(plain), most_dynamic, 4096));
       ask_attributes(plain);
     }},
    {"launch over what hipFuncSetAttribute set",
     [] {
       say("set", hipFuncSetAttribute(address(dynamically), most_dynamic, 4096));
       ask([] { return launch(dynamically, 4, 64, 8192); });
     }},
    {"hipFuncGetAttributes, launch bounds 256", [] { ask_attributes(bounded); }},
    {"hipFuncGetAttributes, static 32 KiB", [] { ask_attributes(statically); }},
    {"hipFuncGetAttributes, host function",
     [] {
       ask([] {
         hipFuncAttributes a{};
         return hipFuncGetAttributes(&a, address(host_function));
       });
     }},
    {"hipFuncGetAttributes, null function",
     [] {
       ask([] {
         hipFuncAttributes a{};
         return hipFuncGetAttributes(&a, nullptr);
       });
     }},
    {"hipFuncGetAttributes null",
     [] { ask([] { return hipFuncGetAttributes(nullptr, address(plain)); }); }},
    {"occupancy, block 256", [] { ask_occupancy(plain, 256, 0); }},
    {"occupancy, block 1", [] { ask_occupancy(plain, 1, 0); }},
    {"occupancy, block 1024", [] { ask_occupancy(plain, 1024, 0); }},
    {"occupancy, block 256, shared 32768", [] { ask_occupancy(plain, 256, 32768); }},
    {"occupancy, block 256, shared 32769", [] { ask_occupancy(plain, 256, 32769); }},
    {"occupancy, block 256, shared 70000", [] { ask_occupancy(plain, 256, 70000); }},
    {"occupancy, static 32 KiB", [] { ask_occupancy(statically, 256, 0); }},
    {"occupancy, static 32 KiB and dynamic 40000", [] { ask_occupancy(statically, 256, 40000); }},
    {"occupancy, block 0", [] { ask_occupancy(plain, 0, 0); }},
    {"occupancy, block -1", [] { ask_occupancy(plain, -1, 0); }},
    {"occupancy, block 2048", [] { ask_occupancy(plain, 2048, 0); }},
    {"occupancy, block 512, launch bounds 256", [] { ask_occupancy(bounded, 512, 0); }},
    {"occupancy, host function", [] { ask_occupancy(host_function, 64, 0); }},
    {"occupancy with flags 1",
     [] {
       ask([] {
         int blocks = -1;
         return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, address(plain), 64,
                                                                      0, 1);
       });
     }},
    {"occupancy with flags 77",
     [] {
       ask([] {
         int blocks = -1;
         return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, address(plain), 64,
                                                                      0, 77);
       });
     }},
    {"block size, launch bounds 256", [] { ask_block_size(bounded, 0, 0); }},
    {"block size, at most 100", [] { ask_block_size(plain, 0, 100); }},
    {"block size, shared 40000", [] { ask_block_size(plain, 40000, 0); }},
    {"block size, shared 70000", [] { ask_block_size(plain, 70000, 0); }},
    {"block size, host function", [] { ask_block_size(host_function, 0, 0); }},
};

}  // namespace record
