//! Coverage of rules: a tile for each rule, premise and requirement.

use super::data::{Map, Standing, Tile};
use super::tests::text;
use serde_json::Value;

/// What `litmpi coverage --json` wrote, a map for each model.
pub(super) fn maps(rows: &[Value]) -> Vec<Map> {
    rows.iter().map(map).collect()
}

fn map(model: &Value) -> Map {
    let mut groups: Vec<(String, Vec<Tile>)> = vec![];
    let (mut covered, mut all) = (0, 0);
    for line in model["counts"].as_array().into_iter().flatten() {
        let (file, rule, says) = (text(&line["file"]), text(&line["rule"]), text(&line["text"]));
        let count = line["count"].as_u64().unwrap_or(0);
        let standing = match (count, line["decided"] == true) {
            (0, false) => Standing::Undecided,
            (0, true) => Standing::Bad,
            _ => Standing::Good,
        };
        let verb = match text(&line["what"]) {
            "premise" => "blocked",
            "requires" => "was violated",
            _ => "fired",
        };
        all += 1;
        covered += usize::from(count > 0);
        let mut lines = vec![format!("{verb} {count} times"), format!("{file}:{}", line["line"])];
        if !says.is_empty() {
            lines.insert(0, says.to_owned());
        }
        let tile = Tile { name: rule.to_owned(), standing, says: lines, tests: vec![] };
        match groups.iter_mut().find(|(name, _)| name == file) {
            Some((_, tiles)) => tiles.push(tile),
            None => groups.push((file.to_owned(), vec![tile])),
        }
    }
    Map {
        title: format!("Rules of {}", text(&model["model"])),
        about: format!(
            "{covered} of {all} rules, premises and requirements fired, blocked or were violated over {} tests.",
            model["tests"]
        ),
        groups,
    }
}
