#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Installs the wheel beside this Python's PyTorch, and watches a training step: wheel_on_gpu.py [WHEEL]

WHEEL is what packaging/python/build has made (default: in build/python/dist). Uses no network. Run it with the Python
that has PyTorch. Exit code 77: no wheel, no PyTorch, or no GPU that it can use."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

here = pathlib.Path(__file__).resolve().parent
wheels = [pathlib.Path(word) for word in sys.argv[1:]] or sorted((here.parents[1] / "build/python/dist").glob("warpsafe-*.whl"))
if not wheels:
    print("skipped: no wheel; packaging/python/build makes one")
    sys.exit(77)
asked = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__, torch.cuda.get_device_name())"], capture_output=True, text=True)
if asked.returncode:
    print("skipped: no PyTorch with a GPU here:", *asked.stderr.splitlines()[-1:])
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder, wheels[-1]]
    if subprocess.run(install).returncode == 0:
        command = [f"{folder}/bin/warpsafe-run"]
    else:  # without pip
        zipfile.ZipFile(wheels[-1]).extractall(folder)
        command = [sys.executable, "-c", "from warpsafe.commands import run; raise SystemExit(run())"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))}
    found = subprocess.run([sys.executable, "-c", "from warpsafe import commands; newest = commands.cuda_of_driver(); print('driver of CUDA', newest, *commands.cupti_files(newest))"],
                           env=environment, capture_output=True, text=True)
    done = subprocess.run([*command, sys.executable, str(here / "training_step.py")], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
print(wheels[-1].name, asked.stdout, found.stdout, found.stderr, done.stdout, sep="\n")
wanted = ("loss is finite: True", "the launch returned 1", r"Kernel 'too_many_rows' not launched: grid\.y 70000 invalid", r"\d+ launches of \d+ kernels, 1 refused")
missing = [f"'{words}' is missing" for words in wanted if not re.search(words, done.stdout)]
if done.returncode:
    missing.append(f"it ends with {done.returncode}")
print("\n".join(missing) or "as expected")
sys.exit(1 if missing else 0)
