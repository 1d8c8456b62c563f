//! Secrets are cut out of text before it is stored (design, "Redaction").
//!
//! Two things are looked for: the values of variables that are secret by their name, and what is a secret by its shape
//! (`rules`, `private_key`). Every byte of a secret becomes a `*`, so lengths, offsets, quotes and line ends stay
//! as they are. The work is done on pieces (lines, and windows of very long lines) whose bounds depend on the text
//! alone, so the result is the same however the text arrived.

mod cut;

mod redacted_value;

mod rules;

mod private_key;

mod literals;

mod trigger;

mod knowledge;

mod stream;

mod strict;

mod structure;

mod variable;

use std::sync::{Arc, PoisonError, RwLock};

pub use stream::{RedactionSpan, StreamRedactor};
pub use variable::{is_credential, looks_secret};

use knowledge::Knowledge;
use literals::{Origin, Secret};

/// Knows this run's secrets and the shapes of all others. Cheap to clone; what one clone learns all know.
#[derive(Debug, Clone)]
pub struct Redactor(Arc<RwLock<Arc<Knowledge>>>);

impl Redactor {
    /// Takes the variables that are secret by their name, as (name, value), and the texts that are known to be no
    /// secrets: whatever stands inside one of those is never cut. Values that are short, or ordinary words, numbers,
    /// paths and addresses, are left alone: cutting them would bend ordinary output.
    pub fn new(secrets: Vec<(String, String)>, kept: Vec<String>) -> Self {
        let secret = |(name, value)| Secret { name, value, origin: Origin::Variable };
        let knowledge = Knowledge::new(secrets.into_iter().map(secret).collect(), kept);
        Self(Arc::new(RwLock::new(Arc::new(knowledge))))
    }

    /// Learns one secret more: a value that the specification captures as secret. From here on it is cut everywhere,
    /// also in the rest of streams that were started before.
    pub fn learn(&self, name: &str, value: &str) {
        let secret = Secret { name: name.to_owned(), value: value.to_owned(), origin: Origin::Captured };
        let mut knowledge = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *knowledge = Arc::new(knowledge.learning(secret));
    }

    fn knowledge(&self) -> Arc<Knowledge> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts on a stream of bytes.
    pub fn stream(&self) -> StreamRedactor {
        StreamRedactor::new(self.clone())
    }

    /// Cuts out of a text that is there as a whole, beside the secrets, whatever may be one by the name that it is given:
    /// for what is handed to others and never judged, such as incidents.
    pub fn text_strictly(&self, text: &str) -> String {
        strict::cut(&self.text(text))
    }

    /// Cuts the secrets out of a text that is there as a whole.
    pub fn text(&self, text: &str) -> String {
        let mut stream = self.stream();
        let mut bytes = stream.push(text.as_bytes()).to_vec();
        bytes.extend_from_slice(stream.finish());
        // Only whole characters are replaced, each byte by an ASCII one, so nothing is lost here.
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests;
