//! misspell: `docs/a.md:3:10: "recieve" is a misspelling of "receive"`, a message that golint prints too.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("misspell", &[], Role::Lint).lines(&[LineFormat::rows(&["\" is a misspelling of \""], &TEXT)]);

static TEXT: Rows = Rows::new("misspell", "text").level(Level::Warning).rows(&[finding(r#"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>"[^"]+" is a misspelling of "(?<fix>(?<suggestion>[^"]+))")$"#)]);
