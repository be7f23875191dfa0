#!/usr/bin/env python3
"""Latency of barrier and broadcast: libraries that `litmpi emit --layer` makes, beside Open MPI's and MPICH's (loco-mowgli Fig. 15).

usage: latency.py LITMPI [--nodes 2,4,8] [--words 1,8,64] [--rounds 100] [--turns 3] [--wire lab|nic|device] [--plot FILE.svg] [--times FILE] > table.md

The table is of milliseconds: median, and from where to where four fifths of the rounds lie. `--from FILE` makes table and plot of times that an earlier call
has written with --times.

On `lab` each goes over Soft-RoCE in a guest of the lab (`litmpi lab setup`), the processes in turn on its two devices; on `nic` over the emulated
NIC (`litmpi nic --scheduler prompt`). On `device` the same programs run on what libibverbs finds (LITMPI_DEVICE, LITMPI_GID_INDEX,
UCX_NET_DEVICES choose it), all processes on this machine. Everything has its turn, so many times, so that what else the machine
does meets all alike.
"""
import argparse, collections, math, os, pathlib, shutil, statistics, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
OPENMPI = ["mpirun.openmpi", "-n", "{n}", "--quiet", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
           "--mca", "pml", "ucx", "--mca", "btl", "self", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"]
LAB_MPI = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_orte_execute_quiet=1", "MPIR_CVAR_NOLOCAL=1",
           "UCX_TLS=rc,self", "UCX_IB_GID_INDEX={gid}", "UCX_UD_VERBS_ETH_DGID_CHECK=n", "LD_PRELOAD={relax}"]
COLOURS = {"loco-barrier": "#1f77b4", "loco-wide-ring": "#1f77b4", "puts-team": "#2ca02c", "openmpi": "#d62728", "mpich": "#ff7f0e"}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


