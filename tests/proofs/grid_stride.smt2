; SPDX-License-Identifier: BSL-1.0
; Copyright (c) 2026 the warpsafe authors
;
; Kernel code: grid_stride(n) gives each index below n to exactly one thread, once, whatever the size
; of the grid. Numbers are mathematical integers; `wrap` is what a 64-bit register keeps. prove.py
; explains the directives.

(define-fun W () Int 18446744073709551616)  ; 2^64
(define-fun U () Int 4294967296)            ; 2^32
(define-fun wrap ((x Int)) Int (mod x W))

;@ file kernel/device_functions.hpp
;| const size_type size = block_size().x;
;| return {static_cast<size_type>(block_index().x) * size + thread_in_block().x, n,
;|         static_cast<size_type>(grid_size().x) * size};
(define-fun first ((block Int) (size Int) (thread Int)) Int (wrap (+ (wrap (* block size)) thread)))
(define-fun step ((grid Int) (size Int)) Int (wrap (* grid size)))
;| index += step;
(define-fun next ((index Int) (step Int)) Int (wrap (+ index step)))
;| return index < end;
(define-fun continues ((index Int) (end Int)) Bool (< index end))
;| return {static_cast<size_type>(block.x) * size.x + thread.x,
;|         static_cast<size_type>(block.y) * size.y + thread.y,
;|         static_cast<size_type>(block.z) * size.z + thread.z};
; The same formula as `first`, for each axis.

; Any grid and block that 32 bits hold, far beyond the limits of the vendors.
(declare-const grid Int)
(declare-const size Int)
(declare-const block Int)
(declare-const thread Int)
(define-fun dims () Bool (and (<= 1 grid) (< grid U) (<= 1 size) (< size U)))
(define-fun place () Bool (and (<= 0 block) (< block grid) (<= 0 thread) (< thread size)))
(declare-const n Int)

; Steps that later goals use, with other numbers for their letters.
;@ prove multiples-are-apart
(declare-const a Int)
(declare-const b Int)
(declare-const p Int)
(assert (and (<= 1 p) (< b a)))
(assert (not (<= (+ (* b p) p) (* a p))))
;@ mutate multiples-are-apart: (< b a) => (<= b a)
; a*p+t determines a and t.
;@ prove position-determines-its-parts
(declare-const a Int)
(declare-const b Int)
(declare-const p Int)
(declare-const t Int)
(declare-const u Int)
(assert (and (<= 0 t) (< t p) (<= 0 u) (< u p)))
(assert (=> (< b a) (<= (+ (* b p) p) (* a p))))  ; goal multiples-are-apart
(assert (=> (< a b) (<= (+ (* a p) p) (* b p))))
(assert (= (+ (* a p) t) (+ (* b p) u)))
(assert (not (and (= a b) (= t u))))
;@ mutate position-determines-its-parts: (< t p) => (<= t p) with (assert (= p 2))

; Neither the first index nor the step wraps, the first index is below the step, and the step is not 0,
; so the loop ends.
;@ prove first-and-step-do-not-wrap
(assert (and dims place))
(assert (<= (+ (* block size) size) (* grid size)))  ; goal multiples-are-apart
(assert (and (<= 0 (* block size)) (<= (* grid size) (* (- U 1) (- U 1)))))  ; goal products-grow
(assert (not (and (= (first block size thread) (+ (* block size) thread))
                  (= (step grid size) (* grid size)) (>= (step grid size) 1)
                  (<= 0 (first block size thread)) (< (first block size thread) (step grid size)))))
;@ mutate first-and-step-do-not-wrap: (wrap (* grid size)) => (mod (* grid size) U) with (assert (= grid 65536)) (assert (= size 65536))
;@ prove products-grow
(assert (and dims place))
(assert (not (and (<= 0 (* block size)) (<= (* grid size) (* (- U 1) (- U 1))))))
;@ mutate products-grow: (< grid U) => (<= grid U) with (assert (= size 4294967295))

