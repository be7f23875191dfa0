//! Runs a function as several processes, which meet in a folder: `PROGRAM NODES ROUNDS`.

use litmpi_net::Net;
use std::error::Error;
use std::process::{Child, Command, ExitCode, exit};

/// What was seen that must not be; ends the process.
pub fn lost(net: &Net, what: &str, round: i64, found: impl std::fmt::Debug) -> ! {
    eprintln!("lost: process {}, {round}: {what} {found:?}", net.rank());
    exit(1)
}

/// How a process went.
pub type Went = Result<(), Box<dyn Error>>;

/// Exit code 1 if any process lost something, 3 if any failed.
pub fn launch(run: fn(&Net, i64) -> Went) -> ExitCode {
    let args: Vec<i64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let [nodes, rounds] = args[..] else { panic!("PROGRAM NODES ROUNDS") };
    if std::env::var_os("LITMPI_RANK").is_some() {
        let went = Net::from_environment().map_err(Box::from).and_then(|net| {
            run(&net, rounds)?;
            Ok(net.close()?)
        });
        return went.map_or_else(
            |e: Box<dyn Error>| {
                eprintln!("failed: {e}");
                ExitCode::from(3)
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let meet = std::env::temp_dir().join(format!("litmpi-meet-{}", std::process::id()));
    std::fs::create_dir(&meet).expect("a folder to meet in");
    let program = std::env::current_exe().expect("this program");
    let mut all: Vec<Child> = (0..nodes)
        .map(|n| {
            let mut command = Command::new(&program);
            command.args(std::env::args().skip(1)).env("LITMPI_RANK", n.to_string());
            command.env("LITMPI_NODES", nodes.to_string()).env("LITMPI_MEET", &meet);
            command.spawn().expect("it starts")
        })
        .collect();
    let mut worst = 0;
    while !all.is_empty() {
        let ended = all.iter_mut().position(|c| c.try_wait().is_ok_and(|s| s.is_some()));
        let Some(ended) = ended else {
            std::thread::sleep(std::time::Duration::from_millis(2));
            continue;
        };
        let code = all.swap_remove(ended).wait().ok().and_then(|s| s.code()).unwrap_or(3);
        if code != 0 && worst == 0 {
            worst = code;
            // The others would wait for it.
            all.iter_mut().for_each(|c| _ = c.kill());
        }
    }
    std::fs::remove_dir_all(&meet).expect("the folder");
    if worst == 0 {
        println!("{rounds} rounds of {nodes} processes, nothing lost");
    }
    ExitCode::from(worst as u8)
}
