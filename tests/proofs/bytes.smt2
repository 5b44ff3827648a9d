; SPDX-License-Identifier: BSL-1.0
; Copyright (c) 2026 the warpsafe authors
;
; Sizes: signs, bytes of shared memory, products of an extent's axes. Numbers are mathematical
; integers. `wrap` is what a 64-bit register keeps; the code's wrap-around is written out with it.
; prove.py explains the directives.

(define-fun W () Int 18446744073709551616)  ; 2^64
(define-fun U () Int 4294967296)            ; 2^32
(define-fun wrap ((x Int)) Int (mod x W))
(define-fun is64 ((x Int)) Bool (and (<= 0 x) (< x W)))
(define-fun is32 ((x Int)) Bool (and (<= 0 x) (< x U)))

;@ file core/detail/arithmetic.hpp
;| product = static_cast<Unsigned>(a * b);
;| return a == 0 || static_cast<Unsigned>(product / a) == b;
;| }
;| return !__builtin_mul_overflow(a, b, &product);
(define-fun multiplied ((a Int) (b Int)) Int (wrap (* a b)))
(define-fun multiply_constant ((a Int) (b Int)) Bool
  (or (= a 0) (= (div (multiplied a b) a) b)))
; GCC's manual, "Built-in Functions to Perform Arithmetic with Overflow Checking": true if the
; infinite-precision result does not fit.
(define-fun multiply ((a Int) (b Int)) Bool (< (* a b) W))

;@ file core/size_type.hpp
;| const size_type sign = number < 0 ? ~size_type{0} : size_type{0};
;| return {(static_cast<size_type>(number) ^ sign) - sign, number < 0};
; x ^ ~0 is W - 1 - x.
(define-fun sign ((number Int)) Int (ite (< number 0) (- W 1) 0))
(define-fun magnitude ((number Int)) Int
  (wrap (- (ite (= (sign number) 0) (wrap number) (- (- W 1) (wrap number))) (sign number))))

;@ file dims/bytes.hpp
;| bytes_ = size.negative ? 0 - size.magnitude : size.magnitude;
(define-fun bytes_of ((number Int)) Int
  (ite (< number 0) (wrap (- 0 (magnitude number))) (magnitude number)))
;| const bool negative = bytes.value() >> 63 != 0;
;| return DynamicShared<unsigned char>(
;|     detail::SignedSize{negative ? 0 - bytes.value() : bytes.value(), negative});
(define-fun shared_is_negative ((bytes Int)) Bool (>= bytes 9223372036854775808))
(define-fun shared_count ((bytes Int)) Int
  (ite (shared_is_negative bytes) (wrap (- 0 bytes)) bytes))
;| const bool fits = detail::multiply(count_, std::uint64_t{sizeof(T)}, product);
;| return Bytes(fits && !negative_ ? product : ~std::uint64_t{0});
(define-fun shared_bytes ((count Int) (negative Bool) (size Int)) Int
  (ite (and (multiply count size) (not negative)) (multiplied count size) (- W 1)))
;| const Errc code = negative_                              ? Errc::shared_negative
;|                   : bytes().value() == ~std::uint64_t{0} ? Errc::shared_overflow
;|                                                          : Errc{};
(define-fun shared_fine ((count Int) (negative Bool) (size Int)) Bool
  (and (not negative) (distinct (shared_bytes count negative size) (- W 1))))

;@ file core/launch_shape.hpp
;| return dynamic_shared > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(dynamic_shared);
(define-fun shared_32 ((bytes Int)) Int (ite (> bytes 4294967295) 4294967295 (mod bytes U)))
;| const std::uint64_t plane = static_cast<std::uint64_t>(dims[0]) * dims[1];
;| std::uint64_t all = 0;
;| return detail::multiply(plane, std::uint64_t{dims[2]}, all) ? all : ~std::uint64_t{0};
(define-fun saturating ((x Int) (y Int) (z Int)) Int
  (let ((plane (wrap (* x y)))) (ite (multiply plane z) (multiplied plane z) (- W 1))))

