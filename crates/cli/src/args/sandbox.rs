//! How commands are confined.

use clap::{Args, ValueEnum};
use referee_engine::sandbox::SandboxMode;

/// How commands are confined.
#[derive(Debug, Clone, Args)]
pub(crate) struct Confinement {
    /// Let commands write only to the workspace, to a temporary folder of their own, and to the caches of tools: on where
    /// the machine can do it, or require it, so that nothing runs where it cannot.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = Sandbox::Off,
        default_missing_value = "on",
        env = "REFEREE_SANDBOX"
    )]
    pub(crate) sandbox: Sandbox,
}

/// Whether commands are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// Where the machine can do it; the run says where it cannot.
    On,
    /// Or nothing runs.
    Require,
    /// Not at all.
    Off,
}

impl Sandbox {
    /// Returns what the engine is told of it.
    pub(crate) fn mode(self) -> SandboxMode {
        match self {
            Self::On => SandboxMode::On,
            Self::Require => SandboxMode::Require,
            Self::Off => SandboxMode::Off,
        }
    }
}
