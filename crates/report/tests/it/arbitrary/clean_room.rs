use proptest::collection::btree_map;
use proptest::prelude::*;
use referee_model::plan::Guard;
use referee_model::plan::guard::Setup;
use referee_model::run_context::CleanRoom;
use referee_model::run_context::clean_room::{Provision, SetUp};

use super::{digest, maybe, text, texts};

/// Clean rooms and program pins of a plan.
pub(crate) fn set_up_and_pins() -> impl Strategy<Value = Guard> {
    let setup = (text(), any::<u64>()).prop_map(|(command, timeout_ms)| Setup { command, timeout_ms });
    (maybe(setup), btree_map(text(), digest(), 0..3)).prop_map(|(setup, pins)| Guard {
        setup,
        pins,
        ..Guard::default()
    })
}

pub(crate) fn clean_room() -> impl Strategy<Value = CleanRoom> {
    let provision = prop_oneof![
        digest().prop_map(|key| Provision::Installed { key }),
        Just(Provision::InstalledWithoutLockFile),
        digest().prop_map(|key| Provision::Cached { key }),
    ];
    let setup = (text(), provision).prop_map(|(command, provision)| SetUp { command, provision });
    (text(), any::<u64>(), texts(), maybe(setup)).prop_map(|(candidate, files, restored, setup)| CleanRoom {
        candidate,
        files,
        restored,
        setup,
    })
}
