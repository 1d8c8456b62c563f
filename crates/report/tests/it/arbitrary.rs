//! Arbitrary plans, records and runs that the model can hold.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::id::{ActionId, Digest, WorkspacePath};
use referee_model::plan::CaptureName;
use referee_model::selection::Profile;
use referee_model::time::Timestamp;

pub(crate) use plan::plan;
pub(crate) use record::{record, stopped_service};
pub(crate) use run::{run, skip_reason};

mod clean_room;
mod http;
mod interaction;
mod plan;
mod record;
mod run;

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,12}|.{0,12}|[\"\\\\\\x00-\\x1f\\u{2028}😀]{0,4}"
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..3)
}

/// Text that is JSON.
fn json() -> impl Strategy<Value = String> {
    let any = text().prop_map(|text| serde_json::to_string(&text).unwrap());
    prop_oneof![select(vec!["{}", "true", " [1, 2.50,\n null] ", r#"{"type": "object"}"#]).prop_map(str::to_owned), any]
}

fn time() -> impl Strategy<Value = Timestamp> {
    // From the year 1 to the end of 9999.
    (-62_135_596_800_000_i64..=253_402_300_799_999).prop_map(Timestamp::from_millisecond)
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest::from_bytes)
}

pub(crate) fn action_id() -> impl Strategy<Value = ActionId> {
    "(STEP|PREREQ|CLEANUP|T001|A_B2)\\.[0-9]{1,3}".prop_map(|id| ActionId::parse(id).unwrap())
}

fn attempt() -> impl Strategy<Value = u32> {
    prop_oneof![1..=6_u32, Just(u32::MAX)]
}

fn variables() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..3)
}

fn name() -> impl Strategy<Value = CaptureName> {
    "[A-Za-z0-9_.-]{1,128}".prop_map(|name| CaptureName::parse(&name).unwrap())
}

fn path() -> impl Strategy<Value = WorkspacePath> {
    "([a-zä .*]{1,6}/){0,3}[a-z]{0,4}"
        .prop_map(|path| WorkspacePath::parse(&path).unwrap_or_else(|_| WorkspacePath::root()))
}

fn profile() -> impl Strategy<Value = Profile> {
    select(Profile::ALL.to_vec())
}

fn maybe<Of: Strategy>(strategy: Of) -> impl Strategy<Value = Option<Of::Value>> {
    option::of(strategy)
}
