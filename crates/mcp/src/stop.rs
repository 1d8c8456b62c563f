//! Requests to stop a server.

use std::time::Duration;

use referee_engine::incident::Cancellation;

/// Interval of checks whether the server was asked to stop.
const TICK: Duration = Duration::from_millis(100);

/// Waits until the server was asked to stop so many times.
pub(crate) async fn requested(signals: &Cancellation, times: usize) {
    while signals.requests().len() < times {
        tokio::time::sleep(TICK).await;
    }
}
