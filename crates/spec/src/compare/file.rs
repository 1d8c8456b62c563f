//! Compares the expectations of files.

use referee_model::plan::{FileCheck, FileContent, FileExpectation, SchemaSource};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;

/// Compares a check of a file with its former version.
pub(super) fn compare(name: &str, before: &FileCheck, after: &FileCheck, weaker: &mut Weaker) {
    let place = |check: &FileCheck| check.path.as_str().to_owned();
    if (&before.root, &before.path, before.glob) != (&after.root, &after.path, after.glob) {
        weaker.add(Kind::CheckReplaced, name, place(before), place(after));
    }
    match (&before.expectation, &after.expectation) {
        (FileExpectation::Present(old), FileExpectation::Present(new)) => content(name, old, new, weaker),
        (FileExpectation::Absent, FileExpectation::Absent) => {}
        (FileExpectation::Absent, FileExpectation::Present(_)) => {
            weaker.add(Kind::FileLoosened, name, "must not exist", "must exist");
        }
        (FileExpectation::Present(_), FileExpectation::Absent) => {
            weaker.add(Kind::FileLoosened, name, "must exist", "must not exist");
        }
    }
}

fn content(name: &str, before: &FileContent, after: &FileContent, weaker: &mut Weaker) {
    let bytes = |size: Option<u64>, which: &str| match size {
        Some(size) => format!("{which} {size} bytes"),
        None => format!("no {which} size"),
    };
    let least = |content: &FileContent| content.min_size.unwrap_or(0);
    if least(after) < least(before) {
        weaker.add(Kind::FileLoosened, name, bytes(before.min_size, "least"), bytes(after.min_size, "least"));
    }
    let most = |content: &FileContent| content.max_size.unwrap_or(u64::MAX);
    if most(after) > most(before) {
        weaker.add(Kind::FileLoosened, name, bytes(before.max_size, "most"), bytes(after.max_size, "most"));
    }
    weaker.gone(Kind::FileLoosened, name, (&before.contains, &after.contains), |text| format!("contains {text}"));
    weaker.gone(Kind::FileLoosened, name, (&before.matches, &after.matches), |text| format!("matches {text}"));
    if before.sha256.is_some() && before.sha256 != after.sha256 {
        let shown = |content: &FileContent| content.sha256.map_or("any content".to_owned(), |hash| hash.to_string());
        weaker.add(Kind::FileLoosened, name, shown(before), shown(after));
    }
    if before.syntax.is_some() && before.syntax != after.syntax {
        weaker.add(Kind::FileLoosened, name, "well-formed", "not looked at, or as another format");
    }
    if before.schema.is_some() && before.schema != after.schema {
        weaker.add(Kind::FileLoosened, name, schema(before.schema.as_ref()), schema(after.schema.as_ref()));
    }
}

pub(super) fn schema(schema: Option<&SchemaSource>) -> String {
    match schema {
        Some(SchemaSource::File(file)) => format!("the schema {}", file.as_str()),
        Some(SchemaSource::Inline(text)) => format!("the schema {text}"),
        None => "no schema".to_owned(),
    }
}
