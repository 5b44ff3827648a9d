# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""gdb's view of warpsafe's public types: the texts of operator<< (print.hpp), without a call into the
program. In ~/.gdbinit, or at gdb's prompt:

    source /usr/local/share/warpsafe/gdb/warpsafe_gdb.py

`print/r` shows a value as it is in memory."""
import re

import gdb
import gdb.printing


def fields(value):
    """The members of a value and of what it is made of, by name; of the same name the outermost."""
    found = {}
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class or not field.name:  # what has no name is a union, such as Outcome's of value and nothing
            found = fields(value[field]) | found
        elif not getattr(field, "artificial", False) and not hasattr(field, "enumval") and hasattr(field, "bitpos"):
            found[field.name] = value[field]
    return found


def bases(value):
    """A value, and all that it is made of, from the outside in."""
    yield value
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            yield from bases(value[field])


def template_name_of(kind):
    """A type's name without its arguments, and without the version, which is a part of each name."""
    name = str(kind.unqualified().strip_typedefs().name).split("<")[0]
    return re.sub(r"^warpsafe::v\d+_\d+_\d+::", "warpsafe::", name)


def template_name(value):
    return template_name_of(value.type)


def argument(value, index):
    return value.type.unqualified().strip_typedefs().template_argument(index)


def axes_text(axes):
    return "({},{},{})".format(*axes)


def address_text(pointer):
    return hex(int(pointer))


def name_text(name):
    """A warpsafe::Name: text without its end."""
    members = fields(name)
    size = int(members["size"])
    return members["data"].string(length=size) if size else ""


def string_text(value):
    """A std::string of libstdc++."""
    return value["_M_dataplus"]["_M_p"].string(length=int(value["_M_string_length"]))


def elements(vector):
    """The elements of a std::vector of libstdc++."""
    first, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    while first != end:
        yield first.dereference()
        first += 1


def enumerator_text(value):
    """The enumerator without what it stands in; the number of a value that has none."""
    names = [field.name for field in value.type.strip_typedefs().fields() if field.enumval == int(value)]
    return names[0].split("::")[-1] if names else str(int(value))


def element_name(value):
    """An ElementType as NumPy has it."""
    return enumerator_text(value).replace("boolean", "bool")


def three(array):
    return [int(array[axis]) for axis in range(3)]


def dims(value):
    """The three numbers of a Dim3: those in its type, and those in the bases of the others."""
    axes = [int(argument(value, 1 + axis)) for axis in range(3)]
    for base in bases(value):
        if template_name(base) == "warpsafe::detail::AxisValue" and int(argument(base, 0)) == 0:
            axes[int(argument(base, 1))] = int(fields(base)["value"])
    return axes


def safe_grid(value):
    """The blocks, sizes and block of a SafeGrid."""
    members = fields(value)
    rank = int(argument(value, 2))
    blocks, sizes = ([int(members[name][axis]) if axis < rank else 1 for axis in range(3)] for name in ("blocks_", "sizes_"))
    block = next(base for base in bases(value) if template_name(base) == "warpsafe::Dim3")
    return blocks, sizes, dims(block)


def print_dims(value):
    return axes_text(dims(value))


def print_safe_grid(value):
    blocks, sizes, block = safe_grid(value)
    whose = "blocks of {}" if int(argument(value, 4)) != 0 else "a block of {} for each"
    return f"grid={axes_text(blocks)} covers {axes_text(sizes)} with {whose.format(axes_text(block))}"


def print_launch_config(value):
    members = {field.name: value[field] for field in value.type.strip_typedefs().fields() if not field.is_base_class and hasattr(field, "bitpos")}
    grid = members["grid_"]
    if template_name(grid) == "warpsafe::SafeGrid":
        blocks, _, block = safe_grid(grid)
    else:
        blocks, block = dims(grid), dims(members["block_"])
    shared = 0
    for option in bases(members["options_"]):
        if template_name(option) == "warpsafe::DynamicShared":
            shared = int(fields(option)["count_"]) * argument(option, 0).sizeof
    return f"grid={axes_text(blocks)}, block={axes_text(block)}, shared={shared} bytes"


def print_extent(value):
    rank = int(argument(value, 0))
    return axes_text([int(value["size_"][axis]) if axis < rank else 1 for axis in range(3)])


def print_bytes(value):
    return f"{int(value['bytes_'])} bytes"


def print_device_id(value):
    return str(int(value["ordinal_"]))


