#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares what the watch knows about NVIDIA's libraries with their headers: headers.py NAMES COMPILER INCLUDE...

NAMES is the program of names.cpp. Compares which functions return a status, the values of the statuses, and the
parameters of the routines whose arguments a report shows."""

import re
import subprocess
import sys

HEADERS = [
    "cublas_v2.h", "cublasXt.h", "cublasLt.h", "cufft.h", "cufftXt.h", "cusparse.h", "cusolverDn.h", "cusolverSp.h",
    "cusolverRf.h", "cusolverMg.h", "curand.h", "cudnn.h", "nccl.h",
]  # fmt: skip
STATUS = {
    "cublasStatus_t", "cufftResult", "cusparseStatus_t", "cusolverStatus_t", "curandStatus_t", "cudnnStatus_t",
    "ncclResult_t",
}  # fmt: skip
LIBRARIES = "cublas|cufft|cusparse|cusolver|curand|cudnn|nccl"
FAILED = re.compile(r"\b((?:CUBLAS_STATUS|CUFFT|CUSPARSE_STATUS|CUSOLVER_STATUS|CURAND_STATUS|CUDNN_STATUS)_\w+|nccl\w+)\s*=\s*(\w+)")
# The enumerations of the statuses, by the name that ends them. CURAND's type is named before.
ENUMERATION = re.compile(r"enum\s*(\w*)\s*\{([^}]*)\}\s*(\w*)\s*;")
FUNCTION = re.compile(rf"((?:const )?\w+\s*\**)\s*\b((?:{LIBRARIES})[A-Z]\w*)\s*\(([^()]*)\)\s*;")
NARROW = {"int", "cublasOperation_t", "cublasFillMode_t", "cublasSideMode_t", "cublasDiagType_t", "cudaDataType",
          "cudaDataType_t", "cufftType", "cufftHandle", "curandRngType_t", "cudnnTensorFormat_t", "cudnnDataType_t",
          "cudnnConvolutionMode_t", "ncclDataType_t", "ncclRedOp_t"}  # fmt: skip


def preprocessed(compiler, folders, headers):
    found = [one for one in headers if any_has(folders, one)]
    text = "".join(f"#include <{one}>\n" for one in ["cuda_runtime.h", *found])
    command = [compiler, "-E", "-P", "-x", "c++", "-std=c++17", *[f"-I{one}" for one in folders], "-"]
    return found, subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def any_has(folders, header):
    import os

    return any(os.path.exists(os.path.join(one, header)) for one in folders)


def kind_fits(kind, declared):
    """Whether the watch reads a parameter as wide as it is declared."""
    words = declared.replace("const ", "").split()
    base = " ".join(words[:-1]) if len(words) > 1 else declared
    is_pointer = "*" in declared or "[" in declared
    if kind in "hpa":
        return is_pointer or re.match(r"(cublas|cusolverDn|cudnn)Handle_t|cudnn\w+Descriptor_t|curandGenerator_t|ncclComm_t", base) is not None
    if kind == "z":
        return not is_pointer and base in ("size_t", "long long int", "long long", "int64_t")
    if is_pointer:
        return False
    return base in NARROW


def main():
    names, compiler, *folders = sys.argv[1:]
    found, text = preprocessed(compiler, folders, HEADERS)
    if len(found) != len(HEADERS):
        print("skipped: no header", ", ".join(sorted(set(HEADERS) - set(found))))
        return 77
    text = re.sub(r"__attribute__ ?\(\(.*?\)\)\)?", " ", text)
    text = re.sub(r"\s+", " ", text)
    functions = {}
    for result, name, parameters in FUNCTION.findall(text):
        if result.strip() != "return":
            functions[name] = (re.sub(r"\s*\*", " *", result).strip(), parameters)
    # cuBLAS's first interface cannot be included beside the second.
    _, first = preprocessed(compiler, folders, ["cublas.h"])
    for result, name, parameters in FUNCTION.findall(re.sub(r"\s+", " ", first)):
        functions.setdefault(name, (result.strip(), parameters))
    known = subprocess.run([names], input="\n".join(functions) + "\n", capture_output=True, text=True, check=True)
    problems = []
    counted = {"status": 0, "other": 0, "values": 0, "routines": 0}
    values, routines = {}, []
    for line in known.stdout.splitlines():
        what, rest = line.split(" ", 1)
        if what == "status":
            library, value, name = rest.split(" ")
            values[name, int(value)] = library
        elif what == "routine":
            library, row = rest.split(" ", 1)
            routines.append((library, *row.split(";")))
        else:
            name, library = rest.split(" ")
            returns_status = functions[name][0] in STATUS
            counted["status" if returns_status else "other"] += 1
            if library != "-" and not returns_status:
                problems.append(f"{name} returns {functions[name][0]}, and is taken for one with a status")
            # Functions that ask for a version, a text or an earlier status do no work.
            if library == "-" and returns_status and not re.search(r"Version|String|GetError", name):
                problems.append(f"{name} returns a status that is not read")
    for _, body, _ in ENUMERATION.findall(text):
        if not re.search(r"\b(?:CUBLAS_STATUS|CUFFT|CUSPARSE_STATUS|CUSOLVER_STATUS|CURAND_STATUS|CUDNN_STATUS)_SUCCESS|ncclSuccess", body):
            continue
        for name, value in FAILED.findall(body):
            if not re.match(r"(0x)?[0-9a-fA-F]+$", value) or name in ("ncclNumResults",) or int(value, 0) == 0:
                continue
            counted["values"] += 1
            if (name, int(value, 0)) not in values:
                problems.append(f"the status {name} = {value} is not known")
    for library, row, parameters in routines:
        prefix = library + ("Dn" if library == "cusolver" else "")
        for routine in row.split(" "):
            forms = [f"{prefix}{letter}{routine}{end}" for end in ("_v2", "") for letter in ("", *"SDCZH", "Is", "Id")]
            forms = [one for one in forms if one in functions and functions[one][0] in STATUS]
            if not forms:
                problems.append(f"{library} has no function for the routine {routine}")
            for form in forms:
                counted["routines"] += 1
                declared = [one.strip() for one in functions[form][1].split(",")]
                # A structure of 128 bytes is passed on the stack.
                declared = [one for one in declared if not one.startswith("ncclUniqueId ") or "*" in one]
                for position, part in enumerate(parameters.split(" ")):
                    if position >= len(declared) or not kind_fits(part[-1], declared[position]):
                        there = declared[position] if position < len(declared) else "nothing"
                        problems.append(f"{form}: parameter {position + 1} is '{there}', and is read as {part}")
    print("\n".join(problems) or f"valid: {counted}")
    # An empty list would fit everything.
    return bool(problems) or min(counted.values()) < 20


if __name__ == "__main__":
    sys.exit(main())
