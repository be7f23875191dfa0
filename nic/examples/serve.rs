//! Serves a program: `serve [KEY=VALUE …] -- PROGRAM …`.
use litmpi_nic::{Options, Scheduler, run};
use std::time::Duration;
fn main() {
    let mut o = Options::new(std::path::Path::new("/tmp/nic-out"));
    let mut args = std::env::args().skip(1);
    for a in args.by_ref() {
        let Some((k, v)) = a.split_once('=') else { break };
        match k {
            "model" => o.model = v.into(),
            "variant" => o.variant = v.into(),
            "mutant" => o.mutant = Some(v.into()),
            "seed" => o.seed = v.parse().unwrap(),
            "hold" => o.hold = Duration::from_micros(v.parse().unwrap()),
            "trace" => o.trace = Some(v.into()),
            "sched" => o.scheduler = Scheduler::ALL.iter().find(|s| s.0 == v).unwrap().1,
            _ => panic!("{a}"),
        }
    }
    let command: Vec<String> = args.collect();
    match run(&o, &command) {
        Ok(served) => {
            if std::env::var_os("FIRED").is_some() { eprintln!("{:?}", served.fired); }
            std::process::exit(served.status.code().unwrap_or(1));
        }
        Err(e) => { eprintln!("{e}"); std::process::exit(2) }
    }
}
