//! One row: a pattern, the role of a matching line, and its options.

use referee_model::reading::{Diagnostic, Level};

use crate::pattern::{Groups, Pattern};

/// The role of a matching line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Finding,
    /// The first line of a finding, which further lines continue.
    Head,
    /// A line before a finding, such as its location; it counts only if a [`Kind::Rest`] follows.
    Lead,
    /// The line that turns a lead into a finding.
    Rest,
    /// A further line of the open finding.
    Part,
    /// A related location of the open finding.
    Related,
    /// Values shared by the findings below it.
    Heading,
    /// A line below a heading with further values shared.
    Subheading,
    /// A count of the listed findings.
    Sum,
    /// The tool names itself or reports success.
    Known,
    /// A line of the tool that does not identify it.
    Within,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// Only if the command identifies the tool.
    Hinted,
    /// Only if an earlier line or the command identifies the tool.
    Known,
    /// Only while a finding or a lead is open.
    Open,
    /// Only if the command identifies the tool, or among findings: a sum has not followed them yet.
    Among,
    /// Only before the first error.
    First,
}

pub(crate) struct Row {
    pub(super) kind: Kind,
    pub(super) pattern: Pattern,
    pub(super) when: When,
    pub(super) rule: Option<&'static str>,
    pub(super) level: Option<Level>,
    /// Code of findings for which the pattern gives none.
    pub(super) code: Option<&'static str>,
    pub(super) levels: &'static [(&'static str, Level)],
    pub(super) level_of: Option<fn(&Groups<'_, '_>) -> Level>,
    pub(super) check: Option<fn(&mut Diagnostic, &Groups<'_, '_>) -> bool>,
    /// Whether the line identifies the format.
    pub(super) tells: bool,
    /// Whether further text is appended on the same line, after a blank.
    pub(super) is_joined: bool,
    /// Whether the line is used only if more follows.
    pub(super) is_tentative: bool,
    /// Whether the line ends the finding that it belongs to.
    pub(super) is_last: bool,
    /// Whether no other tool prints this line.
    pub(super) names_tool: bool,
    /// Whether findings beside this line are certainly the tool's.
    pub(super) vouches: bool,
    /// Whether the line is ignored if a finding was listed at the same location.
    pub(super) repeats: bool,
    /// Whether the line is kept until a caret follows: as the source line, or as part of the message.
    pub(super) is_held: bool,
    /// Whether the line is the caret below held lines, the last of which is the source.
    pub(super) is_caret: bool,
    /// Whether findings from here on may be listed again (`Some(true)`), or are new again (`Some(false)`).
    pub(super) again: Option<bool>,
    /// Whether the run has failed: then it is not clean, even if no finding is read.
    pub(super) fails: bool,
    /// Whether the tool has fixed the finding, which is then only part of a sum.
    pub(super) is_fixed: bool,
    /// Whether the sum precedes the findings that it counts.
    pub(super) is_ahead: bool,
    /// Level of findings that the sum counts but that were not listed.
    pub(super) unlisted: Option<Level>,
    /// Whether the sum counts all findings that are listed.
    pub(super) is_exact: bool,
    /// Whether a sum alone is a clean run of a hinted tool.
    pub(super) is_clean: bool,
    /// The section that begins with the line.
    pub(super) enters: Option<&'static str>,
    /// The section in which the row applies; alternatives are separated by `|`.
    pub(super) inside: Option<&'static str>,
}

impl Row {
    fn new(kind: Kind, when: When, pattern: &'static str) -> Self {
        Self {
            kind,
            pattern: Pattern::new(pattern),
            when,
            rule: None,
            level: None,
            code: None,
            levels: &[],
            level_of: None,
            check: None,
            tells: true,
            is_joined: false,
            is_tentative: false,
            is_last: false,
            names_tool: false,
            vouches: false,
            repeats: false,
            is_held: false,
            is_caret: false,
            again: None,
            fails: false,
            is_fixed: false,
            is_ahead: false,
            unlisted: None,
            is_exact: false,
            is_clean: false,
            enters: None,
            inside: None,
        }
    }

