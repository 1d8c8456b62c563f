//! QUnit on Node, whose output is TAP.

use crate::prelude::*;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("qunit", &[], Role::Test)
    .lines(&[LineFormat::new(tap::PREFILTER, |is_hinted| tap::of_runner("qunit", is_hinted))])
    .merge(runs::one_run);
