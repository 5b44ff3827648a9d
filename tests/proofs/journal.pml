// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One slot of the journal, for which several writers and a reader meet. A round of the ring is one
// number here (capacity 1): slots share nothing but the counter. The record is two words, each with
// the record's number, so that a mixture shows.
//
// No reader takes a torn record for a whole one; no two writers fill the slot at once; in the end it
// holds the newest record whose writer got it; a launch counts as submitted only by its own mark.
//
//@ variant RELAXED_WORDS
//@ variant RELAXED_WORD_LOADS
//@ variant RELAXED_PUBLISH
//@ variant RELAXED_CLAIM
//@ variant NO_SECOND_LOOK
//@ variant CLAIM_BY_STORE
//@ variant NO_LATER_CHECK
//@ variant UNTAGGED_MARKS

#define THREADS 4
#define READER 3
#define LOCATIONS 4
#define WRITES 8
#define version_ 0
#define words_1 1
#define words_2 2
#define progress_ 3
#include "weak_memory.pml"

#ifdef RELAXED_WORDS
#define WORD_STORE 0
#else
#define WORD_STORE 1
#endif
#ifdef RELAXED_WORD_LOADS
#define WORD_LOAD 0
#else
#define WORD_LOAD 1
#endif
#ifdef RELAXED_PUBLISH
#define PUBLISH 0
#else
#define PUBLISH 1
#endif
#ifdef RELAXED_CLAIM
#define CLAIM 0
#else
#define CLAIM 1
#endif
#ifdef UNTAGGED_MARKS
#define TAG(number) 0
#else
#define TAG(number) (number)
#endif

#define MOST_NUMBERS 4  // a writer that would need a further number stops

byte last_;     // the counter of numbers: each is given out once
byte filling;   // writers in the slot
byte newest;    // the largest number whose record was added
bool marked[MOST_NUMBERS + 1];
byte ended;

//@ file debug/journal/journal.hpp
proctype append(byte t) {
  byte number, version;
  bool claimed;
again:
  //| const std::uint64_t number = __atomic_add_fetch(&last_, 1, __ATOMIC_RELAXED);
  atomic { last_ < MOST_NUMBERS; last_++; number = last_ }
  //| std::uint64_t version = __atomic_load_n(&slot.version, __ATOMIC_RELAXED);
  load(t, version_, 0, version);
  //| if ((version & 1) != 0 || version > 2 * number ||
  //|     !__atomic_compare_exchange_n(&slot.version, &version, 2 * number + 1, false,
  //|                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
  //|   __atomic_add_fetch(&skipped_, 1, __ATOMIC_RELAXED);
  //|   continue;
  //| }
  if
#ifndef NO_LATER_CHECK
  :: version % 2 != 0 || version > 2 * number -> goto again
#else
  :: version % 2 != 0 -> goto again
#endif
  :: else
  fi;
#ifdef CLAIM_BY_STORE
  store(t, version_, 2 * number + 1, 1);
#else
  compare_exchange(t, version_, version, 2 * number + 1, CLAIM, 0, claimed);
  if
  :: !claimed -> goto again
  :: else
  fi;
#endif
  d_step { filling++; assert(filling == 1) }
  //| for (std::size_t i = 1; i < payload_words; ++i) {
  //|   __atomic_store_n(&slot.words[i], words[i], __ATOMIC_RELEASE);
  //| }
  store(t, words_1, number, WORD_STORE);
  store(t, words_2, number, WORD_STORE);
  d_step { filling--; newest = (number > newest -> number : newest) }
  //| __atomic_store_n(&slot.version, 2 * number, __ATOMIC_RELEASE);
  store(t, version_, 2 * number, PUBLISH);
  // The runtime has accepted the launch: its mark, with the round.
  marked[number] = 1;
  //| __atomic_store_n(&slots_[number % capacity].progress, progress(number, submitted_at),
  //|                  __ATOMIC_RELEASE);
  //
  //| return (number / capacity) << time_bits | (time & time_mask);
  store(t, progress_, TAG(number) * 2 + 1, 1);
  ended++
}

proctype read() {
  byte version, again, first, second, reached;
  //| const std::uint64_t version = __atomic_load_n(&slot.version, __ATOMIC_ACQUIRE);
  //| if (version == 0 || (version & 1) != 0) return false;
  load(READER, version_, 1, version);
  if
  :: version == 0 || version % 2 != 0 -> goto nothing
  :: else
  fi;
  //| words[i] = __atomic_load_n(&slot.words[i], __ATOMIC_ACQUIRE);
  load(READER, words_1, WORD_LOAD, first);
  load(READER, words_2, WORD_LOAD, second);
  //| const std::uint64_t reached = __atomic_load_n(&slot.progress, __ATOMIC_ACQUIRE);
  load(READER, progress_, 1, reached);
  //| if (__atomic_load_n(&slot.version, __ATOMIC_RELAXED) != version) return false;
#ifndef NO_SECOND_LOOK
  load(READER, version_, 0, again);
  if
  :: again != version -> goto nothing
  :: else
  fi;
#endif
  assert(first == version / 2 && second == version / 2);  // a torn record
  //| const bool ours = (reached >> time_bits) == (progress(record.sequence, 0) >> time_bits);
  //| submitted_at = ours ? reached & time_mask : 0;
  if
  :: reached / 2 == TAG(version / 2) && reached % 2 == 1 -> assert(marked[version / 2])
  :: else
  fi;
nothing:
  skip
}

init {
  atomic { run append(0); run append(1); run append(2); run read() };
  ended == 3;
  // All have ended: the slot holds the newest record, and none is between its parts.
  assert(LAST(version_) == 2 * newest);
  assert(LAST(words_1) == newest && LAST(words_2) == newest)
}