    /// Sets the rule that findings are attributed to, if it is not that of the format.
    pub(crate) fn rule(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Sets the level of the row's findings, or of those that its sum counts.
    pub(crate) fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Sets the code of findings for which the pattern gives none.
    pub(crate) fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Overrides the meaning of words in the group `level`.
    pub(crate) fn levels(mut self, levels: &'static [(&'static str, Level)]) -> Self {
        self.levels = levels;
        self
    }

    /// Sets a function that derives the level from the match.
    pub(crate) fn level_of(mut self, level_of: fn(&Groups<'_, '_>) -> Level) -> Self {
        self.level_of = Some(level_of);
        self
    }

    /// Sets a function that completes the values of a line before they are added to the finding; if it returns
    /// false, the row does not match.
    pub(crate) fn check(mut self, check: fn(&mut Diagnostic, &Groups<'_, '_>) -> bool) -> Self {
        self.check = Some(check);
        self
    }

    /// Marks lines that other tools print too: alone they are not claimed.
    pub(crate) fn common(mut self) -> Self {
        self.tells = false;
        self
    }

    /// Applies the row only if the command identifies the tool.
    pub(crate) fn hinted(mut self) -> Self {
        self.when = When::Hinted;
        self
    }

    /// Applies the row only if an earlier line or the command identifies the tool.
    pub(crate) fn known(mut self) -> Self {
        self.when = When::Known;
        self
    }

    /// Applies the row only if the command identifies the tool, or among findings that no sum has followed yet.
    pub(crate) fn among(mut self) -> Self {
        self.when = When::Among;
        self
    }

    /// Applies the row only if no error was listed before.
    pub(crate) fn first(mut self) -> Self {
        self.when = When::First;
        self
    }

    /// Applies the row only while a finding is open.
    pub(crate) fn open(mut self) -> Self {
        self.when = When::Open;
        self
    }

    /// Appends further text after a blank instead of on a new line.
    pub(crate) fn joined(mut self) -> Self {
        self.is_joined = true;
        self
    }

    /// Marks a line that no other tool prints: even without a finding, it identifies the tool's output.
    pub(crate) fn names_tool(mut self) -> Self {
        self.names_tool = true;
        self
    }

    /// Marks a line that shows findings beside it to be this tool's; alone it means nothing.
    pub(crate) fn vouches(mut self) -> Self {
        self.vouches = true;
        self
    }

    /// Ignores the line if a finding was listed at the same location.
    pub(crate) fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// Keeps the line until a [`caret`](Self::caret) follows: then the last of such lines is the source, unless the
    /// caret's own line gives the source or a code, and the others continue the message. Without a caret, they continue the message if they are indented and not
    /// tentative.
    pub(crate) fn held(mut self) -> Self {
        self.is_held = true;
        self
    }

    pub(crate) fn caret(mut self) -> Self {
        self.is_caret = true;
        self
    }

    /// Ignores findings below this line that were listed before, each of them once.
    pub(crate) fn again(mut self) -> Self {
        self.again = Some(true);
        self
    }

    /// Ends the part of the output in which findings are listed again.
    pub(crate) fn afresh(mut self) -> Self {
        self.again = Some(false);
        self
    }

    /// Marks a line that shows the run to have failed: without a finding, it is not a clean run.
    pub(crate) fn fails(mut self) -> Self {
        self.fails = true;
        self
    }

    /// Marks findings that the tool has fixed: they are only part of a sum.
    pub(crate) fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// Counts the findings that follow, up to the next heading or sum.
    pub(crate) fn ahead(mut self) -> Self {
        self.is_ahead = true;
        self
    }

    /// Sets the level of findings that a count of `all` includes beyond those listed; on a finding: only counts and
    /// notes it.
    pub(crate) fn unlisted(mut self, level: Level) -> Self {
        self.unlisted = Some(level);
        self
    }

    /// Notes if more findings were listed than the sum counts.
    pub(crate) fn exact(mut self) -> Self {
        self.is_exact = true;
        self
    }

    /// Treats a count of 0 as a clean run if the command identifies the tool.
    pub(crate) fn clean(mut self) -> Self {
        self.is_clean = true;
        self
    }

    /// Uses the line only if the expected line follows: after a heading, a finding on the next line; after a
    /// part, another part.
    pub(crate) fn tentative(mut self) -> Self {
        self.is_tentative = true;
        self
    }

    /// Begins a section of the output or of a finding, which ends where another one begins.
    pub(crate) fn enters(mut self, section: &'static str) -> Self {
        self.enters = Some(section);
        self
    }

    /// Applies the row only in this section; alternatives are separated by `|`.
    pub(crate) fn inside(mut self, section: &'static str) -> Self {
        self.inside = Some(section);
        self
    }

    /// Ends the finding with this line.
    pub(crate) fn last(mut self) -> Self {
        self.is_last = true;
        self
    }

    /// Returns the level given by a match, if any.
    pub(super) fn says_level(&self, found: &Groups<'_, '_>) -> Option<Level> {
        let word = found.get("level");
        let by_word = word.and_then(|word| self.levels.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)));
        by_word.map(|(_, level)| *level).or(self.level_of.map(|level_of| level_of(found))).or_else(|| found.level())
    }
}

pub(crate) fn finding(pattern: &'static str) -> Row {
    Row::new(Kind::Finding, When::Always, pattern)
}

/// Matches the first line of a finding.
pub(crate) fn head(pattern: &'static str) -> Row {
    Row::new(Kind::Head, When::Always, pattern)
}

/// Matches a line before a finding, which counts only with a [`rest`].
pub(crate) fn lead(pattern: &'static str) -> Row {
    Row::new(Kind::Lead, When::Always, pattern)
}

/// Matches the line that turns a [`lead`] into a finding; further lines may follow.
pub(crate) fn rest(pattern: &'static str) -> Row {
    Row::new(Kind::Rest, When::Open, pattern)
}

/// Matches a further line of the open finding.
pub(crate) fn part(pattern: &'static str) -> Row {
    Row::new(Kind::Part, When::Open, pattern)
}

/// Matches a related location of the open finding with its message; a location alone belongs to the message
/// before it.
pub(crate) fn related(pattern: &'static str) -> Row {
    Row::new(Kind::Related, When::Open, pattern)
}

/// Matches a line with values shared by the findings below it, such as their file.
pub(crate) fn heading(pattern: &'static str) -> Row {
    Row::new(Kind::Heading, When::Always, pattern)
}

/// Matches a line below a heading that changes the values shared: more of the message, another line, the source.
pub(crate) fn subheading(pattern: &'static str) -> Row {
    Row::new(Kind::Subheading, When::Always, pattern)
}

pub(crate) fn sum(pattern: &'static str) -> Row {
    Row::new(Kind::Sum, When::Always, pattern)
}

/// Matches a line in which the tool names itself or reports success: even without a finding, this is its
/// output.
pub(crate) fn known(pattern: &'static str) -> Row {
    Row::new(Kind::Known, When::Always, pattern)
}

/// Matches a line of the tool that does not identify it.
pub(crate) fn within(pattern: &'static str) -> Row {
    Row::new(Kind::Within, When::Always, pattern)
}
