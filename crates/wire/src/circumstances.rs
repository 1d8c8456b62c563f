//! Under which circumstances a run was made, in documents (design, "Evidence and trust").

use std::collections::BTreeMap;

use referee_model::circumstances::Circumstances;
use referee_model::id::{ActionId, Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::clean_room::CleanRoomDocument;
use self::confinement::ConfinementDocument;
pub(crate) use self::protection::ProtectionDocument;
use self::tree::TreeDocument;
use self::waiver::WaiverDocument;
use crate::form;

mod clean_room;
mod confinement;
mod protection;
mod tree;
mod waiver;

/// Under which circumstances a run was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CircumstancesDocument {
    /// The state of the workspace's inputs before and after. Null: it was not observed.
    tree: Option<TreeDocument>,
    /// Why the inputs could not be observed before the first action. Left out: they were, or nobody asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unread_inputs: Option<String>,
    /// How protected files compare with their baseline. Null: nothing is protected.
    protection: Option<ProtectionDocument>,
    /// The waivers that were found, accepted or not, by id.
    waivers: Vec<WaiverDocument>,
    /// How commands were confined. Null: they were not.
    confinement: Option<ConfinementDocument>,
    /// The tree that was built for the run. Null: it ran in the workspace itself.
    clean_room: Option<CleanRoomDocument>,
    /// The key that was to sign the run: SHA-256 of its public half, as SPKI. Null: the run is self-asserted.
    #[schemars(with = "Option<form::Sha256>")]
    signer: Option<Digest>,
    /// How many tests ran in each check in the best run since what the work is checked against was made, as far as sealed
    /// runs that are intact tell.
    #[serde(default)]
    #[schemars(with = "BTreeMap<form::ActionId, u64>")]
    earlier_tests: BTreeMap<ActionId, u64>,
    /// Compiled tests whose sources are gone, where Maven ran tests: paths relative to the workspace. Left out: none are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stale_tests: Vec<String>,
    /// Files that passed as a whole and reported no test, although tests in them are known or nothing in them can fail: by their
    /// titles in what was read, with how many tests they are known to declare. Left out: none are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    silent_files: BTreeMap<String, u64>,
}

impl From<&Circumstances> for CircumstancesDocument {
    fn from(circumstances: &Circumstances) -> Self {
        Self {
            tree: circumstances.tree.as_ref().map(Into::into),
            unread_inputs: circumstances.unread_inputs.clone(),
            protection: circumstances.protection.as_ref().map(Into::into),
            waivers: circumstances.waivers.iter().map(Into::into).collect(),
            confinement: circumstances.confinement.as_ref().map(Into::into),
            clean_room: circumstances.clean_room.as_ref().map(Into::into),
            signer: circumstances.signer,
            earlier_tests: circumstances.earlier_tests.clone(),
            stale_tests: circumstances.stale_tests.clone(),
            silent_files: circumstances.silent_files.clone(),
        }
    }
}

impl From<CircumstancesDocument> for Circumstances {
    fn from(document: CircumstancesDocument) -> Self {
        Self {
            tree: document.tree.map(Into::into),
            unread_inputs: document.unread_inputs,
            protection: document.protection.map(Into::into),
            waivers: document.waivers.into_iter().map(Into::into).collect(),
            confinement: document.confinement.map(Into::into),
            clean_room: document.clean_room.map(Into::into),
            signer: document.signer,
            earlier_tests: document.earlier_tests,
            stale_tests: document.stale_tests,
            silent_files: document.silent_files,
        }
    }
}
