// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The memory of C++ atomics, for models under Spin. Each location has its modification order. Each
// thread has a view: for each location, the oldest write that it may still read. So a load may be
// stale, by any number of writes, unless something that the thread acquired says otherwise. A store may
// enter the modification order anywhere after the writes that its thread knows. A write carries the
// view of its thread if it is a release, and a load takes the view over if it is an acquire. A
// read-modify-write directly follows the write that it reads, and carries that write's view on: C++'s
// release sequence.
//
// It is C++20's model without out-of-thin-air values and without loads that see a write which the
// reading thread's own later store made possible (load buffering). Not modelled: fences, seq_cst.
//
// A model defines THREADS, LOCATIONS and WRITES (per location, with the initial one) and includes this.

byte writes[LOCATIONS];                        // how many, less the initial one
byte value[LOCATIONS * WRITES];                // in modification order
bool joined[LOCATIONS * WRITES];               // a read-modify-write: nothing comes between it and the one before
byte carried[LOCATIONS * WRITES * LOCATIONS];  // the view that a write carries
byte known[THREADS * LOCATIONS];               // the views of the threads
byte m_, l_, i_;                               // within one atomic step only

#define AT(l, m) ((l) * WRITES + (m))
#define CARRIED(l, m, k) (AT(l, m) * LOCATIONS + (k))
#define KNOWN(t, l) ((t) * LOCATIONS + (l))

// The value of a location in the end.
#define LAST(l) value[AT(l, writes[l])]

inline take_view(t, l) {
  for (i_ : 0 .. LOCATIONS - 1) {
    if
    :: carried[CARRIED(l, m_, i_)] > known[KNOWN(t, i_)] -> known[KNOWN(t, i_)] = carried[CARRIED(l, m_, i_)]
    :: else
    fi
  }
}

// A load of any write that the thread may read. `acquire` is 0 or 1.
inline load(t, l, acquire, result) {
  atomic {
    m_ = known[KNOWN(t, l)];
    do
    :: m_ < writes[l] -> m_++
    :: break
    od;
    result = value[AT(l, m_)];
    known[KNOWN(t, l)] = m_;
    if
    :: acquire -> take_view(t, l)
    :: else
    fi;
    m_ = 0; i_ = 0
  }
}

// Puts a write at place m_ of the modification order, and moves what is there.
inline insert(t, l, v, release, rmw) {
  assert(writes[l] + 1 < WRITES);
  l_ = writes[l] + 1;
  do
  :: l_ > m_ ->
    value[AT(l, l_)] = value[AT(l, l_ - 1)];
    joined[AT(l, l_)] = joined[AT(l, l_ - 1)];
    for (i_ : 0 .. LOCATIONS - 1) {
      carried[CARRIED(l, l_, i_)] = carried[CARRIED(l, l_ - 1, i_)]
    }
    l_--
  :: else -> break
  od;
  writes[l]++;
  // Places at or after m_ have moved by one, in all views.
  for (i_ : 0 .. THREADS - 1) {
    if
    :: known[KNOWN(i_, l)] >= m_ -> known[KNOWN(i_, l)] = known[KNOWN(i_, l)] + 1
    :: else
    fi
  }
  for (i_ : 0 .. LOCATIONS * WRITES - 1) {
    if
    :: i_ != AT(l, m_) && carried[i_ * LOCATIONS + (l)] >= m_ ->
      carried[i_ * LOCATIONS + (l)] = carried[i_ * LOCATIONS + (l)] + 1
    :: else
    fi
  }
  known[KNOWN(t, l)] = m_;
  value[AT(l, m_)] = v;
  joined[AT(l, m_)] = rmw;
  for (i_ : 0 .. LOCATIONS - 1) {
    // The view of the write that a read-modify-write follows goes on.
    carried[CARRIED(l, m_, i_)] = (rmw -> carried[CARRIED(l, m_ - 1, i_)] : 0);
    if
    :: release && known[KNOWN(t, i_)] > carried[CARRIED(l, m_, i_)] -> carried[CARRIED(l, m_, i_)] = known[KNOWN(t, i_)]
    :: else
    fi
  }
  carried[CARRIED(l, m_, l)] = m_;
  m_ = 0; l_ = 0; i_ = 0
}

inline store(t, l, v, release) {
  atomic {
    m_ = known[KNOWN(t, l)] + 1;
    do
    :: m_ <= writes[l] -> m_++
    :: m_ > writes[l] || !joined[AT(l, m_)] -> break
    od;
    insert(t, l, v, release, 0)
  }
}

// A strong compare-exchange; a failed one is a relaxed load. `done` says whether it succeeded.
inline compare_exchange(t, l, expected, desired, acquire, release, done) {
  atomic {
    m_ = known[KNOWN(t, l)];
    do
    :: m_ < writes[l] -> m_++
    :: value[AT(l, m_)] != expected -> done = 0; break
    :: value[AT(l, m_)] == expected && (m_ == writes[l] || !joined[AT(l, m_ + 1)]) -> done = 1; break
    od;
    known[KNOWN(t, l)] = m_;
    if
    :: done ->
      if
      :: acquire -> take_view(t, l)
      :: else
      fi;
      m_++;
      insert(t, l, desired, release, 1)
    :: else
    fi;
    m_ = 0; i_ = 0
  }
}

// An unconditional read-modify-write. `before` is the value read, `after` an expression of it.
inline exchange(t, l, after, acquire, release, before) {
  atomic {
    m_ = known[KNOWN(t, l)];
    do
    :: m_ < writes[l] -> m_++
    :: m_ == writes[l] || !joined[AT(l, m_ + 1)] -> break
    od;
    before = value[AT(l, m_)];
    known[KNOWN(t, l)] = m_;
    if
    :: acquire -> take_view(t, l)
    :: else
    fi;
    m_++;
    insert(t, l, after, release, 1)
  }
}

// Memory that is not atomic. Two accesses that nothing orders, one of them a write, are a data race;
// then the thread does not know the newest write.
inline plain_load(t, l, result) {
  d_step {
    assert(known[KNOWN(t, l)] == writes[l]);  // a data race
    result = LAST(l)
  }
}
inline plain_store(t, l, v) {
  d_step {
    assert(known[KNOWN(t, l)] == writes[l]);  // a data race
    m_ = writes[l] + 1;
    insert(t, l, v, 0, 0)
  }
}