def print_call_site(value):
    if not int(value["file"]):
        return "nowhere"
    return f"{value['file'].string().split('/')[-1]}:{int(value['line'])}"


def print_axis(value):
    count = fields(value)["count"]
    return f"{template_name(value).split('::')[-1]}{{{'-' if count['negative'] else ''}{int(count['magnitude'])}}}"


def print_shared(value):
    count, size, negative = int(value["count_"]), argument(value, 0).sizeof, bool(value["negative_"])
    if not negative and count * size < 2**64:
        return f"shared={count * size} bytes"
    return f"shared={'-' if negative else ''}{count} elements of {size} bytes"


def print_shape(value):
    text = f"grid={axes_text(three(value['grid']))}, block={axes_text(three(value['block']))}, shared={int(value['dynamic_shared'])} bytes"
    if value["has_cluster"]:
        text += f", cluster={axes_text(three(value['cluster']))}"
    if value["non_portable_cluster"]:
        text += ", not portable"
    if value["has_priority"]:
        text += f", priority={int(value['priority'])}"
    return text + (", cooperative" if value["cooperative"] else "") + (", dependent_launch" if value["programmatic"] else "")


def numbers_text(value, *left_out):
    """The fields of a structure of numbers that are not 0, by their names."""
    said = []
    for name, member in fields(value).items():
        code = member.type.strip_typedefs().code
        if name in left_out:
            continue
        if code == gdb.TYPE_CODE_ARRAY and any(three(member)):
            said.append(f"{name}={axes_text(three(member))}")
        elif code == gdb.TYPE_CODE_BOOL and bool(member):
            said.append(name)
        elif code == gdb.TYPE_CODE_INT and int(member):
            said.append(f"{name}={int(member)}")
    return ", ".join(said) or "nothing"


def print_kernel(value):
    """The kernel of kernel<fn>: its function is an argument of its type."""
    symbol = str(argument(value, 1)).split("<", 1)[-1].replace("(anonymous namespace)::", "")
    depth = 0
    for end, letter in enumerate(symbol):
        depth += (letter == "<") - (letter == ">")
        if depth < 0 or (depth == 0 and letter == "("):
            return f"kernel '{symbol[:end]}'"
    return f"kernel '{symbol}'"


def print_kernel_entry(value):
    return f"kernel entry {address_text(value['function'])} with {int(value['parameter_count'])} parameters"


def print_parameter(value):
    text = f"{int(value['size'])} bytes, aligned to {int(value['alignment'])}"
    if not value["is_pointer"]:
        return text
    return f"{text}, a pointer that is {'written' if value['writes'] else 'read'} through"


def print_device_limits(value):
    text = f"Device {int(value['device'])} '{name_text(value['name'])}': {numbers_text(value, 'device', 'floored')}"
    return text + (" (limits that the device does not report have their documented minimum)" if value["floored"] else "")


def print_kernel_limits(value):
    return numbers_text(value, "known") if value["known"] else "not known: the driver was not asked"


