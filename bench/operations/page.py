#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes a run's table into the page: bench/operations/page.py [build/bench/results/operations.json]"""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).parents[2]
page = root / "docs/performance/operations.md"
results = json.loads(pathlib.Path(sys.argv[1] if sys.argv[1:] else root / "build/bench/results/operations.json").read_text())

operations = {}
for each in results:
    operations.setdefault(each["operation"], {})[each["way"]] = each
lines = ["| operation | raw, ns | raw again | off | on |", "| --- | ---: | ---: | ---: | ---: |"]
for operation, ways in operations.items():
    ratios = (f"{ways[way]['ratio']:.3f} ± {ways[way]['half_width']:.3f}" for way in ("raw again", "off", "on"))
    lines.append(f"| {operation} | {ways['raw']['ns']:.0f} | {' | '.join(ratios)} |")
text = "\n" + "\n".join(lines) + "\n\n"
page.write_text(re.sub(r"(<!-- operations -->\n).*?(<!-- end -->)", lambda marks: marks[1] + text + marks[2],
                       page.read_text(), flags=re.DOTALL))
