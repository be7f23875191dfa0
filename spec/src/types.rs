//! Types of the rule language.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// 64-bit integers.
    Int,
    /// Truth values.
    Bool,
    /// Elements of the program: nodes, threads, locations.
    Sort(Sort),
    /// Finite sequences.
    Seq(Box<Ty>),
    /// Finite sets.
    Set(Box<Ty>),
    /// Finite maps, by the type of their pairs, a tuple of two.
    Map(Box<Ty>),
    /// Integers of a program that rules carry and compare, and never look into.
    Blob,
    /// `None` or a value.
    Option(Box<Ty>),
    /// A fixed number of values.
    Tuple(Vec<Ty>),
    /// A record, by index into [`Types::records`].
    Record(usize),
    /// One of these constructors, by ascending index into [`Types::ctors`]: a type with fewer is part of a type with more.
    Variant(Vec<usize>),
    /// A register that holds a value of the type.
    Reg(Box<Ty>),
    /// The type of the elements of `[]`; part of every type.
    Never,
}

/// What a program consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sort {
    /// Machines; MPI processes.
    Node,
    /// Threads.
    Thread,
    /// Cells of memory.
    Loc,
}

impl Sort {
    /// By name.
    pub fn named(name: &str) -> Option<Sort> {
        match name {
            "Node" => Some(Sort::Node),
            "Thread" => Some(Sort::Thread),
            "Loc" => Some(Sort::Loc),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Node => "Node",
            Sort::Thread => "Thread",
            Sort::Loc => "Loc",
        }
    }
}

/// A record type.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<(String, Ty)>,
}

/// A constructor of variants.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ctor {
    /// Its name, unique in the specification.
    pub name: String,
    /// Its fields.
    pub fields: Vec<(String, Ty)>,
}

/// All named types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Types {
    /// Records.
    pub records: Vec<Record>,
    /// Constructors.
    pub ctors: Vec<Ctor>,
    /// Variant types and aliases by name.
    pub named: Vec<(String, Ty)>,
}

