//! Compares a file's content with its expectations.

use referee_model::plan::{DataSyntax, FileContent};
use referee_model::record::{FileObservation, SchemaObservation, SyntaxObservation};
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::Looked;

/// Maximum number of schema errors listed in a reason.
const ERRORS_NAMED: usize = 3;

/// Maximum length of an error or message, in characters.
const SAID_CHARACTERS: usize = 200;

#[derive(Default)]
struct Compared {
    /// Definite differences from the expectation.
    differences: Vec<String>,
    /// Properties that could not be determined.
    unknown: Vec<String>,
    /// Reason why the schema is invalid.
    unusable: Option<String>,
}

/// Compares a file with all expectations of its content. Precedence: a definite difference, then an invalid
/// schema, then a missing observation, then success.
pub(super) fn compare(path: &str, expected: &FileContent, found: &FileObservation) -> Looked {
    let mut compared = Compared::default();
    compared.size(expected, found);
    compared.digest(expected, found);
    compared.texts("contain", &expected.contains, found.contains.as_deref());
    compared.texts("match", &expected.matches, found.matches.as_deref());
    if let Some(syntax) = expected.syntax {
        compared.syntax(syntax, found.syntax.as_ref());
    }
    if expected.schema.is_some() {
        compared.schema(found.schema.as_ref());
    }
    let Compared { differences, unknown, unusable } = compared;
    match (differences.is_empty(), unusable, unknown.is_empty()) {
        (false, ..) => Looked::Differs(format!("{path} differs: {}", differences.join("; "))),
        (true, Some(message), _) => {
            Looked::SchemaUnusable(format!("the schema that {path} is to hold to cannot be used: {message}"))
        }
        (true, None, false) => Looked::CannotTell(format!("{path} could not be compared: {}", unknown.join("; "))),
        (true, None, true) => Looked::Fits(format!("{path} is as expected")),
    }
}

impl Compared {
    fn size(&mut self, expected: &FileContent, found: &FileObservation) {
        let bytes = || count(found.bytes, "byte");
        if let Some(least) = expected.min_size.filter(|least| found.bytes < *least) {
            self.differences.push(format!("it has {}, and at least {least} are expected", bytes()));
        }
        if let Some(most) = expected.max_size.filter(|most| found.bytes > *most) {
            self.differences.push(format!("it has {}, and at most {most} are expected", bytes()));
        }
    }

    fn digest(&mut self, expected: &FileContent, found: &FileObservation) {
        match (expected.sha256, found.sha256) {
            (None, _) => {}
            (Some(digest), Some(found)) if found == digest => {}
            (Some(digest), Some(found)) => {
                self.differences.push(format!("its SHA-256 is {found}, and {digest} is expected"));
            }
            (Some(_), None) => self.unknown.push("its SHA-256 was not taken".to_owned()),
        }
    }

    fn texts(&mut self, verb: &str, wanted: &[String], observed: Option<&[bool]>) {
        match observed {
            _ if wanted.is_empty() => {}
            Some(observed) if observed.len() == wanted.len() => {
                let absent = wanted.iter().zip(observed).filter(|(_, there)| !**there);
                let said = absent.map(|(text, _)| format!("it does not {verb} `{}`", first_line(text, 120)));
                self.differences.extend(said);
            }
            _ => self.unknown.push("its content was not searched, as where a file is too large".to_owned()),
        }
    }

    fn syntax(&mut self, syntax: DataSyntax, observed: Option<&SyntaxObservation>) {
        let name = match syntax {
            DataSyntax::Json => "JSON",
            DataSyntax::Yaml => "YAML",
        };
        match observed {
            Some(SyntaxObservation::WellFormed) => {}
            Some(SyntaxObservation::Malformed { message }) => {
                self.differences.push(format!("it is no well-formed {name}: {}", first_line(message, SAID_CHARACTERS)));
            }
            Some(SyntaxObservation::TooLarge) => self.unknown.push(format!("it is too large to be read as {name}")),
            None => self.unknown.push(format!("whether it is well-formed {name} was not looked at")),
        }
    }

    fn schema(&mut self, observed: Option<&SchemaObservation>) {
        match observed {
            Some(SchemaObservation::Valid) => {}
            Some(SchemaObservation::Invalid { errors, error_count }) => {
                self.differences.push(invalid(errors, *error_count));
            }
            Some(SchemaObservation::Malformed { message }) => {
                let said = first_line(message, SAID_CHARACTERS);
                self.differences.push(format!("no schema can validate it: {said}"));
            }
            Some(SchemaObservation::Unusable { message }) => {
                self.unusable = Some(first_line(message, SAID_CHARACTERS));
            }
            Some(SchemaObservation::TooLarge) => {
                self.unknown.push("it is too large to be validated against its schema".to_owned());
            }
            None => self.unknown.push("it was not validated against its schema".to_owned()),
        }
    }
}

fn invalid(errors: &[String], error_count: u64) -> String {
    let named: Vec<String> = errors.iter().take(ERRORS_NAMED).map(|error| first_line(error, SAID_CHARACTERS)).collect();
    let all = error_count.max(errors.len() as u64);
    let more = match all.saturating_sub(named.len() as u64) {
        0 => String::new(),
        _ if named.is_empty() => format!(" ({})", count(all, "error")),
        more => format!("; and {more} more"),
    };
    let named = if named.is_empty() { String::new() } else { format!(": {}", named.join("; ")) };
    format!("it does not match its schema{named}{more}")
}
