//! A child process of this one: a descriptor that tells when it ends, and its exit status before it is reaped.
//!
//! On Linux the descriptor is that of the process. Elsewhere a thread waits for the process, and closes a pipe.

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod pidfd;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod thread;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::pidfd::ProcessHandle;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::thread::ProcessHandle;
