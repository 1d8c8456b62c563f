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
The way of an incident:
  new             capture: a failure is kept with its evidence, and the same one again is counted
  plan_proposed   plan: what may have caused it, what to do, which checks show that it is over
  approved        approve: a person's word, for this plan and no other
  running         run: an agent works, the checks run; or handoff and ack, by an executor
  resolved        the checks passed; archive puts it away
  escalated       it is left to a person: reopen, and it begins anew";

#[derive(Debug, Subcommand)]
pub(crate) enum Incident {
    /// Capture a failure as an incident: from a report, from a log, or from a command that fails.
    Capture(Box<capture::Capture>),
    /// List incidents, the newest first.
    List(Box<show::List>),
    /// Show one incident: evidence, plan, approval, loop.
    Show(Box<show::Show>),
    /// Say why failures were taken for one incident, or for a regression.
    Explain(Box<show::Explain>),
    /// Make a plan for an incident, and put it before a person.
    Plan(Box<plan::Plan>),
    /// Approve of an incident's plan as it is now.
    Approve(Box<approval::Approve>),
    /// Refuse an incident's plan.
    Reject(Box<approval::Reject>),
    /// Hand an approved incident to an executor.
    Handoff(Box<handoff::Handoff>),
    /// Take an incident back from an executor who has not begun.
    Recall(Box<handoff::Recall>),
    /// Take an incident that was handed off, as its executor; or hand it back with a result.
    Ack(Box<handoff::Ack>),
    /// Run the loop of repairs: an agent works, the checks run, and it is decided.
    Run(Box<run::Run>),
    /// Close an incident.
    Archive(Box<archive::Archive>),
    /// Open an escalated incident again, with fresh budgets.
    Reopen(Box<archive::Reopen>),
}

/// Whether a failed run becomes an incident by itself.
#[derive(Debug, Clone, Args)]
pub(crate) struct Automatic {
    /// Capture every task that does not pass as an incident, whatever the specification says. It never changes how the run came
    /// out.
    #[arg(long, env = "REFEREE_CAPTURE_INCIDENTS", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) capture_incidents: bool,
    /// The folder of incidents. Default: `.referee/reports` in the project.
    #[arg(long, value_name = "DIR", env = "REFEREE_INCIDENT_ROOT")]
    pub(crate) incident_root: Option<PathBuf>,
}

/// Where incidents are kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct Root {
    /// The folder of incidents. Default: `.referee/reports` in the project.
    #[arg(long, value_name = "DIR", env = "REFEREE_INCIDENT_ROOT")]
    pub(crate) root: Option<PathBuf>,
}
