"""Runs the recorder and compares its output with a transcript, line by line.

usage: compare_transcript.py RECORDER TRANSCRIPT

Ignores comments, which give the place and time of a recording. If the transcript lacks a section of the
recorder, the script names it; it is compared after the next recording on a device."""
import difflib
import pathlib
import subprocess
import sys
import tempfile


def answers(path):
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("#")]


def sections(lines):
    """{name: its lines}, in order; what stands before the first has no name."""
    found, name = {"": []}, ""
    for line in lines:
        if line.startswith("["):
            name = line
            found[name] = []
        found[name].append(line)
    return found


recorder, transcript = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    written = pathlib.Path(folder, "written")
    subprocess.run([recorder, written], check=True)
    known, now = sections(answers(transcript)), sections(answers(written))
    new = [name for name in now if name not in known]
    compared = [line for name in now if name not in new for line in now[name]]
    difference = list(difflib.unified_diff(answers(transcript), compared, "transcript", "stand-in",
                                           lineterm="", n=1))
for name in new:
    print(f"no device was asked yet: {name}", *now[name][1:], sep="\n  ")
print("\n".join(difference) if difference else f"{len(answers(transcript))} lines, no difference")
sys.exit(1 if difference else 0)
