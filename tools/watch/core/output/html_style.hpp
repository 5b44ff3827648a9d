// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::watch {

/// The style sheet of the report's page, light and dark. Text has a contrast of at least 4.5:1.
inline constexpr const char* html_style = R"(
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1c2330; --soft: #556070;
  --line: #d9dee5; --bad: #b3261e; --bad-back: #fdecea; --good: #1b6e3a; --good-back: #e7f5ec;
  --warn: #8a5300; --warn-back: #fff4e0; --bar: #4a7fc1; --remedy: #0f5c8c; }
@media (prefers-color-scheme: dark) {
  :root { --back: #12161c; --card: #1a2029; --text: #e4e9f0; --soft: #9fabba; --line: #313a46;
    --bad: #ff8a80; --bad-back: #3a1a1a; --good: #7fd69b; --good-back: #14301f;
    --warn: #f3c06b; --warn-back: #33270f; --bar: #6a9fe0; --remedy: #7cc4f2; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
code { font: 0.92em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  overflow-wrap: anywhere; }
header, main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem; }
header { padding-bottom: 0; }
header p { margin: 0.25rem 0; color: var(--soft); }
header .state { display: inline-block; padding: 0.15rem 0.7rem; border-radius: 1rem; font-weight: 600; }
.bad .state { color: var(--bad); background: var(--bad-back); }
.good .state { color: var(--good); background: var(--good-back); }
h1 { margin: 0.6rem 0 0.2rem; font-size: 1.35rem; font-weight: 600; }
h2 { margin: 2rem 0 0.7rem; font-size: 1.1rem; }
h3 { margin: 0.2rem 0 0.5rem; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.7rem;
  margin: 1.2rem 0 0; }
dl div { padding: 0.6rem 0.8rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.5rem; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
article { margin: 0 0 0.8rem; padding: 0.8rem 1rem; background: var(--card);
  border: 1px solid var(--line); border-left: 4px solid var(--soft); border-radius: 0.5rem;
  overflow-wrap: anywhere; }
article.error { border-left-color: var(--bad); }
article.suspicion { border-left-color: var(--warn); }
article p { margin: 0.4rem 0; }
article ul { margin: 0.4rem 0; padding-left: 1.2rem; }
.kind { color: var(--soft); font-size: 0.85rem; }
.remedy { color: var(--remedy); font-weight: 600; }
li.remedy { list-style: none; margin-left: -1.2rem; }
.remedy::before { content: "\2192\00a0"; }
.places { margin: 0.5rem 0 0; padding: 0.5rem 0 0 1.4rem; border-top: 1px solid var(--line);
  color: var(--soft); }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.5rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.45rem 0.8rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
th { color: var(--soft); font-size: 0.85rem; font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.number b { color: var(--bad); }
.bars { width: 22%; min-width: 6rem; white-space: nowrap; font-size: 0; vertical-align: middle; }
.bars i { display: inline-block; height: 0.7rem; }
.fine { background: var(--bar); }
.refused { background: var(--bad); }
@media print { body { background: none; } article, dl div { break-inside: avoid; } }
)";

}  // namespace warpsafe::watch
