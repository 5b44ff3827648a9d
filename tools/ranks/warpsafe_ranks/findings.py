# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What is wrong with a job: calls that differ, ranks that did not come, circles, dead ranks, numbers, stragglers."""

import dataclasses

from .checksums import first_change, first_different_output, first_non_finite
from .files import RECEIVE, SEND, State
from .links import slow_links
from .places import chain
from .stragglers import stragglers

OPEN = (State.BEGUN, State.SUBMITTED)
# Processes write the time this often (tools/ranks/record).
BEAT_NS = 100_000_000


@dataclasses.dataclass
class Side:
    """Ranks that do the same, and where they do it."""

    ranks: list
    what: str
    place: tuple = None  # a library and the number of its place
    since_ns: int = 0


@dataclasses.dataclass
class Finding:
    """One problem. `kind` is part of the JSON format (tools/ranks/docs/ranks.md)."""

    kind: str
    text: str
    sides: list = dataclasses.field(default_factory=list)
    communicator: int = 0
    index: int = -1


@dataclasses.dataclass
class Wait:
    """A process inside of an operation that has not ended, and who is not there."""

    process: object
    member: object
    record: object
    index: int
    absent: list  # processes
    absent_ranks: list  # ranks of the communicator without a record


def names(processes):
    """"ranks 0 to 2, 5"."""
    ranks = sorted({process.rank for process in processes if process.rank >= 0})
    others = [str(process) for process in processes if process.rank < 0]
    return " and ".join(([ranks_text(ranks)] if ranks else []) + others)


def ranks_text(ranks, word="rank"):
    """"ranks 0 to 2, 5" for [0, 1, 2, 5]."""
    parts, begin = [], None
    for rank in [*ranks, None]:
        if begin is not None and rank == last + 1:
            last = rank
            continue
        if begin is not None:
            parts.append(str(begin) if begin == last else f"{begin} and {last}" if last == begin + 1 else f"{begin} to {last}")
        begin = last = rank
    return f"{word}{'' if len(ranks) == 1 else 's'} {', '.join(parts)}"


def grouped(pairs):
    """Sides of (process, what, place, since), one for each different (what, place)."""
    sides = {}
    for process, what, place, since in pairs:
        side = sides.setdefault((what, _key(place)), Side([], what, place, since))
        side.ranks.append(process)
        side.since_ns = min(side.since_ns, since)
    return list(sides.values())


def _key(place):
    return tuple((line.get("object"), line.get("offset"), line.get("line")) for line in chain(place))


