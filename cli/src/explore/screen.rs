//! The screen: panels that fit 80 columns and 24 rows, and their text for tests.

use super::keys::KEYS;
use super::view::{Over, Panel, View};
use crate::explain::waiting_text;
use litmpi_spec::visible::visible;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

const HELP: &str = " ↑↓ choose  enter take  u undo  n redo  g start  o outcomes  tab panel  h help  q leave";
const SHORT: &str = " enter take  u undo  o outcomes  h help  q leave";

/// Draws everything.
pub(super) fn draw(view: &mut View<'_>, frame: &mut Frame<'_>) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(3), Constraint::Length(1)]).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Percentage(44), Constraint::Percentage(56)]).areas(body);
    let text = program(view);
    let [program_at, way_at] = Layout::vertical([Constraint::Percentage(62), Constraint::Percentage(38)]).areas(left);
    let [enabled_at, blocked_at, state_at] =
        Layout::vertical([Constraint::Percentage(32), Constraint::Percentage(32), Constraint::Percentage(36)])
            .areas(right);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    frame.render_widget(Paragraph::new(shown(&title(view))).style(bold), head);
    let help = if usize::from(foot.width) >= HELP.chars().count() { HELP } else { SHORT };
    frame.render_widget(Paragraph::new(help).style(Style::new().add_modifier(Modifier::REVERSED)), foot);
    panel(view, frame, program_at, Panel::Program, "program", text);
    let way = way(view);
    panel(view, frame, way_at, Panel::Way, &format!("steps so far ({} ahead)", view.walk.ahead()), way);
    enabled(view, frame, enabled_at);
    let stops = waiting_text(view.walk.machine(), view.walk.state());
    let blocked: Vec<String> =
        if view.walk.erroneous().is_some() { vec![] } else { stops.lines().map(|l| l.trim_end().to_owned()).collect() };
    panel(view, frame, blocked_at, Panel::Blocked, "where rules stop", blocked);
    let name = if view.all { "state" } else { "state, as far as it has changed" };
    let state = state(view);
    panel(view, frame, state_at, Panel::State, name, state);
    over(view, frame);
}

fn title(view: &View<'_>) -> String {
    let walk = &view.walk;
    let here = match walk.end() {
        Some(end) => format!("END: {end}"),
        None => format!("{} enabled", walk.enabled.len()),
    };
    format!(" {} under {} · step {} · {here}", walk.test.name, view.about, walk.taken.len())
}

/// The lines of the program, with marks where threads are.
fn program(view: &View<'_>) -> Vec<String> {
    let walk = &view.walk;
    let at: Vec<usize> =
        walk.machine().waiting(walk.state()).into_iter().filter_map(|(_, s)| Some(s?.line_col().0)).collect();
    let text = &walk.test.span.source.text;
    let line = |(i, l): (usize, &str)| format!("{}{:>3} {l}", if at.contains(&(i + 1)) { '▶' } else { ' ' }, i + 1);
    text.lines().enumerate().map(line).collect()
}

fn way(view: &View<'_>) -> Vec<String> {
    let one = |(i, t): (usize, &super::walk::Taken)| format!("{:>3}. {}", i + 1, t.name);
    view.walk.taken.iter().enumerate().map(one).collect()
}

/// Entries of the state; those that the last step has changed are marked.
fn state(view: &View<'_>) -> Vec<String> {
    let (walk, machine) = (&view.walk, view.walk.machine());
    let (now, first) = (walk.state(), machine.initial());
    let mut out = vec![];
    for slot in 0..now.len() {
        let changed = walk.before().is_some_and(|before| before[slot] != now[slot]);
        if !(view.all || changed || now[slot] != first[slot]) {
            continue;
        }
        if let Some((entry, value)) = machine.entry(slot, now) {
            out.push(format!("{}{entry} = {value}", if changed { '•' } else { ' ' }));
        }
    }
    out
}

