//! Who is left when the device is killed: programs would wait for ever for what nobody does any more, and the memory that they share with it
//! would stay. So a small process watches, which hears that the device has ended when a pipe closes.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ends every process that has the device in its environment, says so if there was one, and removes its folder; unless it is told that all is
/// over. Signals of a terminal are not for it.
const SCRIPT: &str = r#"
trap '' INT TERM HUP QUIT
read -r word
[ "$word" = over ] && exit 0
ended=0
for turn in 1 2; do
  for of in $(grep -lszxF "LITMPI_NIC=$0" /proc/[0-9]*/environ 2> /dev/null); do
    of=${of#/proc/}
    kill -9 "${of%/environ}" 2> /dev/null && ended=$((ended + turn % 2))
  done
done
rm -rf -- "$0"
[ $ended = 0 ] || echo "litmpi nic has ended before its programs: $ended of them could not go on and were killed" >&2
"#;

/// The watching process.
pub(crate) struct Guard(Option<Child>);

impl Guard {
    /// Has the programs watched that use the device in this folder; where no shell can be started, nobody watches.
    pub(crate) fn over_programs_of(folder: &Path) -> Guard {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn();
        Guard(shell.ok())
    }

    /// All is over.
    pub(crate) fn dismiss(mut self) {
        if let Some(mut shell) = self.0.take() {
            // Who is not there any more has nothing to be told.
            let _ = shell.stdin.take().map(|mut pipe| pipe.write_all(b"over\n"));
            let _ = shell.wait();
        }
    }
}
