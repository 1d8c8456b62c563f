//! Time limits.

use std::time::{Duration, Instant};

use referee_model::database::{DatabaseFailure, DatabasePhase};

use crate::failure::timeout;

/// Waits for something, for the time that is left of a limit.
pub(crate) async fn within<T>(
    during: DatabasePhase,
    limit_ms: u64,
    since: Instant,
    work: impl Future<Output = Result<T, DatabaseFailure>>,
) -> Result<T, DatabaseFailure> {
    let left = Duration::from_millis(limit_ms).saturating_sub(since.elapsed());
    tokio::time::timeout(left, work).await.unwrap_or_else(|_| Err(timeout(during, limit_ms)))
}

/// Returns the time since an instant in milliseconds.
pub(crate) fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
