//! Whether commands are to be confined, and what the machine can do: what is asked of a run.

pub use referee_exec::sandbox::Kernel;

/// Whether commands are to be confined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wish {
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
pub struct Sandboxing {
    /// What is asked for.
    pub wish: Wish,
    /// What the kernel can do; not looked at where nothing is asked for.
    pub kernel: Kernel,
}

impl Default for Sandboxing {
    fn default() -> Self {
        Self { wish: Wish::Off, kernel: Kernel::Missing { reason: "nobody asked".to_owned() } }
    }
}
