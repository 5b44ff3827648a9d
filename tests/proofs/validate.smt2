; SPDX-License-Identifier: BSL-1.0
; Copyright (c) 2026 the warpsafe authors
;
; The rules of a launch: the library accepts exactly what each vendor documents, apart from the needs
; that a kernel declares. Numbers are mathematical integers; `wrap` is what a register of 64 bits
; keeps. prove.py explains the directives.

(define-fun W () Int 18446744073709551616)  ; 2^64
(define-fun U () Int 4294967296)            ; 2^32
(define-fun wrap ((x Int)) Int (mod x W))
(define-fun is64 ((x Int)) Bool (and (<= 0 x) (< x W)))
(define-fun is32 ((x Int)) Bool (and (<= 0 x) (< x U)))

; The shape of a launch. Products of dimensions are letters of their own: the claims hold for any
; number in their place, so for the product, and z3 need not multiply. `threads` are those of a block
; and `blocks` those of the grid, without limit.
(declare-const g0 Int) (declare-const g1 Int) (declare-const g2 Int)
(declare-const b0 Int) (declare-const b1 Int) (declare-const b2 Int)
(declare-const threads Int)
(declare-const blocks Int)
(declare-const blocks_of_plane Int)  ; g0*g1
(declare-const all Int)              ; blocks*threads
(declare-const a0 Int) (declare-const a1 Int) (declare-const a2 Int)  ; g0*b0, g1*b1, g2*b2
(declare-const remainder Int)        ; threads % block_multiple
(declare-const dynamic Int)
(define-fun shape () Bool
  (and (is32 g0) (is32 g1) (is32 g2) (is32 b0) (is32 b1) (is32 b2) (is64 dynamic)
       ; What products and remainders of numbers of 32 bits have in common (goal products).
       (<= 0 threads) (<= 0 blocks) (<= 0 all) (<= 0 remainder) (is64 blocks_of_plane)
       (<= 0 a0) (<= 0 a1) (<= 0 a2) (< a0 W) (< a1 W) (< a2 W)
       (= (= threads 0) (or (= b0 0) (= b1 0) (= b2 0)))
       (= (= blocks 0) (or (= g0 0) (= g1 0) (= g2 0)))
       (= (= all 0) (or (= blocks 0) (= threads 0)))
       (=> (and (> blocks 0) (> threads 0)) (and (<= blocks all) (<= threads all)))))
(define-fun saturated ((x Int)) Int (ite (< x W) x (- W 1)))  ; goals multiply-is-exact, three-axes-saturate


; What the kernel declares (0: nothing), what the driver says of it (0: unknown), and the device.
(declare-const need_threads Int) (declare-const need_multiple Int) (declare-const need_warp Int)
(declare-const need_index Int) (declare-const need_dynamic Int)
(declare-const portable Bool)
(declare-const kernel_threads Int) (declare-const kernel_static Int)
(declare-const kernel_resident Int) (declare-const kernel_cluster Int)
(declare-const max_threads Int)
(declare-const mb0 Int) (declare-const mb1 Int) (declare-const mb2 Int)
(declare-const mg0 Int) (declare-const mg1 Int) (declare-const mg2 Int)
(declare-const axis_limit Int) (declare-const optin Int) (declare-const warp Int)
(define-fun numbers () Bool
  (and (is32 need_threads) (is32 need_multiple) (is32 need_warp) (is64 need_index) (is64 need_dynamic)
       (is32 kernel_threads) (is64 kernel_static) (is32 kernel_resident) (is32 kernel_cluster)
       (is32 max_threads) (is32 mb0) (is32 mb1) (is32 mb2) (is32 mg0) (is32 mg1) (is32 mg2)
       (is64 axis_limit) (is64 optin) (is32 warp)))

