"""The programs of the MPI Bugs Initiative under the rules: `python3 verify/suite/mbi.py FOLDER [--every N] [PROGRAMS…]`.

The MPI Bugs Initiative (Laurent, Saillard, Quinson; 2021) generates small C programs, each with the verdict that its authors expect
in its head. SimGrid's source has the generators, and FOLDER gets them from Debian. Each program is compiled by `litmpi cc`, and
`litmpi verify` searches every behaviour of it. The results go to `verify/suite/results/mbi.tsv`, a line a program: its name, the
verdict of its head, ours, and the first finding; programs that are there are not run again. LITMPI says which litmpi is used, JOBS
how many programs run at a time. PROGRAMS are parts of names; of every N one is run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import debian
import results

HERE = Path(__file__).resolve().parent
LITMPI = os.environ.get("LITMPI", "litmpi")
JOBS = int(os.environ.get("JOBS", "1"))
# How long one program may take, by the clock.
SECONDS = 120


def programs(folder):
    """The generated programs, sorted by name."""
    out = Path(folder).resolve() / "mbi"
    generators = debian.source("simgrid", "bookworm", folder) / "teshsuite/smpi/MBI"
    if not (out / "done").exists():
        out.mkdir(parents=True, exist_ok=True)
        for generator in sorted(generators.glob("*Generator.py")):
            subprocess.run([sys.executable, generator], cwd=out, check=True, stdout=subprocess.DEVNULL)
        (out / "done").touch()
    return sorted(out.glob("*.c"))


def head(text):
    """How many ranks a program wants, its arguments, and the verdict that its authors expect: `OK` or the kind of the error."""
    test = re.search(r"\$ ?mpirun -np (\d+) \$\{EXE\}(.*)\n[ |]*(?:ERROR: *(\w+)|OK)", text)
    return test[1], test[2].split(), test[3] or "OK"


def run(program):
    ranks, arguments, expected = head(program.read_text())
    compiled = program.with_suffix("")
    built = subprocess.run([LITMPI, "cc", "-w", "-g", program, "-o", compiled, "-lm"], capture_output=True, text=True)
    if built.returncode:
        return [program.stem, expected, "not built", built.stderr.strip().splitlines()[-1]]
    command = [LITMPI, "verify", "-n", ranks, "--json", "--", compiled, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        said = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return [program.stem, expected, "slow", f"more than {SECONDS} s"]
    except ValueError:
        return [program.stem, expected, "failed", done.stderr.strip().splitlines()[-1]]
    finally:
        compiled.unlink(missing_ok=True)
    what = [finding["what"] for finding in said["findings"][:1]]
    return [program.stem, expected, said["verdict"] if said["complete"] else "open", *what]


def main():
    parser = argparse.ArgumentParser(description="The programs of the MPI Bugs Initiative under litmpi's rules")
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    asked = parser.parse_args()
    wanted = [p for p in programs(asked.folder)[:: asked.every] if not asked.programs or any(x in p.stem for x in asked.programs)]
    results.complete(asked.results / "mbi.tsv", [((p.stem,), p) for p in wanted], run, JOBS)


if __name__ == "__main__":
    main()
