//! Random programs of messages of which everything is told: the statuses of receives, probes and completions, counts, indices and what is
//! in the buffers behind what came.
//!
//! A program is a row of exchanges, in which each rank has its part in the same order, so that nearly all of them end. Tags are of one exchange
//! alone, so that a receive from any source, or with any tag, gets no message of another one. Requests are completed several at once, and
//! persistent ones are started twice; messages have none, one or several elements, and go to and come from `MPI_PROC_NULL`, too.

use super::Dice;
use super::runs::Program;

/// Elements of a buffer.
const ROOM: usize = 3;
/// Most of them that are sent.
const SENT: usize = 2;

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn exchanges(seed: u64, most: usize) -> String {
    let mut dice = Dice::new(!seed);
    let mut p = Program::new(dice.ranks(most, 3));
    let ranks = p.bodies.len();
    for k in 0..1 + dice.roll(if ranks == 2 { 3 } else { 2 }) {
        let from = dice.roll(ranks);
        let to = (from + 1 + dice.roll(ranks - 1)) % ranks;
        let mut exchange = Exchange { p: &mut p, from, to, tag: 3 * k };
        match dice.roll(8) {
            0 | 1 => exchange.one(&mut dice),
            2 => exchange.in_order(&mut dice),
            3 | 4 => exchange.several(&mut dice),
            5 => exchange.again(&mut dice),
            6 => exchange.both_ways(&mut dice),
            _ => exchange.nowhere(&mut dice),
        }
    }
    p.show_what_fits();
    p.text("random2", seed)
}

/// An exchange between two ranks, with three tags from the first one on.
struct Exchange<'p> {
    p: &'p mut Program,
    from: usize,
    to: usize,
    tag: usize,
}

