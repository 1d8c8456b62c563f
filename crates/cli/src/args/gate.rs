//! What is typed to ask the gate.

use std::path::PathBuf;

use clap::Args;
use referee_engine::context::Context;
use referee_engine::gate::GateRequest;
use referee_engine::run::GateOptions;
use referee_exec::signal::Cancellation;
use referee_model::suite::Suite;

use super::depot::RunDepot;
use super::duration::{RECEIPT_AGE, deadline, receipt_age};
use super::fleet::Fleet;
use super::gate_options::GateArguments;
use super::{PlainFormat, Specification};

/// Options of the gate.
#[derive(Debug, Clone, Args)]
pub(crate) struct GateInvocation {
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// Run the checks even if a recorded verdict could be reused.
    #[arg(long)]
    pub(crate) no_reuse: bool,
    /// Second specification with checks that the agent never sees, outside of the repository; their results are reported as
    /// counts and categories only.
    #[arg(long, value_name = "PATH", env = "REFEREE_HELD_OUT")]
    pub(crate) held_out: Option<PathBuf>,
}

impl GateInvocation {
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
  referee gate                               decide whether the work is done
  referee gate --no-reuse                    always run the checks
  referee gate --format json                 print the answer as JSON
  referee gate --deadline 290s               answer within this time
  referee gate --claim 'all tests pass'      compare a claim with the results
  referee gate --claim @message.txt          read the claim from a file
  referee gate --evidence s3://evidence      push the evidence before the answer
  referee gate --fleet --label gpu --evidence s3://evidence
                                             run the checks on another machine, by a worker
  referee gate --fleet --max-age 1h          reuse a worker's run of the last hour")]
pub(crate) struct Gate {
    #[command(flatten)]
    pub(crate) asked: GateInvocation,
    /// Time limit for the answer, such as 290s or 5m; if the checks take longer they are stopped and the answer is BLOCKED.
    #[arg(long, value_name = "DURATION", env = "REFEREE_DEADLINE", value_parser = deadline)]
    pub(crate) deadline: Option<u64>,
    /// Claim of the agent to compare with the results: a text, or `@FILE`; contradictions are reported, the decision never
    /// improves.
    #[arg(long, value_name = "TEXT|@FILE", allow_hyphen_values = true)]
    pub(crate) claim: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
    #[command(flatten)]
    pub(crate) depot: RunDepot,
    #[command(flatten)]
    pub(crate) fleet: Fleet,
    /// Maximum age of an earlier run of a worker that may answer, such as 90s or 48h, up to 720h; `--no-reuse` reuses none.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = RECEIPT_AGE,
        requires = "fleet",
        value_parser = receipt_age,
        help_heading = "Fleet Options"
    )]
    pub(crate) max_age: u64,
}