impl Types {
    /// Whether every value of `a` is one of `b`.
    pub fn part_of(a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            // Nothing is asked of what stands where a type is missing: one mistake, one message.
            (Ty::Never, _) | (_, Ty::Never) => true,
            // `{}` is a set and a map.
            (Ty::Set(a), Ty::Map(_)) => **a == Ty::Never,
            (Ty::Seq(a), Ty::Seq(b))
            | (Ty::Option(a), Ty::Option(b))
            | (Ty::Set(a), Ty::Set(b))
            | (Ty::Map(a), Ty::Map(b)) => Types::part_of(a, b),
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Types::part_of(a, b)),
            (Ty::Variant(a), Ty::Variant(b)) => a.iter().all(|c| b.contains(c)),
            _ => a == b,
        }
    }

    /// The least type that both are part of.
    pub fn join(a: &Ty, b: &Ty) -> Option<Ty> {
        match (a, b) {
            (Ty::Never, t) | (t, Ty::Never) => Some(t.clone()),
            (Ty::Seq(a), Ty::Seq(b)) => Some(Ty::Seq(Box::new(Types::join(a, b)?))),
            (Ty::Option(a), Ty::Option(b)) => Some(Ty::Option(Box::new(Types::join(a, b)?))),
            (Ty::Set(a), Ty::Set(b)) => Some(Ty::Set(Box::new(Types::join(a, b)?))),
            (Ty::Map(a), Ty::Map(b)) => Some(Ty::Map(Box::new(Types::join(a, b)?))),
            (Ty::Set(e), m @ Ty::Map(_)) | (m @ Ty::Map(_), Ty::Set(e)) if **e == Ty::Never => Some(m.clone()),
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                Some(Ty::Tuple(a.iter().zip(b).map(|(a, b)| Types::join(a, b)).collect::<Option<_>>()?))
            }
            (Ty::Variant(a), Ty::Variant(b)) => {
                let mut all: Vec<usize> = a.iter().chain(b).copied().collect();
                all.sort_unstable();
                all.dedup();
                Some(Ty::Variant(all))
            }
            _ if a == b => Some(a.clone()),
            _ => None,
        }
    }

    /// A constructor by name.
    pub fn ctor(&self, name: &str) -> Option<usize> {
        self.ctors.iter().position(|c| c.name == name)
    }

    /// A record by name.
    pub fn record(&self, name: &str) -> Option<usize> {
        self.records.iter().position(|r| r.name == name)
    }

    /// A type as users write it.
    pub fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "Int".into(),
            Ty::Bool => "Bool".into(),
            Ty::Sort(s) => s.name().into(),
            Ty::Seq(t) => format!("[{}]", self.show(t)),
            Ty::Set(t) => format!("{{{}}}", self.show(t)),
            Ty::Map(t) => match &**t {
                Ty::Tuple(ts) => {
                    let parts: Vec<_> = ts.iter().map(|t| self.show(t)).collect();
                    format!("{{{}}}", parts.join(" ↦ "))
                }
                t => format!("{{{}}}", self.show(t)),
            },
            Ty::Blob => "Blob".into(),
            Ty::Option(t) => format!("{}?", self.show(t)),
            Ty::Reg(t) => format!("Reg {}", self.show(t)),
            Ty::Tuple(ts) => format!("({})", ts.iter().map(|t| self.show(t)).collect::<Vec<_>>().join(", ")),
            Ty::Record(r) => self.records[*r].name.clone(),
            Ty::Variant(cs) => {
                if let Some((name, _)) = self.named.iter().find(|(_, t)| t == ty) {
                    return name.clone();
                }
                cs.iter().map(|c| self.ctors[*c].name.as_str()).collect::<Vec<_>>().join(" | ")
            }
            Ty::Never => "nothing".into(),
        }
    }

    /// A value as users write it. `name` names the elements of sorts, and registers.
    pub fn show_value(
        &self,
        heap: &crate::heap::Heap,
        ty: &Ty,
        word: crate::heap::Word,
        name: &dyn Fn(&Ty, crate::heap::Word) -> String,
    ) -> String {
        let fields = |types: &[(String, Ty)], words: &[u32]| {
            let parts: Vec<String> =
                types.iter().zip(words).map(|((_, t), w)| self.show_value(heap, t, *w, name)).collect();
            parts.join(", ")
        };
        match ty {
            Ty::Int | Ty::Blob => heap.int(word).to_string(),
            Ty::Bool => (word != 0).to_string(),
            Ty::Sort(_) | Ty::Reg(_) => name(ty, word),
            Ty::Seq(t) => {
                let words = heap.get(word);
                if words.is_empty() {
                    return "[]".into();
                }
                let parts: Vec<String> = words.iter().map(|w| self.show_value(heap, t, *w, name)).collect();
                if matches!(**t, Ty::Variant(_)) { parts.join(" · ") } else { format!("[{}]", parts.join(", ")) }
            }
            Ty::Set(t) => {
                let parts: Vec<String> = heap.get(word).iter().map(|w| self.show_value(heap, t, *w, name)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Map(pair) => {
                let show = |pair_word: &u32| match &**pair {
                    Ty::Tuple(ts) => {
                        let words = heap.get(*pair_word);
                        let both = ts.iter().zip(words).map(|(t, w)| self.show_value(heap, t, *w, name));
                        both.collect::<Vec<_>>().join(" ↦ ")
                    }
                    t => self.show_value(heap, t, *pair_word, name),
                };
                format!("{{{}}}", heap.get(word).iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Ty::Option(t) => match heap.get(word) {
                [] => "None".into(),
                words => format!("Some({})", self.show_value(heap, t, words[0], name)),
            },
            Ty::Tuple(ts) => {
                let parts: Vec<String> =
                    ts.iter().zip(heap.get(word)).map(|(t, w)| self.show_value(heap, t, *w, name)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(r) => {
                let record = &self.records[*r];
                let mut out = format!("{} {{ ", record.name);
                for (i, ((f, t), w)) in record.fields.iter().zip(heap.get(word)).enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    let _ = write!(out, "{comma}{f} = {}", self.show_value(heap, t, *w, name));
                }
                out + " }"
            }
            Ty::Variant(_) => {
                let words = heap.get(word);
                let ctor = &self.ctors[words[0] as usize];
                if ctor.fields.is_empty() {
                    ctor.name.clone()
                } else {
                    format!("{}({})", ctor.name, fields(&ctor.fields, &words[1..]))
                }
            }
            Ty::Never => "?".into(),
        }
    }
}