; From here: s is the step, f the first index, and i the index of the loop. No step of the loop wraps
; if n is at most 2^64 less the step. So with fewer than 2^63 elements and 2^63 threads in x; the
; vendors allow at most 2^31-1 blocks of 1024 threads.
;@ prove no-index-wraps
(declare-const s Int)
(declare-const i Int)
(assert (and (<= 1 s) (<= s 9223372036854775808) (<= 0 n) (<= n 9223372036854775808)))
(assert (and (<= 0 i) (continues i n)))
(assert (not (and (= (next i s) (+ i s)) (> (next i s) i))))
;@ mutate no-index-wraps: (<= n 9223372036854775808) => (<= n 9223372036854775810) with (assert (= s 9223372036854775808))
;@ prove vendors-steps-are-small
(assert dims)
(assert (and (<= grid 2147483647) (<= size 1024)))
(assert (not (<= (* grid size) 2199023254528)))
;@ mutate vendors-steps-are-small: (<= size 1024) => (<= size 1025) with (assert (= grid 2147483647))

; Every index has a thread and a round that reach it ...
;@ prove every-index-is-visited
(assert dims)
(declare-const i Int)
(declare-const s Int)
(assert (and (= s (* grid size)) (<= 1 s) (<= 0 i) (< i n)))
(define-fun round () Int (div i s))
(define-fun rest () Int (mod i s))
(assert (= block (div rest size)))
(assert (= thread (mod rest size)))
(assert (not (and (= i (+ (+ (* block size) thread) (* round s))) (<= 0 round))))
;@ mutate every-index-is-visited: (= block (div rest size)) => (= block (div rest grid)) with (assert (= grid 2)) (assert (= size 3)) (assert (= i 5))
; ... which are a thread of a block of the grid ...
;@ prove the-visiting-thread-exists
(assert dims)
(declare-const rest Int)
(assert (and (<= 0 rest) (< rest (* grid size))))
(assert (not (and (<= 0 (div rest size)) (< (div rest size) grid)
                  (<= 0 (mod rest size)) (< (mod rest size) size))))
;@ mutate the-visiting-thread-exists: (< rest (* grid size)) => (<= rest (* grid size)) with (assert (= grid 4)) (assert (= size 8))
; ... and no other thread or round reaches it.
;@ prove no-index-is-visited-twice
(assert (and dims place))
(declare-const block2 Int)
(declare-const thread2 Int)
(declare-const round Int)
(declare-const round2 Int)
(declare-const row Int)
(declare-const row2 Int)
(assert (and (<= 0 block2) (< block2 grid) (<= 0 thread2) (< thread2 size)))
; Their index is row*size + thread, with row = round*grid + block (goal index-in-two-parts).
; Goal position-determines-its-parts, twice:
(assert (=> (= (+ (* row size) thread) (+ (* row2 size) thread2)) (and (= row row2) (= thread thread2))))
(assert (=> (= (+ (* round grid) block) (+ (* round2 grid) block2)) (and (= round round2) (= block block2))))
(assert (= row (+ (* round grid) block)))
(assert (= row2 (+ (* round2 grid) block2)))
(assert (= (+ (* row size) thread) (+ (* row2 size) thread2)))
(assert (not (and (= block block2) (= thread thread2) (= round round2))))
;@ mutate no-index-is-visited-twice: (= row2 (+ (* round2 grid) block2)) => (= row2 (+ (* round2 grid) (+ block2 1))) with (assert (= grid 2)) (assert (= size 2)) (assert (= round 0)) (assert (= block 1)) (assert (= thread 0)) (assert (= round2 0)) (assert (= block2 0)) (assert (= thread2 0))
;@ prove index-in-two-parts
(declare-const round Int)
(assert (not (= (+ (+ (* block size) thread) (* round (* grid size)))
                (+ (* (+ (* round grid) block) size) thread))))
;@ mutate index-in-two-parts: (* round (* grid size)) => (* round (+ grid size)) with (assert (= grid 3)) (assert (= size 3)) (assert (= round 1))
