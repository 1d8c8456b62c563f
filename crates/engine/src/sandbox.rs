//! Options for the confinement of commands, and what the machine supports.

pub use referee_exec::sandbox::Kernel;

use referee_model::sandbox::SandboxMode;

/// Requested confinement, and what the kernel supports. Both are values, so that a run on a machine without
/// support is a run like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxOptions {
    /// The requested mode.
    pub mode: SandboxMode,
    /// Support by the kernel. It is not probed if confinement is off.
    pub kernel: Kernel,
}

impl SandboxOptions {
    /// Probes the kernel, unless confinement is off.
    pub fn of(mode: SandboxMode) -> Self {
        match mode {
            SandboxMode::Off => Self::default(),
            SandboxMode::On | SandboxMode::Require => Self { mode, kernel: referee_exec::sandbox::probe() },
        }
    }
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self { mode: SandboxMode::Off, kernel: Kernel::Missing { reason: "nobody asked".to_owned() } }
    }
}
