"""Makes docs/mpich.md of the results of mpich.py: `python3 verify/suite/mpich_table.py > docs/mpich.md`.

Why a test does not pass stands in verify/suite/mpich-reasons.tsv, by a part of its name or of what was said of it.
"""

import collections
from pathlib import Path

from table import reason, rows, some, table

HERE = Path(__file__).resolve().parent
KINDS = ("pass", "unsupported", "other", "slow", "not here")


def main():
    print("# MPICH's own tests on litmpi's MPI library\n")
    print("Made by `python3 verify/suite/mpich_table.py > docs/mpich.md` of `verify/suite/results/mpich.tsv`, which")
    print("`python3 verify/suite/mpich.py FOLDER` makes: it gets the source of Debian's MPICH, 4.0.2. `litmpi verify` follows one behaviour")
    print("of each test (`--random 1`, and `--variant checked` for those of errors), with eight processes at most. *pass*: it says")
    print("\"No Errors\", and nothing else was found. *unsupported*: it calls a function that no rule speaks of, or needs what the limits in")
    print("[verify.md](verify.md) exclude. *other*: told below, with the reason. *slow*: more than a limit of 12 to 40 seconds of a processor,")
    print("or than three to four times as long by the clock. *not here*: it is of files or of processes that are started by others, or its")
    print("program is not compiled by what is installed. Tests that are not in the table have not been run yet. The results are of several")
    print("runs on a busy machine, and not all of the same version of")
    print("litmpi.\n")
    of, others, missing = collections.defaultdict(collections.Counter), collections.defaultdict(list), collections.Counter()
    for test, _, _, came, *what in rows(HERE / "results/mpich.tsv"):
        what = what[0] if what else ""
        kind = "not here" if came == "not built" else came if came in KINDS else "other"
        for line in (test.split("/")[0], "all"):
            of[line][kind] += 1
        if kind == "unsupported":
            missing[what.split(" (")[0]] += 1
        if kind == "other":
            others[(came, reason(test, what, "mpich-reasons.tsv"))].append(test)
    table(["folder", "tests", *KINDS], [[f, of[f].total(), *(of[f][k] for k in KINDS)] for f in [*sorted(set(of) - {"all"}), "all"]])
    print("\nWhat the tests of *unsupported* need:\n")
    table(["tests", "what"], [[n, what] for what, n in sorted(missing.items())])
    print("\nThe others:\n")
    table(["verdict", "tests", "why"], [[came, some(t), why] for (came, why), t in sorted(others.items())])


main()