fn enabled(view: &mut View<'_>, frame: &mut Frame<'_>, area: Rect) {
    let room = usize::from(area.height.saturating_sub(2));
    let mut lines = vec![];
    let mut at = 0;
    for (i, step) in view.walk.enabled.iter().enumerate() {
        let source = step.source.as_ref().map_or(String::new(), |(text, line)| format!("  {line}: {text}"));
        if i == view.chosen {
            at = lines.len();
        }
        lines.push((format!("{}{}{source}", if i == view.chosen { '›' } else { ' ' }, step.name), i == view.chosen));
        if i == view.chosen && room > 2 {
            lines.push((format!("   {}", step.says), false));
        }
    }
    if lines.is_empty() {
        lines.push((" nothing: u undoes the last step".to_owned(), false));
    }
    let from = (at + 2).saturating_sub(room.max(1));
    let line = |(text, chosen): (String, bool)| {
        let style = if chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Line::styled(shown(&text), style)
    };
    let lines: Vec<Line<'_>> = lines.into_iter().skip(from).take(room).map(line).collect();
    let block = frame_of(view.panel == Panel::Enabled, "enabled");
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn frame_of(is_focused: bool, name: &str) -> Block<'static> {
    let name = if is_focused { format!("[{name}]") } else { format!(" {name} ") };
    let style = if is_focused { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    Block::bordered().title(name).border_style(style)
}

fn panel(view: &mut View<'_>, frame: &mut Frame<'_>, area: Rect, panel: Panel, name: &str, lines: Vec<String>) {
    let room = usize::from(area.height.saturating_sub(2));
    // What is being read is shown in full.
    let width = usize::from(area.width.saturating_sub(2)).max(8);
    let lines: Vec<String> = match view.panel == panel {
        true => lines.iter().flat_map(|l| folded(&shown(l), width)).collect(),
        false => lines,
    };
    let number = lines.len();
    let from = view.from(panel, number, room);
    let more = number.saturating_sub(from + room);
    let name = if more > 0 { format!("{name}, {more} more below") } else { name.to_owned() };
    let lines: Vec<Line<'_>> = lines.iter().skip(from).take(room).map(|l| Line::raw(shown(l))).collect();
    frame.render_widget(Paragraph::new(lines).block(frame_of(view.panel == panel, &name)), area);
}

/// A line in pieces that have room; further ones are indented.
fn folded(line: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    let (first, rest) = letters.split_at(letters.len().min(width));
    let mut out = vec![first.iter().collect::<String>()];
    out.extend(rest.chunks(width - 4).map(|piece| format!("    {}", piece.iter().collect::<String>())));
    out
}

/// Help, or the outcomes, over the panels.
fn over(view: &View<'_>, frame: &mut Frame<'_>) {
    let (name, lines): (String, Vec<(String, bool)>) = match &view.over {
        Over::Nothing => return,
        Over::Help => {
            let line = |(names, _, says): &(&[&str], super::keys::Key, &str)| {
                (format!(" {:<18} {says}", names.join(", ")), false)
            };
            ("keys".to_owned(), KEYS.iter().map(line).collect())
        }
        Over::Outcomes(all, chosen, complete) => {
            let line =
                |(i, o)| (format!("{}{}", if i == *chosen { '›' } else { ' ' }, view.walk.test.show(o)), i == *chosen);
            let name = if *complete { "outcomes" } else { "outcomes found within the bounds" };
            (name.to_owned(), all.iter().enumerate().map(line).collect())
        }
    };
    let area = frame.area();
    let width = lines.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0).max(name.len() + 4) + 3;
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height.saturating_sub(2));
    let at = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    let room = usize::from(height.saturating_sub(2));
    let chosen = lines.iter().position(|(_, chosen)| *chosen).unwrap_or(0);
    let from = (chosen + 1).saturating_sub(room.max(1));
    let line = |(text, chosen): &(String, bool)| {
        let style = if *chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Line::styled(shown(text), style)
    };
    let lines: Vec<Line<'_>> = lines.iter().skip(from).take(room).map(line).collect();
    frame.render_widget(Clear, at);
    frame.render_widget(Paragraph::new(lines).block(frame_of(true, &name)), at);
}

/// Text of others without control characters; a tab is as wide as it looks.
fn shown(text: &str) -> String {
    visible(&text.replace('\t', "  ")).into_owned()
}

/// The characters of a screen.
pub(super) fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let line: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
