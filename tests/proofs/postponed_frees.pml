// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory that is given up during a capture. Two threads give up one object each, a third ends the
// capture, and a fourth allocates memory at any time, which tries the postponed frees again.
//
// Each object is freed once. No thread reads the list without an order. After the capture, the next
// allocation frees what an object's owner postponed too late for the capture's end: nothing is lost.
//
//@ variant RELAXED_PUSH
//@ variant RELAXED_TAKE
//@ variant TAKE_BY_LOAD
//@ variant NO_PUT_BACK
//@ variant PUSH_BY_STORE
//@ variant LATE_NEXT

#define THREADS 5
#define CAPTURER 2
#define ALLOCATOR 3
#define LAST_THREAD 4
#define LOCATIONS 4
#define WRITES 9
#define postponed 0   // 0 is nullptr, else an object: 1 or 2
#define next_ 0       // next_ + object: the object's link, which is not atomic
#define frees 3       // postponed_frees<B>: 1 if it is set
#include "weak_memory.pml"

#ifdef RELAXED_PUSH
#define PUSH 0
#else
#define PUSH 1
#endif
#ifdef RELAXED_TAKE
#define TAKE 0
#else
#define TAKE 1
#endif

bool capturing = 1;  // what the runtime answers to `captures`
byte freed[3];
byte ended;

//@ file memory/detail/device_memory.hpp
//| DeviceMemory* top = __atomic_load_n(&postponed, __ATOMIC_RELAXED);
//| do {
//|   memory->next_ = top;
//| } while (!__atomic_compare_exchange_n(&postponed, &top, memory, true, __ATOMIC_RELEASE,
//|                                       __ATOMIC_RELAXED));
//| __atomic_store_n(&postponed_frees<B>, &retry_postponed, __ATOMIC_RELEASE);
// A failed exchange reads the top again. A link that already has this value is not written again, so
// that the number of writes stays small.
inline postpone(t, memory) {
  linked = 99;
  done = 0;
  do
  :: !done ->
    load(t, postponed, 0, top);
    if
    :: top != linked -> plain_store(t, next_ + memory, top); linked = top
    :: else
    fi;
#ifdef PUSH_BY_STORE
    store(t, postponed, memory, 1);
    done = 1
#else
    compare_exchange(t, postponed, top, memory, 0, PUSH, done)
#endif
  :: else -> break
  od;
  store(t, frees, 1, 1)
}

//| if (self.template is_captured<Level>()) return false;
//| status = self.template free_now<Level>();
inline free_(t, memory, was_freed) {
  d_step {
    was_freed = !capturing;
    if
    :: was_freed -> freed[memory]++; assert(freed[memory] == 1)
    :: else
    fi
  }
}

//| if (__atomic_load_n(&postponed, __ATOMIC_RELAXED) == nullptr) return;
//| DeviceMemory* all = __atomic_exchange_n(&postponed, nullptr, __ATOMIC_ACQUIRE);
//| while (all != nullptr) {
//|   DeviceMemory* const memory = std::exchange(all, all->next_);
//|   int status = 0;  // no owner is left to receive it
//|   if (!memory->free_(*memory, status)) postpone(memory);
//| }
inline retry_postponed(t) {
  load(t, postponed, 0, all);
  if
  :: all != 0 ->
#ifdef TAKE_BY_LOAD
    load(t, postponed, 1, all);
    store(t, postponed, 0, 1);
#else
    exchange(t, postponed, 0, TAKE, 0, all);
#endif
    do
    :: all != 0 ->
      object = all;
#ifndef LATE_NEXT
      plain_load(t, next_ + object, all);
#endif
      free_(t, object, was_freed);
      if
#ifndef NO_PUT_BACK
      :: !was_freed -> postpone(t, object)
#endif
      :: else
      fi;
#ifdef LATE_NEXT
      plain_load(t, next_ + object, all);
#endif
    :: else -> break
    od
  :: else
  fi
}

//| if (!free_(*this, status)) postpone(this);
proctype release(byte t; byte memory) {
  byte top, linked;
  bool done, was_freed;
  free_(t, memory, was_freed);
  if
  :: !was_freed -> postpone(t, memory)
  :: else
  fi;
  ended++
}

proctype allocate() {
  byte top, linked, all, object;
  bool done, was_freed;
  retry_postponed(ALLOCATOR);
  ended++
}

proctype end_capture() {
  byte top, linked, all, object;
  bool done, was_freed, set;
  capturing = 0;
  //@ file memory/detail/graph_resources.hpp
  //| if (void (*const make)() noexcept = __atomic_load_n(&postponed_frees<B>, __ATOMIC_ACQUIRE)) {
  //|   make();
  load(CAPTURER, frees, 1, set);
  if
  :: set -> retry_postponed(CAPTURER)
  :: else
  fi;
  ended++
}

init {
  byte top, linked, all, object, k;
  bool done, was_freed;
  atomic { run release(0, 1); run release(1, 2); run end_capture(); run allocate() };
  ended == 4;
  // A later allocation, in a thread that knows what the others did.
  d_step { for (k : 0 .. LOCATIONS - 1) { known[KNOWN(LAST_THREAD, k)] = writes[k] } k = 0 }
  retry_postponed(LAST_THREAD);
  assert(freed[1] == 1 && freed[2] == 1);  // none is lost
  assert(LAST(postponed) == 0)
}
