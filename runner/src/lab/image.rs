//! The guest's initramfs: the modules that it needs, in the order of loading, busybox, and the init script.
//!
//! A module names those that it depends on in its own `.modinfo` section (`depends=a,b`), so that neither `depmod` nor
//! its tables are needed. The archive is in cpio's "newc" form (Documentation/driver-api/early-userspace/buffer-format
//! of the kernel).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the guest loads. Those that a kernel has built in are not in its package.
const WANTED: [&str; 13] = [
    "virtio_pci",
    "virtio_rng",
    "9p",
    "9pnet_virtio",
    "overlay",
    "virtio_net",
    "veth",
    "sch_netem",
    "crc32_generic",
    "crc32_pclmul",
    "ib_uverbs",
    "rdma_ucm",
    "rdma_rxe",
];

/// What no guest can do without.
pub(super) const NEEDED: [&str; 2] = ["rdma_rxe", "ib_uverbs"];

const INIT: &str = include_str!("../../lab/init.sh");

/// `ib-uverbs.ko.xz` to `ib_uverbs`.
fn name_of(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let (stem, rest) = file.split_once(".ko")?;
    ["", ".xz", ".gz", ".zst"].contains(&rest).then(|| stem.replace('-', "_"))
}

/// All modules in a folder and those in it, by name.
pub(super) fn modules_in(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
            } else if let Some(name) = name_of(&path) {
                found.insert(name, path);
            }
        }
    }
    found
}

/// The modules that a module says it depends on.
fn depends(module: &[u8]) -> Vec<String> {
    let key = b"\0depends=";
    let Some(at) = module.windows(key.len()).position(|w| w == key) else { return vec![] };
    let text: Vec<u8> = module[at + key.len()..].iter().copied().take_while(|b| *b != 0).collect();
    let text = String::from_utf8_lossy(&text).replace('-', "_");
    text.split(',').filter(|n| !n.is_empty()).map(str::to_owned).collect()
}

/// What is to be loaded, in order, each with its bytes; `read` gives a module's, unpacked.
pub(super) fn closure<E>(
    all: &BTreeMap<String, PathBuf>,
    mut read: impl FnMut(&Path) -> Result<Vec<u8>, E>,
) -> Result<Vec<(String, Vec<u8>)>, E> {
    let mut order: Vec<(String, Vec<u8>)> = vec![];
    let mut pending: Vec<(String, Option<Vec<u8>>)> = WANTED.iter().rev().map(|w| ((*w).to_string(), None)).collect();
    while let Some((name, bytes)) = pending.pop() {
        if order.iter().any(|(n, _)| *n == name) {
            continue;
        }
        let Some(path) = all.get(&name) else { continue };
        if let Some(bytes) = bytes {
            order.push((name, bytes));
            continue;
        }
        let bytes = read(path)?;
        let before = depends(&bytes);
        pending.push((name, Some(bytes)));
        pending.extend(before.into_iter().map(|n| (n, None)));
    }
    Ok(order)
}

/// The initramfs with these modules.
pub(super) fn initramfs(busybox: &[u8], modules: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "proc", "sys", "modules", "lower", "upper", "root"] {
        archive.add(folder, 0o040_755, &[]);
    }
    archive.add("bin/busybox", 0o100_755, busybox);
    archive.add("init", 0o100_755, INIT.as_bytes());
    let mut order = String::new();
    for (name, bytes) in modules {
        archive.add(&format!("modules/{name}"), 0o100_644, bytes);
        order.push_str(name);
        order.push('\n');
    }
    archive.add("modules/order", 0o100_644, order.as_bytes());
    archive.end()
}

#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    fn add(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let links = 1 + u32::from(mode & 0o040_000 != 0);
        let size = u32::try_from(content.len()).expect("a file of an initramfs is below 4 GiB");
        let length = u32::try_from(name.len() + 1).expect("a short name");
        // inode, mode, uid, gid, links, mtime, size, four device numbers, length of the name, checksum
        let fields = [self.entries, mode, 0, 0, links, 0, size, 0, 0, 0, 0, length, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08x}").into_bytes());
        }
        self.bytes.extend(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn end(mut self) -> Vec<u8> {
        self.add("TRAILER!!!", 0, &[]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_after_those_they_depend_on_and_built_in_ones_are_passed_over() {
        let file = |name: &str| (name.to_string(), PathBuf::from(name));
        let all: BTreeMap<String, PathBuf> =
            ["rdma_rxe", "ib_uverbs", "ib_core", "udp_tunnel", "unrelated"].map(file).into();
        let read = |path: &Path| -> Result<Vec<u8>, ()> {
            let depends = match path.to_str() {
                Some("rdma_rxe") => "udp-tunnel,ib_uverbs,built_in",
                Some("ib_uverbs") => "ib_core",
                _ => "",
            };
            Ok(format!("\u{7f}ELF\0license=GPL\0depends={depends}\0name=x\0").into_bytes())
        };
        let names: Vec<String> = closure(&all, read).expect("all can be read").into_iter().map(|(n, _)| n).collect();
        assert_eq!(names.len(), 4);
        let at = |name: &str| names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name} in {names:?}"));
        assert!(
            at("ib_core") < at("ib_uverbs") && at("ib_uverbs") < at("rdma_rxe") && at("udp_tunnel") < at("rdma_rxe")
        );
    }

    #[test]
    fn files_of_modules_are_known_by_their_names() {
        assert_eq!(name_of(Path::new("/m/crc32-pclmul.ko.xz")).as_deref(), Some("crc32_pclmul"));
        assert_eq!(name_of(Path::new("9p.ko")).as_deref(), Some("9p"));
        assert_eq!(name_of(Path::new("modules.dep")), None);
    }

    #[test]
    fn the_archive_is_what_cpio_reads() {
        let archive = initramfs(b"busy", &[("a".into(), b"12345".to_vec())]);
        assert_eq!(archive.len() % 4, 0);
        // Walks the headers as the kernel does.
        let (mut at, mut found) = (0, vec![]);
        loop {
            assert_eq!(&archive[at..at + 6], b"070701");
            let field = |i: usize| {
                let text = std::str::from_utf8(&archive[at + 6 + 8 * i..at + 14 + 8 * i]).expect("hexadecimal");
                usize::from_str_radix(text, 16).expect("hexadecimal")
            };
            let (size, length) = (field(6), field(11));
            let name = std::str::from_utf8(&archive[at + 110..at + 110 + length - 1]).expect("a name").to_string();
            let content = (at + 110 + length).next_multiple_of(4);
            if name == "TRAILER!!!" {
                break;
            }
            found.push((name, archive[content..content + size].to_vec()));
            at = (content + size).next_multiple_of(4);
        }
        let file = |name: &str| found.iter().find(|(n, _)| n == name).map(|(_, c)| c.clone());
        assert_eq!(file("modules/a").as_deref(), Some(&b"12345"[..]));
        assert_eq!(file("modules/order").as_deref(), Some(&b"a\n"[..]));
        assert_eq!(file("bin/busybox").as_deref(), Some(&b"busy"[..]));
        assert!(file("init").is_some_and(|t| t.starts_with(b"#!/bin/busybox sh")));
    }
}
