"""Goal: `cmake --install` leaves all that an embedder's project needs, and nothing that could meet its own names.
Method: install into the build directory, build the embedding sample with find_package(heddle) alone, run it.
Arguments: cmake, the build directory, the compiler.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CMAKE, BUILD, COMPILER = sys.argv[1:4]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PREFIX = pathlib.Path(BUILD) / "installed"
PROJECT = pathlib.Path(BUILD) / "installed_project"


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def closure(header):
    """All installed headers that a header leads to."""
    found, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += re.findall(r'#include "([^"]+)"', (PREFIX / "include" / name).read_text())
    return found


def main():
    shutil.rmtree(PREFIX, ignore_errors=True)
    run(CMAKE, "--install", BUILD, "--prefix", PREFIX)
    programs = sorted(path.name for path in (PREFIX / "bin").iterdir())
    assert programs == ["heddle"], f"installed programs: {programs}"
    assert not list(PREFIX.rglob("*heddle-bench*")), "heddle-bench is for developers only"
    headers = {str(path.relative_to(PREFIX / "include")) for path in (PREFIX / "include").rglob("*.hpp")}
    assert closure("heddle/heddle.hpp") | closure("heddle/actors.hpp") == headers, "headers that nobody includes"
    assert all(name.startswith("heddle/") for name in headers), headers
    with_caf = [name for name in closure("heddle/heddle.hpp") if "#include <caf/" in (PREFIX / "include" / name).read_text()]
    assert not with_caf, f"heddle/heddle.hpp leads to CAF by {with_caf}"
    run(CMAKE, "-S", SOURCE / "tests/install/project", "-B", PROJECT, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
        f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DHEDDLE_SAMPLES={SOURCE / 'samples'}")
    run(CMAKE, "--build", PROJECT)
    with tempfile.TemporaryDirectory() as state:
        environment = dict(os.environ, XDG_STATE_HOME=state)
        assert run(PROJECT / "embedding", env=environment).endswith("20 primes below 72\n")
        assert run(PREFIX / "bin/heddle", "run", "--master", "local[1]", "--", "echo", "hi", env=environment) == "hi\n"


main()
