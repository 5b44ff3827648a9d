# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Links translation units of different check levels and backends, each of them first once, and runs them.
Each unit must show its own level's behaviour whichever object comes first, with each --optimize."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "compile"))
from host_libraries import host_libraries  # noqa: E402

# The operations that an observer is told of, and the moment at which each level finds
# a size of 0, too much shared memory, and the same for a functor.
EXPECTED = {1: "5 told: made checked checked", 0: "0 told: refused refused refused"}
LEVELS = {"full": 1, "off": 0}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Build:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.includes = [f"-I{path}" for path in arguments.include if path]

    def unit(self, name, level, optimize, macro=None, device=False):
        """The object of one translation unit, compiled by the host compiler or nvcc."""
        out = self.folder / f"{name}{optimize}{macro or ''}.o"
        flags = ["-std=c++20", optimize, f"-DOBSERVE={name}", f"-DWARPSAFE_CHECKS={level}",
                 *([f"-D{macro}"] if macro else []), *self.includes]  # fmt: skip
        if device:
            flags += ["-arch=sm_90", "--default-stream=per-thread", f"-ccbin={self.arguments.compiler}"]
        compiler = self.arguments.nvcc if device else self.arguments.compiler
        run(compiler, *flags, "-c", HERE / ("unit.cu" if device else "unit.cpp"), "-o", out)
        return out

    def main(self, units):
        """The object that calls each unit and prints what it observes."""
        out = self.folder / f"main_of_{'_'.join(units)}.o"
        names = " ".join(f"X({name})" for name in units)
        if not out.exists():
            run(self.arguments.compiler, "-std=c++20", f"-DUNITS={names}", *self.includes, "-c",
                HERE / "main.cpp", "-o", out)  # fmt: skip
        return out

    def link(self, units, objects):
        """The command that links a program, and the program."""
        program = self.folder / "program"
        link = [self.arguments.compiler, self.main(units), *objects]
        link += ["-o", program, *host_libraries(self.arguments.compiler)]
        if self.arguments.cudart:
            link += [f"-L{self.arguments.cudart}", "-l:libcudart.so.13"]
        return link, program

    def observe(self, units, objects):
        """{unit: what it observed} of a program linked in this order."""
        link, program = self.link(units, objects)
        run(*link)
        environment = {**os.environ, "LD_LIBRARY_PATH": self.arguments.cudart or ""}
        said = run(program, env=environment, timeout=600)
        return dict(line.split(" ", 1) for line in said.splitlines())


def turns(units):
    """The orders to link in. Of several equal definitions a linker keeps the first. So each unit comes first
    once, before all others with the same definitions; and forwards and backwards, so that each comes before
    each other with and without a third between them."""
    names = list(units)
    forwards = [names[i:] + names[:i] for i in range(len(names))]
    return list(dict.fromkeys(map(tuple, forwards + [order[::-1] for order in forwards])))


def wrong_orders(build, units, objects):
    """Returns the number of orders tried, and the differences from each unit's own level."""
    orders, wrong = turns(units), []
    for order in orders:
        seen = build.observe(units, [objects[name] for name in order])
        wrong += [f"{' '.join(order)}: {name} observed '{seen[name]}', not '{EXPECTED[level]}'"
                  for name, (level, _) in units.items() if seen[name] != EXPECTED[level]]  # fmt: skip
    return len(orders), wrong


def check_levels(build):
    failed = []
    units = {name: (level, False) for name, level in LEVELS.items()}
    if build.arguments.nvcc:
        units["device_full"] = (1, True)
    for optimize in build.arguments.optimize:
        with ThreadPoolExecutor(2) as pool:
            made = pool.map(lambda item: build.unit(item[0], item[1][0], optimize, device=item[1][1]),
                            units.items())  # fmt: skip
        objects = dict(zip(units, made))
        tried, wrong = wrong_orders(build, units, objects)
        print(f"{optimize}: {tried} link orders of {', '.join(units)}: {len(wrong)} differ")
        failed += wrong
    return failed


