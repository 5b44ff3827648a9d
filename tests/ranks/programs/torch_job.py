# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Training with PyTorch on one GPU for each rank, under torchrun: torch_job.py MODE [STEPS]

MODE is ddp, fsdp or transformer (ddp with 85 million weights), or a mistake that the last rank makes after 20 steps:
missing, count, nan or killed. Rank 0 prints the median time of a step, in milliseconds, without the first 20 steps. With
MODE known, STEPS is a folder: each rank writes what its collectives read and what they wrote to files there."""

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


def make_transformer():
    """The encoder of a small language model, and 4096 tokens."""
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
    return DistributedDataParallel(model), torch.randn(8, 512, 768, device="cuda")


def make_layers():
    layers = [part for _ in range(8) for part in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers).cuda()
    if MODE == "fsdp":
        from torch.distributed.fsdp import fully_shard

        for layer in model:
            if isinstance(layer, torch.nn.Linear):
                fully_shard(layer)
        model = fully_shard(model)
    else:
        # Buckets of 4 MB: one collective for each layer.
        model = DistributedDataParallel(model, bucket_cap_mb=4)
    return model, torch.randn(256, 1024, device="cuda")


def average(values):
    dist.all_reduce(values)  # average
    return values


def is_wrong(step):
    return MODE not in ("ddp", "fsdp", "transformer") and step == WARM_UP and dist.get_rank() == dist.get_world_size() - 1


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


torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
torch.manual_seed(1)
if MODE == "known":
    TIMES = reduce_known(sys.argv[2])
else:
    TIMES = train(*(make_transformer() if MODE == "transformer" else make_layers()))
if dist.get_rank() == 0 and TIMES:
    print(f"median step {1e3 * statistics.median(TIMES):.3f} ms")
dist.destroy_process_group()
