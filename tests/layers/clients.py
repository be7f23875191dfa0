#!/usr/bin/env python3
"""Emitted libraries held against their specification: small clients run on the emulated NIC, and whatever they come to must be an outcome that the
specification (loco.cat) has of the same client.

usage: clients.py LITMPI [--layers ring,team,barrier] [--mistake NAME] [--clients 20] [--rounds 200] [--seed 1] [--adversary NAMES]

What refinement says of a layer's text, this says, as far as it was seen, of the C that was made from it. Clients are drawn at random: two or three
threads with up to four statements each, of the library's functions, puts of numbers, and reads. All clients of a library are one program, whose
processes meet before every round and use new objects and places in it. Exit code 1 if an outcome is not allowed.
"""
import argparse, collections, json, pathlib, random, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = {"ring": "loco-ring-buffer", "team": "puts-team", "barrier": "loco-barrier"}


def run(command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def client(kind, draw):
    """Threads, each a list of statements: a tuple of the operation and what it is given."""
    threads = draw.choice([2, 2, 3])
    value = iter(range(1, 100))
    if kind == "ring":
        bodies = [[("submit", next(value)) for _ in range(draw.randint(1, 4))]]
        return bodies + [[("receive",) for _ in range(draw.randint(1, 4))] for _ in range(threads - 1)]
    # Every thread makes the same calls that wait for others; between them come puts and reads.
    calls = [draw.choice(["barrier", "barrier", "broadcast"] if kind == "team" else ["barrier"]) for _ in range(draw.randint(1, 2))]
    bodies = []
    for t in range(threads):
        body = []
        for call in calls + [None]:
            for _ in range(draw.choice([0, 1, 1])):
                other = draw.choice([u for u in range(threads) if u != t])
                body.append(draw.choice([("put", other, next(value)), ("read",)]))
            if call == "broadcast":
                body.append(("give", 50 + len(body)) if t == 0 else ("take",))
            elif call:
                body.append((call,))
        bodies.append(body)
    return bodies


def litmus(bodies, name):
    """The client as a test that observes what every call returned and every read has read."""
    text, seen = [f'litmus loco {name} "a client"'], []
    text += [f"node {t + 1} {{ y{t + 1} = 0 }}" for t in range(len(bodies))]
    for t, body in enumerate(bodies):
        text.append(f"thread {t + 1} on {t + 1} {{")
        for i, (what, *given) in enumerate(body):
            r = f"r{t + 1}{i}"
            line = {
                "submit": lambda: f"{r} := rb_submit(x, {given[0]})", "receive": lambda: f"{r} := rb_receive(x)",
                "give": lambda: f"team_give(z, {given[0]})", "take": lambda: f"{r} := team_take(z)",
                "put": lambda: f"y{given[0] + 1}@{given[0] + 1} := {given[1]}", "read": lambda: f"{r} := y{t + 1}",
                "barrier": lambda: "BARRIER(z)",
            }[what]()
            text.append("  " + line)
            if line.startswith(r):
                seen.append(f"{t + 1}:{r}")
        text.append("}")
    return "\n".join(text) + f"\nlocations {' '.join(seen)}\nexists true\n", seen


def source(kind, bodies, number):
    """The client as a function in C: each thread prints the registers that it has."""
    layer = LAYERS[kind].replace("-", "_")
    out = [f"static void client{number}(struct litmpi_net *net, long round)", "{", "    int all[64];"]
    threads = len(bodies)
    if kind == "ring":
        out.append(f"    struct {layer}_ring *x = {layer}_make_ring(lib, some(all, 1, {threads}), (struct litmpi_nodes){{1, (int[]){{0}}}});")
    elif kind == "team":
        out.append(f"    struct {layer}_team *z = {layer}_make_team(lib, some(all, 0, {threads}), (struct litmpi_nodes){{1, (int[]){{0}}}});")
    else:
        out.append(f"    struct {layer}_barrier *z = {layer}_make_barrier(lib, some(all, 0, {threads}));")
    out += ["    uint64_t y = litmpi_take(net, 8), mine = litmpi_take(net, 8 * 16);", "    meet(net);", f"    if (net->rank >= {threads}) return;", "    (void)mine;"]
    for t, body in enumerate(bodies):
        out.append(f"    if (net->rank == {t}) {{")
        out.append("        struct litmpi_work work; litmpi_work_begin(net, &work);")
        for i, (what, *given) in enumerate(body):
            r = f"r{t + 1}{i}"
            out.append("        jitter();")
            out.append("        " + {
                "submit": lambda: f"int64_t {r} = {layer}_rb_submit(x, {given[0]});", "receive": lambda: f"int64_t {r} = {layer}_rb_receive(x);",
                "give": lambda: f"{layer}_team_give(z, (int64_t[]){{{given[0]}}});", "take": lambda: f"int64_t {r}; {layer}_team_take(z, &{r});",
                "put": lambda: f"litmpi_store(net, mine + {8 * i}, {given[1]}); litmpi_put(net, {given[0]}, y, mine + {8 * i}, 8, &work);",
                "read": lambda: f"int64_t {r} = litmpi_load(net, y);",
                "barrier": lambda: f"{layer}_{'team_barrier' if kind == 'team' else 'bar'}(z);",
            }[what]())
        for i, (what, *_) in enumerate(body):
            if what in ("submit", "receive", "take", "read"):
                out.append(f'        printf("{number} %ld {t + 1}:r{t + 1}{i} %ld\\n", round, (long)r{t + 1}{i});')
        out += ["        litmpi_wait(net, &work);", "    }"]
    return "\n".join(out + ["}"])


PROGRAM = """#include "launch.h"
#include "%(header)s.h"
#include <sys/mman.h>
#include <time.h>
static struct %(layer)s *lib;
static struct gate { volatile int in; volatile long round; } *gate;
static void meet(struct litmpi_net *net)
{
    long round = gate->round;
    if (__sync_add_and_fetch(&gate->in, 1) == net->nodes) { gate->in = 0; __sync_synchronize(); gate->round++; }
    else while (gate->round == round) sched_yield();
}
static unsigned long state;
static void jitter(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    if (state >> 62 == 0) { struct timespec t = {0, (long)(state >> 40) %% 200000}; nanosleep(&t, NULL); }
}
%(clients)s
static void run(struct litmpi_net *net, long rounds)
{
    setvbuf(stdout, NULL, _IOLBF, 1 << 12); /* whole lines, which no other process parts */
    state = (unsigned long)net->rank * 7919 + %(seed)d;
    lib = %(layer)s_open(net);
    for (long i = 0; i < rounds; i++) { %(calls)s }
    fflush(stdout);
}
int main(int argc, char **argv)
{
    gate = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return launch(argc, argv, run);
}
"""


def hold(litmpi, kind, args, folder):
    draw = random.Random(f"{kind} {args.seed}")
    name = LAYERS[kind] + (f":{args.mistake}" if args.mistake else "")
    clients = [client(kind, draw) for _ in range(args.clients)]
    observes = [any(s[0] in ("submit", "receive", "take", "read") for b in c for s in b) for c in clients]
    clients = [c for c, does in zip(clients, observes) if does]
    allowed = []
    for number, bodies in enumerate(clients):
        text, seen = litmus(bodies, f"c{number}")
        file = folder / f"{kind}{number}.litmus"
        file.write_text(text.replace("BARRIER", "team_barrier" if kind == "team" else "bar"))
        told = run([litmpi, "enumerate", "--model", "loco.cat", "--json", file])
        if told.returncode > 1:
            sys.exit(f"{file.read_text()}\n{told.stderr}")
        row = json.loads(told.stdout)[0]
        allowed.append({tuple(str(o["values"][s]) for s in seen) for o in row["outcomes"]})
    made = folder / kind
    if run([litmpi, "emit", "--layer", name, "-o", made]).returncode:
        sys.exit(f"{name} is not emitted")
    shutil.copy(HERE / "launch.h", made)
    functions = "\n".join(source(kind, bodies, number) for number, bodies in enumerate(clients))
    calls = " ".join(f"client{n}(net, i);" for n in range(len(clients)))
    layer = LAYERS[kind].replace("-", "_")
    (made / "program.c").write_text(PROGRAM % dict(header=LAYERS[kind], layer=layer, clients=functions, calls=calls, seed=args.seed))
    built = run(["sh", "-c", "sed -i 's/1 << 20/1 << 26/' launch.h; cc -std=c11 -O2 -Wall -o program *.c -libverbs"], cwd=made)
    if built.returncode:
        sys.exit(built.stderr)
    adversary = ["--adversary", args.adversary] if args.adversary else []
    ran = run([litmpi, "nic", "--scheduler", "adversarial", "--hold", "30", "--seed", args.seed, *adversary, "--", "timeout", "600", made / "program", 3, args.rounds])
    if ran.returncode:
        sys.exit(f"{name} ended with {ran.returncode}: {ran.stdout[-300:]}{ran.stderr[-1000:]}")
    values = collections.defaultdict(dict)
    for line in ran.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and ":" in words[2]:
            values[int(words[0]), int(words[1])][words[2]] = words[3]
    wrong, shown = {}, [set() for _ in clients]
    for (number, _), of in values.items():
        seen = litmus(clients[number], "c")[1]
        outcome = tuple(of[s] for s in seen)
        shown[number].add(outcome)
        if outcome not in allowed[number]:
            wrong.setdefault(number, (seen, outcome))
    print(f"{name}: {len(clients)} clients, {len(values)} rounds; of {sum(map(len, allowed))} outcomes that the specification has "
          f"{sum(len(s & a) for s, a in zip(shown, allowed))} were seen; clients with an outcome that it has not: {len(wrong)}")
    for number, (seen, outcome) in list(wrong.items())[:1]:
        print((folder / f"{kind}{number}.litmus").read_text() + "came to " + " ".join(f"{s}={v};" for s, v in zip(seen, outcome)))
    return bool(wrong)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("litmpi", type=pathlib.Path)
    arguments.add_argument("--layers", default="ring,team,barrier")
    arguments.add_argument("--mistake")
    arguments.add_argument("--clients", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--adversary")
    args = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = [hold(args.litmpi.resolve(), kind, args, pathlib.Path(folder)) for kind in args.layers.split(",")]
    sys.exit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()
