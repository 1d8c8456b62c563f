//! Under which circumstances a run was made: facts that belong to no single action, observed before and after them
//! (design, "Evidence and trust"). They stand in the run's header record, so that a replay judges by them too.

use serde::{Deserialize, Serialize};

use crate::id::Digest;

pub mod clean_room;
pub mod confinement;
pub mod probe;
pub mod probe_audit;
pub mod protection;
pub mod suppression;
pub mod tree;
pub mod waiver;
pub mod weakening;

use std::collections::BTreeMap;

use crate::id::ActionId;

pub use self::clean_room::CleanRoom;
pub use self::confinement::Confinement;
pub use self::probe::Probe;
pub use self::probe_audit::ProbeAudit;
pub use self::protection::Protection;
pub use self::tree::TreeFacts;
pub use self::waiver::{Waiver, WaiverScope, WaiverStanding, WaiverState, WaiverTerms, WaiverUse};

/// Under which circumstances a run was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunContext {
    /// The state of the workspace's inputs before and after. None: it was not observed.
    pub tree: Option<TreeFacts>,
    /// Why the inputs could not be observed before the first action. None: they were, or nobody asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread_inputs: Option<String>,
    /// How protected files compare with their baseline. None: nothing is protected.
    pub protection: Option<Protection>,
    /// The waivers that were found, accepted or not, by id.
    pub waivers: Vec<Waiver>,
    /// How commands were confined. None: they were not.
    pub confinement: Option<Confinement>,
    /// The tree that was built for the run. None: it ran in the workspace itself.
    pub clean_room: Option<CleanRoom>,
    /// The key that was to sign the run: SHA-256 of its public half, as SPKI. None: the run is self-asserted.
    pub signer: Option<Digest>,
    /// How many tests ran in each check in the best run since what the work is checked against was made, as far as sealed
    /// runs that are intact tell. A check of which nothing is known is not in it.
    #[serde(default)]
    pub earlier_tests: BTreeMap<ActionId, u64>,
    /// Compiled tests whose sources are gone, where Maven ran tests: paths relative to the workspace. Surefire runs them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_tests: Vec<String>,
    /// Files that passed as a whole and reported no test, although tests in them are known or nothing in them can fail: by their
    /// titles in what was read, with how many tests they are known to declare.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub silent_files: BTreeMap<String, u64>,
    /// Whether the tests of the change fail without it. None: nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Whether the checks still report planted defects that they were known to report. None: nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_audit: Option<ProbeAudit>,
}
