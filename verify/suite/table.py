"""Makes docs/mpi4py.md of the results of mpi4py.py: `python3 verify/suite/table.py > docs/mpi4py.md`.

Why a test gets another verdict than its authors expect stands in verify/suite/reasons.tsv, by a part of what was said of it.
"""

import collections
import functools
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ("pass", "skip", "unsupported", "other")


@functools.cache
def rows(path):
    return [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]


def kind(came):
    return came if came in KINDS else "other"


def reason(test, why, file="reasons.tsv"):
    """Why a test gets another verdict: the first line of the file of which a part is in its name or in what was said of it."""
    for part, text in rows(HERE / file):
        if part in why or part in test:
            return text
    sys.exit(f"verify/suite/{file} has no reason for {test}: {why}")


def needs(why):
    """Functions that no rule speaks of, or what else is not followed."""
    if why.startswith("unsupported: "):
        return why.removeprefix("unsupported: ").strip()
    return ", ".join(f"`{f}`" for f in why.split())


def some(tests):
    """How many there are, and the first one."""
    return f"{len(tests)}: `{tests[0]}`" + (" …" if len(tests) > 1 else "")


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |")


def main():
    print("# mpi4py's own tests on litmpi's MPI library\n")
    print("Made by `python3 verify/suite/table.py > docs/mpi4py.md` of the results in `verify/suite/results`, which")
    print("`python3 verify/suite/mpi4py.py FOLDER RANKS` makes: it gets mpi4py and its tests from PyPI. The tests of a class are one program,")
    print("and those that do not end well a program each, of which `litmpi verify --variant checked --return-unsupported` follows one behaviour")
    print("in *default order* (`--random 1`: whatever may happen next is as likely) or four in *random order* (`--random 4 --seed 1`: in two of")
    print("them somebody comes late). The results are of several runs, and not all of the same version of litmpi.")
    print("*pass*: all are as the test asks, and nothing else was found. *skip*: the test skips itself, most often")
    print("because it wants more ranks. *unsupported*: it calls a function that no rule speaks of, or needs what the limits in")
    print("[verify.md](verify.md) exclude. *other*: told below, with the reason. *not run*: not tried yet.")
    there = {m: int(n) for m, n in rows(HERE / "results/mpi4py.tests")}
    for path in sorted((HERE / "results").glob("mpi4py-*.tsv")):
        _, ranks, order = path.stem.split("-")
        results = rows(path)
        print(f"\n## {ranks} rank{'s' if ranks != '1' else ''}, {order} order\n")
        of = collections.defaultdict(collections.Counter)
        for test, came, *_ in results:
            of[test.split(".")[0]][kind(came)] += 1
            of["all"][kind(came)] += 1
        modules = sorted(there)
        left = {m: n - of[m].total() for m, n in there.items()}
        left["all"], there["all"] = sum(left.values()), sum(there[m] for m in modules)
        name = lambda m: m if m == "all" else f"`{m}`"
        table(["module", "tests", *KINDS, "not run"], [[name(m), there[m], *(of[m][k] for k in KINDS), left[m]] for m in [*modules, "all"]])
        del there["all"]
        missing = collections.Counter(needs(why) for _, came, why in results if came == "unsupported")
        if missing:
            print("\nWhat the tests of *unsupported* need:\n")
            table(["tests", "what"], [[n, what] for what, n in sorted(missing.items())])
        others = collections.defaultdict(list)
        for test, came, why in results:
            if kind(came) == "other":
                others[(came, reason(test, why))].append(test)
        if others:
            print("\nThe others:\n")
            table(["verdict", "tests", "why"], [[came, some(t), why] for (came, why), t in sorted(others.items())])


if __name__ == "__main__":
    main()
