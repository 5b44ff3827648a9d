// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <cstddef>

namespace record {

inline void launch_limits() {
  section("launch limits");
  const unsigned negative = static_cast<unsigned>(-1);
  for (dim3 grid : {dim3(1), dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(0, 0, 0), dim3(2147483647U),
                    dim3(2147483648U), dim3(negative), dim3(1, 65535), dim3(1, 65536),
                    dim3(1, 1, 65535), dim3(1, 1, 65536), dim3(2, 65535, 3), dim3(65536, 65536, 1),
                    dim3(1, negative), dim3(1, 1, negative)}) {
    launch_line("empty", grid, 1, 0);
  }
  for (dim3 block :
       {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1024), dim3(1025), dim3(2048), dim3(1, 1024),
        dim3(1, 1025), dim3(1, 1, 64), dim3(1, 1, 65), dim3(32, 32), dim3(32, 33), dim3(16, 1, 64),
        dim3(17, 1, 64), dim3(65536, 65536), dim3(negative), dim3(4194304, 1024)}) {
    launch_line("empty", 1, block, 0);
  }
  launch_line("empty", 0, 0, 0);
  launch_line("empty", 0, 2048, 0);
  for (unsigned threads : {256U, 257U, 512U}) launch_line("bound_256", 1, threads, 0);
  for (unsigned threads : {1024U, 1025U}) launch_line("bound_1024", 1, threads, 0);
  for (unsigned threads : {64U, 65U, 128U}) launch_line("bound_64_min_8", 1, threads, 0);
  for (unsigned threads : {96U, 100U, 101U, 128U, 129U}) launch_line("bound_100", 1, threads, 0);
  cudaFuncAttributes attributes{};
  static_cast<void>(
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&many_registers)));
  const auto most = static_cast<unsigned>(attributes.maxThreadsPerBlock);
  for (unsigned threads : {most, most + 1, most + 32, 1024U, 1025U})
    launch_line("many_registers", 1, threads, 0);
  for (unsigned threads : {1024U, 1025U}) launch_line("registers_64", 1, threads, 0);

  section("launch shared memory");
  for (std::size_t bytes : {std::size_t{0}, std::size_t{49152}, std::size_t{49153},
                            std::size_t{65536}, std::size_t{232448}, std::size_t{232449},
                            std::size_t{4294967296}, std::size_t{4294967297}, ~std::size_t{0}}) {
    launch_line("dynamic", 1, 32, bytes);
  }
  launch_line("empty", 1, 32, 49152);
  launch_line("empty", 1, 32, 49153);
  for (std::size_t bytes : {std::size_t{48128}, std::size_t{48129}, std::size_t{49152}})
    launch_line("static_1k", 1, 32, bytes);
  for (std::size_t bytes : {std::size_t{8192}, std::size_t{8193}, std::size_t{16384}})
    launch_line("static_40k", 1, 32, bytes);
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}})
    launch_line("static_48k", 1, 32, bytes);
  launch_line("dynamic", 0, 32, 49153);
  launch_line("bound_256", 1, 512, 49153);

  section("shared memory opt-in");
  for (int bytes : {-1, -2, 0, 1024, 49152, 49153, 232448, 232449, 2147483647})
    set_function("dynamic", 8, bytes);
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  launch_line("dynamic", 1, 32, 232448);
  launch_line("dynamic", 1, 32, 232449);
  set_function("dynamic", 8, 65536);
  launch_line("dynamic", 1, 32, 65536);
  launch_line("dynamic", 1, 32, 65537);
  set_function("dynamic", 8, 1024);
  function_line("dynamic", reinterpret_cast<const void*>(&dynamic));
  launch_line("dynamic", 1, 32, 1024);
  launch_line("dynamic", 1, 32, 1025);
  launch_line("dynamic", 1, 32, 2048);
  launch_line("dynamic", 1, 32, 49153);
  set_function("dynamic", 8, 49152);
  for (int bytes : {191488, 191489, 232448}) set_function("static_40k", 8, bytes);
  function_line("static_40k", reinterpret_cast<const void*>(&static_40k));
  launch_line("static_40k", 1, 32, 191488);
  launch_line("static_40k", 1, 32, 191489);
  set_function("static_40k", 8, 16384);
  launch_line("static_40k", 1, 32, 16384);
  launch_line("static_40k", 1, 32, 16385);
  set_function("static_40k", 8, 8192);
  set_function("empty", 8, 232448);
  set_function("empty", 8, 49152);
  set_function("empty", 9, 100);
  set_function("empty", 9, 101);
  set_function("empty", 9, -1);
  set_function("empty", 9, -2);
  for (int attribute : {0, 1, 7, 15, 16, 99}) set_function("empty", attribute, 0);
  set_function("empty", 14, 2);
  set_function("empty", 14, 0);
  set_function("cluster_2", 11, 2);
  set_function("cluster_2", 11, 4);
  for (int attribute : {11, 12, 13}) set_function("bound_1024", attribute, 2);
  function_line("bound_1024", reinterpret_cast<const void*>(&bound_1024));
  launch_line("bound_1024", 2, 32, 0);
  for (int attribute : {11, 12, 13}) set_function("bound_1024", attribute, 0);
  cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void*>(&not_a_kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  note(status, "cudaFuncSetAttribute(host function, attribute 8, 1024)");
  status = cudaFuncSetAttribute(static_cast<const void*>(nullptr),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  note(status, "cudaFuncSetAttribute(null, attribute 8, 1024)");
  std::size_t available = 0;
  for (const char* name : {"empty", "dynamic", "static_40k", "static_48k"}) {
    for (int blocks : {1, 2, 3, 32, 33}) {
      available = 0;
      status = cudaOccupancyAvailableDynamicSMemPerBlock(&available, function_of(name), blocks, 64);
      note(status, "cudaOccupancyAvailableDynamicSMemPerBlock(%s, blocks %d, block 64) bytes=%zu",
           name, blocks, available);
    }
  }
}

inline void launch_forms() {
  section("launch forms");
  empty<<<1, 32>>>();
  note(cudaSuccess, "<<<1, 32>>>(empty)");
  empty<<<1, 2048>>>();
  note(cudaSuccess, "<<<1, 2048>>>(empty)");
  empty<<<0, 32>>>();
  note(cudaSuccess, "<<<0, 32>>>(empty)");
  bound_256<<<1, 512>>>();
  note(cudaSuccess, "<<<1, 512>>>(bound_256)");
  dynamic<<<1, 32, 49153>>>(nullptr);
  note(cudaSuccess, "<<<1, 32, 49153>>>(dynamic)");
  cudaError_t status =
      cudaLaunchKernel(reinterpret_cast<const void*>(&not_a_kernel), 1, 1, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(host function)");
  status = cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 1, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(null)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(empty, no argument array)");
  cudaKernel_t handle = nullptr;
  static_cast<void>(cudaGetKernel(&handle, reinterpret_cast<const void*>(&bound_256)));
  status = cudaLaunchKernel(static_cast<const void*>(handle), 1, 256, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(kernel handle of bound_256, block 256)");
  status = cudaLaunchKernel(static_cast<const void*>(handle), 1, 512, nullptr, 0, nullptr);
  note(status, "cudaLaunchKernel(kernel handle of bound_256, block 512)");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0,
                            cudaStreamPerThread);
  note(status, "cudaLaunchKernel(empty, stream per thread)");
  status =
      cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, cudaStreamLegacy);
  note(status, "cudaLaunchKernel(empty, stream legacy handle)");

  section("cooperative launches");
  struct Cooperative {
    const char* name;
    dim3 grid;
    dim3 block;
    std::size_t shared;
  };
  for (const Cooperative& c :
       {Cooperative{"empty", 1, 1024, 0}, Cooperative{"empty", 264, 1024, 0},
        Cooperative{"empty", 265, 1024, 0}, Cooperative{"empty", 4224, 32, 0},
        Cooperative{"empty", 4225, 32, 0}, Cooperative{"empty", 1048576, 1024, 0},
        Cooperative{"empty", 0, 32, 0}, Cooperative{"empty", 1, 0, 0},
        Cooperative{"empty", 1, 2048, 0}, Cooperative{"empty", dim3(2, 66, 2), 1024, 0},
        Cooperative{"empty", dim3(2, 66, 3), 1024, 0}, Cooperative{"bound_256", 1056, 256, 0},
        Cooperative{"bound_256", 1057, 256, 0}, Cooperative{"bound_256", 1, 512, 0},
        Cooperative{"dynamic", 528, 32, 49152}, Cooperative{"dynamic", 529, 32, 49152},
        Cooperative{"dynamic", 1, 32, 49153}, Cooperative{"static_40k", 660, 32, 0},
        Cooperative{"static_40k", 661, 32, 0}}) {
    Arguments arguments;
    arguments.pointer = memory_for(c.name);
    status = cudaLaunchCooperativeKernel(function_of(c.name), c.grid, c.block, arguments.list,
                                         c.shared, nullptr);
    note(status, "cudaLaunchCooperativeKernel(%s, grid %s, block %s, shared %zu)", c.name,
         text_of(c.grid).c_str(), text_of(c.block).c_str(), c.shared);
    static_cast<void>(cudaDeviceSynchronize());
  }
  status = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&not_a_kernel), 1, 1, nullptr,
                                       0, nullptr);
  note(status, "cudaLaunchCooperativeKernel(host function)");
}

}  // namespace record
