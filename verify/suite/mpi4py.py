"""mpi4py's own tests on litmpi's MPI library: `python3 verify/suite/mpi4py.py FOLDER RANKS [TESTS…]`.

FOLDER gets mpi4py and its source distribution from PyPI, if they are not there. Each test is a program of its own, of which
`litmpi verify` follows two behaviours at random: in one of them all that may happen next is as likely, in the other somebody
comes late. The results go to `verify/suite/results/mpi4py-RANKS.tsv`, a line as soon as a test is over; tests that are there
are not run again. LITMPI says which litmpi is used.
"""

import collections
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
LITMPI = os.environ.get("LITMPI", "litmpi")
SECONDS = 120

LIST = """
import sys, unittest, glob
sys.path.insert(0, '.')
def walk(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from walk(test)
        else:
            yield test.id()
with open(sys.argv[1], 'w') as out:
    for f in sorted(glob.glob('test_*.py')):
        try:
            for test in walk(unittest.defaultTestLoader.loadTestsFromName(f[:-3])):
                print(test, file=out)
        except unittest.SkipTest:
            pass
        except Exception:
            print(f[:-3], file=out)
"""

ONE = """
import sys, unittest
sys.path.insert(0, '.')
from mpi4py import MPI
suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
result = unittest.TextTestRunner(verbosity=2).run(suite)
with open(sys.argv[2] + str(MPI.COMM_WORLD.Get_rank()), 'w') as out:
    bad = [text.strip().splitlines()[-1] for _, text in result.errors + result.failures]
    print('\\t'.join(['skip' if result.skipped else 'pass' if not bad else 'fail'] + bad[:1] + [why for _, why in result.skipped][:1]), file=out)
"""


def fetched(folder):
    """The Python that has mpi4py, and the folder of its tests."""
    python = folder / "venv/bin/python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
        pip = [python, "-m", "pip", "--quiet"]
        subprocess.run([*pip, "install", "--only-binary", ":all:", "mpi4py", "numpy"], check=True)
        subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, "mpi4py"], check=True)
        (source,) = folder.glob("mpi4py-*.tar.gz")
        subprocess.run(["tar", "xf", source.resolve(), "--strip-components=1"], cwd=folder, check=True)
    return python.absolute(), folder / "test"


def verify(python, tests, ranks, script, *args):
    """What `litmpi verify` says of a script."""
    command = [LITMPI, "verify", "-n", str(ranks), "--random", "2", "--allow-leaks", "--variant", "checked", "--return-unsupported"]
    command += ["--patience", "60", "--", str(python), str(script), *map(str, args)]
    try:
        done = subprocess.run(command, cwd=tests, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"slow: more than {SECONDS} s"
    return done.stdout + done.stderr


def result(said, ended):
    """Whether a test passed, and if not, why: what litmpi found, a function that it does not have, or what the test says."""
    lines = [re.sub(r"\s*\([^()]*\.py:\d+\)", "", line) for line in said.splitlines()]
    missing = sorted({m[1] for line in lines if (m := re.match(r"unsupported: (?:no rule speaks of )?(\w+)", line))})
    for line in lines:
        if re.match(r"(erroneous|crash|abort|deadlock|silent|differs|not deterministic|slow|error)\b", line):
            return line.split(":")[0].split(",")[0], re.sub(r"rank \d+:? ?|0x[0-9a-f]+", "", line)
    words = {end.split("\t")[0] for end in ended}
    if "fail" in words or not words:
        texts = [end.split("\t")[1] for end in ended if end.startswith("fail")]
        return ("unsupported", " ".join(missing)) if missing else ("fail", (texts or ["it does not end"])[0])
    if "skip" in words:
        return "skip", next(end.split("\t")[-1] for end in ended if end.startswith("skip"))
    return "pass", ""


def main():
    folder, ranks, wanted = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    python, tests = fetched(folder)
    for name, text in [("list.py", LIST), ("one.py", ONE)]:
        (folder / name).write_text(text)
    if not (folder / "list").exists():
        verify(python, tests, 1, folder / "list.py", folder / "list")
    modules = collections.Counter(test.split(".")[0] for test in (folder / "list").read_text().split())
    (HERE / "results/mpi4py.tests").write_text("".join(f"{m}\t{n}\n" for m, n in sorted(modules.items())))
    out = HERE / f"results/mpi4py-{ranks}.tsv"
    known = {line.split("\t")[0] for line in out.read_text().splitlines()} if out.exists() else set()
    for test in (folder / "list").read_text().split():
        if test in known or wanted and not any(test.startswith(w) for w in wanted):
            continue
        for r in range(ranks):
            (folder / f"end-{ranks}-{r}").unlink(missing_ok=True)
        said = verify(python, tests, ranks, folder / "one.py", test, folder / f"end-{ranks}-")
        ends = [folder / f"end-{ranks}-{r}" for r in range(ranks)]
        came, why = result(said, [e.read_text().strip() for e in ends if e.exists()])
        with out.open("a") as f:
            print(test, came, why, sep="\t", file=f)


main()
