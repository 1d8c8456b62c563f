//! Luacheck: the default layout, with or without codes, and `--formatter plain`.
//!
//! ```text
//! Checking a.lua                                    1 warning
//!
//!     a.lua:2:16: (W211) unused function 'unused'
//!
//! Total: 1 warning / 0 errors in 1 file
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("luacheck", &[], Role::Lint).lines(&[LineFormat::rows(&[".lua", "Total: "], &TEXT)]);

/// Starts of messages, without their variable parts.
const WORDS: &str = "unused |setting |mutating |accessing |line is too long|line contains|trailing whitespace|\
    inconsistent indentation|empty if branch|empty do|empty statement|variable |value assigned|shadowing |expected |\
    unreachable code|label |loop is executed at most once|left-hand side|right-hand side|cyclomatic complexity|\
    invalid inline option|unpaired inline option|numeric for loop|const variable|assigned but never|duplicated |\
    error prone negation|operator|unused label";

/// A finding below the name of its file.
const LISTED: &str = r"^ {4,}(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+)(?:-(?<last_column>\d+))?: (?:\((?<code>[EWF]\d{3})\) )?(?<message>\S.*)$";

const OF_LUA: &str = r"^ *(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:lua|rockspec|luacheckrc)):(?<line>\d+):(?<column>\d+)(?:-(?<last_column>\d+))?: (?:\((?<code>[EWF]\d{3})\) )?(?<message>\S.*)$";

fn complete(found: &mut Diagnostic) -> bool {
    // Colored output shows a name in bold, without quotes.
    static NAMED: Pattern = Pattern::new(
        r"^(?<before>[^']*?\b(?:function|variable|argument|field|label|upvalue)) (?<name>[A-Za-z_][\w.]*)(?<rest>| (?:is|was|on|of|has) [^']*)$",
    );
    let quoted = NAMED
        .find(&found.message)
        .map(|named| format!("{} '{}'{}", named.text("before"), named.text("name"), named.text("rest")));
    found.message = quoted.unwrap_or_else(|| std::mem::take(&mut found.message));
    true
}

static TEXT: Rows = Rows::new("luacheck", "text").confidence(Confidence::Likely).complete(complete).rows(&[
    known(r"^Checking \S.*? *(?:\d+ errors?|Syntax error|I/O error|Failure)$").enters("errors"),
    known(r"^Checking \S.*? *(?:OK|\d+ warnings?(?: / \d+ errors?)?)$").enters("warnings"),
    sum(r"^Total: (?<warnings>\d+) warnings? / (?<errors>\d+) errors? in \d+ files?(?:, couldn't check \d+ files?)?$")
        .names_tool(),
    finding(LISTED)
        .inside("errors")
        .level_of(|found| if found.text("code").starts_with('W') { Level::Warning } else { Level::Error }),
    finding(LISTED).inside("warnings").level_of(level),
    finding(OF_LUA)
        .level_of(level)
        .check(|made, _| made.code.is_some() || WORDS.split('|').any(|words| made.message.starts_with(words))),
    finding(OF_LUA).level_of(level).hinted(),
]);

fn level(found: &Groups<'_, '_>) -> Level {
    match found.get("code") {
        Some(code) if code.starts_with('W') => Level::Warning,
        None if !found.text("message").starts_with("expected ") => Level::Warning,
        _ => Level::Error,
    }
}
