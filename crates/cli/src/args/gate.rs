//! What is typed to ask the gate.

use std::path::PathBuf;

use clap::Args;
use referee_engine::context::Context;
use referee_engine::gate::GateRequest;
use referee_engine::run::GateOptions;
use referee_exec::signal::Cancellation;
use referee_model::suite::Suite;

use super::duration::deadline;
use super::gate_options::GateArguments;
use super::{PlainFormat, Specification};

/// What every command takes that asks the gate.
#[derive(Debug, Clone, Args)]
pub(crate) struct Asked {
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// Run the checks, whatever was recorded before.
    #[arg(long)]
    pub(crate) no_reuse: bool,
    /// Checks that the agent never sees: a second specification, outside of the repository. What they come to counts, and is
    /// told as a count and categories only.
    #[arg(long, value_name = "PATH", env = "REFEREE_HELD_OUT")]
    pub(crate) held_out: Option<PathBuf>,
}

impl Asked {
    /// Returns what the gate is asked about a specification.
    pub(crate) fn request<'request>(
        &'request self,
        context: &'request Context,
        suite: &'request Suite,
        options: &'request GateOptions,
        cancellation: &'request Cancellation,
    ) -> GateRequest<'request> {
        GateRequest {
            context,
            suite,
            options,
            held_out: self.held_out.as_deref(),
            is_settled: false,
            reuse: !self.no_reuse,
            timeout: None,
            cancellation,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee gate                               may this be called done?
  referee gate --no-reuse                    by a new run, whatever was recorded
  referee gate --format json                 the same for a program
  referee gate --deadline 290s               the answer within this time, whatever the checks take
  referee gate --claim 'all tests pass'      says where what ran contradicts this
  referee gate --claim @message.txt          the same, of a file")]
pub(crate) struct Gate {
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// Answer within this time, such as `290s` or `5m`. Checks that take longer are stopped or not even begun, and the answer
    /// is BLOCKED: without this the checks have all the time, and the verdict is reused where it can be.
    #[arg(long, value_name = "DURATION", env = "REFEREE_DEADLINE", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    /// What an agent says of its work: a text, or `@FILE` for that of a file. Where what ran contradicts it, the answer says
    /// so; no decision becomes better by it.
    #[arg(long, value_name = "TEXT|@FILE", allow_hyphen_values = true)]
    pub(crate) claim: Option<String>,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
