//! Lines that a worker writes on standard error.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::Digest;
use serde_json::Value;
use temporalio_common::telemetry::{CoreLog, CoreLogConsumer, Logger, TelemetryOptions, telemetry_init_global};

use super::access::QueueAccess;

/// Number of hexadecimal digits that name an order in a line.
const DIGITS: usize = 12;

/// What is told of the connections to the queue: warnings.
const CONNECTIONS: &str = "off,temporalio_client=warn,temporalio_sdk=warn,temporalio_sdk_core=warn";

/// Maximum number of characters of a line about a connection.
const CONNECTION_LINE: usize = 300;

/// Time after which a cause that lasts is told again.
const REPETITION: Duration = Duration::from_mins(1);

/// Name of an order in lines.
#[derive(Clone)]
pub(super) struct OrderName(String);

impl OrderName {
    pub(super) fn new(order: Digest) -> Self {
        Self(order.to_string().chars().take(DIGITS).collect())
    }

    /// Writes what happened to the order.
    pub(super) fn event(&self, event: &str) {
        write(&format!("order {}: {event}", self.0));
    }

    /// Writes a line of the program that performs the order.
    pub(super) fn relay(&self, line: &[u8]) {
        write(&format!("{} | {}", self.0, String::from_utf8_lossy(line)));
    }
}

/// Writes what the connections to the queue tell, such as that it does not answer.
pub(super) fn tell_of_connections(access: &QueueAccess) -> Result<(), String> {
    let consumer = Arc::new(ConnectionLog { access: access.clone(), told: Mutex::default() });
    let options =
        TelemetryOptions::builder().logging(Logger::Push { filter: CONNECTIONS.to_owned(), consumer }).build();
    telemetry_init_global(options).map_err(|error| error.to_string())
}

#[derive(Debug)]
struct ConnectionLog {
    access: QueueAccess,
    /// When each cause was told. A worker has many connections.
    told: Mutex<HashMap<String, Instant>>,
}

impl CoreLogConsumer for ConnectionLog {
    fn on_log(&self, log: CoreLog) {
        let cause = log.fields.get("error").and_then(Value::as_str).unwrap_or(&log.message);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, time| time.elapsed() < REPETITION);
        if !told.contains_key(cause) {
            told.insert(cause.to_owned(), Instant::now());
            let cause = if cause == log.message { "" } else { cause };
            let line = self.access.redact(&format!("queue: {} {cause}", log.message));
            write(line.chars().take(CONNECTION_LINE).collect::<String>().trim_end());
        }
    }
}

/// Writes a line. If standard error is closed, nothing can be told.
pub(super) fn write(line: &str) {
    let printable: String =
        line.chars().map(|letter| if letter.is_control() && letter != '\t' { '\u{fffd}' } else { letter }).collect();
    let _ = writeln!(std::io::stderr().lock(), "{printable}");
}
