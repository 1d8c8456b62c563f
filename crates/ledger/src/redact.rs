//! Redacts secrets from text before it is stored (design, "Redaction").
//!
//! Two kinds are redacted: the values of variables with secret names, and texts that have the shape of a secret
//! (`rules`, `private_key`). Every byte of a secret becomes a `*`, so lengths, offsets, quotes and line ends
//! stay as they are. Text is processed in pieces (lines, and windows of very long lines) whose bounds depend on
//! the text alone, so the result does not depend on how the text was split on arrival.

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

/// Redacts this run's secrets and everything that has the shape of a secret. Cheap to clone; a secret that one
/// clone learns is known to all.
#[derive(Debug, Clone)]
pub struct Redactor(Arc<RwLock<Arc<Knowledge>>>);

impl Redactor {
    /// Creates a redactor from the variables with secret names, as (name, value), and from texts that are known
    /// not to be secret: nothing inside one of those is redacted. Values that are short, or ordinary words,
    /// numbers, paths or addresses, are not redacted: that would garble ordinary output.
    pub fn new(secrets: Vec<(String, String)>, kept: Vec<String>) -> Self {
        let secret = |(name, value)| Secret { name, value, origin: Origin::Variable };
        let knowledge = Knowledge::new(secrets.into_iter().map(secret).collect(), kept);
        Self(Arc::new(RwLock::new(Arc::new(knowledge))))
    }

    /// Adds a secret: a value that the specification captures as secret. From here on it is redacted
    /// everywhere, also in the rest of streams that were started before.
    pub fn learn(&self, name: &str, value: &str) {
        let secret = Secret { name: name.to_owned(), value: value.to_owned(), origin: Origin::Captured };
        let mut knowledge = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *knowledge = Arc::new(knowledge.learning(secret));
    }

    fn knowledge(&self) -> Arc<Knowledge> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn stream(&self) -> StreamRedactor {
        StreamRedactor::new(self.clone())
    }

    /// Redacts a complete text more strictly: besides the secrets also every value whose name suggests a
    /// secret. For texts that are handed to others and never judged, such as incidents.
    pub fn text_strictly(&self, text: &str) -> String {
        strict::cut(&self.text(text))
    }

    /// Redacts the secrets in a complete text.
    pub fn text(&self, text: &str) -> String {
        self.redacted(text).unwrap_or_else(|| text.to_owned())
    }

    /// Like [`Redactor::text`]; returns `None` if the text stays as it is.
    fn redacted(&self, text: &str) -> Option<String> {
        self.knowledge().suspicion(text.as_bytes(), 0)?;
        let mut stream = self.stream();
        let mut bytes = stream.push(text.as_bytes()).to_vec();
        bytes.extend_from_slice(stream.finish());
        // Only whole characters are replaced, each byte with an ASCII one, so nothing is lost here.
        (bytes != text.as_bytes()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests;
