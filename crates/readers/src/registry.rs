//! The table of tools: names, formats, and how what was found in them becomes one claim.

use referee_model::plan::Role;
use referee_model::record::Stream;

use crate::claim::{self, Claim, DocumentReader, LineReader};
use crate::document::Opening;
use crate::tools::{eslint, jest, prettier, tsc};

/// One tool. A hint makes its readers trust forms that alone say nothing.
pub(crate) struct Tool {
    /// Its canonical name.
    pub(crate) name: &'static str,
    /// Other names that mean it.
    aliases: &'static [&'static str],
    /// What it is for.
    pub(crate) role: Role,
    /// Makes the readers of its text formats for one stream.
    pub(crate) lines: fn(is_hinted: bool) -> Vec<Box<dyn LineReader>>,
    /// Its document format, if it has one.
    pub(crate) documents: Option<Documents>,
    /// Makes one claim of all.
    pub(crate) settle: fn(Vec<(Stream, Claim)>) -> Option<Claim>,
}

/// A document format.
#[derive(Clone, Copy)]
pub(crate) struct Documents {
    pub(crate) opening: Opening,
    /// Makes the reader of one stream.
    pub(crate) reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
}

/// Every tool whose output is known.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "tsc",
        aliases: &["typescript", "vue-tsc", "tsgo"],
        role: Role::Typecheck,
        lines: |is_hinted| vec![Box::new(tsc::Tsc::new(is_hinted))],
        documents: None,
        settle: claim::gravest,
    },
    Tool {
        name: "eslint",
        aliases: &[],
        role: Role::Lint,
        lines: |is_hinted| {
            vec![
                Box::new(eslint::stylish::Stylish::new(is_hinted)),
                Box::new(eslint::one_line::OneLine::compact(is_hinted)),
                Box::new(eslint::one_line::OneLine::unix(is_hinted)),
                Box::new(eslint::codeframe::Codeframe::new(is_hinted)),
            ]
        },
        documents: Some(Documents {
            opening: eslint::json::OPENING,
            reader: |stream, is_hinted| Box::new(eslint::json::Report::new(stream, is_hinted)),
        }),
        settle: claim::gravest,
    },
    Tool {
        name: "prettier",
        aliases: &[],
        role: Role::Format,
        lines: |is_hinted| vec![Box::new(prettier::Prettier::new(is_hinted))],
        documents: None,
        settle: prettier::one_claim,
    },
    Tool {
        name: "jest",
        aliases: &[],
        role: Role::Test,
        lines: |is_hinted| vec![Box::new(jest::lines::Report::new(is_hinted))],
        documents: Some(Documents {
            opening: jest::json::OPENING,
            reader: |stream, _| Box::new(jest::json::Report::new(stream)),
        }),
        settle: jest::settle::one_claim,
    },
];

/// Returns the names of the tools whose output is known, aliases included.
pub fn tools() -> &'static [&'static str] {
    &["tsc", "typescript", "vue-tsc", "tsgo", "eslint", "prettier", "jest"]
}

/// Returns the tool of a name.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_table() {
        let names: Vec<&str> =
            TOOLS.iter().flat_map(|tool| [tool.name].into_iter().chain(tool.aliases.iter().copied())).collect();
        assert_eq!(names, tools());
        assert_eq!(named("typescript").map(|tool| tool.name), Some("tsc"));
        assert!(named("TSC").is_none());
    }
}
