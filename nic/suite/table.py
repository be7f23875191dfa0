#!/usr/bin/env python3
"""Makes docs/nic-suites.md of results: rdma-core's tests and the page of probes, on the emulated NIC and on Soft-RoCE.

    python3 nic/suite/table.py > docs/nic-suites.md

Results stand in nic/suite/results: `rdma-core.nic.tsv` and `rdma-core.rxe.tsv` of rdma_core.py, `probes.nic` and `probes.rxe` of
probes.c. Why a test does not pass on the NIC stands in nic/suite/reasons.tsv, by a part of what it says of itself.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
KINDS = ("pass", "fail", "crash", "hang", "skip")


def lines(name, folder=RESULTS):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def results(name):
    """What came of each test, and why."""
    return {test: (what, why) for test, what, why in (line.split("\t") for line in lines(name))}


def probes(name):
    return dict(line.split(":", 1) for line in lines(name))


def reason(why, reasons):
    """The reason for what a test says; none is a mistake of the table."""
    found = [text for part, text in reasons if part in why]
    if not found:
        sys.exit(f"nic/suite/reasons.tsv has no reason for: {why}")
    return found[0]


def programs(name):
    found = {}
    for line in lines(f"results/{name}", HERE):
        program, code, said = re.fullmatch(r"(.*?): (\d+) ?(.*)", line).groups()
        found[program] = "runs" if code == "0" else f"exit code {code}: {said}"
    return found


def main():
    nic, rxe = results("rdma-core.nic.tsv"), results("rdma-core.rxe.tsv")
    reasons = [line.split("\t") for line in lines("reasons.tsv", HERE)]
    counts = lambda of, tests: [sum(of.get(t, ("",))[0] == kind for t in tests) for kind in KINDS]
    print("# Suites of others on the emulated NIC\n")
    print("Made by `python3 nic/suite/table.py > docs/nic-suites.md` of the results in `nic/suite/results`. They come from")
    print("`litmpi nic -- python3 nic/suite/rdma_core.py FOLDER` and `litmpi nic -- ./probes`, and, on Soft-RoCE, from the same by")
    print("`litmpi lab run`; `nic/suite/fetch.sh FOLDER` gets rdma-core's tests from Debian's package python3-pyverbs (44.0).\n")
    print("## rdma-core's Python tests\n")
    print("Each test has a process of its own. Tests of one vendor's devices (mlx5, efa, CUDA) are left out.\n")
    print("| module | tests | " + " | ".join(KINDS) + " | on Soft-RoCE: " + " | ".join(KINDS) + " |")
    print("|---" * (2 + 2 * len(KINDS)) + "|")
    modules = sorted({t.split(".")[0] for t in nic})
    for module in [*modules, ""]:
        tests = [t for t in nic if t.startswith(module + ".") or not module]
        row = [f"`{module}`" if module else "all", len(tests), *counts(nic, tests), *counts(rxe, tests)]
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    missed = [t for t in nic if nic[t][0] != "pass" and rxe.get(t, ("",))[0] == "pass"]
    gained = [t for t in nic if nic[t][0] == "pass" and rxe.get(t, ("",))[0] != "pass"]
    print(f"\n{len(missed)} tests pass on Soft-RoCE and not on the NIC, {len(gained)} on the NIC and not on Soft-RoCE.\n")
    print("### What does not pass\n")
    print("| what | tests | why |")
    print("|---|---|---|")
    by_reason = {}
    for test, (what, why) in sorted(nic.items()):
        if what != "pass":
            by_reason.setdefault((what, reason(why, reasons)), []).append(test.rsplit(".", 1)[1])
    for (what, why), tests in sorted(by_reason.items()):
        print(f"| {what} | {len(tests)}: " + ", ".join(f"`{t}`" for t in tests) + f" | {why} |")
    print("\n## The page of probes\n")
    print("`nic/suite/probes.c` breaks one thing at a time between two connected queue pairs, `a` and `b`, and says which completions came")
    print("(the request's number and its status), and in which states the two are then.\n")
    print("| probe | on the NIC | on Soft-RoCE |")
    print("|---|---|---|")
    on_nic, on_rxe = probes("probes.nic"), probes("probes.rxe")
    for name, said in on_nic.items():
        there = on_rxe.get(name, "").strip()
        print(f"| `{name}` | {said.strip()} | " + ("the same" if there == said.strip() else there) + " |")
    print("\nProbes that begin with `uc_` have unreliable connections; `b's` are completions of requests of `b`, as binds of windows are.")
    print("Those that begin with `xrc_` have an extended connection from `a` to `b`, where two shared queues take messages.")
    print("Those that begin with `sqd_` drain a send queue, those with `sqe_` have a request of an unreliable service fail; `group_` is multicast,")
    print("from `a` to queue pairs that are attached; those with `shared_` have `b` take from a shared queue of receives.")
    print("\nWhere the two differ, the NIC follows InfiniBand (vol. 1):\n")
    for line in lines("probes.reasons", HERE):
        print(f"- {line}")
    print("\n## Programs of others\n")
    print("`nic/suite/programs.sh` runs each between two processes, on the NIC and on two devices of the lab: whether it ended well, else its exit code and")
    print("what it said of it. Nothing is held back (`--scheduler prompt`).\n")
    print("| program | on the NIC | on Soft-RoCE |")
    print("|---|---|---|")
    on_nic, on_rxe = programs("programs.nic"), programs("programs.rxe")
    for name, said in on_nic.items():
        print(f"| `{name}` | {said} | {on_rxe.get(name, '')} |")
    with open(os.path.join(HERE, "managers.md")) as text:
        print(text.read(), end="")


if __name__ == "__main__":
    main()