def print_occupancy(value):
    blocks, warps, most, at_once, launched = (int(value[name]) for name in ("blocks", "warps", "most_warps", "blocks_at_once", "blocks_launched"))
    text = (
        f"Occupancy of '{name_text(value['kernel'])}' with blocks of {int(value['threads'])} threads and "
        f"{int(value['dynamic_shared'])} bytes of dynamic shared memory: {blocks} per multiprocessor"
    )
    if most:
        text += f", {warps} of {most} warps ({(100 * warps + most // 2) // most}%)"
    limits = {
        "threads": "no more threads fit",
        "blocks": "no more blocks fit",
        "shared": "no more shared memory is left",
        "registers": "registers, or another resource, are the limit",
    }
    limit = enumerator_text(value["limit"])
    if limit not in limits:
        return text + "; not a single block fits"
    waves = -(-launched // at_once) if at_once else 0
    return (
        f"{text}; {limits[limit]}\n  {launched} {'block' if launched == 1 else 'blocks'}, {at_once} at once on the device: "
        f"{waves} {'wave' if waves == 1 else 'waves'}"
    )


def print_memory_info(value):
    return f"{int(value['free'])} of {int(value['total'])} bytes free, {int(value['held'])} held by this program"


def print_tolerance(value):
    text = f"{float(value['absolute']):g} + {float(value['relative']):g} * |expected|"
    return text if value["nan_agrees"] else text + ", NaN never"


def print_comparison(value):
    count, mismatches = int(value["count"]), int(value["mismatches"])
    absolute, relative = float(value["tolerance"]["absolute"]), float(value["tolerance"]["relative"])
    kind = element_name(value["type"])
    text = f"{mismatches} of {count} numbers ({kind}) differ" if mismatches else f"{count} numbers ({kind}) agree"
    if absolute or relative:
        text += f"{' by more than' if mismatches else ' within'} {absolute:g} + {relative:g} * |expected|"
    if mismatches:
        text += f", first at [{int(value['first_mismatch'])}]"
    for name, before in (("absolute", "\n  largest absolute difference"), ("relative", ", largest relative")):
        if float(value[name]["difference"]):
            text += f"{before} {float(value[name]['difference']):g} at [{int(value[name]['at'])}]"
    for name, what in (("nan", "NaN"), ("inf", "Inf")):
        both, actual, expected = (int(value[name][who]) for who in ("both", "actual_only", "expected_only"))
        if both + actual + expected:
            text += f"\n  {what}: {both} in both, {actual} not expected, {expected} expected but missing"
    return text + string_text(value["neighbourhood"])


def print_error(value):
    """In one line; message(error), called in the program, has the sentence."""
    parts = [enumerator_text(value["code"]) + (f" ({enumerator_text(value['subcode'])})" if int(value["subcode"]) else "")]
    if name_text(value["kernel"]):
        parts.append(f"kernel '{name_text(value['kernel'])}'")
    if any(int(value["grid"][axis]) for axis in range(3)):
        parts.append(f"grid={axes_text([int(value['grid'][axis]) for axis in range(3)])}")
    if any(int(value["block"][axis]) for axis in range(3)):
        parts.append(f"block={axes_text([int(value['block'][axis]) for axis in range(3)])}")
    if int(value["value"]) or int(value["limit"]):
        parts.append(f"{int(value['value'])} against {int(value['limit'])}")
    if int(value["raw"]):
        parts.append(f"{name_text(value['raw_name'])} ({int(value['raw'])})")
    if int(value["site"]["file"]):
        parts.append(f"at {print_call_site(value['site'])}")
    return ", ".join(parts)


def print_result(value):
    """The value of a result, or its error: Outcome keeps both, and bits that say which is there."""
    members = fields(value)
    state = members["_state"]
    inner = fields(state)
    status = inner.get("_status", inner.get("_status_value"))
    while status.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        status = next(iter(fields(status).values()))
    has_value = bool(int(status) & 1)
    if not has_value:
        error = members.get("_error")
        if error is None:
            error = inner["_error"]
        return print_error(error)
    if argument(value, 0).strip_typedefs().code == gdb.TYPE_CODE_VOID:
        return "success"
    held = next((inner[name] for name in ("_value", "value") if name in inner), None)
    if held is None:
        return "a value"
    return str(int(held)) if held.type.strip_typedefs().code == gdb.TYPE_CODE_BOOL else held.format_string()


def print_stream_ref(value):
    return f"stream {address_text(value['native_'])} of device {int(value['device_'])}"


def print_stream(value):
    return print_stream_ref(value["ref_"]) if int(value["ref_"]["native_"]) else "closed stream"


def print_stream_hold(value):
    return f"hold of {print_stream_ref(value['ref_'])}"


def print_capture(value):
    if not int(value["state_"]):
        return "ended capture"
    return f"capture of {print_stream_ref(value['state_'].dereference()['stream']['ref_'])}"


def print_native(what):
    def show(value):
        native = int(value["native_"])
        return f"{what} {hex(native)}" if native else f"closed {what}"

    return show


def print_bound(value):
    bound = value["bound_"]
    native = bound["native"]
    is_pointer = native.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
    return f"handle {address_text(native) if is_pointer else int(native)} on {print_stream_ref(bound['stream']['ref_'])}"


def print_module(value):
    module = value["hold_"]["module_"]
    if not int(module):
        return "closed module"
    source = name_text(module.dereference()["source_"])
    return f"module of {source}" if source else "module from memory"


def print_module_kernel(value):
    return f"kernel '{name_text(fields(value)['function_'].dereference()['name'])}' of a module"


def print_event(value):
    native = int(value["native_"])
    return f"event {hex(native)}" if native else "moved event"


def elements_text(count, element, address):
    return f"{int(count)} elements of {element.sizeof} bytes at {address_text(address)}"


def print_span(value):
    return elements_text(value["size_"], argument(value, 0), value["data_"])


def print_view(value):
    return print_span(value["kernel_form_"])


def print_buffer(value):
    if not int(value["memory_"]):
        return "closed buffer"
    return elements_text(value["size_"], argument(value, 1), fields(value["memory_"].dereference())["start"])


def print_pointer(value):
    return address_text(value["pointer_"])


def print_aligned(value):
    return f"{address_text(value['pointer_'])}, aligned to {int(argument(value, 1))} bytes"


def print_trusted_span(value):
    size = value["size_"]
    text = elements_text(size["magnitude"], argument(value, 0), value["pointer_"])
    return f"-{text}" if size["negative"] else text


def rows_text(rows, cols, element, pitch, address):
    return f"{int(rows)} rows of {int(cols)} elements of {element.sizeof} bytes, {int(pitch)} bytes apart, at {address_text(address)}"


def print_pitched_span(value):
    return rows_text(value["rows_"], value["cols_"], argument(value, 0), value["pitch_"], value["data_"])


def print_pitched_buffer(value):
    if not int(value["memory_"]):
        return "closed buffer"
    element = argument(value, 1)
    pitch = -(-int(value["cols_"]) * element.sizeof // 256) * 256  # as the buffer lays its rows out
    return rows_text(value["rows_"], value["cols_"], element, pitch, fields(value["memory_"].dereference())["start"])


def print_managed(value):
    if not int(value["hold_"]["memory_"]):
        return "moved buffer"
    return elements_text(value["size_"], argument(value, 1), value["data_"])


def print_pinned(value):
    return elements_text(value["size_"], argument(value, 1), value["data_"])


def print_memory_hold(value):
    memory = value["memory_"]
    return f"hold of memory at {address_text(fields(memory.dereference())['start'])}" if int(memory) else "hold of nothing"


def print_device_scalar(value):
    held = value["pointer"]
    while held.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        members = fields(held)
        held = next(members[name] for name in ("kernel_form_", "pointer_", "data_") if name in members)
    return address_text(held)


def print_pending(value):
    texts = {
        "open": "value whose copy may still run",
        "failed": "value whose copy failed",
        "told": "value whose copy failed",
        "gone": "value that was taken",
    }
    return texts[enumerator_text(value["state_"])]


def print_launch_record(value):
    said = (  # in the order of the bits of LaunchOption
        f", priority={int(value['priority'])}",
        f", cluster={axes_text(three(value['cluster']))}",
        ", not portable",
        ", cooperative",
        ", dependent_launch",
    )
    asked = [int(value["options"]) >> bit & 1 for bit in range(len(said))]
    options = "".join(said[bit] for bit in (1, 2, 0, 3, 4) if asked[bit])
    return (
        f"#{int(value['sequence'])} '{name_text(value['kernel'])}', grid={axes_text(three(value['grid']))}, block={axes_text(three(value['block']))}, "
        f"shared={int(value['dynamic_shared'])} bytes{options}, stream {address_text(value['stream'])} of device {int(value['device'])}, "
        f"{enumerator_text(value['state'])}, at {print_call_site(value['site'])}"
    )


def print_memory_access(value):
    size, rows = int(value["bytes"]), int(value["rows"])
    text = f"{size} bytes at "
    if size == 2**64 - 1:
        text = "the allocation that holds "
    elif rows > 1:
        text = f"{rows} rows of {size} bytes, {int(value['pitch'])} bytes apart, at "
    return f"{enumerator_text(value['kind'])} of {text}{hex(int(value['begin']))}"


def print_wait(value):
    return (
        f"{name_text(value['what'])}, stream {address_text(value['stream'])} of device {int(value['device'])}: "
        f"{int(value['status'])} after {int(value['ended']) - int(value['begun'])} ns"
    )


def print_race_report(value):
    findings = list(elements(value["findings"]))
    seeds, seed = int(value["seeds_run"]), int(value["seed"])
    if not findings:
        return f"no race in {seeds} seeds\n"
    text = "".join(string_text(finding["text"]) for finding in findings)
    if not seeds or enumerator_text(findings[0]["mistake"]) == "unseen_memory":
        return text
    return f"seed {seed} of this program:\n{text}As it ran with seed {seed}:\n{string_text(value['timeline_text'])}"


TYPES = {
    "warpsafe::Dim3": print_dims,
    "warpsafe::SafeGrid": print_safe_grid,
    "warpsafe::LaunchConfig": print_launch_config,
    "warpsafe::extent": print_extent,
    "warpsafe::Bytes": print_bytes,
    "warpsafe::DeviceId": print_device_id,
    "warpsafe::call_site": print_call_site,
    "warpsafe::Name": name_text,
    "warpsafe::x": print_axis,
    "warpsafe::y": print_axis,
    "warpsafe::z": print_axis,
    "warpsafe::rows": print_axis,
    "warpsafe::cols": print_axis,
    "warpsafe::Index3": lambda value: axes_text([int(value[axis]) for axis in "xyz"]),
    "warpsafe::DynamicShared": print_shared,
    "warpsafe::cooperative_t": lambda value: "cooperative",
    "warpsafe::dependent_launch_t": lambda value: "dependent_launch",
    "warpsafe::priority": lambda value: f"priority={int(value['value'])}",
    "warpsafe::NonPortableCluster": lambda value: f"cluster={axes_text([int(argument(value, axis)) for axis in range(3)])}, not portable",
    "warpsafe::LaunchShape": print_shape,
    "warpsafe::KernelNeeds": numbers_text,
    "warpsafe::BasicKernel": print_kernel,
    "warpsafe::KernelEntry": print_kernel_entry,
    "warpsafe::ParameterInfo": print_parameter,
    "warpsafe::DeviceLimits": print_device_limits,
    "warpsafe::KernelLimits": print_kernel_limits,
    "warpsafe::Occupancy": print_occupancy,
    "warpsafe::MemoryInfo": print_memory_info,
    "warpsafe::Tolerance": print_tolerance,
    "warpsafe::Comparison": print_comparison,
    "warpsafe::answer": print_result,
    "warpsafe::LaunchException": lambda value: value["text_"].string(),
    "warpsafe::LaunchError": print_error,
    "warpsafe::basic_stream_ref": print_stream_ref,
    "warpsafe::basic_stream": print_stream,
    "warpsafe::basic_stream_hold": print_stream_hold,
    "warpsafe::basic_event": print_event,
    "warpsafe::basic_capture": print_capture,
    "warpsafe::CaptureInfo": lambda value: enumerator_text(value["state"]),
    "warpsafe::basic_graph": print_native("graph"),
    "warpsafe::basic_executable_graph": print_native("executable graph"),
    "warpsafe::StreamBound": print_bound,
    "warpsafe::basic_module": print_module,
    "warpsafe::basic_module_kernel": print_module_kernel,
    "warpsafe::DeviceSpan": print_span,
    "warpsafe::DeviceView": print_view,
    "warpsafe::basic_device_buffer": print_buffer,
    "warpsafe::device_ptr": print_pointer,
    "warpsafe::trusted_ptr": print_pointer,
    "warpsafe::trusted_span": print_trusted_span,
    "warpsafe::aligned_ptr": print_aligned,
    "warpsafe::aligned_view": lambda value: print_aligned(value["kernel_form_"]),
    "warpsafe::PitchedSpan": print_pitched_span,
    "warpsafe::PitchedView": lambda value: print_pitched_span(value["kernel_form_"]),
    "warpsafe::basic_pitched_buffer": print_pitched_buffer,
    "warpsafe::basic_managed_buffer": print_managed,
    "warpsafe::basic_host_managed": lambda value: print_managed(value["buffer_"]),
    "warpsafe::basic_pinned_buffer": print_pinned,
    "warpsafe::basic_memory_hold": print_memory_hold,
    "warpsafe::basic_pending": print_pending,
    "warpsafe::HostScalar": lambda value: value["value"].format_string(),
    "warpsafe::DeviceScalar": print_device_scalar,
    "warpsafe::LaunchRecord": print_launch_record,
    "warpsafe::MemoryAccess": print_memory_access,
    "warpsafe::WaitRecord": print_wait,
    "warpsafe::debug::Finding": lambda value: string_text(value["text"]),
    "warpsafe::debug::RaceReport": print_race_report,
}


class Printer:
    def __init__(self, value, show):
        self.value, self.show = value, show

    def to_string(self):
        return self.show(self.value)


class Printers(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("warpsafe")

    def __call__(self, value):
        code = value.type.strip_typedefs().code
        if code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_ENUM):
            return None
        name = template_name(value)
        if code == gdb.TYPE_CODE_ENUM:
            named = name.startswith("warpsafe::") and "detail::" not in name
            return Printer(value, element_name if name == "warpsafe::ElementType" else enumerator_text) if named else None
        if name in TYPES:
            return Printer(value, TYPES[name])
        # A result is Outcome's basic_result with our error, whatever Outcome's inline namespace is called.
        if name.startswith("boost::outcome_v2") and name.endswith("::basic_result"):
            if template_name_of(argument(value, 1)) == "warpsafe::LaunchError":
                return Printer(value, print_result)
        return None


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
