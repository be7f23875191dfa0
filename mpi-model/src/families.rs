//! Programs of many processes, a family each, to be made as large as one likes: what benchmarks measure searches by.

/// A process sends `to` this one, or receives `from` it.
fn send(what: &str, to: usize) -> String {
    format!("MPI_Send({what}, dest: {to})\n")
}

fn receive(into: &str, from: usize) -> String {
    format!("MPI_Recv({into}, source: {from})\n")
}

fn program(name: &str, n: usize, body: impl Fn(usize) -> String, asked: &[String]) -> String {
    let ranks: String = (0..n).map(|r| format!("rank {r} {{\n{}}}\n", body(r))).collect();
    format!("litmus mpi {name} \"generated\"\n{ranks}locations {}\nexists true\n", asked.join(" "))
}

/// `n` processes send to one, which receives from any: every order is an outcome.
pub fn senders(n: usize) -> String {
    let body = |r: usize| match r {
        0 => (1..=n).map(|i| format!("MPI_Recv(r{i}, source: any)\n")).collect(),
        _ => send(&r.to_string(), 0),
    };
    program(&format!("senders-{n}"), n + 1, body, &(1..=n).map(|i| format!("r{i}")).collect::<Vec<_>>())
}

/// The same, and the receiver adds up what it got, then once more with each value as often as its place says. The states of every order
/// are told apart to the end, and few sums come out.
pub fn weighted(n: usize) -> String {
    let body = |r: usize| match r {
        0 => {
            let receives: String = (1..=n).map(|i| format!("MPI_Recv(r{i}, source: any)\n")).collect();
            let total: String = (1..=n).map(|i| format!("v := r{i}\nq := q + v\n")).collect();
            // p is the sum of the values from the last one to this one, s the sum of those sums.
            let weighted: String = (1..=n).rev().map(|i| format!("v := r{i}\np := p + v\ns := s + p\n")).collect();
            receives + "q := 0\n" + &total + "p := 0\ns := 0\n" + &weighted
        }
        _ => send(&r.to_string(), 0),
    };
    program(&format!("weighted-{n}"), n + 1, body, &["0:q".to_owned(), "0:s".to_owned()])
}

/// A message goes round a ring of `n` processes.
pub fn ring(n: usize) -> String {
    let body = |r: usize| {
        let (to, from) = ((r + 1) % n, (r + n - 1) % n);
        let (send, receive) = (send(&format!("a{r}"), to), receive(&format!("a{r}"), from));
        if r == 0 { send + &receive } else { receive + &send }
    };
    program(&format!("ring-{n}"), n, body, &["a0".to_owned()])
}

/// `n` processes in a row: each exchanges with its neighbours, without waiting for one before it begins with the other.
pub fn halo(n: usize) -> String {
    let body = |r: usize| {
        let sides = [(r > 0, "l", r.wrapping_sub(1)), (r + 1 < n, "h", r + 1)];
        let sides = || sides.into_iter().filter(|(is, ..)| *is);
        let starts: String = sides()
            .map(|(_, side, with)| {
                format!(
                    "MPI_Irecv({side}{r}, source: {with}, request: i{side})\nMPI_Isend({r}, dest: {with}, request: o{side})\n"
                )
            })
            .collect();
        let requests: Vec<String> = sides().flat_map(|(_, side, _)| [format!("i{side}"), format!("o{side}")]).collect();
        starts + &format!("MPI_Waitall([{}])\n", requests.join(", "))
    };
    program(&format!("halo-{n}"), n, body, &["h0".to_owned(), format!("l{}", n - 1)])
}

/// `n` processes add their numbers along a binary tree.
pub fn tree(n: usize) -> String {
    let body = |r: usize| {
        let mut out = format!("s{r} := {r}\n");
        let mut step = 1;
        while step < n && r.is_multiple_of(2 * step) {
            if r + step < n {
                out += &receive(&format!("v{r}"), r + step);
                out += &format!("p := s{r}\nq := v{r}\ns{r} := p + q\n");
            }
            step *= 2;
        }
        if r > 0 { out + &send(&format!("s{r}"), r - step) } else { out }
    };
    program(&format!("tree-{n}"), n, body, &["s0".to_owned()])
}

/// `n` processes, a power of two, exchange with one at twice the distance of the last time, until all know of all.
pub fn butterfly(n: usize) -> String {
    let body = |r: usize| {
        let rounds = (0..n.ilog2()).map(|k| {
            let with = r ^ (1 << k);
            format!(
                "MPI_Sendrecv(s{r}, dest: {with}, recvbuf: v{r}, source: {with})\np := s{r}\nq := v{r}\ns{r} := p + q\n"
            )
        });
        format!("s{r} := {r}\n") + &rounds.collect::<String>()
    };
    program(&format!("butterfly-{n}"), n, body, &["s0".to_owned()])
}

/// A master gives `tasks` numbers to `workers`, round after round, and takes answers from any.
pub fn master(workers: usize, tasks: usize) -> String {
    let given = |w: usize| (0..tasks).filter(move |t| t % workers == w - 1);
    let body = |r: usize| match r {
        0 => (0..tasks)
            .collect::<Vec<_>>()
            .chunks(workers)
            .map(|round| {
                let out: String = round.iter().map(|t| send(&t.to_string(), t % workers + 1)).collect();
                out + &round.iter().map(|_| "MPI_Recv(m, source: any)\n").collect::<String>()
            })
            .collect(),
        w => given(w).map(|_| receive(&format!("w{w}"), 0) + &send(&format!("w{w}"), 0)).collect(),
    };
    program(&format!("master-{workers}-{tasks}"), workers + 1, body, &["m".to_owned()])
}

/// A chain of message passing over `n` nodes by RDMA: each but the last puts what it has read, and behind it that it has read it, to the next.
pub fn chain(n: usize) -> String {
    let nodes: String = (1..=n).map(|i| format!("node {i} {{ x{i} = {0}  f{i} = {0} }}\n", u8::from(i == 1))).collect();
    let body = |i: usize| {
        let puts = format!("x{0}@{0} := x{i}\nf{0}@{0} := f{i}\n", i + 1);
        if i < n { puts } else { format!("a := f{n}\nb := x{n}\n") }
    };
    let threads: String = (1..=n).map(|i| format!("thread {i} on {i} {{\n{}}}\n", body(i))).collect();
    format!("litmus rdma chain-{n} \"generated\"\n{nodes}{threads}exists {n}:a = 1 /\\ {n}:b = 0\n")
}
