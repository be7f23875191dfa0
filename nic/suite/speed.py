#!/usr/bin/env python3
"""How fast the emulated NIC is, calm, beside Soft-RoCE in the lab and beside shared memory: one after the other, as often as is said.

    python3 nic/suite/speed.py [--times N] [--rounds N] [--litmpi target/release/litmpi] [--lab] [--one-core]

Of each line the least is said, which other programs of the machine have disturbed least, and the median behind it. `--lab` runs the same
program on Soft-RoCE in a guest (`litmpi lab setup` before); what does not run is said and left out. With `--one-core` programs, device and
guest have one processor together.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINE = re.compile(r"(.*?) +(?:([\d.]+) us user, +([\d.]+) us kernel, +)?([\d.]+) us by the clock a (\w+)")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--times", default="4000")
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("--litmpi", default="target/release/litmpi")
    ask.add_argument("--lab", action="store_true")
    ask.add_argument("--one-core", action="store_true")
    args = ask.parse_args()
    folder = tempfile.mkdtemp()
    program = os.path.join(folder, "speed")
    subprocess.run(["cc", "-O2", "-o", program, os.path.join(HERE, "speed.c"), "-libverbs"], check=True)
    ways = {
        "NIC": [args.litmpi, "nic", "--scheduler", "prompt", "--", program, args.times],
        "shared memory": [program, args.times, "shared"],
    }
    if args.lab:
        cpus = ["--cpus", "1" if args.one_core else "2"]
        ways["Soft-RoCE"] = [args.litmpi, "lab", "run", *cpus, "--", program, args.times]
    if args.one_core:
        ways = {way: ["taskset", "-c", "0", *command] for way, command in ways.items()}
    found = {}
    for _ in range(args.rounds):
        for way, command in ways.items():
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                print(f"{way} did not end in 300 s")
                continue
            lines = [m for m in map(LINE.fullmatch, done.stdout.splitlines()) if m]
            if done.returncode or not lines:
                print(f"{way} does not run: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
            for m in lines:
                times = tuple(float(t) if t else None for t in m.groups()[1:4])
                found.setdefault((way, m[1].strip(), m[5]), []).append(times)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, least and median of {args.rounds}")
    print("| | what | user | kernel | by the clock |\n|---|---|---|---|---|")
    for (way, what, unit), all_times in found.items():
        def both(column):
            return f"{min(column):.1f}, {statistics.median(column):.1f} µs"

        user, kernel, clock = zip(*all_times)
        # Elsewhere the device is no process.
        columns = [both(user) if way == "NIC" else "", both(kernel) if way == "NIC" else "", both(clock)]
        print(f"| {way} | {what}, a {unit} | " + " | ".join(columns) + " |")


main()
