//! SpotBugs' text report:
//! `M D NP: Possible null pointer dereference of x in demo.App.run()  At App.java:[line 12]`, and that of its
//! Maven plugin: `[ERROR] Medium: … [demo.App] At App.java:[line 12] NP_NULL_ON_SOME_PATH`. Priority and
//! category are not levels.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("spotbugs", &["findbugs", "spotbugs-xml"], Role::Lint)
    .lines(&[LineFormat::rows(&[":[line "], &TEXT)])
    .documents(crate::formats::spotbugs_xml::DOCUMENTS);

static TEXT: Rows = Rows::new("spotbugs", "text").level(Level::Warning).rows(&[finding(r"^(?:[HML] [A-Z] (?<code2>[A-Z][A-Za-z0-9]*): |\[ERROR\] (?:High|Medium|Low): )(?<message>.*?) *(?:\[[\w.$]+\] )?(?:[A-Z][a-z]+(?: [a-z]+)* )?(?:At|at|In|in) (?<file>[\w$./-]+\.\w+):\[lines? (?<line>\d+)(?:-(?<end_line>\d+))?\](?: (?<code>[A-Z][A-Z0-9_]+))?$")]);
