# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""One HTML page, without a network: the findings, and a picture of ranks against collectives."""

import html

from .files import State
from .findings import names
from .text import DAMAGE, clean, legend, problems, summary

STYLE = """
:root{color-scheme:light dark;--text:#1b1f24;--dim:#59636e;--ground:#fff;--line:#d0d7de;--ended:#2da44e;--late:#bf8700;
--wait:#cf222e;--never:#eaeef2;--other:#8250df}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--dim:#9198a1;--ground:#0d1117;--line:#3d444d;--ended:#3fb950;
--late:#d29922;--wait:#f85149;--never:#21262d;--other:#ab7df8}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--ground);max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.finding{border-left:4px solid var(--wait);padding:.2rem 0 .2rem .8rem;margin:1rem 0}
.finding ul{margin:.2rem 0;padding-left:1.2rem}code{font-size:.92em}
.picture{overflow-x:auto}table{border-collapse:collapse}td,th{padding:0}th{font-weight:normal;text-align:right;
padding-right:.6rem;color:var(--dim);font-size:12px;line-height:14px;white-space:nowrap;position:sticky;left:0;background:var(--ground)}
td{width:9px;min-width:9px;height:14px;border:1px solid var(--ground)}
.ended{background:var(--ended)}.late{background:var(--late)}.wait{background:var(--wait)}.never{background:var(--never)}
.other{background:var(--other)}.key span{display:inline-block;width:12px;height:12px;margin:0 .3rem 0 1rem}
.dim{color:var(--dim)}pre{color:var(--dim);white-space:pre-wrap}
"""
COLUMNS, ROWS = 100, 256


def page(job, findings, places):
    text = [f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<title>Ranks of a job</title><style>{STYLE}</style><h1>Ranks of a job</h1><p>{html.escape(summary(job))}</p>"]
    for problem in problems(job):
        text.append(f"<p class=dim>{html.escape(problem)}</p>")
    if job.is_damaged:
        text.append(f"<p>{DAMAGE.capitalize()}.</p>")
    for finding in findings:
        sides = "".join(f"<li>{html.escape(names(side.ranks) + ': ' if side.ranks else '')}{html.escape(side.what)}"
                        + (f", at <code>{html.escape(places.text(side.place))}</code>" if places.text(side.place) else "")
                        for side in finding.sides)
        text.append(f"<div class=finding>{html.escape(finding.text)}<ul>{sides}</ul></div>")
    if not findings:
        text.append(f"<p>{clean(job).capitalize()}.</p>")
    text.append("<p class=key><span class=ended></span>came and ended<span class=late></span>came last, and late"
                "<span class=wait></span>waits<span class=never></span>never came<span class=other></span>another call</p>")
    for one in job.communicators:
        text.append(_picture(job, one))
    text.append(f"<pre>{html.escape(legend(job))}</pre></html>\n")
    return "".join(text)


def _picture(job, one):
    most = max(len(member.records) for member in one.members)
    if not most:
        return ""
    first = max(0, most - COLUMNS)
    rows, members = [], one.members[:ROWS]
    cells = {id(member): [] for member in members}
    for index in range(first, most):
        present = {id(member): member.records[index] for member in members if len(member.records) > index}
        calls = [(record.operation, record.count, record.root) for record in present.values()]
        usual = max(set(calls), key=calls.count)
        came = {key: record.arrived_ns for key, record in present.items()}
        spread = sorted(job.at(member.process, came[id(member)]) for member in members if id(member) in came)
        for member in members:
            record = present.get(id(member))
            if record is None:
                kind = "never"
            elif (record.operation, record.count, record.root) != usual:
                kind = "other"
            elif record.state in (State.BEGUN, State.SUBMITTED):
                kind = "wait"
            else:
                at = job.at(member.process, came[id(member)])
                kind = "late" if len(spread) > 1 and at == spread[-1] and at - spread[0] > 10_000_000 else "ended"
            title = f"{member.process}, collective {index + 1}" + (
                f": {job.describe(member, record)}" if record else ": never came")
            cells[id(member)].append(f"<td class={kind} title=\"{html.escape(title)}\">")
    for member in members:
        rows.append(f"<tr><th>{html.escape(str(member.process))}{''.join(cells[id(member)])}")
    more = f"<p class=dim>The first {ROWS} of {len(one.members)} ranks.</p>" if len(one.members) > ROWS else ""
    return (f"<h2>{one} ({html.escape(one.kind)}): collectives {first + 1} to {most}</h2>{more}"
            f"<div class=picture><table>{''.join(rows)}</table></div>")
