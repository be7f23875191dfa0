//! File and line of a call, from the program's debug information.

use addr2line::Loader;
use object::{Object, ObjectKind};
use std::collections::HashMap;
use std::path::Path;

/// Where a program that may be loaded anywhere is loaded if addresses are not random (Linux, x86-64 and aarch64).
const BASES: [u64; 2] = [0x5555_5555_4000, 0xaaaa_aaaa_0000];

/// Where a program is loaded.
pub(crate) fn base<'a>(program: &impl Object<'a>) -> u64 {
    let anywhere = program.kind() == ObjectKind::Dynamic;
    if anywhere { BASES[usize::from(cfg!(target_arch = "aarch64"))] } else { 0 }
}

/// The lines of a program.
pub(crate) struct Sites {
    loader: Option<Loader>,
    known: HashMap<u64, Option<String>>,
}

impl Sites {
    pub(crate) fn new(command: &[String]) -> Sites {
        let program = command.first().and_then(|p| litmpi_scratch::program(p));
        Sites { loader: program.and_then(|p| Loader::new(p).ok()), known: HashMap::new() }
    }

    /// `file.c:12`, if it is known, of a call that returns to this address.
    pub(crate) fn name(&mut self, site: u64) -> Option<String> {
        let loader = self.loader.as_ref()?;
        let find = || {
            let at = site.checked_sub(1)?;
            let base = BASES.iter().rev().find(|b| at >= **b).copied().unwrap_or(0);
            let location = loader.find_location(at.checked_sub(base)?).ok().flatten()?;
            let file = Path::new(location.file?).file_name()?.to_string_lossy().into_owned();
            Some(format!("{file}:{}", location.line?))
        };
        self.known.entry(site).or_insert_with(find).clone()
    }
}
