//! QUnit on Node, which writes TAP.

use referee_model::plan::Role;

use crate::shapes::runs;
use crate::tool::{LineFormat, Tool};
use crate::tools::tap;

pub(crate) const TOOL: Tool = Tool {
    name: "qunit",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat { prefilter: tap::PREFILTER, reader: |is_hinted| tap::of_runner("qunit", is_hinted) }],
    documents: &[],
    merge: runs::one_run,
};
