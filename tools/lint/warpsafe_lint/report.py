# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The output: text, JSON, and SARIF 2.1.0 for code-scanning services."""

import json
import pathlib
import urllib.parse

from . import changes, registry, repeats
from .rules import levels

PAGE = "tools/lint/docs/rules.md"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SHOWN = ("file", "line", "column", "row", "severity", "title", "says", "rewrite", "also")


def text(item):
    return f"{item['file']}:{item['line']}:{item['column']}: {item['severity']}: {item['says']}; {item['rewrite']}{repeats.listed(item)} [{item['row']}]"


def as_json(findings):
    shown = [{key: item[key] for key in SHOWN} for item in findings]
    for item in shown:
        item["also"] = [{key: place[key] for key in ("line", "column")} for place in item["also"]]
    return json.dumps(shown, indent=1)


def uri(name):
    """A file's address: relative to the current folder, the form that code-scanning services match with the repository."""
    path = pathlib.Path(name)
    if path.is_absolute():
        try:
            path = path.relative_to(pathlib.Path.cwd())
        except ValueError:
            return path.as_uri()
    return urllib.parse.quote(path.as_posix())


def units(item):
    """The column in UTF-16 code units; libclang counts bytes."""
    before = item["text"].encode()[:item["column"] - 1].decode(errors="replace")
    return len(before.encode("utf-16-le")) // 2 + 1


def location(file, place):
    return {"physicalLocation": {
        "artifactLocation": {"uri": uri(file)},
        "region": {"startLine": place["line"], "startColumn": units(place)}}}


def as_sarif(findings, messages, complete):
    rules = sorted({rule.row: rule for rule in registry.RULES}.values(), key=lambda rule: rule.row)
    place = {rule.row: number for number, rule in enumerate(rules)}
    results = [{
        "ruleId": item["row"],
        "ruleIndex": place[item["row"]],
        "level": item["severity"],
        "message": {"text": f"{item['says']}; {item['rewrite']}"},
        "locations": [location(item["file"], item)],
        "relatedLocations": [{"id": number, "message": {"text": "also here"}, **location(item["file"], place)}
                             for number, place in enumerate(item["also"], 1)],
        "partialFingerprints": {"warpsafeLint/v1": changes.fingerprint(item, str(pathlib.Path.cwd()), item["text"])},
    } for item in findings]
    run = {
        "tool": {"driver": {
            "name": "warpsafe-lint",
            "rules": [{"id": rule.row, "shortDescription": {"text": rule.title},
                       "defaultConfiguration": {"level": levels.by_default(rule), "enabled": rule.by_default}} for rule in rules]}},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": complete, "toolExecutionNotifications": [
            {"level": "error", "message": {"text": message}} for message in messages]}],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)
