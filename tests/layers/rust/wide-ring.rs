//! Rank 0 submits messages of several words, all others receive each of them, whole and in order.

mod launch;

use launch::{launch, lost};
use loco_wide_ring::{Error, LocoWideRing, Ring};

fn main() -> std::process::ExitCode {
    launch(|net, rounds| {
        let lib = LocoWideRing::new(net)?;
        let readers: Vec<usize> = (1..net.nodes()).collect();
        let ring = Ring::new(&lib, &readers, &[0])?;
        if net.rank() == 0 && !matches!(ring.rb_receive(), Err(Error::NotAUser("rb_receive"))) {
            lost(net, "the writer is told that it is no reader", 0, ());
        }
        for i in 1..=rounds {
            let words = std::array::from_fn(|w| i * (w as i64 + 1));
            if net.rank() == 0 {
                while !ring.rb_submit(&words)? {
                    net.pause();
                }
                continue;
            }
            let got = loop {
                match ring.rb_receive()? {
                    Some(got) => break got,
                    None => net.pause(),
                }
            };
            if got != words {
                lost(net, "this message is not the next one:", i, got);
            }
        }
        Ok(())
    })
}
