//! Memory of a process that the device has mapped for itself: what lies in a file that nobody can shorten.
//!
//! An access is then one of this processor's, of eight aligned bytes at once as of memory that a device reaches by PCIe, and
//! as short. Other memory is reached by system calls, a few microseconds each, in which a store buffer is long empty.
#![expect(unsafe_code, reason = "bytes that another process maps, too, are atomics at raw addresses")]

use memmap2::{MmapOptions, MmapRaw};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::unistd::Pid;
use std::fs::OpenOptions;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

/// A page: what offsets of mappings are multiples of.
const PAGE: u64 = 4096;
/// What is read and written at once.
const WORD: usize = 8;

/// A range of a process's memory, mapped.
pub(crate) struct Mapped {
    map: MmapRaw,
    /// Where the range begins in the mapping.
    skip: usize,
    /// The process's own address of it, and its length.
    addr: u64,
    len: u64,
}

/// Where a process says that a range of its memory lies.
pub(crate) struct Backing {
    pub(crate) pid: Pid,
    pub(crate) descriptor: u64,
    pub(crate) inode: u64,
    pub(crate) offset: u64,
    pub(crate) addr: u64,
    pub(crate) len: u64,
}

impl Mapped {
    /// Maps a range; none if the process did not say the truth, or says it no more.
    pub(crate) fn open(b: &Backing) -> Option<Mapped> {
        let path = format!("/proc/{}/fd/{}", b.pid, b.descriptor);
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        let about = file.metadata().ok()?;
        let seals = SealFlag::from_bits_truncate(fcntl(&file, FcntlArg::F_GET_SEALS).ok()?);
        // An access behind the end of a file would be the end of the device.
        let holds = about.ino() == b.inode && about.len() >= b.offset.checked_add(b.len)?;
        if !holds || !seals.contains(SealFlag::F_SEAL_SHRINK) {
            return None;
        }
        let skip = usize::try_from(b.offset % PAGE).ok()?;
        let len = usize::try_from(b.len).ok()?.checked_add(skip)?;
        let map = MmapOptions::new().offset(b.offset - b.offset % PAGE).len(len).map_raw(&file).ok()?;
        Some(Mapped { map, skip, addr: b.addr, len: b.len })
    }

    /// The place of a range in this process, which is as well aligned as in the other.
    fn at(&self, addr: u64, len: usize) -> Option<*mut u8> {
        let from = addr.checked_sub(self.addr)?;
        let inside = from.checked_add(len as u64)? <= self.len;
        let offset = usize::try_from(from).ok()?.checked_add(self.skip)?;
        // SAFETY: the range is inside of the mapping.
        inside.then(|| unsafe { self.map.as_mut_ptr().add(offset) })
    }

    /// Reads bytes from an address of the process on; whether they are of this range.
    pub(crate) fn read(&self, addr: u64, bytes: &mut [u8]) -> bool {
        let Some(at) = self.at(addr, bytes.len()) else { return false };
        let mut i = 0;
        while i < bytes.len() {
            // SAFETY: inside of the mapping, which lives as long as `self`, and aligned; all accesses here are atomic.
            unsafe {
                if is_word(at, i, bytes.len()) {
                    let word = AtomicU64::from_ptr(at.add(i).cast()).load(Ordering::Acquire);
                    bytes[i..i + WORD].copy_from_slice(&word.to_ne_bytes());
                    i += WORD;
                } else {
                    bytes[i] = AtomicU8::from_ptr(at.add(i)).load(Ordering::Acquire);
                    i += 1;
                }
            }
        }
        true
    }

    /// Writes bytes from an address of the process on; whether they are of this range.
    pub(crate) fn write(&self, addr: u64, bytes: &[u8]) -> bool {
        let Some(at) = self.at(addr, bytes.len()) else { return false };
        let mut i = 0;
        while i < bytes.len() {
            // SAFETY: as in `read`.
            unsafe {
                match bytes[i..].first_chunk() {
                    Some(word) if is_word(at, i, bytes.len()) => {
                        AtomicU64::from_ptr(at.add(i).cast()).store(u64::from_ne_bytes(*word), Ordering::Release);
                        i += WORD;
                    }
                    _ => {
                        AtomicU8::from_ptr(at.add(i)).store(bytes[i], Ordering::Release);
                        i += 1;
                    }
                }
            }
        }
        fence(Ordering::SeqCst);
        true
    }
}

