"""Makes docs/verify-programs.md: `LITMPI=… python3 verify/suite/programs.py > docs/verify-programs.md`.

The programs of tests/verify by class, each followed through all its behaviours, and those of verify/suite/speed. Times are of user time, of litmpi
and all processes that it starts, and depend on the machine; everything else is the same each time. Of the programs in Python only the number is told.
"""

import collections
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LITMPI = os.environ.get("LITMPI", "litmpi")
COMPILERS = {".c": "mpicc.mpich", ".cpp": "mpicxx.mpich", ".f90": "mpifort.mpich"}
SECONDS = 40
SPEED = [("six-senders", 7), ("master-and-workers", 5), ("ring", 8), ("halo", 9), ("tree", 16)]


def head(program, word):
    found = re.search(rf"^[!#]* \* {word}: (.*)$", program.read_text(), re.M)
    return found[1] if found else None


def followed(source, ranks, folder, variant="default"):
    """What litmpi says of a program, and the user time of that."""
    program = Path(folder) / source.stem
    # There, since modules of Fortran are written where the compiler runs.
    subprocess.run([COMPILERS[source.suffix], "-g", "-O1", "-o", program, source.resolve(), *(head(source, "options") or "").split()], check=True, cwd=folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [LITMPI, "verify", "-n", str(ranks), "--variant", variant, "--patience", "2", "--json", "--", str(program)]
    try:
        said = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=SECONDS).stdout)
    except subprocess.TimeoutExpired:
        said = None
    return said, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def table(names, rows):
    print("| " + " | ".join(names) + " |")
    print("|---" + "|--:" * (len(names) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def main():
    classes = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((ROOT / "tests/verify").iterdir()):
            if source.suffix in COMPILERS:
                said, seconds = followed(source, head(source, "ranks"), folder, head(source, "variant") or "default")
                classes[head(source, "class")].append((head(source, "expect"), said["states"], seconds))
            else:
                classes[head(source, "class")].append((head(source, "expect"), None, None))
        speed = [(name, ranks, *followed(ROOT / f"verify/suite/speed/{name}.c", ranks, folder)) for name, ranks in SPEED]
    print("# The programs of tests/verify by class, and how fast programs are followed\n")
    print("Made by `LITMPI=… python3 verify/suite/programs.py > docs/verify-programs.md`. Each program says in its head of which class it is and what is")
    print("to be found; `tests/tests/it/verify.rs` holds that, and the numbers of programs here. States and milliseconds (user time of litmpi and of")
    print("all processes, development build) are medians, of all behaviours of a program.\n")
    every = [p for all in classes.values() for p in all]
    rows = [(name, classes[name]) for name in sorted(classes)] + [("all", every)]
    verdicts = sorted({v for v, *_ in every}, key=lambda v: (v != "correct", v))
    lines = []
    for name, programs in rows:
        of = collections.Counter(v for v, *_ in programs)
        run = [p for p in programs if p[1] is not None]
        lines.append([name, len(programs), *(of[v] for v in verdicts), round(statistics.median(s for _, s, _ in run)), round(1000 * statistics.median(t for *_, t in run))])
    table(["class", "programs", *verdicts, "states", "ms"], lines)
    print("\n## Speed\n")
    print("Programs of `verify/suite/speed`, all of their behaviours; a *new state* is one of the model, and its cost is the user time by their number.\n")
    table(
        ["program", "ranks", "verdict", "states", "transitions", "calls", "processes", "s", "ms a new state"],
        [
            [name, ranks, s["verdict"], s["states"], s["transitions"], s["calls"], s["processes"], f"{t:.2f}", f"{1000 * t / s['states']:.2f}"]
            if s
            else [name, ranks, f"more than {SECONDS} s", *["–"] * 6]
            for name, ranks, s, t in speed
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
