#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks vcpkg's port and manifests without vcpkg: vcpkg_port.py SOURCE

Refuses what vcpkg's maintainers refuse (a deprecated function or argument, an unknown key, a helper port that is
not a host dependency), a file that is missing or unused, and what differs from the project: version, licence,
dependencies, options, targets. Then spoils the texts, one rule at a time, and checks that each is noticed."""
import json
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
port = "packaging/vcpkg/warpsafe"

# In the order of vcpkg format-manifest.
manifest_keys = (
    "$schema $comment name version version-date version-semver version-string port-version maintainers contacts summary "
    "description homepage documentation license builtin-baseline supports dependencies overrides default-features "
    "features configuration vcpkg-configuration"
).split()
versions = {"version", "version-date", "version-semver", "version-string"}
dependency_keys = {"name", "host", "features", "default-features", "platform", "version>="}
feature_keys = {"description", "dependencies", "supports", "license"}

# The functions that a port of this kind uses, the helper port that has each, and the arguments.
functions = {
    "vcpkg_cmake_configure": (
        "vcpkg-cmake",
        "SOURCE_PATH OPTIONS OPTIONS_DEBUG OPTIONS_RELEASE DISABLE_PARALLEL_CONFIGURE NO_CHARSET_FLAG GENERATOR "
        "LOGFILE_BASE WINDOWS_USE_MSBUILD MAYBE_UNUSED_VARIABLES",
    ),
    "vcpkg_cmake_install": ("vcpkg-cmake", "DISABLE_PARALLEL ADD_BIN_TO_PATH"),
    "vcpkg_cmake_config_fixup": (
        "vcpkg-cmake-config",
        "PACKAGE_NAME CONFIG_PATH TOOLS_PATH DO_NOT_DELETE_PARENT_CONFIG_PATH NO_PREFIX_CORRECTION",
    ),
    "vcpkg_fixup_pkgconfig": (None, ""),
    "vcpkg_install_copyright": (None, "FILE_LIST COMMENT"),
    "vcpkg_from_github": (None, "OUT_SOURCE_PATH REPO REF SHA512 HEAD_REF PATCHES GITHUB_HOST AUTHORIZATION_TOKEN FILE_DISAMBIGUATOR"),
    "vcpkg_replace_string": (None, "REGEX IGNORE_UNCHANGED"),
}
deprecated = {
    "vcpkg_configure_cmake": "vcpkg_cmake_configure",
    "vcpkg_build_cmake": "vcpkg_cmake_build",
    "vcpkg_install_cmake": "vcpkg_cmake_install",
    "vcpkg_fixup_cmake_targets": "vcpkg_cmake_config_fixup",
    "vcpkg_apply_patches": "the argument PATCHES",
    "vcpkg_extract_source_archive_ex": "vcpkg_extract_source_archive",
    "vcpkg_fail_port_install": "'supports' in vcpkg.json",
    "vcpkg_check_linkage": "a policy, as the port has no library",
}
helpers = {helper for helper, _ in functions.values() if helper}


def read():
    """The texts of the port, the manifests, and what they are compared with."""
    folders = [source / port, source / "tests" / "package" / "vcpkg"]
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    paths += [source / name for name in ("vcpkg.json", "CMakeLists.txt", "LICENSE", "cmake/warpsafe-install.cmake")]
    paths += [source / "cmake" / "warpsafe-components.cmake", source / "include" / "warpsafe" / "core" / "config.hpp"]
    return {str(path.relative_to(source)): path.read_text() for path in paths if path.exists()}


def names(dependencies):
    return [dependency if isinstance(dependency, str) else dependency.get("name") for dependency in dependencies]


def check_manifest(path, text):
    """Yields what is wrong with a manifest alone."""
    try:
        manifest = json.loads(text)
    except json.JSONDecodeError as error:
        yield f"{path}: {error}"
        return
    if unknown := [key for key in manifest if key not in manifest_keys]:
        yield f"{path}: vcpkg does not know the keys {unknown}"
    elif list(manifest) != sorted(manifest, key=manifest_keys.index):
        yield f"{path}: the keys are not in vcpkg's order"
    if len(versions & set(manifest)) != 1:
        yield f"{path}: wants one of {sorted(versions)}"
    if text != json.dumps(manifest, indent=2, ensure_ascii=False) + "\n":
        yield f"{path}: is not written as vcpkg format-manifest writes it"
    groups = {"": manifest} | manifest.get("features", {})
    for feature, group in groups.items():
        if feature and (unknown := set(group) - feature_keys):
            yield f"{path}: vcpkg does not know the keys {sorted(unknown)} of a feature"
        dependencies = group.get("dependencies", [])
        for dependency in dependencies:
            keys = {"name"} if isinstance(dependency, str) else set(dependency)
            if unknown := keys - dependency_keys:
                yield f"{path}: vcpkg does not know the keys {sorted(unknown)} of a dependency"
            if names([dependency])[0] in helpers and (isinstance(dependency, str) or dependency.get("host") is not True):
                yield f"{path}: {names([dependency])[0]} wants \"host\": true"
        if names(dependencies) != sorted(set(names(dependencies)), key=str):
            yield f"{path}: the dependencies are not in order, or one is there twice"


def calls(text):
    """Each call of a CMake file: its name and its arguments."""
    text = re.sub(r"^\s*#.*$|\s#.*$", "", text, flags=re.MULTILINE)
    for call in re.finditer(r"^[ \t]*(\w+)\s*\(([^()]*)\)", text, re.MULTILINE):
        yield call[1].lower(), call[2].split()


def check_portfile(texts):
    """Yields what is wrong with the port's steps."""
    text = texts[f"{port}/portfile.cmake"]
    made = list(calls(text))
    done = [name for name, _ in made]
    for name, arguments in made:
        if name in deprecated:
            yield f"{name} is deprecated: use {deprecated[name]}"
        elif re.match("z?_?vcpkg_", name) and name not in functions:
            yield f"{name} is no function that vcpkg documents for a port like this"
        elif name in functions:
            words = {word for word in arguments if re.fullmatch("[A-Z][A-Z0-9_]+", word)}
            if unknown := words - set(functions[name][1].split()):
                yield f"{name} does not take {sorted(unknown)}"
        if name == "file" and "copyright" in " ".join(arguments):
            yield "file(... copyright) is deprecated: use vcpkg_install_copyright"
    for name in ("vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig", "vcpkg_install_copyright"):
        if done.count(name) != 1:
            yield f"{name} is called {done.count(name)} times"
    wanted = {functions[name][0] for name in done if name in functions} - {None}
    has = {name for name in names(json.loads(texts[f"{port}/vcpkg.json"])["dependencies"]) if name in helpers}
    if wanted != has:
        yield f"the portfile uses {sorted(wanted)}, vcpkg.json lists {sorted(has)}"

    options = set(re.findall(r"-D(\w+)=", text))
    if unknown := options - set(re.findall(r"^option\((\w+)", texts["CMakeLists.txt"], re.MULTILINE)):
        yield f"the project has no option {sorted(unknown)}"
    installed = re.search(r"set\(package_dir \$\{CMAKE_INSTALL_DATADIR\}/(\S+)\)", texts["cmake/warpsafe-install.cmake"])[1]
    if f"CONFIG_PATH share/{installed})" not in text:
        yield f"the project installs its CMake files to share/{installed}, which is no CONFIG_PATH"
    up = re.search(r"\{CURRENT_PORT_DIR\}/([./]+)\"", text)
    if "vcpkg_from_github" not in done and (not up or (source / port / up[1]).resolve() != source.resolve()):
        yield "SOURCE_PATH is not the checkout that the port lies in"
    for path in re.findall(r"\$\{SOURCE_PATH\}/([\w./]+)", text):
        if path not in texts:
            yield f"the project has no file {path}"
    for path in re.findall(r"\$\{CMAKE_CURRENT_LIST_DIR\}/([\w./-]+)", text):
        if f"{port}/{path}" not in texts:
            yield f"the port has no file {path}"
    for path in texts:
        name = path.removeprefix(f"{port}/")
        if path.startswith(f"{port}/") and name not in ("portfile.cmake", "vcpkg.json") and f"/{name}\"" not in text:
            yield f"the portfile does not use {name}"


