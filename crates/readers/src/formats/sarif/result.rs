//! One result of a run: its location, message and level.

use referee_model::reading::{EditPlace, FixEdit};
use referee_syntax::percent;
use serde_json::Map;

use super::rules::{Rule, Rules, level};
use crate::candidate::edits;
use crate::formats::finding_report::finding;
use crate::prelude::*;
use crate::shapes::members::position;

/// Maximum number of related locations kept per result.
const RELATED: usize = 50;

/// Maximum number of base URIs that are followed.
const BASES: usize = 8;

/// A result held back until the end of its run.
#[derive(Debug)]
pub(super) struct Waiting {
    value: Value,
    at: Origin,
}

impl Waiting {
    /// Wraps a result. Returns `None` if the result is not a problem, is suppressed, or existed before and is
    /// gone.
    pub(super) fn new(value: Value, at: Origin) -> Option<Self> {
        let kind = value["kind"].as_str().unwrap_or("fail").to_ascii_lowercase();
        let is_passed = matches!(kind.as_str(), "pass" | "notapplicable");
        let is_gone = value["baselineState"] == "absent";
        let suppressions = value["suppressions"].as_array();
        // Suppressions that are under review or rejected have no effect.
        let is_accepted =
            |one: &Value| one.get("status").or(one.get("state")).is_none_or(|status| status == "accepted");
        let is_suppressed = suppressions.is_some_and(|all| !all.is_empty() && all.iter().all(is_accepted));
        (value.is_object() && !is_passed && !is_gone && !is_suppressed).then(|| Self { value: slim(value), at })
    }

    /// Converts the result to a finding, completed from its rule and its run.
    pub(super) fn found(self, tool: &str, rules: &Rules, run: Option<&Map<String, Value>>) -> Option<Diagnostic> {
        let Self { value, at } = self;
        let rule = rules.of(&value);
        let said = message(&value["message"], rule)?;
        let mut found = finding(tool, at, level_of(&value, rule), &said);
        let id = value["ruleId"].as_str().or(value["rule"]["id"].as_str()).or(rule.map(|rule| rule.id.as_str()));
        found.code = id.filter(|id| !id.is_empty()).map(name);
        let mut locations = value["locations"].as_array().into_iter().flatten();
        if let Some(location) = locations.next() {
            locate(&mut found, location, run);
            let region = &location["physicalLocation"]["region"];
            found.source =
                region["snippet"]["text"].as_str().map(|source| source.trim_end_matches(['\r', '\n']).to_owned());
        }
        let related = locations.chain(value["relatedLocations"].as_array().into_iter().flatten());
        found.related = related.take(RELATED).map(|location| related_place(location, run)).collect();
        let fixes = value["fixes"].as_array().filter(|fixes| !fixes.is_empty());
        // The format does not specify which fixes the tool can apply by itself.
        found.suggestion = fixes.and_then(|fixes| fixes[0]["description"]["text"].as_str()).map(name);
        found.edits = edits(fixes.and_then(|fixes| replacements(&fixes[0], run)));
        for edit in &mut found.edits {
            // An edit of the finding's own file carries no path, because the finding's path is later made
            // relative to the workspace.
            edit.file.take_if(|file| found.file.as_ref() == Some(file));
        }
        Some(found)
    }
}

/// Returns the edits of a fix, or `None` if one of them has no usable position.
fn replacements(fix: &Value, run: Option<&Map<String, Value>>) -> Option<Vec<FixEdit>> {
    let changes = fix["artifactChanges"].as_array()?.iter();
    let of_change = changes.map(|change| {
        let file = file(&change["artifactLocation"], run);
        let replacements = change["replacements"].as_array()?.iter();
        replacements.map(|replacement| replaced(replacement, file.clone())).collect::<Option<Vec<_>>>()
    });
    of_change.collect::<Option<Vec<_>>>().map(|edits| edits.concat())
}

