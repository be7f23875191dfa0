//! Words of a test that are looked up nowhere else: the models and variants that it speaks of, the works that it cites.
//!
//! A verdict of a model that does not ship is never checked, so a slip of the pen would go unseen. With a model of the user's own
//! (`--spec`, or a `.cat` file), names that are like none of those known may be his, too.

use litmpi_litmus::ast::{Cite, Test};
use litmpi_models::Model;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped::{CAT_MODELS, MODELS};
use litmpi_spec::source::Span;
use litmpi_spec::suggest::nearest;
use litmpi_spec::works::meant;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Refuses models, variants and works that are not known, as a test under a model speaks of them.
///
/// # Errors
/// Each with its place, and the name that was likely meant.
pub(crate) fn check(test: &Test, model: &Model) -> Result<(), Report> {
    let mut words = Words { model, errors: Report::default() };
    for claim in &test.claims {
        for v in &claim.verdicts {
            words.model(&v.model, v.variant.as_deref(), &v.span);
            words.cite(v.cite.as_ref(), &v.span);
        }
        for b in &claim.beside {
            b.models.iter().for_each(|m| words.model(&m.model, m.variant.as_deref(), &b.span));
            words.cite(b.cite.as_ref(), &b.span);
        }
        claim.seen.iter().for_each(|s| words.cite(s.cite.as_ref(), &claim.span));
    }
    words.errors.into_result()
}

struct Words<'m> {
    model: &'m Model,
    errors: Report,
}

impl Words<'_> {
    fn model(&mut self, name: &str, variant: Option<&str>, span: &Span) {
        let own = [Some(self.model.name()), self.model.spec().of.as_deref()];
        let shipped = MODELS.iter().map(|(n, _)| *n).chain(CAT_MODELS.iter().flat_map(|(file, of, _)| [*file, *of]));
        let known: BTreeSet<&str> = shipped.chain(own.into_iter().flatten()).collect();
        if !known.contains(name) {
            let near = nearest(name, known.iter().copied());
            if near.is_some() || !self.is_own() {
                let all = || format!("models: {}", known.iter().copied().collect::<Vec<_>>().join(", "));
                let help = near.map_or_else(all, |n| format!("did you mean `{n}`?"));
                self.wrong(span, name, format!("no model is called `{name}`"), "unknown model", help);
            }
            return;
        }
        let Some(variant) = variant else { return };
        let mut all = variants(name);
        if own.contains(&Some(name)) {
            all.extend(self.model.variants().into_iter().map(str::to_owned));
        }
        if !all.contains(variant) {
            let names: Vec<&str> = all.iter().map(String::as_str).collect();
            let help = nearest(variant, names.iter().copied())
                .map_or_else(|| format!("variants: {}", names.join(", ")), |n| format!("did you mean `{n}`?"));
            let what = format!("model {name} has no variant `{variant}`");
            self.wrong(span, variant, what, "unknown variant", help);
        }
    }

    /// Whether the model is one of the user's own.
    fn is_own(&self) -> bool {
        let name = self.model.name();
        MODELS.iter().all(|(n, _)| *n != name) && CAT_MODELS.iter().all(|(file, _, _)| *file != name)
    }

    fn cite(&mut self, cite: Option<&Cite>, span: &Span) {
        let Some(work) = cite.map(|c| c.work.as_str()) else { return };
        if let Some(near) = meant(work) {
            let help = format!("did you mean `{near}`?");
            self.wrong(span, work, format!("no work is called `{work}`"), "unknown work", help);
        }
    }

    /// An error at the word, within the span.
    fn wrong(&mut self, span: &Span, word: &str, what: String, found: &str, help: String) {
        let at = span
            .text()
            .find(word)
            .map_or_else(|| span.clone(), |i| Span::new(&span.source, span.start + i, span.start + i + word.len()));
        self.errors.0.push(Diagnostic::at(&at, what).found(found).help(help));
    }
}

/// The variants of a shipped model in all its forms, looked up once.
fn variants(model: &str) -> BTreeSet<String> {
    static KNOWN: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(all) = known.get(model) {
        return all.clone();
    }
    let mut all = BTreeSet::from(["default".to_owned()]);
    let spec = load_shipped(model).map(|s| s.variants.into_iter().map(|v| v.name).collect::<Vec<_>>());
    all.extend(spec.unwrap_or_default());
    for (file, _, variant) in CAT_MODELS.iter().filter(|(file, of, _)| *of == model || *file == model) {
        all.insert((*variant).to_owned());
        let forms = Model::named(file).map(|m| m.variants().into_iter().map(str::to_owned).collect::<Vec<_>>());
        for form in forms.unwrap_or_default().into_iter().filter(|f| f != "default") {
            // A declarative model under a variant of its programs, as its verdicts have it.
            let joined = if *variant == "default" || *file == model { form } else { format!("{variant}-{form}") };
            all.insert(joined);
        }
    }
    known.insert(model.to_owned(), all.clone());
    all
}
