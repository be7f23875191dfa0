//! What happened in what order, and where: a message sequence chart.

/// Where an act takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In one lane.
    At(usize),
    /// From one lane to another.
    Between(usize, usize),
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// Where.
    pub place: Where,
    /// What it is called.
    pub name: String,
    /// The statement of the program behind it; perhaps empty.
    pub source: String,
}

/// A stretch of the sequence in which all lanes take part in one thing, a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// Number of its first act.
    pub first: usize,
    /// Number of its last.
    pub last: usize,
    /// What it is.
    pub name: String,
}

/// A sequence of acts in lanes: ranks, or threads and queue pairs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    /// What it is a sequence of, one line.
    pub title: String,
    /// What is to be said of it, a line each.
    pub notes: Vec<String>,
    /// Headings of the lanes.
    pub lanes: Vec<String>,
    /// What happened, in order.
    pub acts: Vec<Act>,
    /// What all lanes took part in.
    pub bands: Vec<Band>,
}

impl Sequence {
    /// The sequence in plain text: a row an act, names only. Rows of a band have its bar at the left.
    pub fn text(&self) -> String {
        let longest = |lane: usize| {
            let here = self.acts.iter().filter(|a| a.place == Where::At(lane)).map(|a| a.name.chars().count());
            here.max().unwrap_or(0).max(self.lanes[lane].chars().count()) | 1
        };
        let mut middles: Vec<usize> = vec![];
        let mut edge = 0;
        for lane in 0..self.lanes.len() {
            middles.push(edge + longest(lane) / 2);
            edge += longest(lane) + 3;
        }
        // The name of an act between two lanes stands on its arrow.
        for act in &self.acts {
            if let Where::Between(a, b) = act.place {
                let (low, high) = (a.min(b), a.max(b));
                let missing = (middles[low] + act.name.chars().count() + 6).saturating_sub(middles[high]);
                if low != high {
                    middles[high..].iter_mut().for_each(|m| *m += missing);
                }
            }
        }
        let width = self.lanes.len().checked_sub(1).map_or(0, |last| middles[last] + longest(last) / 2 + 1);
        let number = self.acts.len().to_string().len().max(2);
        let mut out = String::new();
        let mut line = |prefix: String, cells: Vec<char>| {
            let text: String = cells.into_iter().collect();
            out.push_str(format!("{prefix} {text}").trim_end());
            out.push('\n');
        };
        let mut heads = vec![' '; width];
        for (lane, m) in middles.iter().enumerate() {
            centre(&mut heads, &self.lanes[lane], *m);
        }
        line(" ".repeat(number + 3), heads);
        for (i, act) in self.acts.iter().enumerate() {
            let mut cells = vec![' '; width];
            middles.iter().for_each(|m| cells[*m] = '│');
            match act.place {
                Where::Between(a, b) if a != b => {
                    let (low, high) = (middles[a.min(b)], middles[a.max(b)]);
                    cells[low + 1..high].fill('─');
                    centre(&mut cells, &format!(" {} ", act.name), usize::midpoint(low, high));
                    let (at, tip) = if a < b { (high - 1, '▶') } else { (low + 1, '◀') };
                    cells[at] = tip;
                }
                Where::At(lane) | Where::Between(lane, _) => centre(&mut cells, &act.name, middles[lane]),
            }
            let bar = if self.bands.iter().any(|b| (b.first..=b.last).contains(&i)) { '║' } else { ' ' };
            line(format!("{:>number$}. {bar}", i + 1), cells);
        }
        for b in &self.bands {
            out.push_str(&format!("{}║ {}-{}: {}\n", " ".repeat(number + 2), b.first + 1, b.last + 1, b.name));
        }
        out
    }
}

/// Writes text over cells, its middle at `middle`.
fn centre(cells: &mut Vec<char>, text: &str, middle: usize) {
    let start = middle.saturating_sub(text.chars().count() / 2);
    for (i, c) in text.chars().enumerate() {
        if start + i >= cells.len() {
            cells.push(' ');
        }
        cells[start + i] = c;
    }
}
