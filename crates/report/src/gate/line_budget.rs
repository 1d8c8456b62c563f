//! Lines that must fit into a number of characters; the least important are left out first.

/// Importance of a line, least important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    /// One of several causes. The last one is left out first.
    Cause,
    /// Further information.
    Note,
    Detail,
    /// Essential: without this line there is no answer.
    Frame,
}

/// Start of a line that a check printed; the line belongs to the cause above it.
pub(super) const PRINTED: &str = "    | ";

#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<(Importance, String)>,
    /// Number of causes, listed or not.
    pub(super) causes_in_all: u64,
}

impl Lines {
    pub(super) fn push(&mut self, importance: Importance, line: String) {
        self.lines.push((importance, line));
    }

    pub(super) fn extend(&mut self, lines: impl IntoIterator<Item = (Importance, String)>) {
        self.lines.extend(lines);
    }

    /// Returns as many lines as fit, in order.
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
                // Not even the essential lines fit: the start of the text states the decision.
                return text.chars().take(characters).collect();
            };
            let last = self.lines.iter().rposition(|(importance, _)| *importance == least);
            if let Some(last) = last {
                self.lines.remove(last);
            }
        }
    }

    /// Returns all lines, with the number of unlisted causes after the last listed one.
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
