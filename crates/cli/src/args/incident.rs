//! What is typed to `referee incident`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) mod approval;
pub(crate) mod archive;
pub(crate) mod capture;
pub(crate) mod handoff;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod show;

/// The way that an incident goes, as it is told with the commands.
pub(crate) const LIFE: &str = "\
States of an incident:
  new             capture: the failure is recorded with its evidence; recurrences are counted
  plan_proposed   plan: a cause, a remedy, and checks that verify the repair
  approved        approve: a person approved this plan
  running         run: an agent works until the checks pass; or handoff and ack, by an executor
  resolved        the checks passed
  escalated       a person has to decide; reopen starts over";

#[derive(Debug, Subcommand)]
pub(crate) enum Incident {
    /// Capture a failure as an incident, from a report, a log or a failing command.
    Capture(Box<capture::Capture>),
    /// List incidents, newest first.
    List(Box<show::List>),
    /// Show an incident with its evidence, plan, approval and repair loop.
    Show(Box<show::Show>),
    /// Explain why failures were grouped into an incident or counted as a regression.
    Explain(Box<show::Explain>),
    /// Propose a repair plan for an incident.
    Plan(Box<plan::Plan>),
    /// Approve the current plan of an incident.
    Approve(Box<approval::Approve>),
    /// Reject the plan of an incident.
    Reject(Box<approval::Reject>),
    /// Hand off an approved incident to an executor.
    Handoff(Box<handoff::Handoff>),
    /// Recall an incident from an executor that has not started.
    Recall(Box<handoff::Recall>),
    /// Accept an incident as its executor, or return it with a result.
    Ack(Box<handoff::Ack>),
    /// Run the repair loop: let an agent work and run the plan's checks until they pass.
    Run(Box<run::Run>),
    /// Close an incident and move it to the archive.
    Archive(Box<archive::Archive>),
    /// Reopen an escalated incident with new budgets.
    Reopen(Box<archive::Reopen>),
}

/// Automatic capture of incidents.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Incident Options")]
pub(crate) struct Automatic {
    /// Capture every task that does not pass as an incident (the result of the run stays the same).
    #[arg(long, env = "REFEREE_CAPTURE_INCIDENTS", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) capture_incidents: bool,
    /// Directory of incidents [default: .referee/reports in the project].
    #[arg(long, value_name = "DIR", env = "REFEREE_INCIDENT_ROOT")]
    pub(crate) incident_root: Option<PathBuf>,
}

/// Directory of incidents.
#[derive(Debug, Clone, Args)]
pub(crate) struct Root {
    /// Directory of incidents [default: .referee/reports in the project].
    #[arg(long, value_name = "DIR", env = "REFEREE_INCIDENT_ROOT")]
    pub(crate) root: Option<PathBuf>,
}