impl Exchange<'_> {
    fn sends(&mut self, call: String) {
        self.p.bodies[self.from].push(call);
    }

    fn receives(&mut self, call: String) {
        self.p.bodies[self.to].push(call);
    }

    /// The receiver shows these.
    fn shows(&mut self, what: &[String]) {
        self.p.shown[self.to].extend_from_slice(what);
    }

    /// The receiver shows of a status whose message it is, and how long.
    fn tells(&mut self, status: &str) {
        self.shows(&["source", "tag", "count"].map(|field| format!("{status}.{field}")));
    }

    /// A buffer of a rank.
    fn buffer(&mut self, rank: usize) -> String {
        let name = self.p.name("x");
        let first = 100 * (rank + 1) + 10 * self.p.heads[rank].len();
        let values: Vec<String> = (0..ROOM).map(|i| (first + i).to_string()).collect();
        self.p.heads[rank].push(format!("int {name}[{ROOM}] = {{{}}}", values.join(", ")));
        name
    }

    /// A buffer of the receiver, of which all is shown.
    fn into(&mut self) -> String {
        let name = self.buffer(self.to);
        self.shows(&[0, 1, 2].map(|i| format!("{name}[{i}]")));
        name
    }

    /// A blocking send with a tag, in any mode for which the receiver need not have come first.
    fn send(&mut self, tag: usize, dice: &mut Dice) {
        let (data, count, to) = (self.buffer(self.from), dice.roll(SENT + 1), self.to);
        let mode = ["Send", "Send", "Ssend"][dice.roll(3)];
        self.sends(format!("MPI_{mode}({data}, count: {count}, dest: {to}, tag: {tag})"));
    }

    /// From where, and with which tag, something is received: the sender, or any, and the tag, or any. Both are any only where no third rank sends.
    fn envelope(&self, tag: usize, dice: &mut Dice) -> String {
        let (from, both) = (self.from, self.p.bodies.len() == 2);
        match dice.roll(if both { 4 } else { 3 }) {
            0 => format!("source: {from}, tag: {tag}"),
            1 => format!("source: any, tag: {tag}"),
            2 => format!("source: {from}, tag: any"),
            _ => "source: any, tag: any".to_owned(),
        }
    }

    /// A message, now and then probed for first.
    fn one(&mut self, dice: &mut Dice) {
        let tag = self.tag + dice.roll(2);
        self.send(tag, dice);
        let (into, status) = (self.into(), self.p.name("s"));
        let envelope = self.envelope(tag, dice);
        match dice.roll(6) {
            0 | 1 => {
                let (probed, probes) = (self.p.name("s"), self.envelope(tag, dice));
                self.receives(format!("MPI_Probe({probes}, status: {probed})"));
                self.tells(&probed);
                self.receives(format!("MPI_Recv({into}, count: {ROOM}, {envelope}, status: {status})"));
            }
            2 => {
                let (message, probed) = (self.p.name("m"), self.p.name("s"));
                self.receives(format!("MPI_Mprobe({envelope}, message: {message}, status: {probed})"));
                self.tells(&probed);
                self.receives(format!("MPI_Mrecv({into}, count: {ROOM}, message: {message}, status: {status})"));
            }
            _ => self.receives(format!("MPI_Recv({into}, count: {ROOM}, {envelope}, status: {status})")),
        }
        self.tells(&status);
    }

    /// Messages of which two have the same tag: what was sent first comes first.
    fn in_order(&mut self, dice: &mut Dice) {
        let other = dice.roll(3);
        let tags: Vec<usize> =
            (0..3).map(|k| if k == other { self.tag + 1 } else { self.tag }).take(2 + dice.roll(2)).collect();
        for tag in &tags {
            let (data, to) = (self.buffer(self.from), self.to);
            self.sends(format!("MPI_Send({data}, dest: {to}, tag: {tag})"));
        }
        for tag in tags {
            let (into, status) = (self.p.name("x"), self.p.name("s"));
            let envelope = self.envelope(tag, dice);
            self.receives(format!("MPI_Recv({into}, {envelope}, status: {status})"));
            self.shows(&[into, format!("{status}.tag")]);
        }
    }

    /// Requests of several receives, which are completed together or one after the other.
    fn several(&mut self, dice: &mut Dice) {
        let number = 2 + usize::from(dice.one_in(4));
        let mut requests = vec![];
        for k in 0..number {
            let (into, request, from, tag) = (self.p.name("x"), self.p.name("q"), self.from, self.tag + k);
            self.receives(format!("MPI_Irecv({into}, source: {from}, tag: {tag}, request: {request})"));
            self.shows(&[into]);
            requests.push(request);
        }
        let synchronised = dice.one_in(2);
        let backwards = dice.one_in(3);
        for k in 0..number {
            let tag = self.tag + if backwards { number - 1 - k } else { k };
            let (data, to) = (self.buffer(self.from), self.to);
            let mode = if synchronised { "Ssend" } else { "Send" };
            self.sends(format!("MPI_{mode}({data}, dest: {to}, tag: {tag})"));
        }
        if synchronised {
            // All have been matched when the receiver goes on.
            self.p.bodies.iter_mut().for_each(|body| body.push("MPI_Barrier()".to_owned()));
        }
        let all = format!("[{}]", requests.join(", "));
        match dice.roll(6) {
            0 | 1 => {
                for _ in 0..number {
                    let (index, status) = (self.p.name("i"), self.p.name("s"));
                    self.receives(format!("MPI_Waitany({all}, {index}, {status})"));
                    self.shows(&[index, format!("{status}.tag")]);
                }
                return;
            }
            2 => {
                let (flag, index) = (self.p.name("f"), self.p.name("i"));
                self.receives(format!("MPI_Testany({all}, index: {index}, flag: {flag})"));
                self.shows(&[flag, index]);
            }
            3 | 4 => {
                let call = if dice.one_in(3) { "Waitsome" } else { "Testsome" };
                for _ in 0..2 {
                    let outcount = self.p.name("n");
                    let indices: Vec<String> = (0..number).map(|_| self.p.name("j")).collect();
                    self.receives(format!(
                        "MPI_{call}({all}, outcount: {outcount}, array_of_indices: [{}])",
                        indices.join(", ")
                    ));
                    self.shows(&[outcount]);
                }
            }
            _ => {
                let flag = self.p.name("f");
                self.receives(format!("MPI_Testall({all}, flag: {flag})"));
                self.shows(&[flag]);
            }
        }
        self.receives(format!("MPI_Waitall({all})"));
    }

    /// Persistent requests, each of which is started twice, with other data.
    fn again(&mut self, dice: &mut Dice) {
        let (tag, to, from) = (self.tag, self.to, self.from);
        let (sends, receives) = (!dice.one_in(4), dice.one_in(2));
        let (data, request) = (self.buffer(from), self.p.name("q"));
        let mode = ["Send", "Ssend"][dice.roll(2)];
        if sends {
            self.sends(format!("MPI_{mode}_init({data}, dest: {to}, tag: {tag}, request: {request})"));
        }
        let (into, own) = (self.p.name("x"), self.p.name("q"));
        if receives {
            self.receives(format!("MPI_Recv_init({into}, source: {from}, tag: {tag}, request: {own})"));
        }
        for k in 0..2 {
            if k == 1 {
                self.sends(format!("{data}[0] := 7"));
            }
            if sends {
                self.sends(format!("MPI_Start({request})"));
                self.sends(format!("MPI_Wait({request})"));
            } else {
                self.sends(format!("MPI_{mode}({data}, dest: {to}, tag: {tag})"));
            }
            let (status, seen) = (self.p.name("s"), self.p.name("r"));
            if receives {
                self.receives(format!("MPI_Start({own})"));
                self.receives(format!("MPI_Wait({own}, {status})"));
            } else {
                let envelope = self.envelope(tag, dice);
                self.receives(format!("MPI_Recv({into}, {envelope}, status: {status})"));
            }
            self.receives(format!("{seen} := {into}"));
            self.shows(&[seen, format!("{status}.source"), format!("{status}.tag")]);
        }
        if sends {
            self.sends(format!("MPI_Request_free({request})"));
        }
        if receives {
            self.receives(format!("MPI_Request_free({own})"));
        }
    }

    /// Each of the two sends and receives in one call.
    fn both_ways(&mut self, dice: &mut Dice) {
        let tag = self.tag;
        for _ in 0..2 {
            let (data, into, status, count) =
                (self.buffer(self.to), self.into(), self.p.name("s"), 1 + dice.roll(SENT));
            let (peer, source) = (self.from, if dice.one_in(2) { "any".to_owned() } else { self.from.to_string() });
            self.receives(format!(
                "MPI_Sendrecv({data}, sendcount: {count}, dest: {peer}, sendtag: {tag}, recvbuf: {into}, recvcount: {ROOM}, source: {source}, \
                 recvtag: {tag}, status: {status})"
            ));
            self.tells(&status);
            std::mem::swap(&mut self.from, &mut self.to);
        }
    }

    /// A call that speaks of no process, beside a message.
    fn nowhere(&mut self, dice: &mut Dice) {
        let (into, status, request) = (self.into(), self.p.name("s"), self.p.name("q"));
        let nowhere = "source: MPI_PROC_NULL";
        match dice.roll(4) {
            0 => self.receives(format!("MPI_Recv({into}, count: {ROOM}, {nowhere}, status: {status})")),
            1 => self.receives(format!("MPI_Probe({nowhere}, tag: any, status: {status})")),
            2 => {
                self.receives(format!("MPI_Irecv({into}, count: {ROOM}, {nowhere}, request: {request})"));
                self.receives(format!("MPI_Wait({request}, {status})"));
            }
            _ => {
                let message = self.p.name("m");
                self.receives(format!("MPI_Mprobe({nowhere}, message: {message}, status: {status})"));
                self.receives(format!("MPI_Mrecv({into}, count: {ROOM}, message: {message})"));
            }
        }
        self.tells(&status);
        if dice.one_in(2) {
            self.receives(format!("MPI_Send({into}, dest: MPI_PROC_NULL, tag: {})", self.tag));
        }
        self.one(dice);
    }
}

#[cfg(test)]
mod tests {
    use super::exchanges;
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;

    #[test]
    fn every_completion_of_several_requests_is_called_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let left = [
            "Waitany", "Waitsome", "Waitall", "Testany", "Testsome", "Testall", "Probe", "Mprobe", "Sendrecv", "Start",
        ];
        let left = left.iter().map(|name| format!("MPI_{name}")).collect();
        calls_all(|seed, most, _| exchanges(seed, most), left, &spec.instructions);
    }
}
