//! What cannot be evaluated.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Span;

/// Something that a rule cannot do in a state; the specification or the program is to be mended. Or what an operation of the program comes to
/// that ends it.
#[derive(Debug, Clone)]
pub struct Fault(pub Box<Diagnostic>, bool);

impl Fault {
    /// A fault at a place.
    pub fn new(span: &Span, message: impl Into<String>) -> Fault {
        Fault(Box::new(Diagnostic::at(span, message)), false)
    }

    /// A fault without a place.
    pub fn general(message: impl Into<String>) -> Fault {
        Fault(Box::new(Diagnostic::general(message)), false)
    }

    /// An operation of a program that runs ends it: the step that it is of is one to no state.
    pub(crate) fn end(why: impl Into<String>) -> Fault {
        Fault(Box::new(Diagnostic::general(why)), true)
    }

    /// Why the program ends in the step, if it does.
    pub(crate) fn ends(&self) -> Option<&str> {
        self.1.then_some(self.0.message.as_str())
    }

    /// A fault of a statement: it is there, unless a place within it is known.
    #[must_use]
    pub fn within(mut self, statement: &Span) -> Fault {
        if self.0.span.is_none() {
            self.0.span = Some(statement.clone());
            self.0.label = "in this statement".into();
        }
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Fault {
        Fault(Box::new(self.0.help(help)), self.1)
    }
}

impl From<Fault> for Report {
    fn from(f: Fault) -> Report {
        (*f.0).into()
    }
}
