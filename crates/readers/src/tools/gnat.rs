//! GNAT, the Ada compiler: `a.adb:63:14: warning: variable "E" is not referenced [-gnatwu]`, `a.adb:96:80: (style) this
//! line is too long` and, of an error, also no severity at all.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Standing, gravest};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// GNAT.
pub(crate) const TOOL: Tool = Tool {
    name: "gnat",
    aliases: &["gnatmake", "gprbuild"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: &[".adb:", ".ads:", ".ada:"], reader: |_| FORMAT.reader() }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:adb|ads|ada)):(?<line>\d+):(?<column>\d+): (?:(?<level>error|warning|info|note): |(?<style>\(style\)) )?(?<message>\S.*?)(?: \[(?<code>-gnat\w+)\])?$",
    )
});

static FORMAT: OneLine = OneLine {
    tool: "gnat",
    format: "text",
    rule: "gnat/text",
    pattern: &FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, captures| {
        if captures.name("style").is_some() {
            found.level = Level::Info;
        }
        true
    },
};