def check_separate(build):
    """Units of WARPSAFE_SEPARATE link with warpsafe/separate.cpp, compiled for each backend, and only with it."""
    failed, backends, toolkit = [], ["HOST"], []
    units = {name: (level, False) for name, level in LEVELS.items()}
    if build.arguments.nvcc:
        units["device_full"] = (1, True)
        backends.append("CUDA")
        toolkit.append(f"-I{Path(build.arguments.nvcc).resolve().parent.parent / 'include'}")
    folders = map(Path, build.arguments.include)
    source = next(path for folder in folders if (path := folder / "warpsafe/separate.cpp").exists())
    for optimize in build.arguments.optimize:
        objects = {name: build.unit(name, level, optimize, "WARPSAFE_SEPARATE", device)
                   for name, (level, device) in units.items()}  # fmt: skip
        definitions = [build.folder / f"separate_{backend}.o" for backend in backends]
        for backend, out in zip(backends, definitions):
            run(build.arguments.compiler, "-std=c++20", optimize, f"-DWARPSAFE_BACKEND_{backend}", *build.includes,
                *toolkit, "-c", source, "-o", out)  # fmt: skip
        for backend, missing in zip(backends, definitions):
            link, _ = build.link(units, [*objects.values(), *(one for one in definitions if one != missing)])
            done = subprocess.run([str(part) for part in link], capture_output=True, text=True)
            told = "compile_warpsafe_separate_cpp_in_one_file_of_the_program" in done.stderr
            print(f"{optimize}: without separate.cpp for {backend}: {'named' if told else 'not named'} by the linker")
            if done.returncode == 0 or not told:
                failed.append(f"without separate.cpp for {backend}: {done.returncode} {done.stderr}")
        seen = build.observe(units, [*objects.values(), *definitions])
        failed += [f"{name} observed '{seen[name]}', not '{EXPECTED[level]}'"
                   for name, (level, _) in units.items() if seen[name] != EXPECTED[level]]  # fmt: skip
    return failed


def crossing(build, *flags):
    """Symbols of one shared object, keyed by a kernel, that another could use as its own."""
    out = build.folder / "plugin.so"
    run(build.arguments.compiler, "-std=c++20", "-O0", "-fPIC", "-shared", "-DWARPSAFE_CHECKS=1",
        "-DWARPSAFE_BACKEND_CUDA", *flags, *build.includes, HERE / "plugin.cpp", "-o", out)  # fmt: skip
    if not re.search(r"KernelCache<.*same_name.*>::slots", run("nm", "-C", out)):
        return None
    return [line for line in run("nm", "-DC", "--defined-only", out).splitlines()
            if re.search(r"KernelCache|EntryOf", line)]  # fmt: skip


def check_shared_objects(build):
    found, mutant = crossing(build), crossing(build, "-DMUTANT")
    print(f"symbols keyed by a kernel that cross dlopen: {found}; with the deliberate mistake: {mutant}")
    return [] if found == [] and mutant else ["caches cross dlopen, or the check sees none"]


def check_unload(build):
    """A program launches after dlclose of a plug-in with the debug tools and device checks, of one that captured, and of one
    that used the program's stream."""
    plugin, second, third, program = (build.folder / name for name in ("plugin.so", "second.so", "third.so", "unload"))
    common = ["-std=c++20", "-O0", "-g0", "-DWARPSAFE_CHECKS=1", *build.includes, HERE / "unload.cpp",
              *host_libraries(build.arguments.compiler), "-ldl"]  # fmt: skip
    run(build.arguments.compiler, "-DPLUGIN=1", "-fPIC", "-shared", *common, "-o", plugin)
    run(build.arguments.compiler, "-DPLUGIN=2", "-fvisibility=hidden", "-fPIC", "-shared", *common, "-o", second)
    run(build.arguments.compiler, "-DPLUGIN=3", "-fvisibility=hidden", "-fPIC", "-shared", *common, "-o", third)
    run(build.arguments.compiler, "-rdynamic", *common, "-o", program)
    return [] if "launched" in run(program, plugin, second, third, timeout=600) else ["the program did not launch"]


# A variable and its name: in a namespace or a class, a pointer to a function, in a function.
VARIABLES = [re.compile(pattern, re.M) for pattern in (
    r"^\s*(?:\[\[.*?\]\] )?(?:static )?inline (?!constexpr|namespace)(?:thread_local |constinit |const |struct )*"
    r"[\w:<>,*& ]*?[ *&](\w+)(?:\[\w*\])*(?: = |\{|;)",
    r"inline [^\n(]*\(\*(\w+)\)\(",
    r"^[^\n/]*?\bstatic (?:thread_local )?(?!constexpr|inline|cast|void)(?:const )?[\w:<>,*& ]*?[ *&](\w+)"
    r"(?:\[[^\]]*\])*(?: = |\{|;)")]  # fmt: skip
# What is hidden on purpose: the variable, or the class or function that has it.
HIDDEN = re.compile(r'visibility\("hidden"\)\]\] [\w*& ]*?(\w+)(?=\s*[;={(<])')
# Constants that no program needs to share; a kernel's, which is hidden; a device's; nvcc's alone; that of the vendors;
# the driver's answers about scalars, asked for again in each plug-in.
UNCHECKED = {"none", "entry", "key", "check_record_here", "says_that_kernels_run_on_the_cpu", "counted_devices",
             "known"}


