# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A training step of PyTorch on a GPU, and one launch that the driver refuses. wheel_on_gpu.py watches it."""
import ctypes

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
loss = model(torch.ones(32, 64, device="cuda")).square().mean()
loss.backward()
optimiser.step()
print("loss is finite:", bool(torch.isfinite(loss)))

# PyTorch itself refuses what the driver would refuse, so this kernel bypasses it.
driver = ctypes.CDLL("libcuda.so.1")
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
source = b".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry too_many_rows()\n{\n ret;\n}\n"
for status in (driver.cuModuleLoadData(ctypes.byref(module), source), driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"too_many_rows")):
    if status:
        raise SystemExit(f"the driver returned {status}")
status = driver.cuLaunchKernel(kernel, 1, 70000, 1, 32, 1, 1, 0, None, None, None)
torch.cuda.synchronize()
print("the launch returned", status)
