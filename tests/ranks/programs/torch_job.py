# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Training with PyTorch on one GPU for each rank, under torchrun: torch_job.py MODE [STEPS]

MODE is ddp or fsdp, or a mistake that the last rank makes after 20 steps: missing, count or killed. Rank 0 prints the
median time of a step, in milliseconds, without the first 20 steps."""

import os
import signal
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

MODE, STEPS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
WARM_UP = 20


def make_model():
    torch.manual_seed(1)
    layers = [part for _ in range(8) for part in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers).cuda()
    if MODE == "fsdp":
        from torch.distributed.fsdp import fully_shard

        for layer in model:
            if isinstance(layer, torch.nn.Linear):
                fully_shard(layer)
        return fully_shard(model)
    # Buckets of 4 MB: one collective for each layer.
    return DistributedDataParallel(model, bucket_cap_mb=4)


def average(values):
    dist.all_reduce(values)  # average
    return values


def is_wrong(step):
    return MODE not in ("ddp", "fsdp") and step == WARM_UP and dist.get_rank() == dist.get_world_size() - 1


def train(model):
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-4)
    data = torch.randn(256, 1024, device="cuda")
    times = []
    for step in range(STEPS):
        start = time.perf_counter()
        loss = model(data).square().mean()
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        if is_wrong(step):
            if MODE == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if MODE == "missing":
                time.sleep(600)  # missing
            average(torch.ones(8, device="cuda"))  # count
        average(torch.ones(4, device="cuda"))  # in train
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return times[WARM_UP:]


torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
TIMES = train(make_model())
if dist.get_rank() == 0 and TIMES:
    print(f"median step {1e3 * statistics.median(TIMES):.3f} ms")
dist.destroy_process_group()
