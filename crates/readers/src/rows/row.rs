//! One row: a pattern, the role of a matching line, and its options.

use referee_model::reading::{Diagnostic, Level};

use crate::pattern::Groups;
use crate::row_declaration::declare_row;

/// When a row applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
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

declare_row! {
    Row
    kinds {
        /// Matches a finding of one line.
        finding: Finding,
        /// Matches the first line of a finding, which further lines continue.
        head: Head,
        /// Matches a line before a finding, such as its location, which counts only with a [`rest`].
        lead: Lead,
        /// Matches the line that turns a [`lead`] into a finding; further lines may follow.
        rest: Rest,
        /// Matches a further line of the open finding.
        part: Part,
        /// Matches a related location of the open finding with its message; a location alone belongs to the message
        /// before it.
        related: Related,
        /// Matches a line with values shared by the findings below it, such as their file.
        heading: Heading,
        /// Matches a line below a heading that changes the values shared: more of the message, another line, the source.
        subheading: Subheading,
        /// Matches a count of the listed findings.
        sum: Sum,
        /// Matches a line in which the tool names itself or reports success: even without a finding, this is its
        /// output.
        known: Known,
        /// Matches a line of the tool that does not identify it.
        within: Within,
    }
    flags {
        /// Marks lines that other tools print too: alone they are not claimed, or not for sure if they are [`known`].
        common,
        /// Appends further text after a blank instead of on a new line.
        joined,
        /// Uses the line only if the expected line follows: after a heading, a finding on the next line; after a
        /// part, another part. Leaves a line [`within`] to other tools.
        tentative,
        /// Ends the finding with this line.
        last,
        /// Marks a line that no other tool prints: even without a finding, it identifies the tool's output.
        names_tool,
        /// Marks a line that shows findings beside it to be this tool's; alone it means nothing.
        vouches,
        /// Marks a line that shows the open finding to be this tool's.
        confirms,
        /// Shows the batch of findings to be another tool's, unless the command identifies this one; a sum shows it if
        /// it is one of just as many.
        of_other,
        /// Counts the finding only if the sum of `all` below is one of just as many such findings.
        awaits_sum,
        /// Counts the finding only if the output has no error, of which it is a mere consequence.
        unless_errors,
        /// Uses the line above, too.
        with_previous,
        /// Ignores the line if a finding was listed at the same location.
        repeats,
        /// Keeps the line until a [`caret`](Self::caret) follows: then the last of such lines is the source, unless the
        /// caret's own line gives the source or a code, and the others continue the message. Without a caret, they
        /// continue the message if they are indented and not tentative.
        held,
        /// Marks the caret below held lines.
        caret,
        /// Ignores findings below this line that were listed before, each of them once.
        again,
        /// Ends the part of the output in which findings are listed again.
        afresh,
        /// Begins another cycle of a tool that watches files.
        begins_cycle,
        /// Marks a sum whose cycle replaces all earlier ones.
        replaces_cycles,
        /// Marks a line that shows the run to have failed: without a finding, it is not a clean run.
        fails,
        /// Marks findings that the tool has fixed: they are only part of a sum.
        fixed,
        /// Counts the findings that follow, up to the next heading or sum.
        ahead,
        /// Notes if more findings were listed than the sum counts.
        exact,
        /// Treats a count of 0 as a clean run if the command identifies the tool.
        clean,
    }
    values {
        when: When,
        /// Sets the rule that findings are attributed to, if it is not that of the format.
        rule: &'static str,
        /// Sets the level of the row's findings, or of those that its sum counts.
        level: Level,
        /// Sets the code of findings for which the pattern gives none.
        code: &'static str,
        /// Overrides the meaning of words in the group `level`.
        levels: &'static [(&'static str, Level)],
        /// Sets a function that derives the level from the match.
        level_of: fn(&Groups<'_, '_>) -> Level,
        /// Sets a function that completes the values of a line before they are added to the finding; if it returns
        /// false, the row does not match.
        check: fn(&mut Diagnostic, &Groups<'_, '_>) -> bool,
        /// Sets a function that completes the values of a line that the row matches.
        then: fn(&mut Diagnostic, &Groups<'_, '_>),
        /// Sets the level of findings that a count of `all` includes beyond those listed; on a finding: only counts
        /// and notes it.
        unlisted: Level,
        /// Begins a section of the output or of a finding, which ends where another one begins.
        enters: &'static str,
        /// Applies the row only in this section; alternatives are separated by `|`.
        inside: &'static str,
    }
}

impl Row {
    /// Applies the row only if the command identifies the tool.
    pub(crate) const fn hinted(self) -> Self {
        self.when(When::Hinted)
    }

    /// Applies the row only if an earlier line or the command identifies the tool.
    pub(crate) const fn known(self) -> Self {
        self.when(When::Known)
    }

    /// Applies the row only if the command identifies the tool, or among findings that no sum has followed yet.
    pub(crate) const fn among(self) -> Self {
        self.when(When::Among)
    }

    /// Applies the row only if no error was listed before.
    pub(crate) const fn first(self) -> Self {
        self.when(When::First)
    }

    /// Applies the row only while a finding is open.
    pub(crate) const fn open(self) -> Self {
        self.when(When::Open)
    }

    /// Returns when the row applies; by default, further lines of a finding need an open one.
    pub(super) fn applies(&self) -> When {
        let continues = matches!(self.kind, Kind::Rest | Kind::Part | Kind::Related);
        self.when.unwrap_or(if continues { When::Open } else { When::Always })
    }

    /// Completes the values of a line. Returns false if the row does not match.
    pub(super) fn accepts(&self, made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
        let is_match = self.check.is_none_or(|check| check(made, found));
        if let Some(then) = self.then.filter(|_| is_match) {
            then(made, found);
        }
        is_match
    }

    /// Returns whether the row takes only lines that name a file of the format.
    pub(super) fn needs_file(&self) -> bool {
        matches!(self.kind, Kind::Finding | Kind::Head) && self.when != Some(When::Hinted)
    }

    /// Returns the level given by a match, if any.
    pub(super) fn says_level(&self, found: &Groups<'_, '_>) -> Option<Level> {
        let word = found.get("level");
        let levels = self.levels.unwrap_or_default();
        let by_word = word.and_then(|word| levels.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)));
        by_word.map(|(_, level)| *level).or(self.level_of.map(|level_of| level_of(found))).or_else(|| found.level())
    }
}
