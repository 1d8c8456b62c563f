//! A command that ran, and checks that apply to every command.

use referee_model::baseline::ActionBaseline;
use referee_model::plan::{Action, Command, EvidenceCapture, Plan};
use referee_model::reading::{ChosenBecause, CountAuthority, Reading};
use referee_model::record::{CommandFacts, Notice};
use referee_syntax::count::count;

use crate::role::{self, InferredRole};

/// A command that ran, with its facts.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) plan: &'a Plan,
    pub(super) action: &'a Action,
    pub(super) command: &'a Command,
    /// Streams of its output that are kept.
    pub(super) evidence: EvidenceCapture,
    /// Baseline of the action, if the run is compared with one that has it.
    pub(super) known: Option<&'a ActionBaseline>,
    pub(super) told: &'a InferredRole,
    pub(super) facts: &'a CommandFacts,
    /// Notices of the run beside the facts.
    pub(super) notices: &'a [Notice],
    pub(super) reading: &'a Reading,
}

impl Case<'_> {
    /// Returns the canonical name of the tool, where it is known.
    pub(super) fn tool(&self) -> Option<&str> {
        self.told.tool.as_deref()
    }

    /// Returns the names of the streams that the specification excludes from evidence. None: both are kept.
    pub(super) fn streams_not_kept(&self) -> Option<&'static str> {
        match (self.evidence.stdout, self.evidence.stderr) {
            (true, true) => None,
            (false, true) => Some("standard output"),
            (true, false) => Some("standard error"),
            (false, false) => Some("its output"),
        }
    }

    /// Returns whether the reading was made by the reader of the tool that ran.
    pub(super) fn is_own_reading(&self) -> bool {
        self.reading.reader.as_ref().is_some_and(|reader| reader.because == ChosenBecause::Command)
    }

    /// Returns whether the reading is the tool's own: by its reader, or in a common format such as SARIF, if
    /// nothing else in the command can have printed it.
    pub(super) fn is_own_report(&self) -> bool {
        let is_common = || self.reading.reader.as_ref().is_some_and(|reader| role::is_finding_report(&reader.tool));
        self.is_own_reading() || (self.tool().is_some() && is_common() && role::exit_is_of_tool(self.command))
    }
}

/// Summarizes the reading of an output, by whatever reader. None: nothing in it is relevant to a failure.
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
