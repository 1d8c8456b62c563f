//! Control groups, which only Linux has (`kernel`). Elsewhere there are none (`absent`), and what they would count is
//! sampled.

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod absent;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod kernel;

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub use self::absent::ControlGroups;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::absent::{Group, sweep};
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub use self::kernel::ControlGroups;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::kernel::{Group, sweep};
