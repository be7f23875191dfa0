#!/usr/bin/env python3
"""Which NICs that break one rule (`litmpi nic --mutants`) are caught without being directed, by whom, and in how many seconds.

    python3 nic/suite/undirected.py [--time MS] [--litmpi target/debug/litmpi] [--only NAME] [WAYS…]

A way is a scheduler or adversaries (`prompt`, `mixed`, `torn`, `torn+bursts`). Each NIC runs the first test that can tell it, for so long at
most; its seconds are those until the first iteration with an outcome that is not allowed, of iterations that take the same time each.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEDULERS = ["prompt", "mixed", "random", "adversarial"]
TARGET = """[[target]]
name = "wrong"
family = "rdma"
description = "a NIC that breaks a rule"
compiler = ["cc", "-pthread", "-Wl,--no-as-needed", "-libverbs"]
launch = ["{{litmpi}}", "nic", "--mutant", "{mutant}", "--variant", "{{variant}}", "--seed", "{{seed}}", "--lossy", {way}, "--",
          "{{program}}", "nodes={{n}}"]
variants = {{ default = "", inline = "inline=1", no-pcie = "", no-rnr-retry = "no_rnr_retry=1", relaxed-ordering = "", unordered = "", fi-order-waw = "", gpu-memory = "" }}
probe = {{ command = ["{{litmpi}}", "nic", "--probe"] }}
missing = ""
get = ""
"""


def test_file(name):
    for folder, _, files in os.walk(os.path.join(ROOT, "litmus")):
        if f"{name}.litmus" in files:
            return os.path.join(folder, f"{name}.litmus")
    raise SystemExit(f"no test {name}")


def caught(litmpi, mutant, way, millis):
    """Seconds until a NIC was caught; none if it was not."""
    folder = tempfile.mkdtemp()
    with open(f"{folder}/targets.toml", "w") as f:
        kind = "scheduler" if way in SCHEDULERS else "adversary"
        f.write(TARGET.format(mutant=mutant["name"], way=f'"--{kind}", "{way}"'))
    command = [litmpi, "run", test_file(mutant["told_by"][0]), "--targets", f"{folder}/targets.toml", "--target", "wrong", "--time", str(millis)]
    command += ["--variant", mutant.get("variant", "default"), "--undirected", "--no-retry", "--json", "--out", f"{folder}/out"]
    begun = time.time()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    took = time.time() - begun
    subprocess.run(["rm", "-rf", folder], check=True)
    if not done.stdout.strip():
        raise SystemExit(f"{mutant['name']}: {done.stderr}")
    for result in json.loads(done.stdout):
        if result["verdict"] not in ("violation", "conforms"):
            raise SystemExit(f"{mutant['name']}: {result['verdict']} {result}")
        wrong = [o for o in result["observed"] if o["allowed"] is not True]
        if wrong and wrong[0].get("first") is not None and result["iterations"]:
            each = result["millis"] / result["iterations"] / 1000
            return min((o["first"] + 1) * each for o in wrong)
        if result["verdict"] == "violation":
            return took
    return None


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--time", type=int, default=1000)
    ask.add_argument("--litmpi", default=os.path.join(ROOT, "target/debug/litmpi"))
    ask.add_argument("--only")
    ask.add_argument("ways", nargs="*", default=["prompt", "mixed"])
    args = ask.parse_args()
    with open(os.path.join(ROOT, "nic/mutants.toml"), "rb") as f:
        mutants = [m for m in tomllib.load(f)["mutant"] if args.only in (None, m["name"])]
    first = {}
    for way in args.ways:
        times = {m["name"]: caught(args.litmpi, m, way, args.time) for m in mutants}
        good = sorted(t for t in times.values() if t is not None)
        missed = [name for name, t in times.items() if t is None]
        for name, t in times.items():
            if t is not None:
                first.setdefault(name, way)
        half = f"{statistics.median(good):.2f} s, {good[int(0.9 * (len(good) - 1))]:.2f} s, {good[-1]:.2f} s" if good else ""
        print(f"| `{way}` | {len(good)} of {len(mutants)} | {half} | {', '.join(f'`{m}`' for m in missed)} |", flush=True)
    never = [m["name"] for m in mutants if m["name"] not in first]
    print(f"load {os.getloadavg()[0]:.1f}; by one of them {len(first)} of {len(mutants)}; never: {', '.join(never)}")


main()
