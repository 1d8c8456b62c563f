//! The connection to the queue.

use std::time::Duration;

use temporalio_client::{Client, ClientOptions, Connection};
use tokio::time::{Instant, sleep, timeout_at};

use referee_model::order_protocol::OrderFailureKind;

use super::access::QueueAccess;
use super::error::QueueError;

/// Time after which a queue that does not answer counts as not available.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(250);

/// Connects to the queue. Tries again for a while where it does not answer.
///
/// # Errors
/// Fails if the queue does not answer, and at once if it cannot be used as it is given.
pub(super) async fn connect(access: &QueueAccess) -> Result<Client, QueueError> {
    let mut options = access.connection()?;
    options.identity = identity();
    let until = Instant::now() + PATIENCE;
    let mut last = QueueError::new(
        OrderFailureKind::Unavailable,
        format!("the queue does not answer at {}. See TEMPORAL_ADDRESS and TEMPORAL_TLS", access.address()),
    );
    loop {
        match timeout_at(until, Connection::connect(options.clone())).await {
            Ok(Ok(connection)) => {
                return Client::new(connection, ClientOptions::new(access.namespace()).build())
                    .map_err(|error| QueueError::address(error.to_string()));
            }
            Ok(Err(error)) => last = access.redact_error(&QueueError::of_connect(&error)),
            Err(_) => return Err(last),
        }
        if last.kind == OrderFailureKind::Address || until <= Instant::now() + PAUSE {
            return Err(last);
        }
        sleep(PAUSE).await;
    }
}

/// Returns what names this process in lists of the queue.
fn identity() -> String {
    format!("{}@{}", std::process::id(), rustix::system::uname().nodename().to_string_lossy())
}
