#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the sample set: materials.ini and shaders/ in, one folder per PSO out.

    make_samples.py OUT [-j N]

OUT/<material>/<pass_variant>/{vs.instructions, vs.metadata, ..., state, rootsig}. The same sources
and the same glslangValidator give the same bytes. OUT appears whole or not at all, so that several
runs may have one OUT; a run whose OUT is already made from the same sources leaves it alone.
"""
import argparse
import concurrent.futures
import configparser
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import blobs
import spirv_reflect

HERE = pathlib.Path(__file__).resolve().parent
SHADERS = HERE / "shaders"
STAGES = ("vs", "hs", "ds", "gs", "ps", "cs")
COMPILER = ["glslangValidator", "-V", "--target-env", "vulkan1.1", "-g0"]


class Table:
    """materials.ini, by kind and name."""

    def __init__(self, path):
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str
        parser.read_string(path.read_text(encoding="utf-8"))
        self.kinds = {}
        for section in parser.sections():
            kind, name = section.split(" ", 1)
            self.kinds.setdefault(kind, {})[name] = dict(parser[section])

    def variants(self, value):
        """[(name, defines)] from the name of a list, or from the lines themselves."""
        if value in self.kinds["variants"]:
            value = self.kinds["variants"][value]["list"]
        lines = [line.split() for line in value.splitlines() if line.strip()]
        return [(words[0], words[1:]) for words in lines]


def shader_text(name, seen=()):
    """A shader's text with that of everything it includes."""
    text = (SHADERS / name).read_text(encoding="utf-8")
    for included in re.findall(r'^#include "(.+)"', text, re.MULTILINE):
        if included not in seen:
            text += shader_text(included, (*seen, included))
    return text


class Permutations:
    """The distinct (shader, defines) pairs: each is compiled once, however many PSOs use it."""

    def __init__(self):
        self.words_of = {}
        self.wanted = set()

    def add(self, shader, defines):
        """Keeps the defines that the shader mentions; returns the permutation's key."""
        if shader not in self.words_of:
            self.words_of[shader] = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", shader_text(shader)))
        kept = sorted(d for d in set(defines) if d.split("=")[0] in self.words_of[shader])
        key = (shader, tuple(kept))
        self.wanted.add(key)
        return key

    def compile_all(self, jobs):
        """{key: (code, Shader)}"""
        keys = sorted(self.wanted)
        with tempfile.TemporaryDirectory(prefix="psopack-samples-") as work, \
                concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            paths = [pathlib.Path(work) / f"{i}.spv" for i in range(len(keys))]
            codes = list(pool.map(compile_one, keys, paths))
        return {k: (code, spirv_reflect.reflect(code)) for k, code in zip(keys, codes)}


def compile_one(key, path):
    shader, defines = key
    command = [*COMPILER, *(f"-D{d}" for d in defines), "-o", str(path), str(SHADERS / shader)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"make_samples: {' '.join(command)}\n{run.stdout}{run.stderr}")
    return path.read_bytes()


def stage_shaders(program, settings, features):
    """{stage: shader file} of a program in a pass."""
    chosen = {}
    for stage in STAGES:
        shader = settings.get(stage, program.get(stage))
        if stage == "ps" and "ALPHA_TEST" in features:
            shader = settings.get("ps_cutout", shader)
        if shader and shader != "-":
            chosen[stage] = shader
    return chosen


def plan_psos(table, permutations):
    """{PSO name: (program, pass settings, {stage: permutation key})}"""
    psos = {}
    for material, row in table.kinds["material"].items():
        program = table.kinds["program"][row["program"]]
        for pass_name in row["passes"].split():
            settings = table.kinds["pass"][pass_name]
            ignored = settings.get("ignores", "").split()
            features = [f for f in row.get("features", "").split() if f not in ignored]
            stages = stage_shaders(program, settings, features)
            variants = table.variants(row["variants"]) if "varies" in settings else [("base", [])]
            for variant, extra in variants:
                name = f"{material}/{pass_name}" + ("" if variant == "base" else f"_{variant}")
                defines = [*features, *settings.get("defines", "").split(), *extra]
                psos[name] = (program, settings, {
                    stage: permutations.add(shader, defines)
                    for stage, shader in stages.items()})
    return psos


def pso_files(program, settings, keys, compiled):
    """{slot: bytes} of one PSO."""
    files, shaders = {}, {}
    for stage, key in keys.items():
        code, shaders[stage] = compiled[key]
        files[f"{stage}.instructions"] = code
        if not shaders[stage].reads_nothing():
            files[f"{stage}.metadata"] = blobs.metadata(code, shaders[stage])
    if "vs" in shaders:
        files["state"] = blobs.state(settings, program.get("topology", "triangles"),
                                     shaders["vs"].inputs)
    files["rootsig"] = blobs.rootsig(shaders)
    return files


def write_tree(root, psos, compiled):
    for name, (program, settings, keys) in sorted(psos.items()):
        folder = root / name
        folder.mkdir(parents=True)
        for slot, blob in pso_files(program, settings, keys, compiled).items():
            (folder / slot).write_bytes(blob)


def source_key():
    """Changes when the set would: a hash over the sources and the compiler's version."""
    version = subprocess.run(["glslangValidator", "--version"], capture_output=True, check=True)
    digest = hashlib.sha256(version.stdout)
    for path in sorted([*HERE.glob("*.py"), HERE / "materials.ini", *SHADERS.iterdir()]):
        if path.is_file():
            digest.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest() + "\n"


def publish(staged, out, key_path, key):
    """Swaps the staged tree in. A concurrent run's tree has the same bytes, so either may win."""
    old = pathlib.Path(f"{out}.old.{os.getpid()}")
    key_path.unlink(missing_ok=True)
    try:
        os.rename(out, old)
    except FileNotFoundError:
        pass
    try:
        os.rename(staged, out)
    except OSError:
        if not out.is_dir():
            raise
        shutil.rmtree(staged)
    shutil.rmtree(old, ignore_errors=True)
    key_path.write_text(key, encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description="Builds the psopack sample set.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if not shutil.which("glslangValidator"):
        raise SystemExit("make_samples: glslangValidator is missing (package glslang-tools)")

    key, key_path = source_key(), pathlib.Path(f"{options.out}.key")
    if options.out.is_dir() and key_path.is_file() and key_path.read_text() == key:
        print(f"make_samples: {options.out} is up to date", file=sys.stderr)
        return
    permutations = Permutations()
    psos = plan_psos(Table(HERE / "materials.ini"), permutations)
    compiled = permutations.compile_all(options.jobs)
    staged = pathlib.Path(f"{options.out}.tmp.{os.getpid()}")
    try:
        staged.mkdir(parents=True)
        write_tree(staged, psos, compiled)
        publish(staged, options.out, key_path, key)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    print(f"make_samples: {len(psos)} PSOs from {len(compiled)} shader permutations",
          file=sys.stderr)


if __name__ == "__main__":
    main()
