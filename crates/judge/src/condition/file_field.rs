//! The fields of file checks.
//!
//! | field                          | value                                                                             |
//! |--------------------------------|-----------------------------------------------------------------------------------|
//! | exists                         | whether the path exists; for a pattern, whether any file matches                  |
//! | size, contentLength            | bytes of a file                                                                   |
//! | modified                       | last change, RFC 3339 in UTC                                                      |
//! | isDirectory                    | whether it is a directory                                                         |
//! | contentMatches, patternMatches | whether all expected texts occur, or all expected patterns match                  |
//! | isValidJSON                    | whether it is well-formed, where the check asks for JSON or the content is kept   |
//! | json                           | its JSON value, where the content is kept                                         |
//!
//! For a pattern with several matches, `contentMatches`, `patternMatches` and `isValidJSON` refer to all of
//! them; the other fields are known only if there is exactly one match.

use referee_model::plan::{DataSyntax, FileContent, FileExpectation, Work};
use referee_model::record::{FileFacts, FileObservation, FileState, GlobFacts, SchemaObservation, SyntaxObservation};
use referee_model::verdict::Truth;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::content::Parsed;
use super::operation;
use super::query::Query;
use super::value::Value;

const FIELDS: [&str; 9] = [
    "exists",
    "size",
    "modified",
    "isDirectory",
    "contentLength",
    "contentMatches",
    "patternMatches",
    "isValidJSON",
    "json",
];

pub(super) fn of_file<'e>(query: Query<'e>, name: &str, facts: &'e FileFacts) -> Value<'e> {
    if !FIELDS.contains(&name) {
        return query.no_field(name, "a file check");
    }
    let path = &facts.path;
    match (&facts.found, name) {
        (FileState::Outside { .. }, _) => {
            query.unknown(&format!("was not to look at {path}: it leads outside the workspace"))
        }
        (FileState::Unreadable { message }, _) => {
            query.unknown(&format!("could not look at {path}: {}", first_line(message, 200)))
        }
        (FileState::DeadlineExceeded(_), _) => query.unknown(&format!("was given up before {path} was looked at")),
        (FileState::Missing, "exists") => Value::boolean(false),
        (FileState::Missing, _) => query.unknown(&format!("has no `{name}`: {path} is missing")),
        (_, "exists") => Value::boolean(true),
        (found, "isDirectory") => Value::boolean(matches!(found, FileState::Directory)),
        (FileState::File(file), _) => of_content(query, name, file),
        (FileState::Directory | FileState::Other, _) => {
            query.unknown(&format!("has no `{name}`: {path} is not a file"))
        }
    }
}

/// Returns a field over all files that match a pattern.
pub(super) fn of_glob<'e>(query: Query<'e>, name: &str, facts: &'e GlobFacts) -> Value<'e> {
    if !FIELDS.contains(&name) {
        return query.no_field(name, "a file check");
    }
    if facts.overrun.is_some() {
        return query.unknown(&format!("was given up before all that {} names was looked at", facts.pattern));
    }
    if let Some(failure) = &facts.failure {
        return query.unknown(&format!("could not follow its pattern: {}", first_line(failure, 200)));
    }
    match (name, facts.files.as_slice()) {
        ("exists", files) => Value::boolean(!files.is_empty()),
        (_, []) => query.unknown(&format!("has no `{name}`: {} names no file", facts.pattern)),
        (_, [only]) if !facts.truncated => of_file(query, name, only),
        ("contentMatches" | "patternMatches" | "isValidJSON", files) => {
            let values: Vec<Value<'e>> = files.iter().map(|file| of_file(query, name, file)).collect();
            let all = values.iter().map(Value::truth).reduce(operation::and).unwrap_or(Truth::Unknown);
            match all {
                Truth::False => Value::boolean(false),
                Truth::True if !facts.truncated => Value::boolean(true),
                Truth::True => query.unknown(&format!("names more files by {} than are looked at", facts.pattern)),
                _ => values
                    .into_iter()
                    .find(|value| !matches!(value, Value::Known(_)))
                    .unwrap_or_else(|| query.unknown(&format!("does not tell `{name}` of every file"))),
            }
        }
        (_, files) => {
            query.unknown(&format!("has no `{name}`: {} names {}", facts.pattern, count(files.len(), "file")))
        }
    }
}

fn of_content<'e>(query: Query<'e>, name: &str, file: &'e FileObservation) -> Value<'e> {
    match name {
        "size" | "contentLength" => Value::number(file.bytes),
        "modified" => match file.modified {
            Some(modified) => Value::text(modified.to_string()),
            None => query.unknown("does not know when the file was changed"),
        },
        "contentMatches" => {
            all(query, name, file.contains.as_deref(), expected(query).map(|content| &content.contains))
        }
        "patternMatches" => all(query, name, file.matches.as_deref(), expected(query).map(|content| &content.matches)),
        "isValidJSON" => is_json(query, file),
        _ => match query.evaluator.contents.get(&query.action.id) {
            Some(Parsed::Text(_)) => query.unknown("has no `json`: the file is not JSON"),
            _ => query.content("the content of the file", "file contents"),
        },
    }
}

fn expected(query: Query<'_>) -> Option<&FileContent> {
    match &query.action.work {
        Work::File(check) => match &check.expectation {
            FileExpectation::Present(content) => Some(content),
            FileExpectation::Absent => None,
        },
        _ => None,
    }
}

/// Returns whether everything searched for was found; unknown if nothing was searched for.
fn all<'e>(query: Query<'e>, name: &str, observed: Option<&'e [bool]>, expected: Option<&'e Vec<String>>) -> Value<'e> {
    match (observed, expected) {
        (_, None) => query.unknown(&format!("has no `{name}`: it looks for nothing")),
        (_, Some(expected)) if expected.is_empty() => query.unknown(&format!("has no `{name}`: it looks for nothing")),
        (Some(observed), Some(expected)) if observed.len() == expected.len() => {
            Value::boolean(observed.iter().all(|found| *found))
        }
        _ => query.unknown(&format!("has no `{name}`: the file is too large to be searched")),
    }
}

/// Returns whether a file is JSON: as the check observed, else by its stored content.
fn is_json<'e>(query: Query<'e>, file: &'e FileObservation) -> Value<'e> {
    let content = expected(query);
    let syntax =
        file.syntax.as_ref().filter(|_| content.is_some_and(|content| content.syntax == Some(DataSyntax::Json)));
    match (syntax, &file.schema) {
        (Some(SyntaxObservation::WellFormed), _) => Value::boolean(true),
        (Some(SyntaxObservation::Malformed { .. }), _) => Value::boolean(false),
        (Some(SyntaxObservation::TooLarge), _) | (None, Some(SchemaObservation::TooLarge)) => {
            query.unknown("cannot tell `isValidJSON`: the file is too large")
        }
        (None, _) => match query.evaluator.contents.get(&query.action.id) {
            Some(Parsed::Json { .. }) => Value::boolean(true),
            Some(Parsed::Text(_)) => Value::boolean(false),
            _ => query.unknown("cannot tell `isValidJSON`: the check does not ask for JSON"),
        },
    }
}