/// An aligned word of eight bytes in a mapping that lives as long.
pub(crate) struct MappedWord {
    at: *const AtomicU64,
    _map: Rc<Mapped>,
}

impl MappedWord {
    /// The word at an address of the process; none if it is not aligned, or not in the mapping.
    pub(crate) fn of(map: &Rc<Mapped>, addr: u64) -> Option<MappedWord> {
        let at = map.at(addr, WORD)?;
        is_word(at, 0, WORD).then(|| MappedWord { at: at.cast(), _map: Rc::clone(map) })
    }

    /// What it holds.
    pub(crate) fn load(&self) -> u64 {
        // SAFETY: inside of the mapping, which lives as long as `self`, and aligned; all accesses are atomic.
        unsafe { &*self.at }.load(Ordering::Acquire)
    }

    /// Makes it hold a value, before anything else is done here.
    pub(crate) fn store(&self, value: u64) {
        // SAFETY: as in `load`.
        unsafe { &*self.at }.store(value, Ordering::Release);
        fence(Ordering::SeqCst);
    }
}

/// Whether a whole aligned word is next.
fn is_word(at: *mut u8, i: usize, len: usize) -> bool {
    len - i >= WORD && (at as usize + i).is_multiple_of(WORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::memfd::{MFdFlags, memfd_create};
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;

    const LEN: u64 = 2 * PAGE;

    fn file(seals: SealFlag) -> File {
        let file = File::from(memfd_create("test", MFdFlags::MFD_ALLOW_SEALING).expect("a file"));
        file.set_len(LEN).expect("its length");
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).expect("its seals");
        file
    }

    fn backing(file: &File, offset: u64, len: u64) -> Backing {
        let descriptor = u64::try_from(file.as_raw_fd()).expect("not negative");
        Backing {
            pid: Pid::this(),
            descriptor,
            inode: file.metadata().expect("its data").ino(),
            offset,
            addr: 0x5000,
            len,
        }
    }

    #[test]
    fn what_is_written_stands_in_the_file_and_what_stands_there_is_read() {
        let file = file(SealFlag::F_SEAL_SHRINK);
        // Neither the range nor what is written in it is aligned.
        let mapped = Mapped::open(&backing(&file, 8 + 5, 100)).expect("mapped");
        assert!(mapped.write(0x5002, b"twenty bytes of text"));
        let mut bytes = [0; 22];
        file.read_exact_at(&mut bytes, 8 + 5).expect("read");
        assert_eq!(&bytes, b"\0\0twenty bytes of text");
        file.write_all_at(b"words", 8 + 5 + 9).expect("written");
        let mut bytes = [0; 20];
        assert!(mapped.read(0x5002, &mut bytes));
        assert_eq!(&bytes, b"twenty words of text");
    }

    #[test]
    fn nothing_outside_of_the_range_is_reached() {
        let file = file(SealFlag::F_SEAL_SHRINK);
        let mapped = Mapped::open(&backing(&file, 0, 100)).expect("mapped");
        let mut bytes = [0; 8];
        for addr in [0x4fff, 0x5000 + 93, 0x5000 + 100, u64::MAX - 4] {
            assert!(!mapped.read(addr, &mut bytes) && !mapped.write(addr, &bytes), "{addr:x}");
        }
        assert!(mapped.read(0x5000 + 92, &mut bytes));
    }

    #[test]
    fn a_file_that_may_shrink_or_is_another_or_too_short_is_not_mapped() {
        let sealed = file(SealFlag::F_SEAL_SHRINK);
        assert!(Mapped::open(&backing(&sealed, 0, LEN)).is_some());
        assert!(Mapped::open(&backing(&sealed, 0, LEN + 1)).is_none());
        assert!(Mapped::open(&backing(&sealed, u64::MAX, 2)).is_none());
        assert!(Mapped::open(&Backing { inode: 1, ..backing(&sealed, 0, LEN) }).is_none());
        assert!(Mapped::open(&backing(&file(SealFlag::empty()), 0, LEN)).is_none());
    }
}
