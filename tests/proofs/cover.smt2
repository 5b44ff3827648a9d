; SPDX-License-Identifier: BSL-1.0
; Copyright (c) 2026 the warpsafe authors
;
; The grid that covers a size: SafeGrid's cover, cover_exact, cover_or_empty and grid_stride, with and
; without checks. Numbers are mathematical integers. `wrap` is what a 64-bit register keeps; the
; code's wrap-around is written out with it. prove.py explains the directives.

(define-fun W () Int 18446744073709551616)  ; 2^64
(define-fun U () Int 4294967296)            ; 2^32
(define-fun wrap ((x Int)) Int (mod x W))

;@ file core/detail/arithmetic.hpp
;| return static_cast<Unsigned>(n / per_block + static_cast<Unsigned>(n % per_block != 0));
(define-fun ceiling ((n Int) (p Int)) Int (+ (div n p) (ite (distinct (mod n p) 0) 1 0)))
(define-fun blocks_for ((n Int) (p Int)) Int (wrap (ceiling n p)))

;@ file dims/detail/cover.hpp
;| const std::uint64_t width = threads != 0 ? threads : 1U;
;| const std::uint64_t per_block = Items != 0 ? width * Items : std::uint64_t{1};
(define-fun width_of ((threads Int)) Int (ite (distinct threads 0) threads 1))
(define-fun per_block_of ((width Int) (items Int)) Int (ite (distinct items 0) (wrap (* width items)) 1))
;| std::uint64_t most = floor.max_grid[Along];
;| if constexpr (floor.max_threads_per_axis != 0) {
;|   const std::uint64_t by_threads = floor.max_threads_per_axis / width;
;|   most = by_threads < most ? by_threads : most;
;| }
(define-fun most_of ((max_grid Int) (axis_limit Int) (width Int)) Int
  (ite (= axis_limit 0) max_grid
    (ite (< (div axis_limit width) max_grid) (div axis_limit width) max_grid)))