def spread(of):
    of = sorted(of)
    return statistics.median(of), of[len(of) // 10], of[len(of) * 9 // 10]


def plot(took, path):
    """A panel for each thing measured: processes across, microseconds up, on a scale of powers; bars are four fifths of the rounds."""
    panels = sorted({key[1:4] for key in took})
    nodes = sorted({key[0] for key in took})
    wide, high, columns = 330, 240, min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide * columns}" height="{high * rows + 30}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>']
    for p, panel in enumerate(panels):
        left, top = wide * (p % columns) + 55, high * (p // columns) + 30
        across, up = wide - 75, high - 70
        own = {key: spread(of) for key, of in took.items() if key[1:4] == panel}
        low = 10 ** math.floor(math.log10(min(v[1] for v in own.values())))
        top_value = 10 ** math.ceil(math.log10(max(v[2] for v in own.values())))
        x = lambda n: left + across * (nodes.index(n) + 0.5) / len(nodes)
        y = lambda v: top + up * (1 - math.log(v / low) / math.log(top_value / low))
        what, size, load = panel
        title = what if what == "barrier" else f"{what}, {size} bytes, {load} at once"
        out.append(f'<text x="{left}" y="{top - 8}" font-weight="bold">{title}</text>')
        v = low
        while v <= top_value:
            out.append(f'<line x1="{left}" x2="{left + across}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#ddd"/>'
                       f'<text x="{left - 5}" y="{y(v) + 4:.1f}" text-anchor="end">{v:g} µs</text>')
            v *= 10
        for n in nodes:
            out.append(f'<text x="{x(n):.1f}" y="{top + up + 15}" text-anchor="middle">{n}</text>')
        for k, library in enumerate(sorted({key[4] for key in own})):
            colour = COLOURS.get(library, "#555")
            points = [(x(n) + 3 * k, *own[n, *panel, library]) for n in nodes if (n, *panel, library) in own]
            line = " ".join(f"{px:.1f},{y(m):.1f}" for px, m, _, _ in points)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            for px, m, a, b in points:
                out.append(f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{y(a):.1f}" y2="{y(b):.1f}" stroke="{colour}"/>'
                           f'<circle cx="{px:.1f}" cy="{y(m):.1f}" r="2.5" fill="{colour}"/>')
            out.append(f'<text x="{left + 68 * k}" y="{top + up + 32}" fill="{colour}" font-size="10">{library}</text>')
    pathlib.Path(path).write_text("\n".join(out + ["</svg>\n"]))


def show(took, args):
    nodes = sorted({key[0] for key in took})
    print("| what | bytes | at once | library | " + " | ".join(f"{n} processes" for n in nodes) + " |")
    print("|---|---|---|---|" + "---|" * len(nodes))
    for what, size, load, library in sorted({key[1:] for key in took}):
        cells = [took.get((n, what, size, load, library)) for n in nodes]
        told = ["{:.2f} ({:.2f}–{:.2f})".format(*(v / 1000 for v in spread(of))) if of else "-" for of in cells]
        shown = [what, size or "", load or "", library, *told]
        print("| " + " | ".join(map(str, shown)) + " |")
    if args.plot:
        plot(took, args.plot)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("litmpi", type=pathlib.Path, nargs="?")
    arguments.add_argument("--nodes", default="2,4,8")
    arguments.add_argument("--words", default="1,8,64")
    arguments.add_argument("--rounds", type=int, default=100)
    arguments.add_argument("--wire", choices=["lab", "nic", "device"], default="nic")
    arguments.add_argument("--turns", type=int, default=3, help="how often each has its turn, with so large a part of the rounds")
    arguments.add_argument("--times", type=pathlib.Path, help="where each round's time goes, as it comes")
    arguments.add_argument("--plot", type=pathlib.Path)
    arguments.add_argument("--from", dest="earlier", type=pathlib.Path)
    args = arguments.parse_args()
    if args.earlier:
        took = collections.defaultdict(list)
        for line in args.earlier.read_text().splitlines():
            n, what, size, load, library, time, _ = line.split()
            took[int(n), what, int(size), int(load), library].append(float(time))
        return show(took, args)
    litmpi = str(args.litmpi.resolve())
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", UCX_TLS="rc,self", MPIR_CVAR_NOLOCAL="1")
    wire = []
    if args.wire == "nic":
        env["UCX_NET_DEVICES"] = "litmpi0:1"
        wire = [litmpi, "nic", "--scheduler", "prompt", "--pause", "20", "--"]
    before_own, before_mpi = [], []
    took = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder)
        if args.wire == "lab":
            run(["cc", "-O2", "-shared", "-fPIC", "-o", own / "pause.so", HERE / "pause.c"])
            wire = [litmpi, "lab", "run"]
            before_own = ["env", "LITMPI_DEVICES=rx0,rx1", "LITMPI_GID_INDEX={gid}", f"LD_PRELOAD={own}/pause.so"]
            before_mpi = LAB_MPI
        programs = []
        for words in args.words.split(","):
            made = own / words
            for layer, more in [("loco-barrier", []), ("loco-wide-ring", ["slots=16"]), ("puts-team", [])]:
                sets = [f"words={words}", *more] if layer != "loco-barrier" else []
                run([litmpi, "emit", "--layer", layer, "-o", made, *(a for s in sets for a in ("--set", s))])
            for name in ["launch.h", "latency.c"]:
                shutil.copy(HERE / name, made)
            run(["sh", "-c", f"cc -std=c11 -O2 -DWORDS={words} -o latency *.c -libverbs"], cwd=made)
            programs.append((None, [*before_own, made / "latency", "{n}", "{rounds}"]))
            for library, launch, rank in [("openmpi", OPENMPI, "OMPI_COMM_WORLD_RANK"), ("mpich", ["mpirun.mpich", "-n", "{n}"], "PMI_RANK")]:
                if shutil.which(launch[0]):
                    run([f"mpicc.{library}", "-O2", "-o", own / library, HERE / "latency-mpi.c"])
                    on = ["sh", "-c", f'UCX_NET_DEVICES=rx$(({rank} % 2)):1 exec "$0" "$@"'] if args.wire == "lab" else []
                    programs.append((library, [*before_mpi, *launch, *on, own / library, "{rounds}", words]))
        for turn in range(args.turns):
            for n in args.nodes.split(","):
                for library, command in programs:
                    command = [str(c).replace("{n}", n).replace("{rounds}", str(args.rounds // args.turns)) for c in command]
                    before = sum(map(len, took.values()))
                    for line in run([*wire, *command], env=env, timeout=900).splitlines():
                        words = line.split()
                        if len(words) == 5 and words[0] in ("barrier", "broadcast"):
                            key = int(n), words[0], int(words[1]), int(words[2]), library or words[3]
                            took[key].append(float(words[4]))
                            if args.times:
                                with args.times.open("a") as file:
                                    print(*key, words[4], turn, file=file)
                    if sum(map(len, took.values())) == before:
                        sys.exit(f"{library or 'the emitted libraries'} printed no times")
                print(f"turn {turn + 1}, {n} processes: load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    show(took, args)


if __name__ == "__main__":
    main()
