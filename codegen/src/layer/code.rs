//! What a layer's bodies come to, in no language yet: steps over memory, work identifiers and nodes, of which the number is known
//! when the program runs. `c.rs` and `rust.rs` write them down.

/// A structure that the library has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// One for all.
    Library,
    /// One an object: of a kind, or a location of the client.
    Object(String),
}

/// What a structure is known by in a function: the library itself, or a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum By {
    Library,
    Param(String),
}

/// A field of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) by: By,
    pub(super) name: String,
}

/// How many elements there are of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Nodes,
    Is(i64),
}

/// Memory: where it begins on each node is in a field; which element of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct At {
    pub(super) field: Field,
    pub(super) indices: Vec<(Size, Num)>,
}

/// A place whose value lasts for one call: a variable, what the function gives, or a word of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Var {
    Own(usize),
    Result,
}

/// Operators, on numbers; what is compared, and what is joined by them, is true or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl Op {
    /// Whether it gives true or false, rather than a number.
    pub(super) fn is_truth(self) -> bool {
        !matches!(self, Op::Add | Op::Sub | Op::Mul | Op::Mod)
    }
}

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Num {
    Int(i64),
    /// The own node.
    Here,
    Var(Var),
    /// A parameter.
    Given(String),
    /// The node of a remote parameter.
    NodeOf(String),
    /// What a loop over nodes is at.
    EachNode(usize),
    /// What a loop from 0 on is at.
    Counter(usize),
    Lasting(Field),
    Not(Box<Num>),
    Neg(Box<Num>),
    Bin(Op, Box<Num>, Box<Num>),
    /// A word of a parameter that has several.
    Word(String, Box<Num>),
    /// A number that tells apart what words went into it.
    Mixed(Box<Num>, Box<Num>),
    /// How many users there are.
    Count(Users),
    /// Which of the users a node is, from 0.
    Place(Users, Box<Num>),
    /// The user at a place, past the last the first again.
    Member(Users, Box<Num>),
}

/// Those who use an object: by a parameter, by an instruction or `any`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Users(pub(super) String, pub(super) String);

/// Nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Nodes {
    All,
    /// Those that use an object, by a parameter, by an instruction or `any`.
    Users(String, String),
    /// A parameter.
    Given(String),
}

/// A work identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Work {
    Given(String),
    Lasting(Field),
}

/// Which way a remote operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Put,
    Get,
}

/// A step of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Set(Var, Num),
    /// A word of what the function gives.
    SetWord(Num, Num),
    SetLasting(Field, Num),
    Load(Var, At),
    Store(At, Num),
    Mfence,
    Wait(Work),
    /// `words` of them from `far` and `own` on, one if it says nothing else.
    Remote {
        way: Way,
        node: Num,
        far: At,
        own: At,
        words: i64,
        work: Work,
    },
    If(Num, Vec<Step>, Vec<Step>),
    /// Until a `LeaveIf` within.
    Loop(Vec<Step>),
    LeaveIf(Num),
    /// Lets others run, in a loop that waits.
    Pause,
    EachNode {
        counter: usize,
        of: Nodes,
        /// Whether the own node is left out.
        others: bool,
        body: Vec<Step>,
    },
    /// 1, 2, 4, … below how many users there are.
    Doubling {
        counter: usize,
        of: Users,
        body: Vec<Step>,
    },
    /// From 0 to below `end`.
    Count {
        counter: usize,
        end: i64,
        body: Vec<Step>,
    },
}

/// What a parameter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Takes {
    /// An object of a kind; of a remote location, also the node.
    Object {
        kind: String,
        far: bool,
    },
    Nodes,
    Number,
    /// So many words.
    Words(i64),
    Work,
}

/// What a function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Nothing,
    /// 0 or 1, and nothing else.
    Truth,
    Number,
    /// A number, or -1 for none.
    Perhaps,
    /// So many words.
    Words(i64),
    /// The same, or -1 for none.
    PerhapsWords(i64),
}

/// A function of the library.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) name: String,
    /// What its instruction says of itself, and the literature.
    pub(super) doc: String,
    pub(super) params: Vec<(String, Takes)>,
    pub(super) gives: Gives,
    /// Variables of its own, by what bodies call them.
    pub(super) variables: Vec<String>,
    pub(super) steps: Vec<Step>,
}

impl Function {
    /// The parameter by whose object the library is known; without one, the library is given.
    pub(super) fn object(&self) -> Option<&str> {
        self.params.iter().find(|(_, t)| matches!(t, Takes::Object { .. })).map(|(n, _)| n.as_str())
    }

    /// What a variable is called: as in the body, and by its number, which no other name of the function has.
    pub(super) fn variable(&self, number: usize) -> String {
        let name = self.variables[number].trim_matches('_');
        format!("{}_{}", if name.is_empty() { "left" } else { name }, number + 1)
    }
}