def check(texts):
    """Yields what is wrong."""
    needed = [f"{port}/portfile.cmake", f"{port}/vcpkg.json", f"{port}/usage", "vcpkg.json"]
    if missing := [path for path in needed if path not in texts]:
        yield f"missing: {missing}"
        return
    wrong = [problem for path, text in texts.items() if path.endswith("vcpkg.json") for problem in check_manifest(path, text)]
    if wrong:
        yield from wrong
        return
    yield from check_portfile(texts)

    manifest, project = json.loads(texts[f"{port}/vcpkg.json"]), json.loads(texts["vcpkg.json"])
    header = texts["include/warpsafe/core/config.hpp"]
    version = ".".join(re.search(rf"#define WARPSAFE_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    wanted = {
        "name": pathlib.PurePath(port).name,
        "version-semver": version,
        "license": re.search(r"SPDX-License-Identifier: (\S+)", header)[1],
    }
    for key in ("description", "supports"):
        wanted[key] = project.get(key) or "the same as the project's"
    for path, text in {f"{port}/vcpkg.json": manifest, "vcpkg.json": project}.items():
        for key, value in wanted.items():
            if text.get(key) != value:
                yield f"{path}: {key} is {text.get(key)!r}, not {value!r}"
    libraries = [name for name in names(manifest["dependencies"]) if name not in helpers]
    if (needs := [one for one in manifest["dependencies"] if names([one])[0] not in helpers]) != project["dependencies"]:
        yield f"the port needs {needs}, the project {project['dependencies']}"
    stands = sorted({path.split("/")[4] for path in texts if "/system-boost/" in path})
    if stands != libraries:
        yield f"package.vcpkg stands in for {stands}, the port needs {libraries}"

    usage = texts[f"{port}/usage"]
    targets = set(re.findall(r"component STREQUAL \"(\w+)\"", texts["cmake/warpsafe-components.cmake"])) | {"warpsafe"}
    if unknown := set(re.findall(r"warpsafe::(\w+)", usage)) - targets:
        yield f"usage: there is no target {sorted(unknown)}"
    if "find_package(warpsafe CONFIG REQUIRED" not in usage or "target_link_libraries(main PRIVATE warpsafe::" not in usage:
        yield "usage: shows no find_package(warpsafe CONFIG REQUIRED) and target_link_libraries(main PRIVATE warpsafe::...)"


portfile, manifest = f"{port}/portfile.cmake", f"{port}/vcpkg.json"
# The file, a text in it, the text in its place (None removes the file), and words of the refusal.
spoiled = [
    (portfile, "vcpkg_cmake_configure(", "vcpkg_configure_cmake(", "vcpkg_configure_cmake is deprecated"),
    (portfile, "vcpkg_cmake_config_fixup(", "vcpkg_fixup_cmake_targets(", "vcpkg_fixup_cmake_targets is deprecated"),
    (portfile, "vcpkg_cmake_install()", "vcpkg_cmake_instal()", "no function that vcpkg documents"),
    (portfile, "    OPTIONS\n", "    PREFER_NINJA\n    OPTIONS\n", "does not take ['PREFER_NINJA']"),
    (portfile, "vcpkg_install_copyright(", "file(INSTALL LICENSE RENAME copyright)\nset(", "use vcpkg_install_copyright"),
    (portfile, "vcpkg_fixup_pkgconfig()", "# vcpkg_fixup_pkgconfig()", "vcpkg_fixup_pkgconfig is called 0 times"),
    (portfile, "WARPSAFE_BUILD_BENCH", "WARPSAFE_BUILD_BENCHES", "no option ['WARPSAFE_BUILD_BENCHES']"),
    (portfile, "share/cmake/warpsafe", "lib/cmake/warpsafe", "which is no CONFIG_PATH"),
    (portfile, "/../../..", "/../..", "not the checkout"),
    (portfile, "/LICENSE", "/COPYING", "the project has no file COPYING"),
    (portfile, "/usage\"", "/use\"", "the port has no file use"),
    (f"{port}/unused.patch", "", "", "the portfile does not use unused.patch"),
    (f"{port}/usage", "", None, "missing: "),
    (f"{port}/usage", "warpsafe::cuda", "warpsafe::gpu", "no target ['gpu']"),
    (f"{port}/usage", "find_package(warpsafe CONFIG", "find_package(warpsafe", "usage: shows no find_package"),
    (manifest, '"license"', '"licence"', "does not know the keys ['licence']"),
    (manifest, '"version-semver": "', '"version-semver": "9.', "version-semver is '9."),
    ("include/warpsafe/core/config.hpp", "_MINOR ", "_MINOR 9", "version-semver is"),
    (manifest, '"BSL-1.0"', '"Boost"', "license is 'Boost'"),
    (manifest, '"host": true', '"host": false', 'wants "host": true'),
    (manifest, '"host"', '"hosts"', "does not know the keys ['hosts']"),
    (manifest, '"boost-outcome"', '"boost-output"', "the port needs"),
    (manifest, '"boost-context"', '"boost-zontext"', "not in order"),
    (manifest, '"!x64"', '"!arm64"', "the port needs"),
    (manifest, '      "name": "vcpkg-cmake-config"', '      "name": "vcpkg-cmake-other"', "vcpkg.json lists"),
    (manifest, '  "name"', '    "name"', "not written as vcpkg format-manifest"),
    ("vcpkg.json", '"benchmark"', '"benchmark",\n        "benchmark"', "there twice"),
    ("vcpkg.json", '"supports": "linux', '"supports": "osx', "supports is"),
]

texts = read()
if found := list(check(texts)):
    sys.exit("\n".join(found))
for path, old, new, words in spoiled:
    if old not in texts.get(path, ""):
        sys.exit(f"{path} has no '{old}' to spoil")
    changed = dict(texts)
    if new is None:
        del changed[path]
    else:
        changed[path] = texts.get(path, "").replace(old, new, 1)
    found = list(check(changed))
    if not any(words in problem for problem in found):
        sys.exit(f"{path}, '{old}' replaced by '{new}': '{words}' was to be noticed, not {found}")
print(f"the port is right, and each of {len(spoiled)} spoiled copies is refused")
