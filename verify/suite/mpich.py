"""MPICH's own tests on litmpi's MPI library: `python3 verify/suite/mpich.py FOLDER [TESTS…]`.

FOLDER gets the source of Debian's MPICH, configures its tests for the compilers of the MPICH that is installed, and compiles those that
are run. The lists of the tests (`testlist`) say how many processes each takes, with which arguments; here eight at most. `litmpi verify`
follows one behaviour of each, where all that may happen next is as likely (`--random 1`); a test passes if it says "No Errors", ends
well at every process, and nothing else is found. The results go to `verify/suite/results/mpich.tsv`, a line a test: its name,
processes and arguments, what came, and of what; tests that are there are not run again. TESTS are folders (`pt2pt`), or tests in
them (`pt2pt/sendrecv1`). LITMPI says which litmpi is used, JOBS how many programs run at a time, SECONDS how long each may take
of a processor.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import debian
import results

HERE = Path(__file__).resolve().parent
LITMPI = os.environ.get("LITMPI", "litmpi")
JOBS = int(os.environ.get("JOBS", "1"))
SECONDS = int(os.environ.get("SECONDS", "40"))
# The clock may go on for longer on a machine that others use.
LONGER = 4
MOST = 8
# Several tests may be of one program.
BUILDING = threading.Lock()
FOLDERS = "attr basic coll comm cxx datatype errhan errors f08 f77 f90 group info init perf pt2pt rma topo".split()
COMPILERS = "mpicc mpicxx mpif77 mpif90 mpifort mpiexec".split()


def suite(folder):
    """The folder of the tests, configured."""
    home = Path(folder).resolve() / "mpich-tests"
    if (home / "Makefile").exists():
        return home
    shutil.copytree(debian.source("mpich", "bookworm", folder) / "test/mpi", home, dirs_exist_ok=True)
    wrappers = home.parent / "mpich-compilers"
    (wrappers / "bin").mkdir(parents=True, exist_ok=True)
    for name in COMPILERS:
        there = shutil.which(f"{name}.mpich") or debian.not_had(f"there is no {name}.mpich")
        link = wrappers / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(there)
    # The tests of Fortran 2008 are configured only where MPICH is made as well.
    configure = home / "configure"
    configure.write_text(configure.read_text().replace('"$enable_f08" = "yes" -a "$FROM_MPICH" = "yes"', '"$enable_f08" = "yes"'))
    flags = ["--enable-fortran=all", "FFLAGS=-g -fallow-argument-mismatch", "FCFLAGS=-g -fallow-argument-mismatch", "CFLAGS=-g -O1", "CXXFLAGS=-g -O1"]
    done = subprocess.run(["./configure", f"--with-mpi={wrappers}", "--disable-dependency-tracking", *flags], cwd=home, capture_output=True, text=True)
    if done.returncode:
        debian.not_had(f"MPICH's tests cannot be configured: {done.stdout.splitlines()[-1:]}")
    subprocess.run(["make", "-C", "util"], cwd=home, capture_output=True)
    return home


def tests(home, folder):
    """The tests of a folder and of those below it: the folder, the program, its processes, arguments and environment."""
    listed = home / folder / "testlist"
    for line in listed.read_text().splitlines() if listed.exists() else []:
        words = line.split("#")[0].split()
        if len(words) == 1 and (home / folder / words[0]).is_dir():
            yield from tests(home, f"{folder}/{words[0]}")
        elif words:
            ranks = int(words[1]) if len(words) > 1 and words[1].isdigit() else 2
            settings = [word.split("=", 1) for word in words[2:] if "=" in word]
            arguments = [value for name, value in settings if name == "arg"]
            yield folder, words[0], ranks, arguments, dict(v.split("=", 1) for n, v in settings if n == "env")


def bounded():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))


def name_of(test):
    """What a line of the results begins with."""
    folder, program, ranks, arguments, _ = test
    return [f"{folder}/{program}", str(ranks), " ".join(arguments)]


def run(home, test):
    folder, program, ranks, arguments, environment = test
    name = name_of(test)
    where = home / folder
    if {"io", "spawn"} & set(folder.split("/")):
        return [*name, "not here", "files, or processes that are started by others"]
    with BUILDING:
        built = None if (where / program).exists() else subprocess.run(["make", program], cwd=where, capture_output=True, text=True)
    if built and built.returncode:
        return [*name, "not built", (built.stderr.strip().splitlines() or [""])[-1]]
    # The tests of errors ask for an error code of a call that is wrong, as a library that looks at its arguments gives it.
    checks = ["--variant", "checked"] if folder.startswith("errors") else []
    command = [LITMPI, "verify", "-n", str(min(ranks, MOST)), "--json", "--random", "1", *checks, "--", f"./{program}", *arguments]
    started = subprocess.Popen(command, cwd=where, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", preexec_fn=bounded)
    try:
        out, err = started.communicate(timeout=SECONDS * LONGER)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        return [*name, "slow", f"more than {SECONDS * LONGER} s"]
    if started.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return [*name, "slow", f"more than {SECONDS} s of a processor"]
    try:
        said = json.loads(out)
    except ValueError:
        return [*name, "failed", (err.strip().splitlines() or [""])[-1]]
    printed = "".join(said.get("written") or [])
    found = [f["what"] for f in said["findings"]] + said["unsupported"] + [str(b) for b in said["bounds"]]
    if said["verdict"] in ("correct", "nothing found") and not found:
        if "no errors" in printed.lower():
            return [*name, "pass"]
        return [*name, "fail", (printed.strip().splitlines() or ["it prints nothing"])[0]]
    return [*name, "unsupported" if said["unsupported"] else said["verdict"], (found or [""])[0].splitlines()[0]]


def main():
    parser = argparse.ArgumentParser(description="MPICH's own tests on litmpi's rules")
    parser.add_argument("folder")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    asked = parser.parse_args()
    home = suite(asked.folder)
    folders = sorted({t.split("/")[0] for t in asked.tests}) or FOLDERS
    wanted = [t for f in folders for t in tests(home, f)]
    is_asked = lambda t: not asked.tests or any(f"{t[0]}/{t[1]}".startswith(a) for a in asked.tests)
    named = [(tuple(name_of(t)), t) for t in wanted if is_asked(t)]
    results.complete(asked.results / "mpich.tsv", named, lambda t: run(home, t), JOBS, key=3)


if __name__ == "__main__":
    main()
