//! Entries by which tools ignore Referee's own files, and the files to which they belong.

use std::path::Path;

use referee_engine::error::EngineError;
use referee_engine::trial;
use referee_ledger::locks::lock_document;
use referee_report::initial::ProposedIgnore;
use referee_spec::Options;
use referee_spec::detect::{Project, written};

use super::FILE;

/// An entry, and the file to which it belongs.
struct Entry {
    file: String,
    lines: Vec<String>,
    /// Location in the file. None: at its end, where it can be written on request.
    place: Option<&'static str>,
}

/// A tool, with the words that identify it, and its entry for a directory.
struct Tool {
    words: &'static [&'static str],
    entry: fn(&Path) -> Entry,
}

const TOOLS: &[Tool] = &[
    Tool { words: &["prettier"], entry: |_| listed(".prettierignore") },
    Tool {
        words: &["markdownlint-cli2"],
        entry: |_| inside(".markdownlint-cli2.jsonc", r#""ignores": ["evidence", "referee.yaml"]"#, "at its top level"),
    },
    Tool { words: &["markdownlint"], entry: |_| listed(".markdownlintignore") },
    Tool { words: &["eslint"], entry: eslint },
    Tool {
        words: &["biome"],
        entry: |_| inside("biome.json", r#""includes": ["**", "!evidence", "!referee.yaml"]"#, "under `files`"),
    },
    Tool {
        words: &["yamllint"],
        entry: |_| inside(".yamllint", "ignore: [evidence/, referee.yaml]", "at its top level"),
    },
    Tool {
        words: &["check-manifest"],
        entry: |_| {
            inside(
                "pyproject.toml",
                r#"ignore = ["evidence/**", "referee.yaml", "referee.lock"]"#,
                "under `[tool.check-manifest]`",
            )
        },
    },
    Tool {
        words: &["license-eye", "licenserc"],
        entry: |_| inside(".licenserc.yaml", "paths-ignore: [evidence, referee.yaml, referee.lock]", "under `header`"),
    },
    Tool {
        words: &["reuse"],
        entry: |_| {
            inside(
                "REUSE.toml",
                r#"path = ["evidence/**", "referee.yaml", "referee.lock"]"#,
                "in a table `[[annotations]]`",
            )
        },
    },
    Tool {
        words: &["cspell"],
        entry: |_| {
            inside("cspell.json", r#""ignorePaths": ["evidence", "referee.yaml", "referee.lock"]"#, "at its top level")
        },
    },
    Tool {
        words: &["codespell"],
        entry: |_| {
            inside("setup.cfg or .codespellrc", "skip = evidence,referee.yaml,referee.lock", "under `[codespell]`")
        },
    },
    Tool {
        words: &["typos"],
        entry: |_| {
            inside("typos.toml", r#"extend-exclude = ["evidence", "referee.yaml", "referee.lock"]"#, "under `[files]`")
        },
    },
    // Last, because it is a short word.
    Tool {
        words: &["apache-rat", "rat:check", "mvn", "mvnw"],
        entry: |_| Entry {
            file: "pom.xml".to_owned(),
            lines: ["evidence/**", FILE, lock_document::FILE_NAME]
                .map(|path| format!("<exclude>{path}</exclude>"))
                .to_vec(),
            place: Some(
                "under `<excludes>` in the configuration of apache-rat-plugin, or of the plugin that complains",
            ),
        },
    },
];

/// Tools that examine the files tracked by git, so that they complain only once referee.yaml is committed.
const OF_COMMITTED: &[&str] = &["check-manifest"];

/// Returns the entry for a check with these command lines, whose tool may be known.
pub(super) fn of(check: &str, tool: Option<&str>, lines: &[String], directory: &Path) -> ProposedIgnore {
    let speaks =
        |words: &[&str]| words.iter().any(|word| tool == Some(*word) || lines.iter().any(|line| names(line, word)));
    let entry = TOOLS.iter().find(|tool| speaks(tool.words)).map_or_else(
        || {
            inside(
                "the file that it ignores by",
                "evidence/ referee.yaml referee.lock",
                "where it lists what is left out",
            )
        },
        |tool| (tool.entry)(directory),
    );
    ProposedIgnore {
        check: check.to_owned(),
        file: entry.file,
        lines: entry.lines,
        place: entry.place.map(str::to_owned),
        written: false,
        suffices: None,
    }
}

/// Formatters that check every file, including the evidence of the current run.
const OF_ALL: &[&str] = &["prettier", "biome"];

/// Returns a note about such checks if none was tried.
pub(super) fn untried(directory: &Path, project: &Project) -> Result<Option<String>, EngineError> {
    let Some(text) = written(project) else { return Ok(None) };
    let options = Options { workspace: Some(directory.to_path_buf()) };
    let suite = referee_spec::load_text(&directory.join(FILE), text.as_bytes(), &options)?.suite;
    let actions = suite.tasks.iter().flat_map(|plan| &plan.actions);
    let found = actions.filter_map(|action| {
        let lines = trial::lines(action);
        let tool = OF_ALL.iter().find(|tool| lines.iter().any(|line| names(line, tool)))?;
        Some((tool, of(&action.name, Some(tool), &lines, directory)))
    });
    let hides = |file: &str| std::fs::read_to_string(directory.join(file)).is_ok_and(|text| text.contains("evidence"));
    let mut open = found.filter(|(_, ignore)| ![ignore.file.as_str(), ".gitignore"].into_iter().any(hides));
    Ok(open.next().map(|(tool, ignore)| {
        format!(
            "{tool} looks at every file, also at Referee's own, and may complain of them: it needs `{}` in {}",
            ignore.lines.join("` and `"),
            ignore.file
        )
    }))
}

/// Returns whether a check will complain later, although it does not yet.
pub(super) fn is_of_committed(lines: &[String]) -> bool {
    OF_COMMITTED.iter().any(|word| lines.iter().any(|line| names(line, word)))
}

/// Returns whether a command line names a tool: as a word, or at the end of a path.
fn names(line: &str, tool: &str) -> bool {
    let is_edge = |character: char| !(character.is_alphanumeric() || matches!(character, '-' | '_'));
    line.match_indices(tool).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + tool.len()..].chars().next();
        before.is_none_or(is_edge) && after.is_none_or(is_edge)
    })
}

/// Returns an entry in a file of patterns, one per line.
fn listed(file: &str) -> Entry {
    Entry { file: file.to_owned(), lines: vec!["evidence/".to_owned(), FILE.to_owned()], place: None }
}

/// Returns an entry in a file that a person has to edit.
fn inside(file: &str, line: &str, place: &'static str) -> Entry {
    Entry { file: file.to_owned(), lines: vec![line.to_owned()], place: Some(place) }
}

fn eslint(directory: &Path) -> Entry {
    let flat = ["js", "mjs", "cjs", "ts", "mts"].map(|ending| format!("eslint.config.{ending}"));
    match flat.into_iter().find(|name| directory.join(name).is_file()) {
        Some(file) => inside(&file, r#"{ ignores: ["evidence/"] },"#, "as an element of its array"),
        None => listed(".eslintignore"),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let of = |tool: Option<&str>, line: &str| of("lint", tool, &[line.to_owned()], directory.path()).file;
        assert_eq!(of(Some("prettier"), "npm run format"), ".prettierignore");
        assert_eq!(of(None, "node node_modules/.bin/prettier --check ."), ".prettierignore");
        assert_eq!(of(None, "npx markdownlint-cli2 '**/*.md'"), ".markdownlint-cli2.jsonc");
        assert_eq!(of(None, "npx markdownlint ."), ".markdownlintignore");
        assert_eq!(of(Some("eslint"), "npx eslint ."), ".eslintignore");
        assert_eq!(of(None, "./mvnw -B verify"), "pom.xml");
        assert_eq!(of(None, "./check-everything"), "the file that it ignores by");
        std::fs::write(directory.path().join("eslint.config.mjs"), "").unwrap();
        assert_eq!(of(Some("eslint"), "npx eslint ."), "eslint.config.mjs");
        assert!(is_of_committed(&["check-manifest -v".to_owned()]) && !is_of_committed(&["make check".to_owned()]));
    }
}