impl Num {
    /// It, and the numbers in it.
    pub(super) fn each(&self, f: &mut dyn FnMut(&Num)) {
        f(self);
        match self {
            Num::Not(a) | Num::Neg(a) | Num::Word(_, a) | Num::Place(_, a) | Num::Member(_, a) => a.each(f),
            Num::Bin(_, a, b) | Num::Mixed(a, b) => {
                a.each(f);
                b.each(f);
            }
            _ => {}
        }
    }

    fn is_any(&self, of: &dyn Fn(&Num) -> bool) -> bool {
        let mut found = false;
        self.each(&mut |n| found |= of(n));
        found
    }
}

impl Step {
    /// The numbers of a step, without those of the steps in it.
    fn numbers(&self) -> Vec<&Num> {
        match self {
            Step::Set(_, n) | Step::SetLasting(_, n) | Step::If(n, ..) | Step::LeaveIf(n) => vec![n],
            Step::SetWord(i, n) => vec![i, n],
            Step::Load(_, at) => at.indices.iter().map(|(_, n)| n).collect(),
            Step::Store(at, n) => at.indices.iter().map(|(_, n)| n).chain([n]).collect(),
            Step::Remote { node, far, own, .. } => {
                far.indices.iter().chain(&own.indices).map(|(_, n)| n).chain([node]).collect()
            }
            _ => vec![],
        }
    }

    /// The steps in it, block by block.
    fn blocks(&self) -> Vec<&[Step]> {
        match self {
            Step::If(_, then, els) => vec![then, els],
            Step::Loop(body) | Step::EachNode { body, .. } | Step::Count { body, .. } | Step::Doubling { body, .. } => {
                vec![body]
            }
            _ => vec![],
        }
    }

    /// What it sets.
    pub(super) fn sets(&self) -> Option<Var> {
        match self {
            Step::Set(v, _) | Step::Load(v, _) => Some(*v),
            _ => None,
        }
    }

    /// Whether one of its numbers is so; with those of the steps in it, or without.
    pub(super) fn is_any(&self, of: &dyn Fn(&Num) -> bool, within: bool) -> bool {
        self.numbers().iter().any(|n| n.is_any(of))
            || within && self.blocks().into_iter().flatten().any(|s| s.is_any(of, within))
    }

    /// Whether it, or a step in it, has to do with a variable.
    pub(super) fn is_about(&self, v: Var) -> bool {
        self.sets() == Some(v)
            || self.is_any(&|n| *n == Num::Var(v), false)
            || self.blocks().into_iter().flatten().any(|s| s.is_about(v))
    }

    /// How often it sets a variable, as the text stands.
    pub(super) fn times_set(&self, v: Var) -> usize {
        let within: usize = self.blocks().into_iter().flatten().map(|s| s.times_set(v)).sum();
        usize::from(self.sets() == Some(v)) + within
    }
}

/// The step of a block, or of a block in it, that may declare a variable: all that has to do with it is behind, and it is set there
/// first. None if it is to be declared, as 0, before all.
pub(super) fn declares(v: Var, block: &[Step]) -> Option<&Step> {
    let about: Vec<&Step> = block.iter().filter(|s| s.is_about(v)).collect();
    let is_read = |s: &Step| s.is_any(&|n| *n == Num::Var(v), false);
    match about.as_slice() {
        [first, ..] if first.sets() == Some(v) && !is_read(first) => Some(first),
        [only] if !is_read(only) => {
            let within: Vec<&[Step]> = only.blocks().into_iter().filter(|b| b.iter().any(|s| s.is_about(v))).collect();
            match within.as_slice() {
                [block] => declares(v, block),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Leaves out steps that set a variable which is set again before anything looks at it.
pub(super) fn tidied(steps: Vec<Step>) -> Vec<Step> {
    let is_for_nothing = |i: usize| {
        let Step::Set(v @ Var::Own(_), _) = &steps[i] else { return false };
        let next = steps[i + 1..].iter().find(|s| s.is_about(*v));
        next.is_some_and(|s| s.sets() == Some(*v) && !s.is_any(&|n| *n == Num::Var(*v), false))
    };
    let keeps: Vec<bool> = (0..steps.len()).map(|i| !is_for_nothing(i)).collect();
    let within = |s: Step| match s {
        Step::If(n, then, els) => Step::If(n, tidied(then), tidied(els)),
        Step::Loop(body) => Step::Loop(tidied(body)),
        Step::EachNode { counter, of, others, body } => Step::EachNode { counter, of, others, body: tidied(body) },
        Step::Count { counter, end, body } => Step::Count { counter, end, body: tidied(body) },
        Step::Doubling { counter, of, body } => Step::Doubling { counter, of, body: tidied(body) },
        s => s,
    };
    steps.into_iter().zip(keeps).filter(|(_, keep)| *keep).map(|(s, _)| within(s)).collect()
}