class Examination:
    """All findings of a job, the most certain and the most telling first."""

    def __init__(self, job, after=2, other=None):
        """`after`: the seconds from which on a wait of a running job is reported. `other`: a run to compare with."""
        self.job = job
        self.after_ns = 0 if any(job.is_dead(process) for process in job.processes) else after * 1e9
        self.waits = self._waits()
        self.findings = [
            *self._missing(),
            *self._deaths(),
            *self._differences(),
            *self._circles(),
            *self._stuck(),
            *self._messages(),
            *self._failures(),
            *self._non_finite(),
            *self._different_outputs(),
            *(self._changes(other) if other else ()),
            *self._stragglers(),
            *self._slow_links(),
        ]

    # --- ranks -------------------------------------------------------------------------------------

    def _missing(self):
        if self.job.processes and self.job.missing:
            yield Finding("no_record", f"{ranks_text(self.job.missing)} of {self.job.size} left no record: "
                          "not started, on a host whose records are elsewhere, or without warpsafe-run")

    def _deaths(self):
        dead = sorted(filter(self.job.is_dead, self.job.processes), key=self.job.died_ns)
        if not dead:
            return
        sides = []
        for process in dead:
            what, place, _ = self._doing(process)
            sides += grouped([(process, what, place, self.job.died_ns(process))])
        text = f"{names(dead)} ended unexpectedly (killed, crashed, or called _exit)"
        # A launcher kills the others as soon as it sees the first one die.
        if len(dead) > 1 and self.job.died_ns(dead[1]) - self.job.died_ns(dead[0]) > BEAT_NS:
            text += f"; {dead[0]} first, on {dead[0].host}"
        yield Finding("died", text, _merged(sides))

    def _doing(self, process):
        """What a process does now: (text, place, since)."""
        newest = None
        for member in process.members:
            if len(member.records):
                record = member.records[len(member.records) - 1]
                newest = max(newest, (record.begin_ns, member, record), key=lambda found: found[0]) if newest else (
                    record.begin_ns, member, record)
            elif not member.is_joined and not member.failed_with and not process.stopped:
                return (f"in the creation of {self.job.of_member[id(member)]}", (member.library, member.place), member.made_ns)
        for library in process.libraries:
            if len(library.messages):
                record = library.messages[len(library.messages) - 1]
                member = library.members.get(record.reduction)
                if member and (newest is None or record.begin_ns > newest[0]):
                    newest = record.begin_ns, member, record
        if newest is None:
            return "its record ends early, without a call" if process.stopped else "before its first collective", None, 0
        begin, member, record = newest
        one = self.job.of_member[id(member)]
        what = self.job.describe(member, record)
        place = member.library, record.place
        # What it called later, nobody knows.
        if process.stopped:
            return f"its record ends early, after {what} ({one})", place, begin
        if process.exit_ns:
            return f"has ended; its last call was {what} ({one})", place, process.exit_ns
        # Nobody recorded whether the last call of a process that was killed has ended.
        if self.job.is_dead(process):
            return f"its last call was {what} ({one})", place, begin
        if record.state in OPEN:
            return f"in {what} ({one})", place, begin
        since = record.end_ns or begin
        waiting = self._open_request(process)
        return f"in its own code since {what} ({one})" + (f", with an open {waiting}" if waiting else ""), place, since

    def _open_request(self, process):
        """The first operation that the process began and has not waited for to its end."""
        for library in process.libraries:
            for index in library.messages.open_ones():
                record = library.messages[index]
                if record.reduction in library.members:
                    return self.job.describe(library.members[record.reduction], record)
        return ""

    # --- collectives -------------------------------------------------------------------------------

    def _differences(self):
        for one in self.job.communicators:
            index = one.first_difference()
            if index is None:
                continue
            calls = [(member, member.records[index]) for member in one.members if len(member.records) > index]
            sides = grouped((member.process, self.job.describe(member, record), (member.library, record.place),
                             record.begin_ns) for member, record in calls)
            sides.sort(key=lambda side: -len(side.ranks))
            text = f"collective {index + 1} of {one} ({one.shown}) differs between its ranks"
            if len(sides) == 2 and self._swapped(one, index):
                text += ": they make the same two calls in another order"
            elif len(sides) == 2:
                text += self._ahead(one, index, sides)
            yield Finding("different", text, sides, one.number, index)

    def _swapped(self, one, index):
        """Two members make the same two calls in another order, and agree again after them, as far as they have come."""
        calls = {}
        for member in one.members:
            if len(member.records) > index + 1:
                records = range(index, min(index + 3, len(member.records)))
                described = [self.job.describe(member, member.records[at]) for at in records]
                calls.setdefault(tuple(described[:2]), set()).update(described[2:])
        if len(calls) != 2 or len({frozenset(pair) for pair in calls}) != 1:
            return False
        return len(set().union(*calls.values())) < 2

    def _ahead(self, one, index, sides):
        """Says so if the smaller side, or the one that left the usual order, made the call that followed the other's before."""
        usual, odd = sides
        if len(usual.ranks) == len(odd.ranks):
            # What followed the two calls before, which both sides made.
            known = next(member for member in one.members if member.process is usual.ranks[0])

            def call(at):
                return self.job.describe(known, known.records[at])

            expected = next((call(at) for at in range(index - 1, max(2, index - 1000) - 1, -1)
                             if call(at - 1) == call(index - 1) and call(at - 2) == call(index - 2)), None)
            if expected == odd.what:
                usual, odd = odd, usual
            elif expected != usual.what:
                return ""
        member = next(member for member in one.members if member.process is usual.ranks[0])
        window = range(max(0, index - 1000), index)
        earlier = next((at for at in reversed(window) if self.job.describe(member, member.records[at]) == usual.what), None)
        if earlier is None or earlier + 1 == index or self.job.describe(member, member.records[earlier + 1]) != odd.what:
            return ""
        return f": {names(odd.ranks)} went on to the call that followed in earlier steps"

    def _waits(self):
        """Each process in an operation that has not ended, with the members that have not come to it."""
        found = []
        for one in self.job.communicators:
            for member in one.members:
                index = next(iter(member.records.open_ones()), -1)
                if index >= 0 and not member.process.exit_ns:
                    absent = [other.process for other in one.members if len(other.records) <= index]
                    found.append(Wait(member.process, member, member.records[index], index, absent, one.missing))
                elif not (member.is_joined or member.failed_with or member.process.exit_ns or member.process.stopped):
                    absent = [other.process for other in one.members if other.failed_with]
                    absent += self._absent_from_split(member)
                    found.append(Wait(member.process, member, None, -1, absent, self._absent_from_creation(one)))
        return found

    def _absent_from_split(self, member):
        """The members of the communicator that is split, or shrunk, that have not made as many of it."""
        parent = member.library.members.get(member.parent)
        if parent is None:
            return []

        def children(of):
            return [other for other in of.library.members.values() if other.parent == of.number]

        number = sum(other.number <= member.number for other in children(parent))
        return [other.process for other in self.job.of_member[id(parent)].members
                if other.process is not member.process and len(children(other)) < number]

    @staticmethod
    def _absent_from_creation(one):
        return sorted(set(range(one.size)) - {member.rank for member in one.members}) if one.size > 0 else []

    def _stuck(self):
        """Of each communicator the first collective that some ranks wait in and others have not reached."""
        for one in self.job.communicators:
            waits = [wait for wait in self.waits if self.job.of_member[id(wait.member)] is one]
            if not waits:
                continue
            index = min(wait.index for wait in waits)
            here = [wait for wait in waits if wait.index == index]
            absent = here[0].absent
            if not absent and not here[0].absent_ranks:
                continue
            record = here[0].record
            what = self.job.describe(here[0].member, record) if record else "its creation"
            text = f"{one} ({one.shown}) waits in " + (
                f"collective {index + 1}, {what}" if record else "its creation")
            begun = min(wait.record.begin_ns if wait.record else wait.member.made_ns for wait in here)
            if self._since(begun) < self.after_ns:
                continue
            text += f", for {self._since(begun) / 1e9:.1f} s"
            sides = grouped((wait.process, "called it",
                             (wait.member.library, wait.record.place if wait.record else wait.member.place),
                             wait.record.begin_ns if wait.record else wait.member.made_ns) for wait in here)
            for process in absent:
                doing, place, since = self._doing(process)
                if self.job.is_dead(process):
                    doing = "ended unexpectedly; " + doing
                sides += grouped([(process, doing if process.stopped else "did not call it; " + doing, place, since)])
            if here[0].absent_ranks:
                sides.append(Side([], f"{ranks_text(here[0].absent_ranks)} of the communicator left no record"))
            yield Finding("waits", text, _merged(sides), one.number, index)

    def _circles(self):
        """Processes that wait for each other, in different operations."""
        waits = {}
        for wait in self.waits:
            known = waits.get(wait.process)
            begin = wait.record.begin_ns if wait.record else wait.member.made_ns
            # A process that has submitted several waits in the first one that does not end.
            if known is None or begin < known[0]:
                waits[wait.process] = begin, wait
        for process in waits:
            path, current = [], process
            while current in waits and current not in path:
                path.append(current)
                following = [other for other in [*waits[current][1].absent, *self._behind(waits[current][1], waits)]
                             if other in waits and not other.stopped]
                if not following:
                    break
                current = following[0]
            else:
                if current in path:
                    circle = path[path.index(current):]
                    if self._since(max(waits[one][0] for one in circle)) < self.after_ns:
                        return
                    sides = []
                    for one in circle:
                        wait = waits[one][1]
                        what = self.job.describe(wait.member, wait.record) if wait.record else "the creation"
                        place = wait.record.place if wait.record else wait.member.place
                        sides.append(Side([one], f"waits in {what} ({self.job.of_member[id(wait.member)]})",
                                          (wait.member.library, place),
                                          wait.record.begin_ns if wait.record else wait.member.made_ns))
                    yield Finding("circle", f"{names(circle)} wait for each other: they use "
                                  "two communicators in different orders", sides)
                    return

    def _since(self, begin_ns):
        """How long ago this was. The last sign of life of a process that was killed may be older than its last call."""
        return max(0, self.job.now_ns() - begin_ns)

    def _behind(self, wait, waits):
        """Processes that have submitted this operation too, on the stream in which they wait for another communicator."""
        if wait.record is None or not wait.record.stream:
            return []
        found = []
        for other in self.job.of_member[id(wait.member)].members:
            ahead = waits.get(other.process, (0, None))[1]
            if ahead is None or ahead.record is None or ahead.member is other or len(other.records) <= wait.index:
                continue
            record = other.records[wait.index]
            if record.state in OPEN and record.stream == ahead.record.stream and record.order > ahead.record.order:
                found.append(other.process)
        return found

    def _failures(self):
        for one in self.job.communicators:
            failed = []
            for member in one.members:
                if member.failed_with:
                    failed.append((member.process, f"its creation failed with status {member.failed_with}",
                                   (member.library, member.place), member.made_ns))
                count = len(member.records)
                for index in range(max(0, count - 100), count):
                    record = member.records[index]
                    if record.state == State.FAILED:
                        failed.append((member.process, f"{self.job.describe(member, record)} failed with status "
                                       f"{record.status}", (member.library, record.place), record.begin_ns))
            if failed:
                yield Finding("failed", f"calls of {one} ({one.kind}) returned errors", grouped(failed), one.number)

    # --- numbers -----------------------------------------------------------------------------------

    def _call(self, one, index):
        member = next(member for member in one.members if len(member.records) > index)
        return f"collective {index + 1} of {one} ({one.shown}), {self.job.describe(member, member.records[index])}"

    def _sides(self, index, said):
        """The sides of (member, what)."""
        found = []
        for member, what in said:
            record = member.records[index]
            found.append((member.process, what, (member.library, record.place), record.begin_ns))
        return grouped(found)

    def _non_finite(self):
        found = first_non_finite(self.job)
        if not found:
            return
        one, index = found.one, found.index
        if not found.members:
            members = [(member, "has it in its output") for member in one.members if len(member.records) > index]
            yield Finding("non_finite", f"the output of {self._call(one, index)}, is the first with a NaN or an infinity: "
                          "no input that was read has one", self._sides(index, members), one.number, index)
            return
        said = []
        for member, nans, infinities, first in found.members:
            numbers = [f"{nans} NaN"] * bool(nans) + [f"{infinities} infinite"] * bool(infinities)
            said.append((member, f"its input has {' and '.join(numbers)}, the first at element {first}"))
        if found.is_message:
            (member, what), = said
            record = member.library.messages[index]
            yield Finding("non_finite", f"{member.process} has the first NaN or infinity, in a {self.job.describe(member, record)} ({one})",
                          [Side([member.process], what, (member.library, record.place), record.begin_ns)], one.number)
            return
        yield Finding("non_finite", f"{names([member.process for member, _ in said])} {'has' if len(said) == 1 else 'have'} the first "
                      f"NaN or infinity, in the input of {self._call(one, index)}", self._sides(index, said), one.number, index)

    def _different_outputs(self):
        for one in self.job.communicators:
            end = one.first_difference()
            found = first_different_output(one, min(len(member.records) for member in one.members) if end is None else end)
            if not found:
                continue
            index, outputs = found
            sides = self._sides(index, [(member, f"its output has the checksum {output:016x}") for member, output in outputs])
            sides.sort(key=lambda side: -len(side.ranks))
            yield Finding("diverged", f"the output of {self._call(one, index)}, differs between its ranks", sides, one.number, index)

    def _changes(self, other):
        change, self.job.compared = first_change(self.job, other)
        if not change:
            if not self.job.compared:
                yield Finding("compared", "the two runs have no checksums of the same collectives")
            return
        who, index = names([member.process for member in change.members]), change.index
        text = f"{who} {'is' if len(change.members) == 1 else 'are'} the first to differ between the runs: the {change.what} of "
        yield Finding("compared", text + self._call(change.one, index),
                      self._sides(index, [(member, f"its {change.what} differs") for member in change.members]),
                      change.one.number, index)

    # --- messages ----------------------------------------------------------------------------------

    def _messages(self):
        for process in self.job.processes:
            if process.exit_ns:
                continue
            for library in process.libraries:
                yield from self._open_messages(process, library)

    def _open_messages(self, process, library):
        messages = library.messages
        for index in messages.open_ones():
            record = messages[index]
            member = library.members.get(record.reduction)
            if self._since(record.begin_ns) < self.after_ns:
                continue
            if member is None:
                continue
            one = self.job.of_member[id(member)]
            peer = next((other for other in one.members if other.rank == record.root), None)
            opposite = RECEIVE if record.operation == SEND else SEND
            verb = "receive" if record.operation == SEND else "send"
            if peer is None:
                if record.root >= 0:
                    yield Finding("message", f"{process} waits in {self.job.describe(member, record)} ({one}), whose "
                                  f"peer left no record", [Side([process], "called it", (library, record.place),
                                                                record.begin_ns)], one.number)
                continue
            number = sum(1 for other in range(index + 1) if self._is_twin(messages[other], record, record.operation, record.root))
            partner = self._partner(peer, member.rank, record, opposite, number)
            if partner is None:
                doing, place, since = self._doing(peer.process)
                if self.job.is_dead(peer.process):
                    doing = "ended unexpectedly; " + doing
                missing = "the record of {} ends before the {}" if peer.process.stopped else "{} has not called the {}"
                yield Finding("message", f"{process} waits in {self.job.describe(member, record)} ({one}); "
                              + missing.format(peer.process, verb),
                              [Side([process], "called it", (library, record.place), record.begin_ns),
                               Side([peer.process], doing, place, since)], one.number)
            elif partner.count < record.count if record.operation == SEND else partner.count > record.count:
                yield Finding("message", f"{process}'s {self.job.describe(member, record)} ({one}) has another size than "
                              f"the {verb} of {peer.process}",
                              [Side([process], self.job.describe(member, record), (library, record.place), record.begin_ns),
                               Side([peer.process], self.job.describe(peer, partner), (peer.library, partner.place),
                                    partner.begin_ns)], one.number)
            return

    @staticmethod
    def _is_twin(record, model, operation, root):
        return (record.operation == operation and record.root == root and record.reduction == model.reduction
                and (record.tag == model.tag or -1 in (record.tag, model.tag)))

    @staticmethod
    def _partner(peer, rank, record, operation, number):
        """The peer's message that belongs to `record`, the number-th of its kind; None: not called yet."""
        seen = 0
        for index in range(len(peer.library.messages)):
            other = peer.library.messages[index]
            if (other.operation == operation and other.reduction == peer.number and other.root in (rank, -1)
                    and (other.tag == record.tag or -1 in (other.tag, record.tag))):
                seen += 1
                if seen == number:
                    return other
        return None

    # --- time --------------------------------------------------------------------------------------

    def _stragglers(self):
        for one in self.job.communicators:
            end = min(len(member.records) for member in one.members)
            # Ranks that call different collectives do not meet: their times say nothing.
            for index in (one.first_difference(), *(w.index for w in self.waits if self.job.of_member[id(w.member)] is one)):
                end = end if index is None else min(end, max(0, index))
            for found in stragglers(self.job, one, end):
                processes = [member.process for member in found.members]
                text = (f"{names(processes)} {'is' if len(processes) == 1 else 'are'} the last to call the collectives of {one}: the others wait "
                        f"{found.lost_ns / 1e6:.1f} ms ")
                text += (f"in each step ({found.step_ns / 1e6:.1f} ms, {found.collectives} collectives)" if found.collectives > 1
                         else f"at each collective, of {found.step_ns / 1e6:.1f} ms between two")
                sides = []
                for late in found.late:
                    for member in found.members:
                        record = member.records[late.index]
                        sides += grouped([(member.process, f"{late.lost_ns / 1e6:.1f} ms late to {self.job.describe(member, record)}",
                                           (member.library, record.place), record.begin_ns)])
                yield Finding("straggler", text, _merged(sides), one.number, found.late[0].index if found.late else -1)

    def _slow_links(self):
        for found in slow_links(self.job):
            slow, others = found.slow, max(found.others, key=lambda link: link.ns)
            is_pair = slow[0].is_pair
            what = "messages" if is_pair else "collectives"
            who = [" to ".join(f"{member.process}" + f" on {member.process.host}" * link.between_hosts for member in link.members) if is_pair
                   else f"of {link.one} ({names([member.process for member in link.members])})" for link in slow]
            text = (f"the {what} {'from ' if is_pair else ''}{' and '.join(who[:4])}{' and others' if len(who) > 4 else ''} are slow: {slow[0].speed}, and "
                    f"at most {others.speed} {'over' if is_pair else 'in'} the {len(found.others)} other "
                    f"{'links' if is_pair else 'communicators'} {'between hosts' if slow[0].between_hosts else 'of one host'}")
            sides = []
            for link in slow:
                for member in link.members:
                    records = member.library.messages if is_pair else member.records
                    if is_pair and member is not link.members[0]:
                        continue
                    record = records[link.index]
                    sides += grouped([(member.process, f"{self.job.describe(member, record)}, {link.speed}", (member.library, record.place),
                                       record.begin_ns)])
            yield Finding("slow_link", text, _merged(sides), slow[0].one.number)


def _merged(sides):
    merged = {}
    for side in sides:
        known = merged.setdefault((side.what, _key(side.place)), side)
        if known is not side:
            known.ranks += side.ranks
    return list(merged.values())
