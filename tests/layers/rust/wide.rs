//! Rank 0 writes values of several words and puts them to others, which read all of one or nothing.

mod launch;

use launch::{launch, lost};
use loco_wide::{LocoWide, Place, Work};

fn main() -> std::process::ExitCode {
    launch(|net, rounds| {
        let lib = LocoWide::new(net)?;
        let place = Place::new(&lib)?;
        let (end, one, work) = (net.take(1)?, net.take(1)?, Work::new(net));
        if net.rank() == 0 {
            for i in 1..=rounds {
                place.wide_write(&std::array::from_fn(|_| i))?;
                for n in 1..net.nodes() {
                    place.wide_put(n, &place, &work)?;
                }
                if i % 4 == 0 {
                    lib.wide_wait(&work)?;
                }
            }
            net.store(one, 1)?;
            for n in 1..net.nodes() {
                net.put(n as i64, end, one, 1, &work)?;
            }
            net.wait(&work)?;
            return Ok(());
        }
        while net.load(end)? == 0 {
            if let Some(got) = place.wide_read()?
                && got.iter().any(|w| *w != got[0])
            {
                lost(net, "part of one value and part of another:", 0, got);
            }
        }
        Ok(())
    })
}
