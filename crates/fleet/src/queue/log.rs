//! Lines that a worker writes on standard error.

use std::io::Write;

use referee_model::id::Digest;

/// Number of hexadecimal digits that name an order in a line.
const DIGITS: usize = 12;

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

/// Writes a line. If standard error is closed, nothing can be told.
pub(super) fn write(line: &str) {
    let printable: String =
        line.chars().map(|letter| if letter.is_control() && letter != '\t' { '\u{fffd}' } else { letter }).collect();
    let _ = writeln!(std::io::stderr().lock(), "{printable}");
}
