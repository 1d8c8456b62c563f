//! Everything that is known about secrets, applied to one piece of text.

use memchr::memmem;

use super::cut::{self, Cut};
use super::literals::{Literals, Secret};
use super::private_key::PrivateKey;
use super::rules;
use super::trigger::Trigger;

/// This run's secrets, the shapes of other secrets, and texts that are not secret.
#[derive(Debug)]
pub(super) struct Knowledge {
    secrets: Vec<Secret>,
    literals: Literals,
    trigger: Trigger,
    kept: Vec<String>,
}

impl Knowledge {
    /// Creates the knowledge from possible secrets and from texts that are never redacted.
    pub(super) fn new(secrets: Vec<Secret>, kept: Vec<String>) -> Self {
        let literals = Literals::new(&secrets, &kept);
        let trigger = Trigger::new(literals.beginnings());
        Self { secrets, literals, trigger, kept }
    }

    pub(super) fn learning(&self, secret: Secret) -> Self {
        let secrets = self.secrets.iter().cloned().chain([secret]).collect();
        Self::new(secrets, self.kept.clone())
    }

    /// Returns the first position in `text`, from `from` on, of a possible secret or of a word that announces
    /// one.
    pub(super) fn suspicion(&self, text: &[u8], from: usize) -> Option<usize> {
        self.trigger.find(text, from)
    }

    /// Redacts the secrets that begin before `accepted` in place, and returns their positions, in order and
    /// without overlap.
    pub(super) fn cut(&self, text: &mut [u8], accepted: usize, private_key: &mut PrivateKey) -> Vec<Cut> {
        let mut cuts = private_key.find(text);
        cuts.extend(self.literals.find(text));
        cuts.extend(rules::find(text));
        cuts.retain(|cut| cut.start < accepted && !self.is_kept(text, cut));
        cut::apply(text, cuts)
    }

    /// Returns whether a match is inside a text that is known not to be secret.
    fn is_kept(&self, text: &[u8], cut: &Cut) -> bool {
        let long_enough = self.kept.iter().filter(|kept| kept.len() >= cut.end - cut.start);
        let around = |place: usize, kept: &str| place <= cut.start && cut.end <= place + kept.len();
        long_enough.into_iter().any(|kept| memmem::find_iter(text, kept).any(|place| around(place, kept)))
    }
}
