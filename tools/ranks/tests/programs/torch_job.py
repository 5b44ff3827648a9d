# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Training with PyTorch, under torchrun: torch_job.py MODE [STEPS]

MODE is ddp or fsdp, a language model as in bench/ranks_steps.py (ddp-20, fsdp-20, ddp-200, fsdp-200: about that many
milliseconds for a step on an H200), or a mistake that the last rank makes after 20 steps: missing, count, nan or killed.
Rank 0 prints the median time of a step, in milliseconds, without the first 20 steps. With MODE known, STEPS is a folder:
each rank writes what its collectives read and what they wrote to files there.

Each rank uses one GPU. If there are more ranks than GPUs, each GPU has several, and the ranks form groups that have each
GPU once, because NCCL refuses a communicator that has one twice."""

import os
import pathlib
import signal
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

MODE = sys.argv[1]
STEPS = int(sys.argv[2]) if MODE != "known" and len(sys.argv) > 2 else 60
WARM_UP = 20


def distribute(model, layers, **options):
    if not MODE.startswith("fsdp"):
        return DistributedDataParallel(model, process_group=GROUP, **options)
    from torch.distributed.fsdp import fully_shard

    for layer in layers:
        fully_shard(layer)
    return fully_shard(model)


def make_language_model(milliseconds):
    """The encoder of a small language model, and the vectors of its tokens."""
    depth, sentences = (4, 8) if milliseconds == 20 else (12, 24)
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, depth, enable_nested_tensor=False).cuda()
    return distribute(model, model.layers), torch.randn(sentences, 512, 768, device="cuda")


def make_layers():
    layers = [part for _ in range(8) for part in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers).cuda()
    # Buckets of 4 MB: one collective for each layer.
    return distribute(model, model[::2], **({} if MODE == "fsdp" else {"bucket_cap_mb": 4})), torch.randn(256, 1024, device="cuda")


def average(values):
    dist.all_reduce(values, group=GROUP)  # average
    return values


def is_wrong(step):
    return MODE in ("missing", "count", "nan", "killed") and step == WARM_UP and dist.get_rank() == dist.get_world_size() - 1


def train(model, data):
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-4)
    times = []
    for step in range(STEPS):
        start = time.perf_counter()
        loss = model(data).square().mean()
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        if is_wrong(step):
            if MODE == "nan":
                data[3, 5] = float("nan")
            if MODE == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if MODE == "missing":
                time.sleep(600)  # missing
            if MODE != "nan":
                average(torch.ones(8, device="cuda"))  # count
        average(torch.ones(4, device="cuda"))  # in train
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return times[WARM_UP:]


def reduce_known(folder):
    for index, kind in enumerate((torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.uint8)):
        for odd in (0, 1):
            values = (torch.arange(200_003, device="cuda") % 251 * (dist.get_rank() + 1)).to(kind)
            if kind.is_floating_point:
                values[7], values[70_000], values[9] = float("nan"), float("inf"), -0.0
            values = values[odd:]
            for way in ("in", "out"):
                if way == "out":
                    dist.all_reduce(values)
                data = values.cpu().view(torch.uint8).numpy().tobytes()
                pathlib.Path(folder, f"{dist.get_rank()}.{2 * index + odd}.{way}").write_bytes(data)


GPUS, RANKS = torch.cuda.device_count(), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % GPUS)
if RANKS <= GPUS:
    dist.init_process_group("nccl")
    GROUP = None
else:
    dist.init_process_group("gloo")
    groups = [dist.new_group(range(first, min(first + GPUS, RANKS)), backend="nccl") for first in range(0, RANKS, GPUS)]
    GROUP = groups[dist.get_rank() // GPUS]
torch.manual_seed(1)
if MODE == "known":
    TIMES = reduce_known(sys.argv[2])
else:
    TIMES = train(*(make_language_model(int(MODE.partition("-")[2])) if "-" in MODE else make_layers()))
if dist.get_rank() == 0 and TIMES:
    print(f"median step {1e3 * statistics.median(TIMES):.3f} ms")
dist.destroy_process_group()
