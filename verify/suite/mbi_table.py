"""Makes docs/mbi.md of the results of mbi.py: `python3 verify/suite/mbi_table.py > docs/mbi.md`.

Why litmpi's verdict is not the one in a program's head stands in verify/suite/mbi-reasons.tsv, by a part of the program's name.
"""

import collections
import re
import sys
from pathlib import Path

from table import rows, some, table

HERE = Path(__file__).resolve().parent
# Results that decide nothing.
OPEN = ("open", "slow", "failed", "not built")


def main():
    reasons = rows(HERE / "mbi-reasons.tsv")
    print("# The MPI Bugs Initiative's programs under the rules\n")
    print("Made by `python3 verify/suite/mbi_table.py > docs/mbi.md` of `verify/suite/results/mbi.tsv`, which")
    print("`python3 verify/suite/mbi.py FOLDER` makes: it generates the programs with the generators in SimGrid's source (Debian 12's")
    print("package), compiles each by `litmpi cc`, and searches every behaviour of it by `litmpi verify`. The *class* is what the head of")
    print("a program says its error is; *found* counts programs with any verdict but *correct*, and *correct* those in which every")
    print("behaviour is.\n")
    of, others = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for name, expected, came, *what in rows(HERE / "results/mbi.tsv"):
        kind = came if came == "correct" else "open" if came in OPEN else "found"
        of[expected][kind] += 1
        of["all"][kind] += 1
        if kind == "open" or (kind == "found") == (expected == "OK"):
            why = next((text for part, text in reasons if re.search(part, name)), None)
            if why is None:
                sys.exit(f"verify/suite/mbi-reasons.tsv has no reason for {name}: {expected}, {came}: {what}")
            others[(expected, came, why)].append(name)
    classes = sorted(c for c in of if c not in ("all", "OK"))
    table(["class", "programs", "found", "correct", "open"], [
        [c, of[c].total(), of[c]["found"], of[c]["correct"], of[c]["open"]] for c in [*classes, "OK", "all"]])
    print("\nWhere the verdict is not the one in the head:\n")
    table(["head", "verdict", "programs", "why"], [
        [expected, came, some(names), why]
        for (expected, came, why), names in sorted(others.items())])


main()
