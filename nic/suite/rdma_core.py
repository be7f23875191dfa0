#!/usr/bin/env python3
"""Runs rdma-core's own Python tests on the device that is here, each in a process of its own.

    litmpi nic -- python3 nic/suite/rdma_core.py FOLDER > results.tsv

FOLDER has rdma-core's `tests` and, unless it is installed, `pyverbs` beside it; `fetch.sh` makes one of Debian's package
python3-pyverbs. A test that crashes or hangs costs no other its result. Each line of the output is a test, `pass`, `fail`, `crash`,
`hang` or `skip`, and why. Tests of one vendor's devices (mlx5, efa) are left out, and their number is said at the end.
"""

import argparse
import os
import signal
import sys
import time
import traceback
import unittest

VENDORS = ("test_mlx5", "test_efa", "test_cuda")


def cases(suite):
    """All tests of a suite."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from cases(one)
        else:
            yield one


def reason(text):
    """The last line of a traceback: the error; or of a reason. One line, without numbers that differ from run to run."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return " ".join(lines[-1].split())[:200] if lines else ""


def run_here(case, out):
    """Runs a test in this process, and writes what came of it."""
    result = unittest.TestResult()
    case.run(result)
    if result.errors or result.failures:
        what, why = "fail", reason((result.errors + result.failures)[0][1])
        sys.stderr.write((result.errors + result.failures)[0][1])
    elif result.skipped:
        what, why = "skip", reason(result.skipped[0][1])
    else:
        what, why = "pass", ""
    os.write(out, f"{what}\t{why}".encode())


def run(case, limit):
    """Runs a test in a process of its own for at most so many seconds: what came of it, and why."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null if not os.environ.get("VERBOSE") else 2, 1)
        if not os.environ.get("VERBOSE"):
            os.dup2(null, 2)
        try:
            run_here(case, write)
        except BaseException:  # said as a failure, whatever it is
            os.write(write, f"fail\t{reason(traceback.format_exc())}".encode())
        os._exit(0)
    os.close(write)
    until = time.monotonic() + limit
    status = None
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.005)
    hangs = status is None or not done
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if hangs:
        os.waitpid(child, 0)
    said = b""
    os.set_blocking(read, False)
    try:
        said = os.read(read, 4096)
    except BlockingIOError:
        pass
    os.close(read)
    if hangs:
        return "hang", f"no end within {limit} s"
    if os.WIFSIGNALED(status):
        return "crash", signal.Signals(os.WTERMSIG(status)).name
    if not said:
        return "crash", f"ended with {os.WEXITSTATUS(status)}"
    what, _, why = said.decode().partition("\t")
    return what, why


def main():
    own = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    own.add_argument("folder")
    own.add_argument("--only", default="", help="tests whose name has this")
    own.add_argument("--limit", type=float, default=60, help="seconds a test")
    given, rest = own.parse_known_args()
    for part in ("", "tests", "usr/lib/python3/dist-packages"):
        sys.path.insert(0, os.path.join(os.path.abspath(given.folder), part))
    sys.argv = sys.argv[:1] + rest  # `--dev NAME`, `--gid INDEX`, …
    names = sorted(n[:-3] for n in os.listdir(os.path.join(given.folder, "tests")) if n.startswith("test_"))
    import tests.base  # the suite reads its own arguments

    tests.base.parser.parse_args()
    left_out, count = 0, {}
    for name in names:
        try:
            suite = unittest.defaultTestLoader.loadTestsFromName(f"tests.{name}")
        except Exception as e:
            print(f"{name}\tfail\t{e}", flush=True)
            continue
        for case in cases(suite):
            label = case.id().removeprefix("tests.")
            if name.startswith(VENDORS):
                left_out += 1
            elif given.only in label:
                what, why = run(case, given.limit)
                count[what] = count.get(what, 0) + 1
                print(f"{label}\t{what}\t{why}", flush=True)
    print(f"# {sum(count.values())} tests: " + ", ".join(f"{n} {what}" for what, n in sorted(count.items())), flush=True)
    print(f"# {left_out} tests of one vendor's devices are left out", flush=True)


if __name__ == "__main__":
    main()
