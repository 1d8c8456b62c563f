//! Sources that leave the reach of the type checker: a `.ts` that becomes a `.js`, or moves where no
//! `tsconfig.json` includes it.

use std::collections::BTreeSet;

use globset::GlobBuilder;
use referee_model::run_context::suppression::SuppressionKind;

use super::mark::Mark;

/// Files that exist on only one side.
#[derive(Debug, Default)]
pub(super) struct Files<'a> {
    pub(super) gone: BTreeSet<&'a str>,
    pub(super) new: BTreeSet<&'a str>,
}

const TYPED: [&str; 4] = ["ts", "tsx", "mts", "cts"];
const UNTYPED: [&str; 4] = ["js", "jsx", "mjs", "cjs"];

/// Finds such sources, each with its new path. `text` returns the current content of a file.
pub(super) fn find(files: &Files<'_>, text: &dyn Fn(&str) -> Option<String>) -> Vec<(String, Mark)> {
    let mut found = Vec::new();
    for (gone, stem) in files.gone.iter().filter_map(|path| Some((*path, stem(path, &TYPED)?))) {
        let name = gone.rsplit('/').next().unwrap_or(gone);
        let untyped = files.new.iter().find(|new| self::stem(new, &UNTYPED) == Some(stem));
        let is_moved =
            |new: &&&str| new.rsplit('/').next() == Some(name) && is_included(gone, text) && !is_included(new, text);
        let moved = files.new.iter().find(is_moved);
        let said = untyped.map(|new| (new, format!("{gone} is {new} now")));
        let said =
            said.or_else(|| moved.map(|new| (new, format!("{gone} is {new} now, which no tsconfig.json includes"))));
        found.extend(said.map(|(new, text)| {
            let (kind, words) = (SuppressionKind::TypesLeft, text.clone());
            ((*new).to_owned(), Mark { line: 1, kind, text, words })
        }));
    }
    found
}

/// Returns a path without its extension, if that is one of these.
fn stem<'a>(path: &'a str, endings: &[&str]) -> Option<&'a str> {
    let (stem, ending) = path.rsplit_once('.')?;
    (endings.contains(&ending) && stem.strip_suffix(".d").is_none()).then_some(stem)
}

/// Whether the nearest `tsconfig.json` above a file includes it.
fn is_included(path: &str, text: &dyn Fn(&str) -> Option<String>) -> bool {
    let mut directory = path;
    while let Some(parent) =
        directory.rsplit_once('/').map(|(parent, _)| parent).or((!directory.is_empty()).then_some(""))
    {
        directory = parent;
        let join = |name: &str| if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        let Some(text) = text(&join("tsconfig.json")) else { continue };
        let inner = path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/');
        let holds =
            |key: &str| listed(&text, key).map(|patterns| patterns.iter().any(|pattern| is_match(pattern, inner)));
        let is_listed = match (holds("files"), holds("include")) {
            (None, None) => true,
            (files, include) => files == Some(true) || include == Some(true),
        };
        return is_listed && holds("exclude") != Some(true);
    }
    false
}

/// Returns the texts that a key of a configuration lists. `None` if there is no such key.
fn listed(text: &str, key: &str) -> Option<Vec<String>> {
    let quoted = format!("\"{key}\"");
    let after = text.split_once(quoted.as_str())?.1.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?;
    let list = after.split_once(']').map_or(after, |(list, _)| list);
    Some(list.split('"').skip(1).step_by(2).map(|pattern| pattern.trim_start_matches("./").to_owned()).collect())
}

/// Whether a pattern matches a file, or a directory that contains it.
fn is_match(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    [pattern.to_owned(), format!("{pattern}/**")].iter().any(|pattern| {
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .is_ok_and(|glob| glob.compile_matcher().is_match(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_leaves_the_type_checker_as_javascript_or_where_nothing_includes_it() {
        let config = r#"{ "compilerOptions": {}, "include": ["src", "lib/**/*.ts"], "exclude": ["src/old"] }"#;
        for (gone, new, leaves) in [
            ("src/a.ts", "src/a.js", true),
            ("src/a.tsx", "src/a.jsx", true),
            ("src/a.ts", "legacy/a.ts", true),
            ("src/a.ts", "src/old/a.ts", true),
            ("src/a.ts", "src/sub/a.ts", false),
            ("src/a.ts", "lib/b/a.ts", false),
            ("src/a.ts", "legacy/b.ts", false),
            ("src/a.ts", "src/b.js", false),
            ("src/a.js", "src/a.ts", false),
            ("src/a.d.ts", "src/a.d.js", false),
            ("old/a.ts", "legacy/a.ts", false),
        ] {
            let files = Files { gone: BTreeSet::from([gone]), new: BTreeSet::from([new]) };
            let text = |path: &str| (path == "tsconfig.json").then(|| config.to_owned());
            let found = find(&files, &text);
            assert_eq!(
                found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
                if leaves { vec![new] } else { vec![] },
                "{gone} → {new}"
            );
            if gone.starts_with("src/a.ts") && new.contains("/a.ts") {
                assert!(find(&files, &|_| None).is_empty(), "there is no configuration");
            }
        }
    }
}
