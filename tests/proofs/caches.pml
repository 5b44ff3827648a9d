// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What threads share without a lock: a lazily filled slot of a cache (OnceSlot), the limit of dynamic
// shared memory that launches raise (KernelSlots), and the references of memory (DeviceMemory). One
// part is checked at a time; without a macro it is the slot.
//
// The slot: a value that is read was stored whole. The limit: a launch never has less than it asked
// for, although two threads ask for different sizes. The references: the memory is freed once, after all
// that its holders did with it.
//
//@ part RAISE
//@ part HOLDERS
//@ variant RELAXED_READY
//@ variant RELAXED_GET
//@ variant READY_FIRST
//@ variant NO_CLAIM
//@ variant RAISE NO_LOCK
//@ variant RAISE EARLY_MARK
//@ variant RAISE RELAXED_UNLOCK
//@ variant HOLDERS RELAXED_DROP
//@ variant HOLDERS LOAD_AND_STORE

#define THREADS 3
#define LOCATIONS 4
#define WRITES 8
#include "weak_memory.pml"

byte ended;

#if !defined(RAISE) && !defined(HOLDERS)
#define state_ 0
#define value_1 1  // two parts of the value, which are not atomic
#define value_2 2
#define empty 0
#define filling 1
#define ready 2
#ifdef RELAXED_READY
#define READY 0
#else
#define READY 1
#endif
#ifdef RELAXED_GET
#define GET 0
#else
#define GET 1
#endif

//@ file stream/detail/device_cache.hpp
proctype use(byte t) {
  byte state, first, second;
  bool claimed;
  //| return __atomic_load_n(&state_, __ATOMIC_ACQUIRE) == ready ? reinterpret_cast<const T*>(value_)
  //|                                                            : nullptr;
  load(t, state_, GET, state);
  if
  :: state == ready ->
    plain_load(t, value_1, first);
    plain_load(t, value_2, second);
    assert(first != 0 && first == second)
  :: else ->
    // The thread asks the driver, and keeps its own answer: t + 1.
    //| int expected = empty;
    //| if (__atomic_compare_exchange_n(&state_, &expected, filling, false, __ATOMIC_ACQ_REL,
    //|                                 __ATOMIC_RELAXED)) {
    //|   __builtin_memcpy(value_, &value, sizeof(T));
    //|   __atomic_store_n(&state_, ready, __ATOMIC_RELEASE);
    //| }
#ifdef NO_CLAIM
    claimed = 1;
#else
    compare_exchange(t, state_, empty, filling, 1, 1, claimed);
#endif
    if
    :: claimed ->
#ifdef READY_FIRST
      store(t, state_, ready, READY);
#endif
      plain_store(t, value_1, t + 1);
      plain_store(t, value_2, t + 1);
      store(t, state_, ready, READY)
    :: else
    fi
  fi;
  ended++
}
init {
  atomic { run use(0); run use(1); run use(2) };
  ended == 3;
  assert(LAST(state_) == ready && LAST(value_1) == LAST(value_2))
}
#endif

#ifdef RAISE
#define raised_ 0   // in units; the kernel starts with 1
#define raising_ 1
#ifdef EARLY_MARK
#define MARK_FIRST 1
#else
#define MARK_FIRST 0
#endif
#ifdef RELAXED_UNLOCK
#define UNLOCK 0
#else
#define UNLOCK 1
#endif

byte attribute = 1;  // the driver's, which orders its own calls
byte inside;

//@ file launch/detail/kernel_slots.hpp
proctype launch(byte t; byte bytes) {
  byte mark, allowed;
  bool held;
  //| if (remembered && bytes <= __atomic_load_n(&raised_[device], __ATOMIC_ACQUIRE)) return 0;
  load(t, raised_, 1, mark);
  if
  :: bytes <= mark -> goto submit
  :: else
  fi;
  //| while (__atomic_test_and_set(&raising_, __ATOMIC_ACQUIRE)) {
#ifndef NO_LOCK
  // A test-and-set that finds the lock taken leaves it taken, so it is no write here.
  do
  :: !held -> compare_exchange(t, raising_, 0, 1, 1, 0, held)
  :: else -> break
  od;
#endif
  //| int status = call<B, Level, &B::attributes_of>(entry, now);
  //
  //| std::uint64_t allowed = now.max_dynamic_shared;
  //| if (bytes > allowed) {
  //|   status = call<B, Level, &B::raise_dynamic_shared>(entry, bytes);
  //|   allowed = bytes;
  //| }
  //| if (status == 0 && high_water != nullptr)
  //|   __atomic_store_n(high_water, allowed, __ATOMIC_RELEASE);
  //
  //| __atomic_clear(&raising_, __ATOMIC_RELEASE);
  allowed = attribute;
  if
  :: MARK_FIRST -> store(t, raised_, bytes, 1)
  :: else
  fi;
  if
  :: bytes > allowed -> attribute = bytes; allowed = bytes
  :: else
  fi;
  store(t, raised_, allowed, 1);
#ifndef NO_LOCK
  store(t, raising_, 0, UNLOCK);
#endif
submit:
  assert(attribute >= bytes);  // else the runtime refuses the launch
  ended++
}
init {
  atomic { run launch(0, 2); run launch(1, 3); run launch(2, 2) };
  ended == 3;
  assert(attribute == 3);
  assert(LAST(raised_) == 3)  // else a later launch would ask again, but not fail
}
#endif

#ifdef HOLDERS
#define holders_ 0
#define used_by_0 1  // what a holder did with the memory; used_by_0 + t
#ifdef RELAXED_DROP
#define DROP 0
#else
#define DROP 1
#endif

byte freed;

//@ file memory/detail/device_memory.hpp
proctype release(byte t) {
  byte before, seen;
  plain_store(t, used_by_0 + t, 1);
  //| if (__atomic_sub_fetch(&holders_, 1, __ATOMIC_ACQ_REL) != 0) return 0;
#ifdef LOAD_AND_STORE
  load(t, holders_, 1, before);
  store(t, holders_, before - 1, 1);
#else
  exchange(t, holders_, before - 1, DROP, DROP, before);
#endif
  if
  :: before - 1 == 0 ->
    freed++;
    plain_load(t, used_by_0 + 0, seen);
    plain_load(t, used_by_0 + 1, seen);
    plain_load(t, used_by_0 + 2, seen)
  :: else
  fi;
  ended++
}
init {
  d_step { value[AT(holders_, 0)] = 3 };
  atomic { run release(0); run release(1); run release(2) };
  ended == 3;
  assert(freed == 1)
}
#endif
