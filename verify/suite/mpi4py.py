"""mpi4py's own tests on litmpi's MPI library: `python3 verify/suite/mpi4py.py FOLDER RANKS [--order default|random] [TESTS…]`.

FOLDER gets mpi4py and its source distribution from PyPI, if they are not there. `litmpi verify` follows one behaviour in default
order, where all that may happen next is as likely, and four in random order, in two of which somebody comes late. The tests of a
class are a program; if that does not end well, the test at which it stopped is a program of its own, and so are tests that
failed, and the others are tried again without them. The results go to `verify/suite/results/mpi4py-RANKS-ORDER.tsv`, a line a
test; tests that are there are not run again. LITMPI says which litmpi is used, JOBS how many programs run at a time, SECONDS how long each may.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
LITMPI = os.environ.get("LITMPI", "litmpi")
JOBS = int(os.environ.get("JOBS", "1"))
BEHAVIOURS = {"default": ["--random", "1"], "random": ["--random", "4", "--seed", "1"]}
# How long the tests of a class may take, and a single one: in seconds of a processor; the clock may go on for longer on a machine that others use.
SECONDS = int(os.environ.get("SECONDS", "120"))
LONGER = 6
# What this ends with where there is no mpi4py.
NOT_HAD = 77

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

# What becomes of each test stands in a file of each rank. A single test that fails aborts, so that no other behaviour hides it.
RUN = """
import sys, unittest
sys.path.insert(0, '.')
from mpi4py import MPI
names = sys.argv[2:]
out = open(sys.argv[1] + str(MPI.COMM_WORLD.Get_rank()), 'a')
def say(came, test, why=''):
    print(came, test.id(), ' '.join(str(why).split())[:300], sep='\\t', file=out, flush=True)
class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.came = 'pass', ''
        say('start', test)
    def stopTest(self, test):
        super().stopTest(test)
        say(self.came[0], test, self.came[1])
    def addSkip(self, test, why):
        super().addSkip(test, why)
        if hasattr(test, 'id') and not isinstance(test, unittest.suite._ErrorHolder):
            self.came = 'skip', why
    def bad(self, test, error):
        self.came = 'fail', f'{error[0].__name__}: {error[1]}'
        say('fail', test, self.came[1])
        if len(names) == 1:
            MPI.COMM_WORLD.Abort(1)
    def addError(self, test, error):
        super().addError(test, error)
        self.bad(test, error)
    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.bad(test, error)
    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.bad(test, error)
def load(name):
    # A module that skips itself as it is loaded has no tests.
    try:
        return unittest.defaultTestLoader.loadTestsFromName(name)
    except unittest.SkipTest as skipped:
        out.write(f'skip\\t{name}\\t{skipped}\\n')
        return unittest.TestSuite()
