//! A command that ran, and what every rule of commands may say of it.

use referee_model::baseline::ActionBaseline;
use referee_model::plan::{Action, Command, EvidenceCapture, Plan};
use referee_model::reading::{ChosenBecause, CountAuthority, Reading};
use referee_model::record::{CommandFacts, Notice};
use referee_syntax::count::count;

use crate::role::{self, InferredRole};

/// A command that ran, with all that is known of it.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) plan: &'a Plan,
    pub(super) action: &'a Action,
    pub(super) command: &'a Command,
    /// What of its output is kept.
    pub(super) evidence: EvidenceCapture,
    /// What of it stood in the baseline, where the run is held against one that knows it.
    pub(super) known: Option<&'a ActionBaseline>,
    pub(super) told: &'a InferredRole,
    pub(super) facts: &'a CommandFacts,
    /// What was observed beside them.
    pub(super) notices: &'a [Notice],
    pub(super) reading: &'a Reading,
}

impl Case<'_> {
    /// The tool's canonical name, where it is known.
    pub(super) fn tool(&self) -> Option<&str> {
        self.told.tool.as_deref()
    }

    /// Names the streams that the specification does not let be kept. None: both are.
    pub(super) fn streams_not_kept(&self) -> Option<&'static str> {
        match (self.evidence.stdout, self.evidence.stderr) {
            (true, true) => None,
            (false, true) => Some("standard output"),
            (true, false) => Some("standard error"),
            (false, false) => Some("its output"),
        }
    }

    /// Whether what was read was read by the reader of the tool that ran.
    pub(super) fn is_own_reading(&self) -> bool {
        self.reading.reader.as_ref().is_some_and(|reader| reader.because == ChosenBecause::Command)
    }

    /// Whether what was read is the tool's own: by its reader, or in a format that many tools write, such as SARIF, where
    /// nothing else in the command can have printed it.
    pub(super) fn is_own_report(&self) -> bool {
        let is_common = || self.reading.reader.as_ref().is_some_and(|reader| role::is_finding_report(&reader.tool));
        self.is_own_reading() || (self.tool().is_some() && is_common() && role::exit_is_of_tool(self.command))
    }
}

/// Says what was read of an output, by whatever reader. None: nothing that bears on a failure.
pub(super) fn read(reading: &Reading) -> Option<String> {
    let tool = reading.reader.as_ref().map(|reader| reader.tool.as_str())?;
    let mut found = Vec::new();
    if reading.counts.errors > 0 {
        found.push(count(reading.counts.errors, "error"));
    }
    if reading.counts.warnings > 0 {
        found.push(count(reading.counts.warnings, "warning"));
    }
    if let Some(tests) = &reading.tests
        && tests.counts.failed > 0
    {
        let doubt = if tests.authority == CountAuthority::Lines { ", without a summary" } else { "" };
        found.push(format!("{}{doubt}", count(tests.counts.failed, "failed test")));
    }
    (!found.is_empty()).then(|| format!("its output reads as {tool}'s, with {}", found.join(" and ")))
}
