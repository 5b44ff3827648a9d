# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""gdb's view of warpsafe's public types: the texts of operator<< (print.hpp), without a call into the
program. In ~/.gdbinit, or at gdb's prompt:

    source /usr/local/share/warpsafe/gdb/warpsafe_gdb.py

`print/r` shows a value as it is in memory."""
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


def template_name(value):
    return str(value.type.unqualified().strip_typedefs().name).split("<")[0]


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


def enumerator_text(value):
    return str(value).split("::")[-1]


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
    return f"grid={axes_text(blocks)} covers {axes_text(sizes)} with blocks of {axes_text(block)}"


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


def print_name(value):
    return f'"{name_text(value)}"'


def print_error(value):
    """In one line; message(error), called in the program, has the sentence."""
    parts = [enumerator_text(value["code"])]
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
    return held.format_string() if held is not None else "a value"


def print_stream_ref(value):
    return f"stream {address_text(value['native_'])} of device {int(value['device_'])}"


def print_stream(value):
    return print_stream_ref(value["ref_"]) if int(value["ref_"]["native_"]) else "closed stream"


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
    return elements_text(value["size_"], argument(value, 1), fields(value["memory_"].dereference())["data_"])


def print_pointer(value):
    return address_text(value["pointer_"])


def print_pending(value):
    texts = {
        "open": "value that may still be on its way",
        "failed": "value whose copy failed",
        "gone": "value that was taken",
    }
    return texts[enumerator_text(value["state_"])]


TYPES = {
    "warpsafe::Dim3": print_dims,
    "warpsafe::SafeGrid": print_safe_grid,
    "warpsafe::LaunchConfig": print_launch_config,
    "warpsafe::extent": print_extent,
    "warpsafe::Bytes": print_bytes,
    "warpsafe::DeviceId": print_device_id,
    "warpsafe::call_site": print_call_site,
    "warpsafe::Name": print_name,
    "warpsafe::LaunchError": print_error,
    "warpsafe::basic_stream_ref": print_stream_ref,
    "warpsafe::basic_stream": print_stream,
    "warpsafe::basic_event": print_event,
    "warpsafe::DeviceSpan": print_span,
    "warpsafe::DeviceView": print_view,
    "warpsafe::basic_device_buffer": print_buffer,
    "warpsafe::device_ptr": print_pointer,
    "warpsafe::basic_pending": print_pending,
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
        if value.type.strip_typedefs().code != gdb.TYPE_CODE_STRUCT:
            return None
        name = template_name(value)
        if name in TYPES:
            return Printer(value, TYPES[name])
        # A result is Outcome's basic_result with our error, whatever Outcome's inline namespace is called.
        if name.startswith("boost::outcome_v2") and name.endswith("::basic_result"):
            if template_name_of(argument(value, 1)) == "warpsafe::LaunchError":
                return Printer(value, print_result)
        return None


def template_name_of(kind):
    return str(kind.unqualified().strip_typedefs().name).split("<")[0]


gdb.printing.register_pretty_printer(None, Printers(), replace=True)