suite = unittest.TestSuite(load(name) for name in names)
unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
out.close()
"""


def fetched(folder):
    """The Python that has mpi4py, and the folder of its tests."""
    python = folder / "venv/bin/python"
    if not (folder / "test").exists():
        pip = [python, "-m", "pip", "--quiet"]
        try:
            venv.create(folder / "venv", with_pip=True)
            subprocess.run([*pip, "install", "--only-binary", ":all:", "mpi4py", "numpy"], check=True)
            subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, "mpi4py"], check=True)
        except (OSError, subprocess.CalledProcessError) as e:
            print(f"mpi4py cannot be had: {e}", file=sys.stderr)
            sys.exit(NOT_HAD)
        (source,) = folder.glob("mpi4py-*.tar.gz")
        subprocess.run(["tar", "xf", source.resolve(), "--strip-components=1"], cwd=folder, check=True)
    return python.absolute(), folder / "test"


class Suite:
    """How the tests are run."""

    def __init__(self, folder, ranks, order):
        self.folder, self.ranks, self.order = folder, ranks, order
        self.python, self.tests = fetched(folder)
        (folder / "run.py").write_text(RUN)

    def verify(self, script, *args, ranks, behaviours):
        """What `litmpi verify` says of a script."""
        command = [LITMPI, "verify", "-n", str(ranks), *behaviours, "--allow-leaks", "--variant", "checked", "--return-unsupported"]
        command += ["--patience", "60", "--", str(self.python), str(script), *map(str, args)]
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            try:
                limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
                came = subprocess.run(command, cwd=self.tests, stdout=said, stderr=said, timeout=LONGER * SECONDS, preexec_fn=limit)
                is_slow = came.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
            except subprocess.TimeoutExpired:
                is_slow = True
            ended = f"\nslow: more than {SECONDS} s\n" if is_slow else ""
            said.seek(0)
            return said.read() + ended

    def list(self):
        """The names of all tests."""
        names = self.folder / "list"
        if not names.exists():
            (self.folder / "list.py").write_text(LIST)
            self.verify(self.folder / "list.py", names, ranks=1, behaviours=BEHAVIOURS["default"])
        return names.read_text().split()

    def run(self, names):
        """What became of tests that were one program: a pair of a word and the reason, by name; and where it stopped, if it did."""
        with tempfile.TemporaryDirectory() as place:
            said = self.verify(self.folder / "run.py", f"{place}/", *names, ranks=self.ranks, behaviours=BEHAVIOURS[self.order])
            ends = [Path(place, str(r)) for r in range(self.ranks)]
            lines = [[line.split("\t") for line in e.read_text().splitlines()] if e.exists() else [] for e in ends]
        failed = {line[1] for rank in lines for line in rank if line[0] == "fail"}
        came, order = {}, ["skip", "pass", "fail"]
        for _, name, *why in sorted((line for rank in lines for line in rank if line[0] in order), key=lambda line: order.index(line[0])):
            came[name] = ("fail" if name in failed else _, why[0] if why else "")
        words = [line for line in said.splitlines() if re.match(FOUND, line)]
        at = [rank[-1][1] for rank in lines if rank and rank[-1][0] == "start"]
        if not words and re.search(r"^(nothing found|undecided): \d+ behaviour", said, re.M) and all(lines) and not at:
            stopped = None
        else:
            at += [rank[-1][1] for rank in lines if rank and rank[-1][0] == "fail"]
            stopped = next((name for name in names if name in at), names[0] if not any(lines) else names[-1])
        missing = sorted({m[1] for line in said.splitlines() if (m := re.match(r"unsupported: (?:no rule speaks of )?(\w+): ", line))})
        return came, stopped, missing, words or [line for line in said.splitlines() if line.startswith("unsupported")]

    def one(self, name):
        """What became of a test that is a program of its own."""
        came, stopped, missing, words = self.run([name])
        word, why = came.get(name, ("", ""))
        found = re.sub(r"\s*\([^()]*\.py:\d+\)|rank \d+:? ?|0x[0-9a-f]+", "", words[0]) if words else ""
        if missing and (word in ("fail", "") or stopped):
            return "unsupported", " ".join(missing)
        if word == "fail":
            return "fail", why
        if stopped and words:
            return words[0].split(":")[0].split(",")[0], found
        return (word or "fail"), (why if word else "it does not end")

    def all(self, names):
        """What became of each test of a class."""
        todo, results = list(names), {}
        while todo:
            if len(todo) == 1:
                results[todo[0]] = self.one(todo[0])
                break
            came, stopped, _, _ = self.run(todo)
            single = {stopped} | {name for name, (word, _) in came.items() if word == "fail"} & set(todo)
            # What comes before the end of a bad behaviour was good in this one, and the others have not been seen.
            good = {n: c for n, c in came.items() if n not in single} if stopped is None or self.order == "default" else {}
            results |= {n: c for n, c in good.items() if n in todo}
            results |= {n: self.one(n) for n in sorted(single - {None})}
            left = [n for n in todo if n not in results]
            if stopped is None:
                results |= {n: ("fail", "it is not run") for n in left}
                left = []
            todo = left
        return results


FOUND = r"(erroneous|crash|abort|exit|deadlock|silent|differs|not deterministic|slow|error|race|endless)\b"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("ranks", type=int)
    parser.add_argument("--order", choices=BEHAVIOURS, default="default")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("tests", nargs="*")
    args = parser.parse_intermixed_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    suite = Suite(args.folder.resolve(), args.ranks, args.order)
    names = suite.list()
    modules = collections.Counter(name.split(".")[0] for name in names)
    args.results.mkdir(exist_ok=True)
    (args.results / "mpi4py.tests").write_text("".join(f"{m}\t{n}\n" for m, n in sorted(modules.items())))
    out = args.results / f"mpi4py-{args.ranks}-{args.order}.tsv"
    known = {line.split("\t")[0] for line in out.read_text().splitlines()} if out.exists() else set()
    wanted = [n for n in names if n not in known and (not args.tests or any(n.startswith(t) for t in args.tests))]
    classes = [list(group) for _, group in itertools.groupby(wanted, lambda name: name.rpartition(".")[0])]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool, out.open("a") as f:
        for results in pool.map(suite.all, classes):
            for name, (came, why) in results.items():
                print(name, came, why, sep="\t", file=f, flush=True)


main()
