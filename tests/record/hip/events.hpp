// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once

#include "kernels.hpp"

namespace record {

template <class Call>
void with_dead_event(Call call) {
  ask([e = dead_event(), call] { return call(e); });
}

inline const Question events[] = {
    {"work in flight",
     [] {
       const hipStream_t s = stream();
       const hipEvent_t e = event();
       const hipEvent_t f = event();
       static_cast<void>(hipMemset(memory, 0, 64));  // the runtime compiles its own kernel
       hold(true);
       static_cast<void>(launch(plain, 4, 64, 0, s));
       static_cast<void>(hipMemsetAsync(memory, 0, 64, s));
       static_cast<void>(hipEventRecord(e, s));
       static_cast<void>(hipGetLastError());
       say("hipEventQuery", hipEventQuery(e));
       say("last", hipGetLastError());
       say("hipStreamQuery", hipStreamQuery(s));
       say("last", hipGetLastError());
       float ms = -1;
       static_cast<void>(hipEventRecord(f, s));
       say("hipEventElapsedTime", hipEventElapsedTime(&ms, e, f));
       say("last", hipGetLastError());
       hold(false);
       say("hipEventSynchronize", hipEventSynchronize(e));
       say("hipEventQuery", hipEventQuery(e));
     }},
    {"never recorded",
     [] {
       const hipEvent_t e = event();
       float ms = -1;
       say("hipEventQuery", hipEventQuery(e));
       say("hipEventSynchronize", hipEventSynchronize(e));
       say("hipStreamWaitEvent", hipStreamWaitEvent(stream(), e, 0));
       say("hipEventElapsedTime", hipEventElapsedTime(&ms, e, event()));
     }},
    {"hipEventElapsedTime of events without timing",
     [] {
       hipEvent_t e = nullptr;
       hipEvent_t f = nullptr;
       static_cast<void>(hipEventCreateWithFlags(&e, hipEventDisableTiming));
       static_cast<void>(hipEventCreateWithFlags(&f, hipEventDisableTiming));
       static_cast<void>(hipEventRecord(e, nullptr));
       static_cast<void>(hipEventRecord(f, nullptr));
       static_cast<void>(hipDeviceSynchronize());
       float ms = -1;
       say(status(hipEventElapsedTime(&ms, e, f)));
     }},
    {"an event of another device",
     [] {
       static_cast<void>(hipSetDevice(1));
       const hipEvent_t e = event();
       static_cast<void>(hipSetDevice(0));
       const hipStream_t s = stream();
       say("hipEventRecord", hipEventRecord(e, s));
       say("hipStreamWaitEvent", hipStreamWaitEvent(s, e, 0));
     }},
    {"hipEventCreate null", [] { ask([] { return hipEventCreate(nullptr); }); }},
    {"hipEventCreateWithFlags",
     [] {
       hipEvent_t e = nullptr;
       say("0x100", hipEventCreateWithFlags(&e, 0x100));
       say("interprocess", hipEventCreateWithFlags(&e, hipEventInterprocess));
       say("interprocess without timing",
           hipEventCreateWithFlags(&e, hipEventInterprocess | hipEventDisableTiming));
       say("both releases",
           hipEventCreateWithFlags(&e, hipEventReleaseToDevice | hipEventReleaseToSystem));
       say("blocking", hipEventCreateWithFlags(&e, hipEventBlockingSync));
     }},
    {"null event",
     [] {
       float ms = -1;
       say("hipEventRecord", hipEventRecord(nullptr, nullptr));
       say("hipEventQuery", hipEventQuery(nullptr));
       say("hipEventSynchronize", hipEventSynchronize(nullptr));
       say("hipEventDestroy", hipEventDestroy(nullptr));
       say("hipEventElapsedTime", hipEventElapsedTime(&ms, nullptr, event()));
       say("to nowhere", hipEventElapsedTime(nullptr, event(), event()));
     }},
    {"hipEventDestroy twice", [] { with_dead_event(hipEventDestroy); }},
    {"hipEventQuery of a destroyed event", [] { with_dead_event(hipEventQuery); }},
    {"hipEventSynchronize of a destroyed event", [] { with_dead_event(hipEventSynchronize); }},
};

}  // namespace record
