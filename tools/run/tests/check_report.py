#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks a report of warpsafe-run against its schema: check_report.py SCHEMA REPORT

Knows the keywords that the schema uses, and fails on any other. Prints the problems."""

import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int}
KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "pattern", "minimum", "required",
    "properties", "additionalProperties", "items",
}  # fmt: skip


def problems(value, rule, root, at="report"):
    if "$ref" in rule:
        target = root
        for part in rule["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        yield from problems(value, target, root, at)
    if unknown := set(rule) - KNOWN:
        yield f"the schema at {at} has keywords that are not checked: {unknown}"
    if "const" in rule and value != rule["const"]:
        yield f"{at}: {value!r} is not {rule['const']!r}"
    if "enum" in rule and value not in rule["enum"]:
        yield f"{at}: {value!r} is none of {rule['enum']}"
    if "type" in rule and (not isinstance(value, TYPES[rule["type"]]) or isinstance(value, bool)):
        yield f"{at}: {value!r} is no {rule['type']}"
        return
    if "pattern" in rule and not re.search(rule["pattern"], value):
        yield f"{at}: {value!r} does not match {rule['pattern']}"
    if "minimum" in rule and value < rule["minimum"]:
        yield f"{at}: {value} is below {rule['minimum']}"
    if isinstance(value, dict):
        for name in rule.get("required", []):
            if name not in value:
                yield f"{at}: '{name}' is missing"
        for name, one in value.items():
            if name in rule.get("properties", {}):
                yield from problems(one, rule["properties"][name], root, f"{at}.{name}")
            elif rule.get("additionalProperties") is False:
                yield f"{at}: '{name}' is not in the schema"
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from problems(one, rule.get("items", {}), root, f"{at}[{i}]")


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    found = list(problems(json.load(file), schema, schema))
print("\n".join(found) or "valid")
sys.exit(bool(found))
