"""Runs the recorder and compares what it writes with a transcript, line by line.

usage: compare_transcript.py RECORDER TRANSCRIPT

Comments are left out: they say where and when a transcript was recorded.
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile


def answers(path):
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("#")]


recorder, transcript = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    written = pathlib.Path(folder, "written")
    subprocess.run([recorder, written], check=True)
    difference = list(difflib.unified_diff(answers(transcript), answers(written), "transcript", "stand-in",
                                           lineterm="", n=1))
print("\n".join(difference) if difference else f"{len(answers(transcript))} lines, no difference")
sys.exit(1 if difference else 0)
