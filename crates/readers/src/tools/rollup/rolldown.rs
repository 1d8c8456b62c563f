//! Rolldown, which Vite is built on since version 8:
//!
//! ```text
//! Build failed with 1 error:
//!
//! [PARSE_ERROR] Expected `,` or `)` but found `;`
//!    ╭─[ src/broken.js:1:26 ]
//! ```

use crate::prelude::*;

/// Reads Rolldown's findings. A word, a color or the line above tells errors from warnings.
pub(super) static TEXT: Rows =
    Rows::new("rolldown", "rolldown").confidence(Confidence::Likely).spans_blank_lines().rows(&[
        within("^(?:error during build:$|vite v.* building )").vouches(),
        sum("Build failed with (?<errors>\\d+) errors?:$").ahead().vouches().enters("failed"),
        head(HEADING).inside("failed").rule(RULE),
        lead(HEADING).level(Level::Warning).rule(RULE),
        rest(PLACE),
        part(PLACE).check(|made, _| made.file.is_none()),
        part("[│╯]").check(|made, _| made.file.is_some()),
    ]);

const RULE: &str = "rollup/rolldown";

const HEADING: &str = r"^\[(?<code>[A-Z][A-Z0-9_]{2,})\] (?:(?<level>Error|Warning): )?(?<message>\S.*)$";

const PLACE: &str = r"^ +╭─+\[ ?(?<file>\S.*?):(?<line>\d+):(?<column>\d+) ?\]$";
