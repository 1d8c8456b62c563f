//! All that is known of secrets, put to use on one piece of text.

use memchr::memmem;

use super::cut::{self, Cut};
use super::literals::{Literals, Secret};
use super::private_key::PrivateKey;
use super::rules;
use super::trigger::Trigger;

/// This run's secrets, the shapes of all others, and what is no secret.
#[derive(Debug)]
pub(super) struct Knowledge {
    secrets: Vec<Secret>,
    literals: Literals,
    trigger: Trigger,
    kept: Vec<String>,
}

impl Knowledge {
    /// Takes what may be secret, and the texts that are never cut.
    pub(super) fn new(secrets: Vec<Secret>, kept: Vec<String>) -> Self {
        let literals = Literals::new(&secrets, &kept);
        let trigger = Trigger::new(literals.beginnings());
        Self { secrets, literals, trigger, kept }
    }

    pub(super) fn learning(&self, secret: Secret) -> Self {
        let secrets = self.secrets.iter().cloned().chain([secret]).collect();
        Self::new(secrets, self.kept.clone())
    }

    /// Finds the first place in `text`, from `from` on, where a secret may stand or a word that announces one.
    pub(super) fn suspicion(&self, text: &[u8], from: usize) -> Option<usize> {
        self.trigger.find(text, from)
    }

    /// Cuts the secrets that begin before `accepted` out of a text in place, and returns where they stood: in order and
    /// without overlap.
    pub(super) fn cut(&self, text: &mut [u8], accepted: usize, private_key: &mut PrivateKey) -> Vec<Cut> {
        let mut cuts = private_key.find(text);
        cuts.extend(self.literals.find(text));
        cuts.extend(rules::find(text));
        cuts.retain(|cut| cut.start < accepted && !self.is_kept(text, cut));
        cut::apply(text, cuts)
    }

    /// Says whether what was found stands inside a text that is known to be no secret.
    fn is_kept(&self, text: &[u8], cut: &Cut) -> bool {
        let long_enough = self.kept.iter().filter(|kept| kept.len() >= cut.end - cut.start);
        let around = |place: usize, kept: &str| place <= cut.start && cut.end <= place + kept.len();
        long_enough.into_iter().any(|kept| memmem::find_iter(text, kept).any(|place| around(place, kept)))
    }
}
