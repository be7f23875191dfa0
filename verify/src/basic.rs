//! What the basic types are made of, by their numbers (`predefined` in `spec/mpi/kinds.spec`).

use crate::declared::Class;

/// Memory without a type.
const PACKED: i64 = 4;
const BYTE: i64 = 9;

/// Whether an element of a basic type is a complex number.
pub(crate) fn is_complex(basic: i64) -> bool {
    matches!(basic, 31..=33 | 37 | 38 | 47..=49 | 56 | 57 | 62)
}

/// Whether an element of a basic type is a pair.
pub(crate) fn is_pair(basic: i64) -> bool {
    matches!(basic, 5 | 41..=45 | 58..=60)
}

/// The numbers that an element of a basic type of this size is made of: how far from its beginning each lies, what it is, and its bytes.
pub(crate) fn numbers(basic: i64, size: u64) -> Vec<(u64, Class, u64)> {
    let of_two = |first: (Class, u64), second: (Class, u64)| {
        // The second number lies at a multiple of its size.
        let behind = first.1.next_multiple_of(second.1);
        vec![(0, first.0, first.1), (behind, second.0, second.1)]
    };
    let int = (Class::Integer, 4);
    match basic {
        PACKED | BYTE => vec![],
        2 | 16 | 17 | 35 | 36 | 54 | 55 | 61 | 63 => vec![(0, Class::Float, size)],
        5 | 58 => of_two(int, int),
        41 => of_two((Class::Float, 4), int),
        42 => of_two((Class::Float, 8), int),
        43 => of_two((Class::Integer, 8), int),
        44 => of_two((Class::Integer, 2), int),
        45 => of_two((Class::Float, 16), int),
        59 => of_two((Class::Float, 4), (Class::Float, 4)),
        60 => of_two((Class::Float, 8), (Class::Float, 8)),
        _ if is_complex(basic) => vec![(0, Class::Complex, size)],
        _ => vec![(0, Class::Integer, size)],
    }
}
