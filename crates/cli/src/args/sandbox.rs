//! How commands are confined.

use clap::{Args, ValueEnum};
use referee_model::sandbox::SandboxMode;

/// Sandbox.
#[derive(Debug, Clone, Args)]
pub(crate) struct Confinement {
    /// Let commands write only to the workspace, a private temporary directory and tool caches.
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

/// Whether commands run in a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// Use a sandbox if the machine supports it, and report if it does not.
    On,
    /// Run nothing unless the machine supports a sandbox.
    Require,
    /// Do not use a sandbox.
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
