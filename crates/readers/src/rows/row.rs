//! One row: a pattern, what a line that matches it is, and what is special about it.

use referee_model::reading::{Diagnostic, Level};

use crate::pattern::{Groups, Pattern};

/// What a line that matches is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Finding,
    /// The first line of a finding, which further lines belong to.
    Head,
    /// What stands before a finding, as its place; it is none until a [`Kind::Rest`] comes.
    Lead,
    /// What makes a finding of a lead.
    Rest,
    /// A further line of the open finding.
    Part,
    /// A further place that belongs to the open finding.
    Related,
    /// What findings below it have in common.
    Heading,
    /// A count of what was listed.
    Sum,
    /// The tool names itself, or says that all is well.
    Known,
    /// A line of the tool that says nothing of whose it is.
    Within,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// Where the command says that it is this tool.
    Hinted,
    /// Where a line before showed that it is, or the command.
    Known,
    /// While a finding is open, or a lead.
    Open,
}

pub(crate) struct Row {
    pub(super) kind: Kind,
    pub(super) pattern: Pattern,
    pub(super) when: When,
    pub(super) rule: Option<&'static str>,
    pub(super) level: Option<Level>,
    pub(super) levels: &'static [(&'static str, Level)],
    pub(super) level_of: Option<fn(&Groups<'_, '_>) -> Level>,
    pub(super) check: Option<fn(&mut Diagnostic, &Groups<'_, '_>) -> bool>,
    /// Whether it shows whose format it is.
    pub(super) tells: bool,
    /// Whether what it says goes on on the same line, behind a blank.
    pub(super) is_joined: bool,
    /// Whether the line is the tool's only once more has come.
    pub(super) is_tentative: bool,
    /// Whether it ends the finding that it is a part of.
    pub(super) is_last: bool,
    /// Whether the line can be nobody else's.
    pub(super) names_tool: bool,
    /// Whether findings beside it can be nobody else's.
    pub(super) vouches: bool,
    /// Whether it only repeats what was listed at its place.
    pub(super) repeats: bool,
    /// How bad is what its sum counts and nobody listed.
    pub(super) unlisted: Option<Level>,
    /// Whether a sum alone is a clean run of a tool that is hinted at.
    pub(super) is_clean: bool,
    /// The section that begins with it.
    pub(super) enters: Option<&'static str>,
    /// The section that it is looked at in.
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
            unlisted: None,
            is_clean: false,
            enters: None,
            inside: None,
        }
    }

    /// The rule that its findings come from, where it is not the format's.
    pub(crate) fn rule(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    /// The level of its findings, or of those that its sum counts.
    pub(crate) fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// What the words of the group `level` mean, where they mean something else than elsewhere.
    pub(crate) fn levels(mut self, levels: &'static [(&'static str, Level)]) -> Self {
        self.levels = levels;
        self
    }

    /// Tells the level by what matched.
    pub(crate) fn level_of(mut self, level_of: fn(&Groups<'_, '_>) -> Level) -> Self {
        self.level_of = Some(level_of);
        self
    }

    /// Completes what a line says of a finding, before it is added to an open one; false: the line is none of this row.
    pub(crate) fn check(mut self, check: fn(&mut Diagnostic, &Groups<'_, '_>) -> bool) -> Self {
        self.check = Some(check);
        self
    }

    /// Other tools print such lines, too: alone they are no claim.
    pub(crate) fn common(mut self) -> Self {
        self.tells = false;
        self
    }

    /// Only where the command says that it is this tool.
    pub(crate) fn hinted(mut self) -> Self {
        self.when = When::Hinted;
        self
    }

    /// Only where a line before showed that it is this tool, or the command says so.
    pub(crate) fn known(mut self) -> Self {
        self.when = When::Known;
        self
    }

    /// Only while a finding is open.
    pub(crate) fn open(mut self) -> Self {
        self.when = When::Open;
        self
    }

    /// What it says goes on behind a blank, not on a line of its own.
    pub(crate) fn joined(mut self) -> Self {
        self.is_joined = true;
        self
    }

    /// Nobody else prints so: without a finding this is the tool's output.
    pub(crate) fn names_tool(mut self) -> Self {
        self.names_tool = true;
        self
    }

    /// Findings beside it are this tool's; alone it says nothing.
    pub(crate) fn vouches(mut self) -> Self {
        self.vouches = true;
        self
    }

    /// What it says counts no more where a finding was listed at the same place.
    pub(crate) fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// How bad is what a count of `all` counts beyond what was listed.
    pub(crate) fn unlisted(mut self, level: Level) -> Self {
        self.unlisted = Some(level);
        self
    }

    /// Where the command says that it is this tool, a count of nothing is a clean run.
    pub(crate) fn clean(mut self) -> Self {
        self.is_clean = true;
        self
    }

    /// The line is the tool's only where what must follow does: of a heading, a finding on the next line; of a part, another.
    pub(crate) fn tentative(mut self) -> Self {
        self.is_tentative = true;
        self
    }

    /// A section of the output, or of a finding, begins with it; it ends where another begins.
    pub(crate) fn enters(mut self, section: &'static str) -> Self {
        self.enters = Some(section);
        self
    }

    pub(crate) fn inside(mut self, section: &'static str) -> Self {
        self.inside = Some(section);
        self
    }

    /// The finding ends with this line.
    pub(crate) fn last(mut self) -> Self {
        self.is_last = true;
        self
    }

    /// Returns the level that a match says, if it does.
    pub(super) fn says_level(&self, found: &Groups<'_, '_>) -> Option<Level> {
        let word = found.get("level");
        let by_word = word.and_then(|word| self.levels.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)));
        by_word.map(|(_, level)| *level).or(self.level_of.map(|level_of| level_of(found))).or_else(|| found.level())
    }
}

pub(crate) fn finding(pattern: &'static str) -> Row {
    Row::new(Kind::Finding, When::Always, pattern)
}

/// The first line of a finding.
pub(crate) fn head(pattern: &'static str) -> Row {
    Row::new(Kind::Head, When::Always, pattern)
}

/// What stands before a finding, which is none without a [`rest`].
pub(crate) fn lead(pattern: &'static str) -> Row {
    Row::new(Kind::Lead, When::Always, pattern)
}

/// What makes a finding of a [`lead`]; further lines may belong to it.
pub(crate) fn rest(pattern: &'static str) -> Row {
    Row::new(Kind::Rest, When::Open, pattern)
}

/// A further line of the open finding.
pub(crate) fn part(pattern: &'static str) -> Row {
    Row::new(Kind::Part, When::Open, pattern)
}

/// A place that belongs to the open finding, and what is said of it; a place alone is that of what was said before it.
pub(crate) fn related(pattern: &'static str) -> Row {
    Row::new(Kind::Related, When::Open, pattern)
}

/// What the findings below it have in common: their file.
pub(crate) fn heading(pattern: &'static str) -> Row {
    Row::new(Kind::Heading, When::Always, pattern)
}

pub(crate) fn sum(pattern: &'static str) -> Row {
    Row::new(Kind::Sum, When::Always, pattern)
}

/// The tool names itself, or says that all is well: without a finding this is its output.
pub(crate) fn known(pattern: &'static str) -> Row {
    Row::new(Kind::Known, When::Always, pattern)
}

/// A line of the tool that says nothing of whose it is.
pub(crate) fn within(pattern: &'static str) -> Row {
    Row::new(Kind::Within, When::Always, pattern)
}