def variables_of(objects):
    """The writable variables of the library that another object file may define, too: {symbol: (name, thread-local)};
    and the names of all its variables."""
    found, names = {}, set()
    for path in objects:
        writable = {number for number, name, flags in re.findall(
            r"^\s*\[\s*(\d+)\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+([A-Zop]*)", run("readelf", "-SW", path), re.M)
            if "W" in flags and not name.startswith(".data.rel.ro")}  # fmt: skip
        lines = [line.split() for line in run("readelf", "-sW", path).splitlines()]
        symbols = [line for line in lines if len(line) > 7 and line[3] in ("OBJECT", "TLS")]
        demangled = run("c++filt", input="\n".join(line[7] for line in symbols)).splitlines()
        for line, name in zip(symbols, demangled):
            if "warpsafe::" not in name:
                continue
            names |= set(re.findall(r"::(\w+)(?:<.*>)?$", name))
            if line[4] != "LOCAL" and line[6] in writable and name.startswith("warpsafe::"):
                found[line[7]] = (name, line[3] == "TLS")
    return found, names


def check_hidden(build):
    """Each variable of the library is one for two plug-ins with hidden symbols, unless it is hidden on purpose."""
    compiler, failures = build.arguments.compiler, HERE.parent / "failures"
    flags = ["-std=c++20", "-O0", "-g0", "-fPIC", "-fvisibility=hidden", "-DWARPSAFE_CHECKS=1", *build.includes,
             f"-I{failures}"]  # fmt: skip
    sources = [failures / "programs.cpp", failures / "wide_programs.cpp"]
    objects = [build.folder / f"{source.stem}.o" for source in sources]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda made: run(compiler, *flags, "-c", made[0], "-o", made[1]), zip(sources, objects)))
    found, names = variables_of(objects)
    headers = [header for folder in map(Path, build.arguments.include) for header in folder.rglob("warpsafe/**/*.hpp")
               if not re.search(r"/backend/(cuda|hip)/", str(header))]  # fmt: skip
    texts = {header: re.sub(r"//[^\n]*", "", header.read_text()) for header in headers}
    failed = [f"{header}: {name}: the programs of tests/failures do not use it, so nothing is known of it"
              for header, text in texts.items() for pattern in VARIABLES for name in pattern.findall(text)
              if name not in names | UNCHECKED]  # fmt: skip
    hidden = {name for text in texts.values() for name in HIDDEN.findall(text)}
    # clang++ hides also what is made from a type of the program's own, which is hidden.
    wanted = {symbol: made for symbol, made in found.items()
              if "failures::" not in made[0] and not hidden & set(re.findall(r"\w+", made[0]))}  # fmt: skip
    table = build.folder / "table.cpp"
    declared = [f'extern {"thread_local " if local else ""}char v{i} __asm__("{symbol}");'
                for i, (symbol, (_, local)) in enumerate(wanted.items())]  # fmt: skip
    for plugin in ("first", "second"):
        table.write_text("\n".join(
            [*(line.replace("thread_local", "__thread") for line in declared),
             f'extern "C" [[gnu::visibility("default")]] const void* {plugin}_variable(unsigned i) {{ switch (i) {{',
             *(f"case {i}: return &v{i};" for i in range(len(wanted))), "default: return nullptr; } }"]))  # fmt: skip
        run(compiler, "-std=c++20", "-O0", "-fPIC", "-c", table, "-o", build.folder / "table.o")
        run(compiler, *flags, f"-DPLUGIN={plugin}", "-shared", HERE / "hidden.cpp", build.folder / "table.o", *objects,
            *host_libraries(compiler), "-o", build.folder / f"lib{plugin}.so")  # fmt: skip
    program = build.folder / "hidden"
    run(compiler, "-std=c++20", HERE / "hidden.cpp", f"-L{build.folder}", "-lfirst", "-lsecond",
        f"-Wl,-rpath,{build.folder}", "-o", program)  # fmt: skip
    said = run(program, timeout=600)
    all_names = [name for name, _ in wanted.values()]
    print(f"{len(wanted)} variables that both plug-ins share, {len(found) - len(wanted)} hidden on purpose")
    return failed + [re.sub(r"variable (\d+)", lambda one: f"{all_names[int(one[1])]}: each plug-in has its own", line)
                     for line in said.splitlines()] + ([] if len(wanted) > 50 else ["few variables were found"])  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["levels", "separate", "shared-objects", "hidden", "unload"])
    parser.add_argument("--compiler", required=True, help="name=program")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--optimize", action="append", choices=["-O0", "-O2"], help="for levels and separate")
    parser.add_argument("--nvcc", help="also a unit by nvcc, on the runtime in --cudart")
    parser.add_argument("--cudart", help="the folder of the stand-in's libcudart.so.13")
    arguments = parser.parse_args()
    arguments.compiler = arguments.compiler.split("=", 1)[1]
    arguments.optimize = arguments.optimize or ["-O0", "-O2"]
    checks = {"levels": check_levels, "separate": check_separate, "shared-objects": check_shared_objects,
              "hidden": check_hidden, "unload": check_unload}
    with tempfile.TemporaryDirectory() as folder:
        build = Build(arguments, Path(folder))
        failed = checks[arguments.what](build)
    print(*failed, sep="\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
