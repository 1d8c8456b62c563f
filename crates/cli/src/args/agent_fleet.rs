//! Words for an agent that runs on workers.

use clap::Args;
use referee_model::id::WorkerLabel;

use super::depot::DepotProject;
use super::duration;
use super::worker::worker_label;

/// Where an agent runs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet Options")]
pub(crate) struct AgentFleet {
    /// Run the agent on another machine, by a worker that this one trusts and that has this label (can be repeated); the
    /// workspace goes there without `.git` and what git ignores, and the agent's changes come back.
    #[arg(long = "agent-label", value_name = "LABEL", value_parser = worker_label)]
    pub(crate) label: Vec<WorkerLabel>,
    /// Depot through which the workspace goes: `s3://BUCKET/PREFIX`, or a directory [env: REFEREE_DEPOT].
    #[arg(long = "evidence", value_name = "URL", requires = "label")]
    pub(crate) depot: Option<String>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
}

/// Whether a loop of another machine is taken over at once.
#[derive(Debug, Clone, Args)]
pub(crate) struct StandbyTime {
    /// Stand by while the other machine works, and take over once it has been silent for this time, which is 60s unless given.
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "60s",
        requires = "from",
        value_parser = silence,
        help_heading = "Fleet Options"
    )]
    pub(crate) standby: Option<u64>,
}

/// Reads for how long a machine is silent, as milliseconds: some renewals may be late.
pub(super) fn silence(text: &str) -> Result<u64, String> {
    duration::within(text, (30_000, 24 * 3_600_000), "a time from 30s to 24h, such as 60s or 5m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_silent_after_some_renewals_have_not_come() {
        assert_eq!([silence("30s"), silence("5m"), silence("24h")], [Ok(30_000), Ok(300_000), Ok(86_400_000)]);
        for wrong in ["", "29s", "25h", "60", "-60s"] {
            assert!(silence(wrong).is_err(), "{wrong}");
        }
    }
}
