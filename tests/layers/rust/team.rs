//! Rank 0 gives values of several words, which all others take; then nobody comes out of a barrier before all have come in: what a
//! process puts behind it, another has not seen before it.

mod launch;

use launch::{launch, lost};
use puts_team::{PutsTeam, Team, Work};

fn main() -> std::process::ExitCode {
    launch(|net, rounds| {
        let lib = PutsTeam::new(net)?;
        let all: Vec<usize> = (0..net.nodes()).collect();
        let team = Team::new(&lib, &all, &[0])?;
        let (seen, mine, work) = (net.take(net.nodes() as u64)?, net.take(1)?, Work::new(net));
        for i in 1..=rounds {
            let words = std::array::from_fn(|w| i * (w as i64 + 1));
            if net.rank() == 0 {
                team.team_give(&words)?;
            } else {
                let got = team.team_take()?;
                if got != words {
                    lost(net, "this value is not the next one:", i, got);
                }
            }
            if i % 2 != 0 {
                continue;
            }
            for n in 0..net.nodes() {
                let other = net.load(seen + 8 * n as u64)?;
                if other >= i {
                    lost(net, "somebody came out of the barrier before this process came in:", i, other);
                }
            }
            team.team_barrier()?;
            net.wait(&work)?;
            net.store(mine, i)?;
            for n in (0..net.nodes()).filter(|n| *n != net.rank()) {
                net.put(n as i64, seen + 8 * net.rank() as u64, mine, 1, &work)?;
            }
        }
        Ok(())
    })
}