fn replaced(replacement: &Value, file: Option<String>) -> Option<FixEdit> {
    let region = &replacement["deletedRegion"];
    let at = |key: &str| region[key].as_u64();
    let place = match (position(region, "startLine"), at("charOffset")) {
        (Some(line), _) => {
            let column = position(region, "startColumn").unwrap_or(1);
            let end_line = position(region, "endLine").unwrap_or(line);
            // Without an end, the region extends to the end of its line.
            EditPlace::Span { line, column, end_line, end_column: position(region, "endColumn")? }
        }
        (None, Some(start)) => EditPlace::Range { start, end: start.checked_add(at("charLength").unwrap_or(0))? },
        (None, None) => return None,
    };
    let text = replacement["insertedContent"]["text"].as_str().unwrap_or_default().to_owned();
    Some(FixEdit { file, place, text })
}

/// Removes the members of a result that are not read and may be large.
fn slim(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        for key in ["codeFlows", "stacks", "graphs", "graphTraversals", "properties", "partialFingerprints", "taxa"] {
            members.remove(key);
        }
    }
    value
}

fn level_of(value: &Value, rule: Option<&Rule>) -> Level {
    if let Some(said) = value["level"].as_str().and_then(level) {
        return said;
    }
    // Only failures have a level; results left to human review are reported as information.
    let is_failure = value["kind"].as_str().is_none_or(|kind| kind.eq_ignore_ascii_case("fail"));
    if is_failure { rule.and_then(|rule| rule.level).unwrap_or(Level::Warning) } else { Level::Info }
}

