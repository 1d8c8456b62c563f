//! QUnit on Node, whose output is TAP.

use crate::prelude::*;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("qunit", &[], Role::Test)
    .lines(&[LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner("qunit"))])
    .merge(runs::one_run);