;@ file dims/detail/cover.hpp
;| fits = multiply(size_x.bits, size_y.bits, total);
;
;| fits = multiply(total, size_z.bits, total) & fits;
; If the first product does not fit, `total` is unspecified: any number.
(define-fun extent_fits ((x Int) (y Int) (z Int) (unspecified Int)) Bool
  (let ((total (ite (multiply x y) (multiplied x y) unspecified)))
    (and (multiply total z) (multiply x y))))

;@ file launch/launch_config.hpp
;| for (int axis = 0; axis < Config::grid_type::rank; ++axis) all *= config.grid().size(axis);
(define-fun covered ((x Int) (y Int) (z Int)) Int (wrap (* (wrap (* x y)) z)))

;@ file dims/extent.hpp
;| return index.x < size(0) && index.y < size(1) && index.z < size(2);
(define-fun contains ((i Int) (j Int) (k Int) (x Int) (y Int) (z Int)) Bool
  (and (< i x) (< j y) (< k z)))
;| return (index.z * size(1) + index.y) * size(0) + index.x;
(define-fun offset ((i Int) (j Int) (k Int) (x Int) (y Int)) Int
  (wrap (+ (wrap (* (wrap (+ (wrap (* k y)) j)) x)) i)))

(declare-const a Int)
(declare-const b Int)
(declare-const c Int)

; Both ways to multiply give the same answer, and the product is exact if they say that it fits.
;@ prove multiply-is-exact
(assert (and (is64 a) (is64 b)))
(assert (not (and (= (multiply_constant a b) (multiply a b))
                  (=> (multiply a b) (= (multiplied a b) (* a b))))))