/// Returns the text of a message, or that of its rule, with its arguments inserted.
pub(super) fn message(message: &Value, rule: Option<&Rule>) -> Option<String> {
    let said = message["text"].as_str().or(message["markdown"].as_str());
    let said = said.or_else(|| rule?.message(message["id"].as_str()?)).or(message["id"].as_str())?;
    let arguments: Vec<&str> =
        message["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if arguments.is_empty() {
        return Some(cut::head(said, limit::MESSAGE_BYTES).to_owned());
    }
    let mut filled = String::new();
    let mut rest = said;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let argument = after
            .split_once('}')
            .and_then(|(number, rest)| Some((*arguments.get(number.parse::<usize>().ok()?)?, rest)));
        match argument {
            Some((argument, after)) if filled.len() < limit::MESSAGE_BYTES => {
                filled.push_str(argument);
                rest = after;
            }
            _ => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Some(cut::head(&filled, limit::MESSAGE_BYTES).to_owned())
}

/// Sets where a finding is; if the file of a location is given by an index or a base, it is looked up in the run.
pub(super) fn locate(found: &mut Diagnostic, location: &Value, run: Option<&Map<String, Value>>) {
    let RelatedPlace { file, line, column, .. } = related_place(location, run);
    let region = &location["physicalLocation"]["region"];
    (found.file, found.line, found.column) = (file, line, column);
    found.end_column = position(region, "endColumn").filter(|_| line.is_some());
    found.end_line = position(region, "endLine").or(line.filter(|_| found.end_column.is_some()));
}

fn related_place(location: &Value, run: Option<&Map<String, Value>>) -> RelatedPlace {
    let physical = &location["physicalLocation"];
    let line = position(physical, "region/startLine");
    RelatedPlace {
        file: file(&physical["artifactLocation"], run),
        line,
        column: position(physical, "region/startColumn").filter(|_| line.is_some()),
        message: name(&message(&location["message"], None).unwrap_or_default()),
    }
}

fn file(location: &Value, run: Option<&Map<String, Value>>) -> Option<String> {
    let run = |key: &str| run.and_then(|run| run.get(key));
    let mut location = location;
    if location["uri"].as_str().is_none()
        && let Some(index) = location["index"].as_u64().and_then(|index| usize::try_from(index).ok())
    {
        location = &run("artifacts")?.get(index)?["location"];
    }
    let mut uri = location["uri"].as_str()?.to_owned();
    let mut base = location["uriBaseId"].as_str();
    for _ in 0..BASES {
        let Some(known) = base.and_then(|base| run("originalUriBaseIds")?.get(base)) else { break };
        // An absolute base is where the project was located; within the project the path stays unchanged.
        match known["uri"].as_str() {
            Some(outer) if !outer.contains(':') && !outer.starts_with('/') && !uri.starts_with('/') => {
                uri = format!("{}/{uri}", outer.trim_end_matches('/'));
            }
            _ => break,
        }
        base = known["uriBaseId"].as_str();
    }
    let path = path(&uri);
    (!path.is_empty()).then(|| name(&path))
}

/// Converts a URI to a path.
fn path(uri: &str) -> String {
    let is_uri = uri.starts_with("file:");
    let path = uri.strip_prefix("file://").or(uri.strip_prefix("file:")).unwrap_or(uri);
    let path = path.strip_prefix("localhost/").map_or(path.to_owned(), |path| format!("/{path}"));
    let path = text::path(&String::from_utf8_lossy(&percent::decode(&path)));
    // `file:///C:/a` is `C:/a`.
    let bytes = path.as_bytes();
    let has_drive = is_uri && bytes.first() == Some(&b'/') && bytes.get(2) == Some(&b':');
    if has_drive { path[1..].to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn uris_mean_paths() {
        for (uri, meant) in [
            ("src/a%20b.c", "src/a b.c"),
            ("file:///home/x/a.c", "/home/x/a.c"),
            ("file:///C:/p/a.c", "C:/p/a.c"),
            ("file://localhost/p/a.c", "/p/a.c"),
            ("100%", "100%"),
            ("a%zz%c3%a9", "a%zzé"),
        ] {
            assert_eq!(path(uri), meant);
        }
    }

    #[test]
    fn files_are_told_by_number_and_base() {
        let run = serde_json::json!({
            "artifacts": [{"location": {"uri": "a.c", "uriBaseId": "SUB"}}],
            "originalUriBaseIds": {"SUB": {"uri": "sub/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///p/"}}
        });
        let file = |location: &Value| file(location, run.as_object());
        assert_eq!(file(&serde_json::json!({"index": 0})).as_deref(), Some("sub/a.c"));
        assert_eq!(file(&serde_json::json!({"index": 7})), None);
        assert_eq!(file(&serde_json::json!({"uri": "b.c", "uriBaseId": "ROOT"})).as_deref(), Some("b.c"));
    }

    #[test]
    fn edits_of_the_file_of_a_finding_do_not_name_it_and_none_is_said_to_be_safe() {
        let change = |uri: &str| {
            serde_json::json!({"artifactLocation": {"uri": uri}, "replacements": [{"deletedRegion":
                {"startLine": 1, "startColumn": 1, "endLine": 2, "endColumn": 1}}]})
        };
        let result = serde_json::json!({"ruleId": "F401", "message": {"text": "unused"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "file:///p/a.py"}}}],
            "fixes": [{"artifactChanges": [change("file:///p/a.py"), change("file:///p/b.py")]}]});
        let at = Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 1 };
        let found = Waiting::new(result, at).unwrap().found("ruff", &Rules::default(), None).unwrap();
        let files: Vec<_> = found.edits.iter().map(|edit| edit.file.as_deref()).collect();
        assert_eq!((files, found.fixable), (vec![None, Some("/p/b.py")], false));
    }

    #[test]
    fn arguments_stand_in_their_places() {
        let said = |value: &Value| message(value, None).unwrap();
        assert_eq!(said(&serde_json::json!({"text": "{1} {0} {x} {9}", "arguments": ["a", "b"]})), "b a {x} {9}");
        assert_eq!(said(&serde_json::json!({"text": "{0}"})), "{0}");
    }
}
