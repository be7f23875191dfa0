#!/usr/bin/env python3
"""Latency of barrier and broadcast: libraries that `litmpi emit --layer` makes, beside Open MPI's and MPICH's (loco-mowgli Fig. 15).

usage: latency.py LITMPI [--nodes 2,3,4] [--rounds 200] [--wire nic|device] > table.md

On `nic` each goes over the emulated NIC (`litmpi nic --scheduler prompt`). On `device` the same programs run on what libibverbs finds
(LITMPI_DEVICE, UCX_NET_DEVICES choose it), all processes on this machine.
"""
import argparse, collections, os, pathlib, shutil, statistics, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
OPENMPI = ["mpirun.openmpi", "-n", "{n}", "--quiet", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
           "--mca", "pml", "ucx", "--mca", "btl", "self", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"]


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("litmpi", type=pathlib.Path)
    arguments.add_argument("--nodes", default="2,3,4")
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--wire", choices=["nic", "device"], default="nic")
    args = arguments.parse_args()
    litmpi = str(args.litmpi.resolve())
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", UCX_TLS="rc,self", MPIR_CVAR_NOLOCAL="1")
    wire = []
    if args.wire == "nic":
        env["UCX_NET_DEVICES"] = "litmpi0:1"
        wire = [litmpi, "nic", "--scheduler", "prompt", "--pause", "20", "--"]
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder)
        for layer in ["loco-barrier", "loco-ring-buffer"]:
            run([litmpi, "emit", "--layer", layer, "-o", own / layer])
            for made in (own / layer).iterdir():
                shutil.copy(made, own)
        for name in ["launch.h", "latency.c"]:
            shutil.copy(HERE / name, own)
        run(["sh", "-c", "cc -std=c11 -O2 -o latency *.c -libverbs"], cwd=own)
        programs = {"litmpi": [own / "latency", "{n}", "{rounds}"]}
        for library, launch in [("openmpi", OPENMPI), ("mpich", ["mpirun.mpich", "-n", "{n}"])]:
            if shutil.which(launch[0]):
                run([f"mpicc.{library}", "-O2", "-o", own / library, HERE / "latency-mpi.c"])
                programs[library] = [*launch, own / library, "{rounds}"]
        print("| processes | what | bytes | library | median, µs | from 10 % | to 90 % | rounds |\n|---|---|---|---|---|---|---|---|")
        for n in args.nodes.split(","):
            rows = []
            for library, command in programs.items():
                command = [str(c).replace("{n}", n).replace("{rounds}", str(args.rounds)) for c in command]
                took = collections.defaultdict(list)
                for line in run([*wire, *command], env=env, timeout=900).splitlines():
                    words = line.split()
                    if len(words) == 3 and words[0] in ("barrier", "broadcast"):
                        took[words[0], int(words[1])].append(float(words[2]))
                if not took:
                    sys.exit(f"{library} printed no times")
                rows += [(what, size, library, sorted(of)) for (what, size), of in took.items()]
            for what, size, library, of in sorted(rows, key=lambda r: r[:2]):
                low, high = of[len(of) // 10], of[len(of) * 9 // 10]
                print(f"| {n} | {what} | {size} | {library} | {statistics.median(of):.0f} | {low:.0f} | {high:.0f} | {len(of)} |", flush=True)


if __name__ == "__main__":
    main()