;| bool impossible = rule == CoverRule::exact && n.bits % per_block != 0;
;| std::uint64_t needed = 0;
;| if constexpr (Items <= 1 && !Capped && floor.max_grid[Along] <= std::uint32_t{1} << 31) {
(define-fun not_multiple ((exact Bool) (n Int) (p Int)) Bool (and exact (distinct (mod n p) 0)))
;| needed = (n.bits + (per_block - 1)) / per_block;
(define-fun needed_short ((n Int) (p Int)) Int (div (wrap (+ n (wrap (- p 1)))) p))
;| } else {
;|   impossible |= n.negative;
;|   needed = blocks_for(n.bits, per_block);
(define-fun needed_long ((n Int) (p Int)) Int (blocks_for n p))
;| if constexpr (Capped) {
;|   impossible |= (n.bits >> 63U) != 0;
;|   const std::uint64_t by_stride = 0xffffffffU / width;
;|   cap = cap < by_stride ? cap : by_stride;
;|   cap = cap < most ? cap : most;
;|   needed = needed < cap ? needed : cap;
;| }
(define-fun min2 ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun cap_of ((cap Int) (width Int) (most Int)) Int
  (min2 (min2 cap (div 4294967295 width)) most))
;| needed |= std::uint64_t{0} - static_cast<std::uint64_t>(impossible);
(define-fun all_ones_if ((impossible Bool) (needed Int)) Int (ite impossible (- W 1) needed))
;| const std::uint64_t less = (per_block & (per_block - 1)) != 0 ? 1 : 0;
;| return needed - less < most + 1 - less ? static_cast<std::uint32_t>(needed) : 0U;
(declare-const less Int)  ; proved for both values, so for the right one
(assert (or (= less 0) (= less 1)))
(define-fun at_most ((needed Int) (most Int)) Int
  (ite (< (wrap (- needed less)) (wrap (- (wrap (+ most 1)) less))) (mod needed U) 0))
; The three forms of blocks_or_zero: one item per thread or block, several items per thread, and with a cap.
(define-fun short ((n Int) (threads Int) (items Int) (exact Bool) (max_grid Int) (axis_limit Int)) Int
  (let ((p (per_block_of (width_of threads) items)))
    (at_most (all_ones_if (not_multiple exact n p) (needed_short n p))
             (most_of max_grid axis_limit (width_of threads)))))
(define-fun long_of ((needed Int) (uneven Bool) (negative Bool) (most Int)) Int
  (at_most (all_ones_if (or uneven negative) needed) most))
(define-fun long ((n Int) (negative Bool) (threads Int) (p Int) (exact Bool) (max_grid Int)
                  (axis_limit Int)) Int
  (long_of (needed_long n p) (not_multiple exact n p) negative
           (most_of max_grid axis_limit (width_of threads))))
(define-fun capped ((n Int) (negative Bool) (threads Int) (p Int) (cap Int) (max_grid Int)
                    (axis_limit Int)) Int
  (at_most (all_ones_if (or negative (>= n 9223372036854775808))
             (min2 (needed_long n p)
                   (cap_of cap (width_of threads) (most_of max_grid axis_limit (width_of threads)))))
           (most_of max_grid axis_limit (width_of threads))))

; Its limits: those of CUDA's and of AMD's floor are among these.
;@ file core/limits.hpp
;| .max_block = {1024, 1024, 64},
;| .max_grid = {2147483647, 65535, 65535},
;@ file core/limits.hpp
;| .max_grid = {2147483647, 65535, 65535},
;| .max_threads_per_axis = 4294967295,
(declare-const max_grid Int)
(declare-const axis_limit Int)
(assert (and (<= 1 max_grid) (<= max_grid 2147483647)))
(assert (or (= axis_limit 0) (= axis_limit 4294967295)))

; The size, in two's complement: a negative one is 2^63 or more, and `negative`.
(declare-const n Int)
(declare-const negative Bool)
(assert (and (<= 0 n) (< n W) (=> negative (>= n 9223372036854775808))))
(declare-const threads Int)
(assert (and (<= 1 threads) (< threads U)))
(declare-const items Int)
(assert (and (<= 1 items) (< items U)))
(declare-const exact Bool)

; What a grid of k blocks has to be, in plain multiplications. p: items per block.
(define-fun covers ((k Int) (p Int)) Bool (<= n (* k p)))
(define-fun minimal ((k Int) (p Int)) Bool (< (* (- k 1) p) n))
(define-fun allowed ((k Int)) Bool
  (and (<= 1 k) (<= k max_grid) (=> (distinct axis_limit 0) (<= (* k threads) axis_limit))))
(declare-const k Int)  ; any number of blocks
(declare-const j Int)

; Steps that later goals use. Each use is the claim of one of these goals, with other numbers for its letters.
;@ prove rounding-up-is-least
(declare-const p Int)
(declare-const q Int)
(assert (and (<= 1 p) (<= 0 k) (<= n (* k p))))
(assert (= q (div (+ n (- p 1)) p)))
(assert (not (and (<= q k) (=> (>= n 1) (<= 1 q)) (= q (ceiling n p)))))
;@ mutate rounding-up-is-least: (+ n (- p 1)) => (+ n p)
;@ prove quotient-is-greatest
(assert (and (<= 0 k) (<= (* k threads) axis_limit)))
(assert (not (and (<= k (div axis_limit threads)) (<= (* (div axis_limit threads) threads) axis_limit))))
;@ mutate quotient-is-greatest: (<= k (div axis_limit threads)) => (<= k (div (- axis_limit 1) threads)) with (assert (= threads 2)) (assert (= axis_limit 0))
;@ prove multiple-has-no-remainder
(declare-const p Int)
(assert (and (<= 1 p) (= n (* j p))))
(assert (not (= 0 (mod n p))))
;@ mutate multiple-has-no-remainder: (= n (* j p)) => (= (+ n 1) (* j p)) with (assert (= p 3)) (assert (= j 4))
;@ prove products-grow
(declare-const p Int)
(assert (and (<= 0 k) (<= k max_grid) (<= 0 p) (< p U)))
(assert (not (<= (* k p) (* 2147483647 (- U 1)))))
;@ mutate products-grow: (< p U) => (<= p U) with (assert (= k 2147483647))

; One item per thread: the result covers the size, no smaller one does, the device allows it, and a
; size that is no multiple is refused. This includes the size's wrap-around near 2^64.
;@ prove short-covers-and-is-minimal
(define-fun r () Int (short n threads 1 exact max_grid axis_limit))
(assert (distinct r 0))
(assert (not (and (covers r threads) (minimal r threads) (allowed r) (< n 9223372036854775808)
                  (>= n 1) (=> exact (= (mod n threads) 0)))))
;@ mutate short-covers-and-is-minimal: (div (wrap (+ n (wrap (- p 1)))) p) => (div n p) with (assert (= threads 256)) (assert (= n 257))
;@ mutate short-covers-and-is-minimal: (div (wrap (+ n (wrap (- p 1)))) p) => (+ 1 (div n p)) with (assert (= threads 256)) (assert (= n 256))
;@ mutate short-covers-and-is-minimal: (wrap (- (wrap (+ most 1)) less)) => (wrap (+ most 1)) with (assert (= threads 3)) (assert (= less 1)) (assert (= max_grid 65535)) (assert (= n 196608))
;@ mutate short-covers-and-is-minimal: (<= max_grid 2147483647) => (<= max_grid 4294967295) with (assert (= max_grid 4294967295)) (assert (= threads 4294967295)) (assert (= n 9223372036854775808)) (assert (= axis_limit 0))

; It is 0 only if no grid that the device allows covers the size.
;@ prove short-is-zero-only-if-impossible
(assert (= 0 (short n threads 1 exact max_grid axis_limit)))
(assert (and (not negative) (>= n 1) (=> exact (= 0 (mod n threads)))))  ; multiple-has-no-remainder
(assert (and (covers k threads) (allowed k)))
(assert (<= (* k threads) (* 2147483647 (- U 1))))  ; products-grow
(assert (and (<= (div (+ n (- threads 1)) threads) k)  ; rounding-up-is-least
             (<= 1 (div (+ n (- threads 1)) threads))))
(assert (=> (distinct axis_limit 0) (<= k (div axis_limit threads))))  ; quotient-is-greatest
;@ mutate short-is-zero-only-if-impossible: (wrap (- (wrap (+ most 1)) less)) => (wrap (- most less)) with (assert (= k max_grid)) (assert (= threads 1)) (assert (= n max_grid))
;@ mutate short-is-zero-only-if-impossible: (ite (< (div axis_limit width) max_grid) (div axis_limit width) max_grid) => (ite (< (div axis_limit width) max_grid) (- (div axis_limit width) 1) max_grid) with (assert (= threads 1024)) (assert (= k 4194303)) (assert (= n 4294966272)) (assert (= axis_limit 4294967295)) (assert (= max_grid 2147483647))

; One block for each item: exactly as many blocks as items, or 0 if the device does not allow so many.
;@ prove a-block-per-item-is-the-size
(declare-const quotient Int)  ; of the axis' limit and the threads
(assert (=> (distinct axis_limit 0) (<= 0 quotient)))
(define-fun most () Int (ite (= axis_limit 0) max_grid (ite (< quotient max_grid) quotient max_grid)))
(define-fun r () Int (at_most (all_ones_if (not_multiple exact n (per_block_of threads 0))
                                           (needed_short n (per_block_of threads 0))) most))
(assert (not (ite (and (>= n 1) (<= n most)) (= r n) (= r 0))))
;@ mutate a-block-per-item-is-the-size: (ite (distinct items 0) (wrap (* width items)) 1) => 2 with (assert (= n 3)) (assert (= max_grid 65535)) (assert (= axis_limit 0))
;@ mutate a-block-per-item-is-the-size: (wrap (- (wrap (+ most 1)) less)) => (wrap (+ most 1)) with (assert (= less 1)) (assert (= n 65536)) (assert (= max_grid 65535)) (assert (= axis_limit 0))

; The same with several items per thread, whose product with the threads does not wrap.
;@ prove items-per-block-fit
(assert (not (and (= (per_block_of threads items) (* threads items)) (>= (* threads items) threads))))
;@ mutate items-per-block-fit: (and (<= 1 items) (< items U)) => (and (<= 1 items) (< items W)) with (assert (= items (- W 1))) (assert (= threads 2))
;@ prove ceiling-covers-and-is-minimal
(declare-const p Int)
(assert (and (<= 1 p) (>= n 1)))
(define-fun r () Int (ceiling n p))
(assert (not (and (covers r p) (minimal r p) (<= 1 r) (<= r n))))
;@ mutate ceiling-covers-and-is-minimal: (ite (distinct (mod n p) 0) 1 0) => (ite (> (mod n p) 1) 1 0) with (assert (= p 256))
;@ mutate ceiling-covers-and-is-minimal: (ite (distinct (mod n p) 0) 1 0) => 1 with (assert (= p 256)) (assert (= n 256))
;@ prove long-is-the-ceiling
; `long` for any results of the divisions: `c` for the ceiling, `uneven` for not_multiple, `quotient`
; for the axis' limit divided by the threads.
(declare-const c Int)
(declare-const uneven Bool)
(declare-const quotient Int)
(assert (and (<= 0 c) (<= c n) (=> (= n 0) (= c 0))))  ; goal ceiling-covers-and-is-minimal
(assert (=> (distinct axis_limit 0) (<= 0 quotient)))
(define-fun most () Int (ite (= axis_limit 0) max_grid (ite (< quotient max_grid) quotient max_grid)))
(define-fun r () Int (long_of (wrap c) uneven negative most))
(assert (distinct r 0))
(assert (not (and (= r c) (<= 1 r) (<= r max_grid) (=> (distinct axis_limit 0) (<= r quotient))
                  (not negative) (>= n 1) (not uneven))))
;@ mutate long-is-the-ceiling: (or uneven negative) => uneven
;@ mutate long-is-the-ceiling: (or uneven negative) => negative
;@ mutate long-is-the-ceiling: (wrap (- (wrap (+ most 1)) less)) => (wrap (+ most 1))
;@ prove fewer-blocks-have-fewer-threads
(assert (and (<= 0 j) (<= k j) (<= (* j threads) axis_limit)))
(assert (not (<= (* k threads) axis_limit)))
;@ mutate fewer-blocks-have-fewer-threads: (<= k j) => (<= k (+ j 1)) with (assert (= threads 2))
;@ prove long-is-zero-only-if-impossible
(declare-const p Int)
(assert (and (<= threads p) (< p W)))
(assert (= 0 (long n negative threads p exact max_grid axis_limit)))
(assert (and (not negative) (>= n 1) (=> exact (= 0 (mod n p)))))  ; multiple-has-no-remainder
(assert (and (covers k p) (allowed k)))
(assert (and (<= (ceiling n p) k) (<= 1 (ceiling n p))))  ; rounding-up-is-least
(assert (=> (distinct axis_limit 0) (<= k (div axis_limit threads))))  ; quotient-is-greatest
;@ mutate long-is-zero-only-if-impossible: (ite (= axis_limit 0) max_grid => (ite (= axis_limit 0) (- max_grid 1) with (assert (= p 256)) (assert (= threads 256)) (assert (= n 16776960)) (assert (= max_grid 65535)) (assert (= k 65535))

; With a cap: at most `cap` blocks, fewer than 2^32 threads, never more than the size needs, and as
; many as these allow. 0 only for a size or a cap of 0 or less, or a size of 2^63 or more.
;@ prove capped-is-within-the-cap
(declare-const p Int)
(declare-const cap Int)
(assert (and (<= threads p) (< p W) (<= 0 cap) (< cap W)))
(define-fun r () Int (capped n negative threads p cap max_grid axis_limit))
(assert (distinct r 0))
(assert (not (and (<= r cap) (allowed r) (< (* r threads) U) (minimal r p) (not negative)
                  (or (covers r p) (= r cap) (= r max_grid) (>= (* (+ r 1) threads) 4294967295)))))
;@ mutate capped-is-within-the-cap: (div 4294967295 width) => (div 8589934591 width) with (assert (= p 1024)) (assert (= threads 1024)) (assert (= n 1099511627776)) (assert (= cap 4194305)) (assert (= axis_limit 0)) (assert (= max_grid 2147483647))
;@ prove capped-is-zero-only-without-size-or-cap
(declare-const p Int)
(declare-const cap Int)
(assert (and (<= threads p) (< p W) (<= 0 cap) (< cap W)))
(assert (= 0 (capped n negative threads p cap max_grid axis_limit)))
(assert (not (or negative (>= n 9223372036854775808) (= n 0) (= cap 0))))
;@ mutate capped-is-zero-only-without-size-or-cap: (ite impossible (- W 1) needed) => (- W 1)

; All axes together. x, y and z: whether the axis can be covered; bx, by and bz: its blocks, 0 if not.
; `fits`: whether the number of elements fits in 64 bits (bytes.smt2). With checks, `cover` succeeds
; exactly if everything fits. Without checks the grid then has no zero, and otherwise it has one, or
; the block has.
;@ file dims/detail/cover.hpp
;| if constexpr (rank < 2) fits = fits & (block.y() <= 1);
;| if constexpr (rank < 3) fits = fits & (block.z() <= 1);
;@ file dims/detail/cover.hpp
;| if constexpr (Level == CheckLevel::off) {
;|   blocks[0] = fits ? blocks[0] : 0U;
;|   return true;
;| } else {
;|   fits = fits && blocks[0] != 0;
;|   if constexpr (rank > 1) fits = fits && blocks[1] != 0;
;|   if constexpr (rank > 2) fits = fits && blocks[2] != 0;
;|   if constexpr (!B::is_static) {
;|     fits = fits && block.x() != 0;
;|     if constexpr (rank > 1) fits = fits && block.y() != 0;
;|     if constexpr (rank > 2) fits = fits && block.z() != 0;
;|   }
;|   return fits;
;@ prove checks-change-only-the-form-of-a-refusal
(declare-const rank Int)
(declare-const static Bool)
(declare-const product_fits Bool)
(declare-const bx Int)
(declare-const by Int)
(declare-const bz Int)
(declare-const tx Int)
(declare-const ty Int)
(declare-const tz Int)
(assert (and (<= 1 rank) (<= rank 3) (<= 0 bx) (<= 0 by) (<= 0 bz) (<= 0 tx) (<= 0 ty) (<= 0 tz)))
(assert (=> static (and (<= 1 tx) (<= 1 ty) (<= 1 tz) (=> (< rank 2) (= ty 1)) (=> (< rank 3) (= tz 1)))))
(define-fun fits () Bool
  (and product_fits (=> (and (not static) (< rank 2)) (<= ty 1)) (=> (and (not static) (< rank 3)) (<= tz 1))))
(define-fun off_x () Int (ite fits bx 0))
(define-fun off_y () Int (ite (> rank 1) by 1))
(define-fun off_z () Int (ite (> rank 2) bz 1))
(define-fun checked () Bool
  (and fits (distinct bx 0) (=> (> rank 1) (distinct by 0)) (=> (> rank 2) (distinct bz 0))
       (=> (not static) (and (distinct tx 0) (=> (> rank 1) (distinct ty 0)) (=> (> rank 2) (distinct tz 0))))))
(assert (not (and (=> (not checked)
                      (or (= off_x 0) (= off_y 0) (= off_z 0) (= tx 0) (= ty 0) (= tz 0)))
                  (=> checked (and (= off_x bx) (distinct off_x 0) (distinct off_y 0) (distinct off_z 0))))))
;@ mutate checks-change-only-the-form-of-a-refusal: (ite fits bx 0) => bx
