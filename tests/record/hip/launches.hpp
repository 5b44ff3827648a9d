// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

#include <hip/hip_ext.h>

#include <climits>

namespace record {

inline constexpr std::size_t four_gib = std::size_t{1} << 32;

inline const Question sizes[] = {
    {"good launch", [] { ask([] { return launch(plain, 4, 256, 128); }); }},
    {"grid 0", [] { ask([] { return launch(plain, 0, 256); }); }},
    {"grid.y 0", [] { ask([] { return launch(plain, dim3(4, 0, 1), 256); }); }},
    {"block.x 0", [] { ask([] { return launch(plain, 4, 0); }); }},
    {"block.y 0", [] { ask([] { return launch(plain, 4, dim3(256, 0, 1)); }); }},
    {"block 1024", [] { ask([] { return launch(plain, 4, 1024); }); }},
    {"block 1025", [] { ask([] { return launch(plain, 4, 1025); }); }},
    {"block 2048", [] { ask([] { return launch(plain, 4, 2048); }); }},
    {"block 32x32x2", [] { ask([] { return launch(plain, 4, dim3(32, 32, 2)); }); }},
    {"block 1x1x128", [] { ask([] { return launch(plain, 4, dim3(1, 1, 128)); }); }},
    {"block 1x1x1024", [] { ask([] { return launch(plain, 4, dim3(1, 1, 1024)); }); }},
    {"block 65536x65536x1, whose product wraps to 0",
     [] { ask([] { return launch(plain, 1, dim3(65536, 65536, 1)); }); }},
    {"block 65536x65537x1, whose product wraps to 65536",
     [] { ask([] { return launch(plain, 1, dim3(65536, 65537, 1)); }); }},
    {"block 2x2147483649x1, whose product wraps to 2",
     [] { ask([] { return launch(plain, 1, dim3(2, 2147483649u, 1)); }); }},
    {"block 65537x65536x1", [] { ask([] { return launch(plain, 1, dim3(65537, 65536, 1)); }); }},
    {"grid.y 70000", [] { ask([] { return launch(plain, dim3(1, 70000, 1), 64); }); }},
    {"grid.z 70000", [] { ask([] { return launch(plain, dim3(1, 1, 70000), 64); }); }},
    {"grid.x 2^24, block 255, below 2^32 threads",
     [] { ask([] { return launch(plain, 1u << 24, 255); }); }},
    {"grid.x 2^24, block 256, 2^32 threads",
     [] { ask([] { return launch(plain, 1u << 24, 256); }); }},
    {"grid.x 2^31, block 1", [] { ask([] { return launch(plain, 1u << 31, 1); }); }},
    {"grid.x 2^32-1, block 1", [] { ask([] { return launch(plain, UINT_MAX, 1); }); }},
    {"grid.y 2^24, block.y 256, 2^32 threads in y",
     [] { ask([] { return launch(plain, dim3(1, 1u << 24, 1), dim3(1, 256, 1)); }); }},
    {"grid 65536x65536 of 64, more than 2^32 threads in all",
     [] { ask([] { return launch(plain, dim3(65536, 65536, 1), 64); }); }},
    {"512 threads, launch bounds 256", [] { ask([] { return launch(bounded, 4, 512); }); }},
    {"dynamic shared 65536", [] { ask([] { return launch(dynamically, 4, 64, 65536); }); }},
    {"dynamic shared 65537", [] { ask([] { return launch(dynamically, 4, 64, 65537); }); }},
    {"dynamic shared 70000", [] { ask([] { return launch(dynamically, 4, 64, 70000); }); }},
    {"static 32 KiB and dynamic 32 KiB",
     [] { ask([] { return launch(statically, 4, 1024, 32768); }); }},
    {"static 32 KiB and dynamic 32769",
     [] { ask([] { return launch(statically, 4, 1024, 32769); }); }},
    {"static 32 KiB and dynamic 40000",
     [] { ask([] { return launch(statically, 4, 1024, 40000); }); }},
    {"static 32 KiB and dynamic 65536",
     [] { ask([] { return launch(statically, 4, 1024, 65536); }); }},
    {"static 32 KiB and dynamic 65537",
     [] { ask([] { return launch(statically, 4, 1024, 65537); }); }},
    {"static 32 KiB and dynamic 2^32-32768, whose sum wraps to 0",
     [] { ask([] { return launch(statically, 4, 1024, four_gib - 32768); }); }},
    {"dynamic shared -1 as size_t",
     [] { ask([] { return launch(dynamically, 4, 64, static_cast<std::size_t>(-1)); }); }},
    {"dynamic shared 2^32", [] { ask([] { return launch(dynamically, 4, 64, four_gib); }); }},
    {"dynamic shared 2^32+1024",
     [] { ask([] { return launch(dynamically, 4, 64, four_gib + 1024); }); }},
    {"dynamic shared 2^31", [] { ask([] { return launch(dynamically, 4, 64, four_gib / 2); }); }},
};

inline const Question forms[] = {
    {"null function", [] { ask([] { return launch(static_cast<void (*)()>(nullptr), 4, 64); }); }},
    {"host function", [] { ask([] { return launch(host_function, 4, 64); }); }},
    {"null arguments of a kernel with parameters",
     [] {
       ask([] { return hipLaunchKernel(address(plain), dim3(4), dim3(64), nullptr, 0, nullptr); });
     }},
    {"null arguments of a kernel without parameters",
     [] {
       ask([] {
         return hipLaunchKernel(address(nothing), dim3(4), dim3(64), nullptr, 0, nullptr);
       });
     }},
    {"grid 0 with null arguments",
     [] {
       ask([] { return hipLaunchKernel(address(plain), dim3(0), dim3(64), nullptr, 0, nullptr); });
     }},
    {"destroyed stream", [] { ask([s = dead_stream()] { return launch(plain, 4, 64, 0, s); }); }},
    {"invalid stream", [] { ask([] { return launch(plain, 4, 64, 0, invalid_stream()); }); }},
    {"hipStreamPerThread", [] { ask([] { return launch(plain, 4, 64, 0, hipStreamPerThread); }); }},
    {"stream of another device",
     [] { ask([s = on_other_device()] { return launch(plain, 4, 64, 0, s); }); }},
    {"null stream of another device",
     [] {
       say("hipSetDevice", hipSetDevice(1));
       ask([] { return launch(plain, 4, 64); });
     }},
    {"no code for the device, a gfx908",
     [] {
       say("hipSetDevice", hipSetDevice(1));
       ask([] { return launch(plain, 4, 64); });
     }},
    {"chevrons, grid 0", [] { ask([] { return plain<<<0, 64>>>(memory, 1), hipSuccess; }); }},
    {"chevrons", [] { ask([] { return plain<<<2, 64, 16>>>(memory, 1), hipSuccess; }); }},
    {"hipExtLaunchKernel without events",
     [] {
       ask([] {
         Arguments arguments;
         return hipExtLaunchKernel(address(plain), dim3(4), dim3(64), arguments.pointers, 0,
                                   nullptr, nullptr, nullptr, 0);
       });
     }},
};

inline const Question cooperatives[] = {
    {"cooperative launch that fits", [] { ask([] { return cooperative(plain, 104, 64); }); }},
    {"cooperative launch that fills the device",
     [] { ask([] { return cooperative(plain, 880, 256); }); }},
    {"cooperative launch of a block too many",
     [] { ask([] { return cooperative(plain, 881, 256); }); }},
    {"cooperative launch too large",
     [] { ask([] { return cooperative(plain, 1u << 20, 1024); }); }},
    {"cooperative, total of threads wraps 2^32",
     [] { ask([] { return cooperative(plain, dim3(1u << 16, 1u << 16, 1), 64); }); }},
    {"cooperative, block 0", [] { ask([] { return cooperative(plain, 4, 0); }); }},
    {"cooperative, grid 0", [] { ask([] { return cooperative(plain, 0, 64); }); }},
    {"cooperative, block 2048", [] { ask([] { return cooperative(plain, 4, 2048); }); }},
    {"cooperative, block 65536x65536x1, whose product wraps to 0",
     [] { ask([] { return cooperative(plain, 1, dim3(65536, 65536, 1)); }); }},
    {"cooperative, 512 threads, launch bounds 256",
     [] { ask([] { return cooperative(bounded, 4, 512); }); }},
    {"cooperative, grid.x 2^24, block 256",
     [] { ask([] { return cooperative(plain, 1u << 24, 256); }); }},
    {"cooperative, dynamic shared 70000",
     [] { ask([] { return cooperative(plain, 4, 64, 70000); }); }},
    {"cooperative, static 32 KiB and dynamic 40000",
     [] { ask([] { return cooperative(statically, 4, 64, 40000); }); }},
    {"cooperative, null function",
     [] { ask([] { return cooperative(static_cast<void (*)()>(nullptr), 4, 64); }); }},
    {"cooperative, host function", [] { ask([] { return cooperative(host_function, 4, 64); }); }},
    {"cooperative, destroyed stream",
     [] { ask([s = dead_stream()] { return cooperative(plain, 4, 64, 0, s); }); }},
    {"cooperative, invalid stream",
     [] { ask([] { return cooperative(plain, 4, 64, 0, invalid_stream()); }); }},
    {"cooperative, stream of another device",
     [] { ask([s = on_other_device()] { return cooperative(plain, 4, 64, 0, s); }); }},
};

}  // namespace record
