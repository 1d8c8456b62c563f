//! Lines that must fit into a number of characters: the least important are left out first.

/// How much a line matters, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    /// One of several causes. The last is left out first.
    Cause,
    /// What is worth knowing beside it.
    Note,
    Detail,
    /// Without it there is no answer.
    Frame,
}

/// How a line begins that a check printed; it belongs to the cause above it.
pub(super) const PRINTED: &str = "    | ";

#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<(Importance, String)>,
    /// How many causes there are, listed or not.
    pub(super) causes_in_all: u64,
}

impl Lines {
    pub(super) fn push(&mut self, importance: Importance, line: String) {
        self.lines.push((importance, line));
    }

    pub(super) fn extend(&mut self, lines: impl IntoIterator<Item = (Importance, String)>) {
        self.lines.extend(lines);
    }

    /// Writes the lines in their order, as many as fit.
    pub(super) fn within(mut self, characters: usize) -> String {
        loop {
            let text = self.written();
            let length = text.chars().count();
            if length <= characters {
                return text;
            }
            let least =
                self.lines.iter().map(|(importance, _)| *importance).filter(|one| *one != Importance::Frame).min();
            let Some(least) = least else {
                // Not even the frame fits: its beginning says the decision.
                return text.chars().take(characters).collect();
            };
            let last = self.lines.iter().rposition(|(importance, _)| *importance == least);
            if let Some(last) = last {
                self.lines.remove(last);
            }
        }
    }

    /// All lines, with how many causes are not among them said after the last that is.
    fn written(&self) -> String {
        let is_cause = |line: &str| line.starts_with("- ");
        let listed = self.lines.iter().filter(|(_, line)| is_cause(line)).count();
        let last = self.lines.iter().rposition(|(_, line)| is_cause(line) || line.starts_with(PRINTED));
        let others = self.causes_in_all.saturating_sub(listed as u64);
        let mut text = String::new();
        for (number, (_, line)) in self.lines.iter().enumerate() {
            text.push_str(line);
            text.push('\n');
            if Some(number) == last && others > 0 {
                text.extend(["  and ", &others.to_string(), " more\n"]);
            }
        }
        text
    }
}
