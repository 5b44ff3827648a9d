# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs a kernel's PTX on the host, as far as the kernel of the recorder needs it (NVIDIA's "Parallel Thread Execution")."""

import re

BITS = {"u8": 8, "s32": 32, "u32": 32, "b32": 32, "s64": 64, "u64": 64, "b64": 64, "pred": 1}


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def compared(how, kind):
    bits, is_signed = BITS[kind], kind[0] == "s"

    def compare(one, other):
        if is_signed:
            one, other = signed(one, bits), signed(other, bits)
        return int({"eq": one == other, "ne": one != other, "lt": one < other, "le": one <= other, "gt": one > other, "ge": one >= other}[how])

    return compare


class UnknownInstruction(Exception):
    """Another release of NVRTC may write others."""


class Memory:
    """Bytes at addresses. An access outside of them is an error, as on the device."""

    def __init__(self):
        self._parts = {}

    def add(self, address, data):
        self._parts[address] = data

    def _at(self, address, size, need):
        for begin, data in self._parts.items():
            if begin <= address and address + size <= begin + len(data):
                if address % need:
                    raise ValueError(f"misaligned address {address:#x}")
                return data, address - begin
        raise ValueError(f"address {address:#x} of {size} bytes is in no buffer")

    def load(self, address, size):
        data, offset = self._at(address, size, size)
        return int.from_bytes(data[offset : offset + size], "little")

    def store(self, address, size, value):
        data, offset = self._at(address, size, size)
        data[offset : offset + size] = value.to_bytes(size, "little")


class Kernel:
    """The only kernel of a text."""

    def __init__(self, text):
        self.memory, self.symbols = Memory(), {}
        head, _, body = text.partition(".entry")
        for size, name, values in re.findall(r"\.global \.align \d+ \.b8 (?=\S+\[(\d+)\])(\S+?)\[\d+\](?: = \{([\d, ]*)\})?;", head):
            data = bytes(int(value) for value in values.split(",") if value.strip())
            self._place(name, data.ljust(int(size), b"\0"), 0x7000_0000)
        self.shared = {name: int(size) for name, size in re.findall(r"\.shared \.align \d+ \.b8 (\S+)\[(\d+)\];", body)}
        self.parameters = re.findall(r"\.param \.\w+ (?:\.ptr \.align \d+ )?(\w+)", body.partition(")")[0])
        self.steps, self.labels = [], {}
        for line in body.partition("{")[2].replace(";", ";\n").splitlines():
            line = line.strip().rstrip(";").strip()
            if re.fullmatch(r"\$\w+:", line):
                self.labels[line[:-1]] = len(self.steps)
            elif line and line[0] not in ".{}":
                guard, operation, operands = re.fullmatch(r"(?:@(!?%p\d+)\s+)?([\w.]+)\s*(.*)", line).groups()
                self.steps.append((guard, operation.split("."), [one.strip() for one in operands.split(",")] if operands else []))

    def _place(self, name, data, begin):
        self.symbols[name] = begin + 0x1_0000 * len(self.symbols)
        self.memory.add(self.symbols[name], bytearray(data))

    def run(self, blocks, threads, arguments):
        for block in range(blocks):
            for name, size in self.shared.items():
                self.symbols[name] = 0x1000 + 0x1_0000 * (1 + list(self.shared).index(name))
                self.memory.add(self.symbols[name], bytearray(size))
            special = {"%ctaid.x": block, "%nctaid.x": blocks, "%ntid.x": threads}
            waiting = [self._thread({**special, "%tid.x": thread}, arguments) for thread in range(threads)]
            # All threads come to a barrier, or all end.
            while waiting:
                came = [next(thread, "ended") for thread in waiting]
                if len(set(came)) != 1:
                    raise ValueError("threads are at different barriers")
                if came[0] == "ended":
                    break

    def _thread(self, registers, arguments):
        given = dict(zip(self.parameters, arguments))

        def value(text, bits=64):
            if text in registers:
                return registers[text] & ((1 << bits) - 1)
            number = self.symbols[text] if text in self.symbols else int(text, 0)
            return number & ((1 << bits) - 1)

        def address(text):
            base, _, offset = text.strip("[]").partition("+")
            return value(base) + int(offset or 0)

        at = 0
        while at < len(self.steps):
            guard, (name, *modifiers), operands = self.steps[at]
            at += 1
            if guard and bool(registers[guard.lstrip("!")]) == guard.startswith("!"):
                continue
            kind = modifiers[-1] if modifiers else ""
            bits = BITS.get(kind, 64)
            if name == "bra":
                at = self.labels[operands[0]]
            elif name == "bar":
                yield at
            elif name == "ret":
                return
            elif name == "ld":
                registers[operands[0]] = (given[operands[1].strip("[]")] if modifiers[0] == "param"
                                          else self.memory.load(address(operands[1]), bits // 8))
            elif name == "st":
                self.memory.store(address(operands[0]), bits // 8, value(operands[1], bits))
            elif name == "setp":
                registers[operands[0]] = compared(modifiers[0], kind)(*(value(one, bits) for one in operands[1:]))
            elif name == "selp":
                registers[operands[0]] = value(operands[1] if registers[operands[3]] else operands[2], bits)
            elif name == "cvt":
                registers[operands[0]] = value(operands[1], BITS[kind]) & ((1 << BITS[modifiers[-2]]) - 1)
            else:
                sources = [value(one, bits) for one in operands[1:]]
                wide = bits * 2 if "wide" in modifiers else bits
                registers[operands[0]] = self._computed(name, sources, bits) & ((1 << wide) - 1)

    @staticmethod
    def _computed(name, sources, bits):
        one, other = sources[0], sources[-1]
        if name in ("mov", "cvta"):
            return one
        if name == "not":
            return ~one
        if name in ("shl", "shr"):
            # A shift by the width or more gives zero.
            return 0 if other >= bits else one << other if name == "shl" else one >> other
        if name == "mad":
            return one * sources[1] + other
        known = {"add": lambda: one + other, "sub": lambda: one - other, "mul": lambda: one * other, "div": lambda: one // other,
                 "and": lambda: one & other, "or": lambda: one | other, "xor": lambda: one ^ other, "min": lambda: min(one, other),
                 "max": lambda: max(one, other)}
        if name not in known:
            raise UnknownInstruction(name)
        return known[name]()
