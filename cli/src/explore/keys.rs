//! Keys, by what they are for, and as `--keys` names them.

use litmpi_spec::diag::{Diagnostic, Report};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    /// Takes what is chosen.
    Take,
    /// Undoes the last step.
    Undo,
    /// Takes again what was undone, or the next step of a way.
    Again,
    /// To the first state.
    Start,
    /// To the end of what was undone, or of a way.
    End,
    /// The outcomes, to jump to one.
    Outcomes,
    /// All of the state, or what is not as at first.
    All,
    /// The next panel.
    Panel,
    Help,
    /// Closes what is open.
    Close,
    Quit,
}

/// Names, what the key is, and what it does, for the help.
pub(super) const KEYS: [(&[&str], Key, &str); 13] = [
    (&["up", "k"], Key::Up, "choose the one above, or scroll"),
    (&["down", "j"], Key::Down, "choose the one below, or scroll"),
    (&["enter", "right"], Key::Take, "take the chosen step"),
    (&["u", "left", "backspace"], Key::Undo, "undo a step"),
    (&["n"], Key::Again, "redo, or step along the way to an outcome"),
    (&["g", "home"], Key::Start, "back to the first state"),
    (&["e", "end"], Key::End, "on to the end of what is known"),
    (&["o"], Key::Outcomes, "list the outcomes; enter jumps to one"),
    (&["a"], Key::All, "show all of the state, or what has changed"),
    (&["tab"], Key::Panel, "next panel, to scroll it"),
    (&["h", "?"], Key::Help, "this help"),
    (&["esc"], Key::Close, "close"),
    (&["q"], Key::Quit, "leave"),
];

impl Key {
    /// What a key of the keyboard is for.
    pub(super) fn of(pressed: &KeyEvent) -> Option<Key> {
        if pressed.modifiers.contains(KeyModifiers::CONTROL) {
            return (pressed.code == KeyCode::Char('c')).then_some(Key::Quit);
        }
        let name = match pressed.code {
            KeyCode::Char(c) => return named(&c.to_string()),
            KeyCode::Up => "up",
            KeyCode::Down => "down",
            KeyCode::Left => "left",
            KeyCode::Right => "right",
            KeyCode::Enter => "enter",
            KeyCode::Backspace => "backspace",
            KeyCode::Home => "home",
            KeyCode::End => "end",
            KeyCode::Tab => "tab",
            KeyCode::Esc => "esc",
            _ => return None,
        };
        named(name)
    }
}

fn named(name: &str) -> Option<Key> {
    KEYS.iter().find(|(names, ..)| names.contains(&name)).map(|(_, key, _)| *key)
}

/// The keys of `--keys`.
///
/// # Errors
/// A name that no key has.
pub(super) fn script(text: &str) -> Result<Vec<Key>, Report> {
    let key = |name: &str| {
        let names: Vec<&str> = KEYS.iter().flat_map(|(names, ..)| names.iter().copied()).collect();
        let d = || Diagnostic::general(format!("`--keys` names a key `{name}` that does nothing here"));
        named(name).ok_or_else(|| Report::from(d().help(format!("keys are {}", names.join(", ")))))
    };
    text.split([' ', ',', '\t', '\n']).filter(|name| !name.is_empty()).map(key).collect()
}
