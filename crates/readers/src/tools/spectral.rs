//! Spectral: `stylish`, `text` and JSON.

pub(crate) mod json;
pub(crate) mod stylish;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Spectral.
pub(crate) const TOOL: Tool = Tool {
    name: "spectral",
    aliases: &["spectral-json"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &[
                "  error  ",
                "  warning  ",
                "  information  ",
                "  hint  ",
                " infos, ",
                "No results with a severity",
            ],
            reader: |is_hinted| Box::new(stylish::Stylish::new(is_hinted)),
        },
        LineFormat {
            wakes: &[" error ", " warning ", " information ", " hint "],
            reader: |is_hinted| TEXT.reader(is_hinted),
        },
    ],
    documents: &[DocumentFormat {
        opening: json::OPENING,
        reader: |stream, is_hinted| Box::new(json::Report::new(stream, is_hinted)),
    }],
    settle: claim::gravest,
};

/// `/project/openapi.yaml:2:6 warning info-contact "Info object must have "contact" object."`.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^(?<file>\S.*?\.(?:ya?ml|json)):(?<line>\d+):(?<column>\d+) (?<level>error|warning|information|hint) (?<code>[\w-]+) "(?<message>.*)"$"#,
    )
});

static TEXT: Counted = Counted {
    tool: "spectral",
    format: "text",
    rule: "spectral/text",
    pattern: &FINDING,
    literal: " \"",
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
    tells: |_| true,
    other: |_| Other::Nothing,
};
