# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The fields that gdb's printers show are those of the structures: a new field is shown, or left out here."""
import pathlib
import re

# Header, printer, and the fields that the printed line leaves out on purpose, as operator<< does.
PRINTERS = {
    # message(error), called in the program, shows all of them.
    "LaunchError": (
        "error/error.hpp",
        "print_error",
        "stage severity axis vendor limit_is_floor blocking_was_on device raw_text device_name operation dynamic_shared extra held stream "
        "sequence incident",
    ),
}
FIELD = re.compile(r"^  (?:const )?[\w:]+\*? (\w+)(?:\[\d+\])?(?: = [^;(]*|\{\})?;", re.M)


def problems(project):
    """What is wrong: a field that is neither shown nor left out, or one that is gone."""
    project, found = pathlib.Path(project), []
    script = (project / "packaging/gdb/warpsafe_gdb.py").read_text(encoding="utf-8")
    for name, (header, printer, left_out) in PRINTERS.items():
        text = (project / "include/warpsafe" / header).read_text(encoding="utf-8")
        fields = FIELD.findall(re.search(rf"^struct {name} \{{\n(.*?)^\}};", text, re.M | re.S)[1])
        if len(fields) < 7:
            found.append(f"{name}: only {len(fields)} fields were found in {header}")
        shown = re.search(rf"^def {printer}\(value\):\n(.*?)(?=^\S)", script, re.M | re.S)[1]
        for field in fields:
            if (f'"{field}"' in shown or f"'{field}'" in shown) == (field in left_out.split()):
                found.append(f"{name}::{field}: {printer} must show it, or {pathlib.Path(__file__).name} leave it out, and not both")
        found += [f"{name}::{field}: left out, but there is no such field" for field in left_out.split() if field not in fields]
    return found