;@ mutate multiply-is-exact: (or (= a 0) ( => (or false (
;@ mutate multiply-is-exact: (= (div (multiplied a b) a) b) => (>= (multiplied a b) a) with (assert (= a 4294967297)) (assert (= b 4294967297))

; No whole number of 64 bits loses its value or its sign. (A narrower signed type is a part of these;
; an unsigned number is its own magnitude.)
;@ prove signs-are-kept
(assert (and (<= (- 9223372036854775808) a) (< a 9223372036854775808)))
(assert (not (= (magnitude a) (ite (< a 0) (- a) a))))
;@ mutate signs-are-kept: (- (- W 1) (wrap number)) => (wrap number)

; A negative number becomes 2^63 or more bytes, which shared(Bytes) recognises again.
;@ prove negative-bytes-are-recognised
(assert (and (<= (- 9223372036854775808) a) (< a 9223372036854775808)))
(assert (not (and (is64 (bytes_of a)) (= (shared_is_negative (bytes_of a)) (< a 0))
                  (= (shared_count (bytes_of a)) (magnitude a)))))
;@ mutate negative-bytes-are-recognised: (>= bytes 9223372036854775808) => (> bytes 9223372036854775808)

; shared<T>(count): the exact bytes, or an error and 2^64-1 bytes, which no device has. The one
; product that fits and is an error all the same is 2^64-1 itself.
;@ prove shared-is-exact-or-an-error
(declare-const negative Bool)
(assert (and (is64 a) (is64 b) (>= b 1)))
(assert (not (and (=> (shared_fine a negative b) (= (shared_bytes a negative b) (* a b)))
                  (=> (not (shared_fine a negative b)) (= (shared_bytes a negative b) (- W 1)))
                  (=> (and (not negative) (< (* a b) (- W 1))) (shared_fine a negative b)))))
;@ mutate shared-is-exact-or-an-error: (ite (and (multiply count size) (not negative)) => (ite (not negative)

; The launch passes 32 bits. A number that does not fit becomes one that no device allows.
;@ prove shared-in-32-bits-is-exact-or-refused
(assert (is64 a))
(assert (not (and (is32 (shared_32 a)) (or (= (shared_32 a) a) (= (shared_32 a) (- U 1))))))
;@ mutate shared-in-32-bits-is-exact-or-refused: (ite (> bytes 4294967295) => (ite (> bytes 4294967296)

; The number of threads or blocks: exact, or 2^64-1 if it does not fit.
;@ prove three-axes-saturate
(assert (and (is32 a) (is32 b) (is32 c)))
(declare-const p Int)
(assert (= p (* a b)))
(assert (and (<= 0 p) (<= p (* (- U 1) (- U 1)))))  ; goal plane-fits
(assert (not (= (saturating a b c) (ite (< (* p c) W) (* p c) (- W 1)))))
;@ mutate three-axes-saturate: (let ((plane (wrap (* x y)))) => (let ((plane (mod (* x y) U))) with (assert (= a 65536)) (assert (= b 65536)) (assert (= c 2))

;@ prove plane-fits
(assert (and (is32 a) (is32 b)))
(assert (not (and (<= 0 (* a b)) (<= (* a b) (* (- U 1) (- U 1))))))
;@ mutate plane-fits: (< x U) => (<= x U) with (assert (= a U)) (assert (= b U))

; An extent is accepted exactly if its number of elements fits in 64 bits. With a size of 0, which is
; refused before, a product of the others that does not fit is refused too.
;@ prove extent-is-exact-or-refused
(declare-const unspecified Int)
(declare-const p Int)
(assert (and (is64 a) (is64 b) (is64 c) (is64 unspecified) (>= a 1) (>= b 1) (>= c 1)))
(assert (= p (* a b)))
(assert (>= (* p c) p))  ; goal product-grows
(assert (not (and (= (extent_fits a b c unspecified) (< (* p c) W))
                  (=> (extent_fits a b c unspecified) (= (covered a b c) (* p c))))))
;@ mutate extent-is-exact-or-refused: (and (multiply total z) (multiply x y)) => (multiply total z) with (assert (= a 4294967296)) (assert (= b 4294967296)) (assert (= c 1)) (assert (= unspecified 1))

;@ prove product-grows
(assert (and (>= a 1) (>= c 1)))
(assert (not (>= (* a c) a)))
;@ mutate product-grows: (>= c 1) => (>= c 0)

; An index inside of an accepted extent has an offset below the number of elements, and no step of
; the computation wraps.
;@ prove offset-is-exact
(declare-const i Int)
(declare-const j Int)
(declare-const k Int)
(declare-const plane Int)
(declare-const row Int)
(assert (and (<= 0 i) (<= 0 j) (<= 0 k) (contains i j k a b c)))
(assert (and (is64 a) (is64 b) (is64 c)))
; The goals row-is-below and again row-is-below, with rows of a plane for elements of a row.
(assert (= row (+ (* k b) j)))
(assert (and (<= 0 (* k b)) (<= 0 row) (< row (* c b))))
(assert (and (<= 0 (* row a)) (<= row (* row a)) (< (+ (* row a) i) (* (* c b) a))))
(assert (< (* (* c b) a) W))
(assert (not (and (= (offset i j k a b) (+ (* row a) i)) (< (offset i j k a b) (* (* c b) a)))))
;@ mutate offset-is-exact: (< (* (* c b) a) W) => true with (assert (= i 0)) (assert (= j 0)) (assert (= k 4294967296)) (assert (= b 4294967296)) (assert (= a 1)) (assert (= c 4294967297))

;@ prove row-is-below
(declare-const j Int)
(declare-const k Int)
(assert (and (<= 0 j) (< j b) (<= 0 k) (< k c)))
(assert (not (and (<= 0 (* k b)) (<= 0 (+ (* k b) j)) (<= k (+ (* k b) j)) (<= k (* k b))
                  (< (+ (* k b) j) (* c b)))))
;@ mutate row-is-below: (< k c) => (<= k c)