;@ file launch/detail/launch_rules.hpp
;| return multiply(blocks, per_block, all) ? all : ~std::uint64_t{0};
; Of the saturated number of blocks. If that saturates, so does the product.
(define-fun total () Int (ite (and (< blocks W) (< threads W)) (saturated all) (- W 1)))
; plain_rules, with the numbers that differ between the callers of validate_plain.
;| const std::uint64_t threads = shape.threads_per_block();
;| const std::uint64_t blocks = shape.blocks();
;| if (threads == 0 || blocks == 0) return fail.zero_axis();
;| if (threads > device.max_threads_per_block) {
;
;| if (shape.block[i] > device.max_block[i]) {
;
;| if (shape.grid[i] > device.max_grid[i]) {
;
;| for (int i = 0; device.max_threads_per_axis != 0 && i < 3; ++i) {
;|   const std::uint64_t along = static_cast<std::uint64_t>(shape.grid[i]) * shape.block[i];
;| if (along > device.max_threads_per_axis) {
;
;| if (needs.max_threads != 0 && threads > needs.max_threads) {
;
;| if (kernel.max_threads_per_block != 0 && threads > kernel.max_threads_per_block) {
;
;| if (needs.block_multiple != 0 && threads % needs.block_multiple != 0) {
;
;| if (needs.warp_size != 0 && device.warp_size != 0 && needs.warp_size != device.warp_size) {
;
;| const std::uint64_t all = total_threads(blocks, threads);
;| if (needs.index_max != 0 && all - 1 > needs.index_max) {
;
;| if (shape.dynamic_shared < needs.min_dynamic_shared) {
;
;| const std::uint64_t shared_limit = device.shared_per_block_optin;
;| if (shape.dynamic_shared > shared_limit ||
;|     kernel.static_shared > shared_limit - shape.dynamic_shared) {
(define-fun plain_device ((most Int) (x Int) (y Int) (z Int) (gx Int) (gy Int) (gz Int)
                          (axis Int) (shared Int)) Bool
  (and (distinct b0 0) (distinct g0 0) (distinct b1 0) (distinct g1 0) (distinct b2 0) (distinct g2 0)
       (not (> (saturated threads) most))
       (not (> b0 x)) (not (> b1 y)) (not (> b2 z)) (not (> g0 gx)) (not (> g1 gy)) (not (> g2 gz))
       (not (and (distinct axis 0) (or (> a0 axis) (> a1 axis) (> a2 axis))))
       (not (or (> dynamic shared) (> kernel_static (wrap (- shared dynamic)))))))
(define-fun plain_kernel () Bool
  (not (and (distinct kernel_threads 0) (> (saturated threads) kernel_threads))))
(define-fun plain_needs ((device_warp Int)) Bool
  (and (not (and (distinct need_threads 0) (> (saturated threads) need_threads)))
       (not (and (distinct need_multiple 0) (distinct remainder 0)))
       (not (and (distinct need_warp 0) (distinct device_warp 0) (distinct need_warp device_warp)))
       (not (and (distinct need_index 0) (> (wrap (- total 1)) need_index)))
       (not (< dynamic need_dynamic))))
(define-fun plain () Bool
  (and (plain_device max_threads mb0 mb1 mb2 mg0 mg1 mg2 axis_limit optin) plain_kernel
       (plain_needs warp)))

;| anywhere.max_threads_per_block = 0;
;
;| return validate_plain(shape, KernelNeeds{}, anywhere, limits::cuda_floor, error) &&
;|        validate_plain(shape, KernelNeeds{}, anywhere, limits::amd_floor, error);
;@ file core/limits.hpp
;| inline constexpr DeviceLimits cuda_floor{
;|     .vendor = Vendor::nvidia,
;|     .max_threads_per_block = 1024,
;|     .max_block = {1024, 1024, 64},
;|     .max_grid = {2147483647, 65535, 65535},
;|     .shared_per_block = 49152,
;|     .shared_per_block_optin = 49152,
;
;| inline constexpr DeviceLimits amd_floor{
;|     .vendor = Vendor::amd,
;|     .max_threads_per_block = 1024,
;|     .max_block = {1024, 1024, 1024},
;|     .max_grid = {2147483647, 65535, 65535},
;|     .max_threads_per_axis = 4294967295,
;|     .shared_per_block = 65536,
;|     .shared_per_block_optin = 65536,
;@ file core/limits_table.hpp
;| architecture(cuda_floor, { .name = Name::of("sm_90"), .shared_per_block_optin = 232448,
;|   .shared_per_multiprocessor = 233472, .reserved_shared_per_block = 1024, .warp_size = 32,
;|   .registers_per_block = 65536, .max_threads_per_multiprocessor = 2048, .max_blocks_per_multiprocessor =
;|   32, .max_cluster_blocks = 8, .max_cluster_blocks_optin = 16, .compute_major = 9, .max_parameter_bytes =
;|   32764, });
;
;| architecture(amd_floor, { .name = Name::of("gfx942"), .shared_per_block_optin = 65536,
;|   .shared_per_multiprocessor = 65536, .warp_size = 64, .max_threads_per_multiprocessor = 2048,
;|   .compute_major = 9, .compute_minor = 4, .max_parameter_bytes = 4096, });
(define-fun cuda_plain ((shared Int)) Bool
  (plain_device 1024 1024 1024 64 2147483647 65535 65535 0 shared))
(define-fun amd_plain () Bool
  (plain_device 1024 1024 1024 1024 2147483647 65535 65535 4294967295 65536))
(define-fun portable_fine () Bool (and (cuda_plain 49152) amd_plain))

; validate_residency. m0, m1, m2: the grid modulo the cluster; cluster_blocks: their product.
(declare-const has_cluster Bool) (declare-const cooperative Bool) (declare-const non_portable Bool)
(declare-const c0 Int) (declare-const c1 Int) (declare-const c2 Int)
(declare-const m0 Int) (declare-const m1 Int) (declare-const m2 Int)
(declare-const cluster_blocks Int)
(declare-const max_cluster Int) (declare-const max_cluster_optin Int)
(declare-const can_cooperate Bool) (declare-const is_amd Bool)
(define-fun clusters () Bool
  (and (is32 c0) (is32 c1) (is32 c2) (<= 0 cluster_blocks) (is32 max_cluster) (is32 max_cluster_optin)))
;@ file launch/detail/launch_rules.hpp
;| const std::uint64_t blocks = shape.blocks_per_cluster();
;| if (device.max_cluster_blocks == 0) return fail(Errc::cluster_unsupported, blocks, 0);
;| for (int i = 0; i < 3; ++i) {
;|   if (shape.cluster[i] == 0 || shape.grid[i] % shape.cluster[i] != 0) {
;
;| const std::uint64_t most =
;|     shape.non_portable_cluster && device.max_cluster_blocks_optin > device.max_cluster_blocks
;|         ? device.max_cluster_blocks_optin
;|         : device.max_cluster_blocks;
;| if (blocks > most) return fail(Errc::cluster_too_large, blocks, most);
;| if (kernel.max_cluster_blocks != 0 && blocks > kernel.max_cluster_blocks) {
(define-fun most_of_a_cluster () Int
  (ite (and non_portable (> max_cluster_optin max_cluster)) max_cluster_optin max_cluster))
(define-fun cluster_fine () Bool
  (and (distinct max_cluster 0)
       (not (or (= c0 0) (distinct m0 0))) (not (or (= c1 0) (distinct m1 0))) (not (or (= c2 0) (distinct m2 0)))
       (not (> (saturated cluster_blocks) most_of_a_cluster))
       (not (and (distinct kernel_cluster 0) (> (saturated cluster_blocks) kernel_cluster)))))
;| if (!device.cooperative_launch) {
;
;| if (device.vendor == Vendor::amd &&
;|     (!multiply(shape.blocks(), threads, all) || all > 0xffffffffU)) {
;
;| if (kernel.resident_blocks != 0 && shape.blocks() > kernel.resident_blocks) {
(define-fun cooperative_fine () Bool
  (and can_cooperate
       (not (and is_amd (or (not (and (< blocks W) (< threads W) (< all W))) (> all 4294967295))))
       (not (and (distinct kernel_resident 0) (> (saturated blocks) kernel_resident)))))
(define-fun residency () Bool (and (=> has_cluster cluster_fine) (=> cooperative cooperative_fine)))
;| return validate_plain(shape, needs, kernel, device, error) &&
;|        validate_residency(shape, kernel, device, error);
;
;| return validate_numbers(shape, needs, kernel, device, error) &&
;|        (!needs.portable || validate_portable(shape, kernel, error));
(define-fun accepted () Bool (and plain residency (=> portable portable_fine)))

; validate_reach.
(declare-const elements Int)
;| if (elements <= needs.index_max || elements - 1 <= needs.index_max) return true;
(define-fun reaches () Bool (or (<= elements need_index) (<= (wrap (- elements 1)) need_index)))
;@ file launch/detail/checked_launch.hpp
; The answer of check_numbers, without the question for the blocks that are resident at once.
;| return validate_plain(numbers.shape, needs, *answer.limits, *device_limits, error) &&
;|        (types.check_options == nullptr ||
;|         types.check_options(at, numbers.shape, kernel, *answer.limits, *device_limits, error)) &&
;|        validate_reach(numbers.shape.elements, numbers.shape, needs, error);
; The rest of validate_launch is in check_options, for launches whose types can have a cluster or be
; cooperative, and for portable kernels.
;| if (!validate_residency(shape, limits, device, error)) return false;
; and
;| if (!validate_portable(shape, limits, error)) return false;

; ---- The vendors' rules, written from their documents and not from the code above. ----

; NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the maximum
; dimensions of a grid, of a block, and the maximum number of threads per block. "__launch_bounds__"
; and cudaFuncGetAttributes, maxThreadsPerBlock: a block of more threads does not launch. "Maximum
; amount of shared memory per thread block" for compute capability 9.0: 227 KB, of which static memory
; is a part.
(define-fun nvidia_accepts ((shared Int)) Bool
  (and (<= 1 b0 1024) (<= 1 b1 1024) (<= 1 b2 64) (<= threads 1024)
       (<= 1 g0 (- (* 2 1073741824) 1)) (<= 1 g1 65535) (<= 1 g2 65535)
       (<= (+ kernel_static dynamic) shared)))
; "Thread Block Clusters": the grid is a multiple of the cluster; 8 blocks are portable, and 16 need
; cudaFuncAttributeNonPortableClusterSizeAllowed. "Cooperative Groups", grid synchronisation: all
; blocks are resident at once. With the driver's answers for the kernel, if it was asked.
(define-fun nvidia_cluster () Bool
  (and (>= c0 1) (>= c1 1) (>= c2 1) (= m0 0) (= m1 0) (= m2 0)
       (<= cluster_blocks (ite non_portable 16 8)) (=> (> kernel_cluster 0) (<= cluster_blocks kernel_cluster))))
(define-fun nvidia_cooperative () Bool (=> (> kernel_resident 0) (<= blocks kernel_resident)))
; AMD: HIP documentation, "Hardware features" (1024 threads per block, 64 KiB of LDS) and the notes at
; hipModuleLaunchKernel in hip_runtime_api.h: gridDim.x * blockDim.x < 2^32, and so for y and z. HIP
; "Kernel language", hipDeviceProp_t::maxGridSize: 2^31-1, 65535, 65535.
(define-fun amd_accepts () Bool
  (and (<= 1 b0 1024) (<= 1 b1 1024) (<= 1 b2 1024) (<= threads 1024)
       (<= 1 g0 2147483647) (<= 1 g1 65535) (<= 1 g2 65535)
       (< a0 U) (< a1 U) (< a2 U) (<= (+ kernel_static dynamic) 65536)))
; ROCm/clr, hipamd/src/hip_module.cpp: a cooperative launch's total of threads is a number of 32 bits.
(define-fun amd_cooperative () Bool (and (< all U) (=> (> kernel_resident 0) (<= blocks kernel_resident))))
; The host backend's modelled driver, which decides by code of its own: dimensions_fit, launch_verdict and
; raise_dynamic_shared, which a launch calls first. It asks for resident blocks apart from this.
;@ file backend/host/detail/kernel_calls.hpp
;| if (blocks == 0 || blocks > device.max_grid[axis]) return false;
;| if (threads == 0 || threads > device.max_block[axis]) return false;
;| if (device.max_threads_per_axis != 0 && blocks * threads > device.max_threads_per_axis) {
;|   return false;
;| }
;| }
;| return shape.threads_per_block() <= device.max_threads_per_block;
;
;| if (device.max_cluster_blocks == 0) return HostStatus::not_supported;
;
;| if (shape.cluster[axis] == 0 || shape.grid[axis] % shape.cluster[axis] != 0) {
;
;|     shape.non_portable_cluster ? device.max_cluster_blocks_optin : device.max_cluster_blocks;
;| return shape.blocks_per_cluster() <= allowed ? HostStatus::success
;|                                              : HostStatus::invalid_cluster_size;
;
;| if (shape.threads_per_block() > kernel.max_threads_per_block) {
;
;| if (shape.dynamic_shared > kernel.max_dynamic_shared) return HostStatus::invalid_value;
;
;| if (!device.cooperative_launch) return HostStatus::not_supported;
;@ file backend/host/detail/device.hpp
;| if (bytes > remaining_shared(most_shared(), kernel(function))) return false;
;
;| return bytes > kernel.static_shared ? bytes - kernel.static_shared : 0;
(define-fun host_accepts () Bool
  (and (not (or (= g0 0) (> g0 mg0) (= b0 0) (> b0 mb0))) (not (or (= g1 0) (> g1 mg1) (= b1 0) (> b1 mb1)))
       (not (or (= g2 0) (> g2 mg2) (= b2 0) (> b2 mb2)))
       (=> (distinct axis_limit 0) (and (<= a0 axis_limit) (<= a1 axis_limit) (<= a2 axis_limit)))
       (<= (saturated threads) max_threads) (<= (saturated threads) kernel_threads)
       (<= dynamic (ite (> optin kernel_static) (- optin kernel_static) 0))
       (=> has_cluster (and (distinct max_cluster 0) (distinct c0 0) (distinct c1 0) (distinct c2 0)
                            (= m0 0) (= m1 0) (= m2 0)
                            (<= (saturated cluster_blocks) (ite non_portable max_cluster_optin max_cluster))))
       (=> cooperative can_cooperate)))
; What a kernel declares, in the words of needs.hpp. An index type of 64 unsigned bits is no limit.
(define-fun needs_hold () Bool
  (and (=> (> need_threads 0) (<= threads need_threads)) (=> (> need_multiple 0) (= remainder 0))
       (=> (and (> need_warp 0) (> warp 0)) (= need_warp warp))
       (=> (and (> need_index 0) (< need_index (- W 1))) (<= all (+ need_index 1)))
       (>= dynamic need_dynamic)))
(define-fun kernel_holds () Bool (=> (> kernel_threads 0) (<= threads kernel_threads)))

;@ prove products
(assert (and (is32 g0) (is32 b0) (is32 b1) (is32 b2)))
(assert (= threads (* b0 b1 b2)))
(assert (= a0 (* g0 b0)))
(assert (not (and (is64 a0) (<= 0 threads) (= (= threads 0) (or (= b0 0) (= b1 0) (= b2 0)))
                  (=> (and (> g0 0) (> b0 0)) (and (<= g0 a0) (<= b0 a0))))))
;@ mutate products: (is64 a0) => (is32 a0)

; Any device: the library's rules are the numbers that the device reports, and the declared needs. The
; one index type that the arithmetic would not tell from 64 bits does not exist.
;@ prove any-device
(assert (and shape numbers (distinct need_index (- W 2))))
(define-fun model () Bool
  (and (<= 1 b0 mb0) (<= 1 b1 mb1) (<= 1 b2 mb2) (<= 1 g0 mg0) (<= 1 g1 mg1) (<= 1 g2 mg2)
       (<= threads max_threads) (=> (> axis_limit 0) (and (<= a0 axis_limit) (<= a1 axis_limit) (<= a2 axis_limit)))
       (<= (+ kernel_static dynamic) optin) kernel_holds needs_hold))
(assert (distinct plain model))
;@ mutate any-device: (not (> (saturated threads) most)) => (not (> (saturated threads) (+ most 1)))
;@ mutate any-device: (> kernel_static (wrap (- shared dynamic))) => (> (wrap (+ kernel_static dynamic)) shared)
;@ mutate any-device: (> (wrap (- total 1)) need_index) => (> total need_index)
;@ mutate any-device: (not (> g1 gy)) => true
;@ mutate any-device: (distinct need_index (- W 2)) => true

; NVIDIA, for compute capability 9.0 (the table's row) and for the floor.
;@ prove nvidia
(assert (and shape numbers clusters))
(assert (and (= max_cluster 8) (= max_cluster_optin 16) can_cooperate (not is_amd)))
(assert (not (and (= (and (cuda_plain 232448) plain_kernel) (and (nvidia_accepts (* 227 1024)) kernel_holds))
                  (= (cuda_plain 49152) (nvidia_accepts (* 48 1024)))
                  (=> (cuda_plain 232448)
                      (= residency (and (=> has_cluster nvidia_cluster) (=> cooperative nvidia_cooperative)))))))
;@ mutate nvidia: (plain_device 1024 1024 1024 64 2147483647 65535 65535 0 shared) => (plain_device 1024 1024 1024 64 2147483647 65535 65536 0 shared)
;@ mutate nvidia: (plain_device 1024 1024 1024 64 2147483647 65535 65535 0 shared) => (plain_device 1024 1024 1024 64 2147483648 65535 65535 0 shared)
;@ mutate nvidia: (and non_portable (> max_cluster_optin max_cluster)) => (> max_cluster_optin max_cluster)
;@ mutate nvidia: (not (or (= c0 0) (distinct m0 0))) => (not (= c0 0))

; AMD, for gfx942 (the table's row), whose limits are those of the floor. No device has clusters.
;@ prove amd
(assert (and shape numbers clusters))
(assert (and (= max_cluster 0) (= max_cluster_optin 0) can_cooperate is_amd))
(assert (not (and (= (and amd_plain plain_kernel) (and amd_accepts kernel_holds))
                  (=> amd_plain (= residency (and (not has_cluster) (=> cooperative amd_cooperative)))))))
;@ mutate amd: 2147483647 65535 65535 4294967295 65536) => 2147483647 65535 65535 4294967296 65536)
;@ mutate amd: 2147483647 65535 65535 4294967295 65536) => 2147483647 65535 65535 0 65536)
;@ mutate amd: (> all 4294967295) => (> all 4294967296)

; The host backend: the modelled driver and the library agree for all limits that a test can set, if the
; kernel's static memory fits on the device and the opt-in limits are not below the others. (The model
; launches a kernel with too much static memory if it has no dynamic memory; the library refuses it.)
;@ prove host
(assert (and shape numbers clusters))
(assert (and (> kernel_threads 0) (= kernel_resident 0) (= kernel_cluster 0) (not is_amd)))
(assert (and (<= max_cluster max_cluster_optin) (<= kernel_static optin)))
(assert (distinct host_accepts
                  (and (plain_device max_threads mb0 mb1 mb2 mg0 mg1 mg2 axis_limit optin) plain_kernel residency)))
;@ mutate host: (and (<= max_cluster max_cluster_optin) (<= kernel_static optin)) => (<= max_cluster max_cluster_optin)
;@ mutate host: (and (<= max_cluster max_cluster_optin) (<= kernel_static optin)) => (<= kernel_static optin)
;@ mutate host: (not (> b2 z)) => true

; A portable kernel: valid on every vendor's devices.
;@ prove portable-is-everywhere
(assert (and shape numbers))
(assert (distinct portable_fine (and (nvidia_accepts 49152) amd_accepts)))
;@ mutate portable-is-everywhere: (and (cuda_plain 49152) amd_plain) => (cuda_plain 49152)

; With an index type that the elements of the grid, at least one, do not exceed.
;@ prove reach-is-exact
(assert (and numbers (is64 elements) (>= elements 1)))
(assert (not (= reaches (<= (- elements 1) need_index))))
;@ mutate reach-is-exact: (<= (wrap (- elements 1)) need_index))) => (<= (wrap (- elements 2)) need_index)))
