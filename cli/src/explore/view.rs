//! What is shown of a walk, and what keys do to it.

use super::keys::Key;
use super::walk::Walk;
use litmpi_litmus::ast::Outcome;
use litmpi_spec::diag::Report;

/// A panel that can be scrolled, or chosen in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Panel {
    Enabled,
    Blocked,
    State,
    Program,
    Way,
}

const PANELS: [Panel; 5] = [Panel::Enabled, Panel::Blocked, Panel::State, Panel::Program, Panel::Way];

/// What lies over the panels.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Over {
    Nothing,
    Help,
    /// Outcomes, which one is chosen, and whether these are all.
    Outcomes(Vec<Outcome>, usize, bool),
}

pub(super) struct View<'m> {
    pub(super) walk: Walk<'m>,
    /// The model and variant.
    pub(super) about: String,
    pub(super) panel: Panel,
    /// The enabled step that is chosen.
    pub(super) chosen: usize,
    /// How far the other panels are scrolled.
    scrolled: [usize; PANELS.len()],
    /// Whether all of the state is shown.
    pub(super) all: bool,
    pub(super) over: Over,
}

impl<'m> View<'m> {
    pub(super) fn new(walk: Walk<'m>, about: String) -> View<'m> {
        View {
            walk,
            about,
            panel: Panel::Enabled,
            chosen: 0,
            scrolled: [0; PANELS.len()],
            all: false,
            over: Over::Nothing,
        }
    }

    /// From which line on a panel is shown that has so many lines, of which so many have room.
    pub(super) fn from(&mut self, panel: Panel, lines: usize, room: usize) -> usize {
        let at = &mut self.scrolled[panel as usize];
        *at = (*at).min(lines.saturating_sub(room));
        *at
    }

    /// Does what a key is for; false if that is to leave.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(super) fn press(&mut self, key: Key) -> Result<bool, Report> {
        match (&mut self.over, key) {
            (_, Key::Quit) => return Ok(false),
            (Over::Outcomes(all, chosen, _), Key::Up | Key::Down) => *chosen = moved(*chosen, key, all.len()),
            (Over::Outcomes(all, chosen, _), Key::Take) => {
                if let Some(outcome) = all.get(*chosen).cloned() {
                    self.walk.jump(&outcome)?;
                    self.arrive();
                }
                self.over = Over::Nothing;
            }
            (Over::Help | Over::Outcomes(..), _) => self.over = Over::Nothing,
            (Over::Nothing, Key::Up | Key::Down) => self.scroll(key),
            (Over::Nothing, key) => self.act(key)?,
        }
        Ok(true)
    }

    fn act(&mut self, key: Key) -> Result<(), Report> {
        match key {
            Key::Take => self.walk.take(self.chosen)?,
            Key::Undo => self.walk.undo()?,
            Key::Again => self.walk.again()?,
            Key::Start => self.walk.start()?,
            Key::End => self.walk.last()?,
            Key::Outcomes => {
                let (all, complete) = self.walk.outcomes()?;
                self.over = Over::Outcomes(all, 0, complete);
                return Ok(());
            }
            Key::Help => self.over = Over::Help,
            Key::All => self.all = !self.all,
            Key::Panel => self.panel = PANELS[(self.panel as usize + 1) % PANELS.len()],
            Key::Up | Key::Down | Key::Close | Key::Quit => {}
        }
        if matches!(key, Key::Take | Key::Undo | Key::Again | Key::Start | Key::End) {
            self.arrive();
        }
        Ok(())
    }

    /// In another state: the first step is chosen, and panels begin at their tops.
    fn arrive(&mut self) {
        self.chosen = 0;
        self.scrolled = [0; PANELS.len()];
        // The last steps are those of interest.
        self.scrolled[Panel::Way as usize] = usize::MAX;
    }

    fn scroll(&mut self, key: Key) {
        if self.panel == Panel::Enabled {
            self.chosen = moved(self.chosen, key, self.walk.enabled.len());
            return;
        }
        let at = &mut self.scrolled[self.panel as usize];
        *at = if key == Key::Up { at.saturating_sub(1) } else { at.saturating_add(1) };
    }
}

fn moved(at: usize, key: Key, of: usize) -> usize {
    match key {
        Key::Up => at.saturating_sub(1),
        _ => (at + 1).min(of.saturating_sub(1)),
    }
}
