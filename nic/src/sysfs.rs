//! Files that the kernel has of a device, in a folder of the same form: programs that look for a device there
//! themselves are led here (`paths.c`).

use crate::layout::LID;
use std::io::Result;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Of the device itself: path below it, and what the file says.
const FILES: [(&str, &str); 15] = [
    ("node_type", "1: CA"),
    ("node_guid", "0200:6c69:746d:7069"),
    ("sys_image_guid", "0200:6c69:746d:7069"),
    ("node_desc", "litmpi0"),
    ("board_id", "litmpi"),
    ("hw_rev", "1"),
    ("ports/1/state", "4: ACTIVE"),
    ("ports/1/phys_state", "5: LinkUp"),
    ("ports/1/rate", "100 Gb/sec (4X EDR)"),
    ("ports/1/link_layer", "InfiniBand"),
    ("ports/1/lid_mask_count", "0"),
    ("ports/1/cap_mask", "0x00000000"),
    ("ports/1/gids/0", "fe80:0000:0000:0000:0200:6c69:746d:7069"),
    ("ports/1/pkeys/0", "0xffff"),
    ("ports/1/gid_attrs/types/0", "IB/RoCE v1"),
];

/// Of what the device is on.
const BUS: [(&str, &str); 4] = [("vendor", "0x6c69"), ("device", "0x0001"), ("numa_node", "-1"), ("local_cpulist", "")];

/// Writes the files into `sys` of a folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let bus = folder.join("sys/devices/litmpi");
    let device = bus.join("infiniband/litmpi0");
    let lid = format!("0x{LID:x}");
    let port = [("ports/1/lid", lid.as_str()), ("ports/1/sm_lid", lid.as_str())];
    let of_device = FILES.iter().chain(&port).map(|(path, text)| (device.join(path), text));
    for (path, text) in of_device.chain(BUS.iter().map(|(path, text)| (bus.join(path), text))) {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, format!("{text}\n"))?;
    }
    symlink("../..", device.join("device"))?;
    // Every address of the machine leads to the device, those of this interface on every machine (`manager.c`).
    std::fs::create_dir_all(bus.join("net/lo"))?;
    let class = folder.join("sys/class/infiniband");
    std::fs::create_dir_all(&class)?;
    symlink("../../devices/litmpi/infiniband/litmpi0", class.join("litmpi0"))
}
