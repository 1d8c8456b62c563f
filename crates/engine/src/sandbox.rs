//! Whether commands are to be confined, and what the machine can do: what is asked of a run.

pub use referee_exec::sandbox::Kernel;

/// Whether commands are to be confined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// They are not.
    #[default]
    Off,
    /// They are, where the machine can; where it cannot the run says so.
    On,
    /// They are, or nothing runs.
    Require,
}

/// Whether commands are to be confined, and what the machine can do. Both are values, so that a run on a machine that
/// cannot is a run like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxOptions {
    /// What is asked for.
    pub mode: SandboxMode,
    /// What the kernel can do; not looked at where nothing is asked for.
    pub kernel: Kernel,
}

impl SandboxOptions {
    /// Asks the kernel what it can do, where that matters.
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
