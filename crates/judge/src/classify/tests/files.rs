//! Files, one by one and by pattern.

use referee_model::plan::{DataSyntax, SchemaSource};
use referee_model::record::{GlobFacts, Overrun, SchemaObservation, SyntaxObservation};

use super::*;

#[test]
fn files_are_judged_by_what_was_found() {
    let content = |content: FileContent| FileExpectation::Present(content);
    let least = || content(FileContent { min_size: Some(10), ..FileContent::default() });
    let most = || content(FileContent { max_size: Some(10), ..FileContent::default() });
    let there = || content(FileContent::default());
    let texts = || content(FileContent { contains: vec!["a".to_owned(), "b".to_owned()], ..FileContent::default() });
    let hashed = || content(FileContent { sha256: Some(Digest::from_bytes([1; 32])), ..FileContent::default() });
    let size = observed;
    let with = |contains: Vec<bool>| FileObservation { contains: Some(contains), ..size(5) };
    let digest = |byte| FileObservation { sha256: Some(Digest::from_bytes([byte; 32])), ..size(5) };
    let outside = || FileState::Outside { target: "/etc".to_owned() };
    let unreadable = || FileState::Unreadable { message: "permission denied".to_owned() };
    for (expectation, seen, rule) in [
        (FileExpectation::Absent, FileState::Missing, Rule::FileAsExpected),
        (FileExpectation::Absent, FileState::File(size(1)), Rule::FileDiffers),
        (FileExpectation::Absent, FileState::Directory, Rule::FileDiffers),
        (FileExpectation::Absent, outside(), Rule::FileDiffers),
        (FileExpectation::Absent, unreadable(), Rule::FileUnreadable),
        (there(), FileState::Missing, Rule::FileDiffers),
        (there(), FileState::File(size(0)), Rule::FileAsExpected),
        (there(), FileState::Directory, Rule::FileAsExpected),
        (there(), FileState::Other, Rule::FileDiffers),
        (there(), outside(), Rule::FileDiffers),
        (there(), unreadable(), Rule::FileUnreadable),
        (least(), FileState::File(size(10)), Rule::FileAsExpected),
        (least(), FileState::File(size(9)), Rule::FileDiffers),
        (least(), FileState::Directory, Rule::FileDiffers),
        (most(), FileState::File(size(10)), Rule::FileAsExpected),
        (most(), FileState::File(size(11)), Rule::FileDiffers),
        (texts(), FileState::File(with(vec![true, true])), Rule::FileAsExpected),
        (texts(), FileState::File(with(vec![true, false])), Rule::FileDiffers),
        (texts(), FileState::File(with(vec![true])), Rule::FileUnreadable),
        (texts(), FileState::File(size(5)), Rule::FileUnreadable),
        (hashed(), FileState::File(digest(1)), Rule::FileAsExpected),
        (hashed(), FileState::File(digest(2)), Rule::FileDiffers),
        (hashed(), FileState::File(size(5)), Rule::FileUnreadable),
    ] {
        let action = file("STEP.1", expectation.clone());
        let judgement = judge(&plan(vec![action.clone()]), &action, &found(&action, seen.clone()), &nothing());
        assert_eq!(judgement.rule, rule, "{expectation:?} {seen:?}");
        let outcome = match rule {
            Rule::FileAsExpected => Outcome::Success,
            Rule::FileDiffers => Outcome::ValidationFailure,
            _ => Outcome::ExecutionError,
        };
        assert_eq!((judgement.outcome, judgement.blocking), (outcome, outcome != Outcome::Success));
    }
}

/// Ruling 9: a deadline is a timeout, whatever was expected or observed before.
#[test]
fn a_look_that_was_given_up_at_a_deadline_is_a_timeout() {
    let content = FileContent { contains: vec!["a".to_owned()], ..FileContent::default() };
    for (of_task, whose) in [(false, "its deadline of 2 s"), (true, "the rest of the task's time of 2 s")] {
        let overrun = Overrun { timeout_ms: 2_000, of_task };
        for expectation in [FileExpectation::Absent, FileExpectation::Present(content.clone())] {
            let one = file("STEP.1", expectation.clone());
            let all = crate::fixture::glob("STEP.2", expectation);
            let cut = || FileState::DeadlineExceeded(overrun);
            let named = |found, overrun| GlobFacts {
                pattern: "dist/*.json".to_owned(),
                files: vec![FileFacts { path: "dist/a.json".to_owned(), found }],
                truncated: false,
                failure: None,
                overrun,
            };
            for (action, record) in [
                (&one, found(&one, cut())),
                (&all, globbed(&all, named(cut(), None))),
                (&all, globbed(&all, named(FileState::Missing, Some(overrun)))),
                (&all, globbed(&all, GlobFacts { failure: Some("x".to_owned()), ..named(cut(), Some(overrun)) })),
            ] {
                let judgement = judge(&plan(vec![action.clone()]), action, &record, &nothing());
                let told = (judgement.outcome, judgement.rule, judgement.blocking);
                assert_eq!(told, (Outcome::Timeout, Rule::Deadline, true), "{record:?}");
                assert!(judgement.reason.contains(whose), "{}", judgement.reason);
            }
        }
    }
}

/// Returns an expectation of a schema, of JSON, or of both.
fn structured(syntax: Option<DataSyntax>, schema: bool) -> FileContent {
    let schema = schema.then(|| SchemaSource::Inline("{}".to_owned()));
    FileContent { syntax, schema, ..FileContent::default() }
}

#[test]
fn structured_files_are_judged_by_syntax_and_schema() {
    let json = || structured(Some(DataSyntax::Json), false);
    let schema = || structured(None, true);
    let both = || structured(Some(DataSyntax::Yaml), true);
    let invalid = |number: u64| SchemaObservation::Invalid {
        errors: (0..number.min(5)).map(|at| format!("/items/{at}: is not a number")).collect(),
        error_count: number,
    };
    let said = |text: &str| text.to_owned();
    let malformed = || Some(SyntaxObservation::Malformed { message: said("line 3, column 1: a comma is missing") });
    let unusable = || Some(SchemaObservation::Unusable { message: said("schema.json is missing") });
    let broken = || Some(SchemaObservation::Malformed { message: said("it is not JSON") });
    let mut rows = Vec::new();
    for (content, syntax, schema, rule) in [
        (json(), Some(SyntaxObservation::WellFormed), None, Rule::FileAsExpected),
        (json(), malformed(), None, Rule::FileDiffers),
        (json(), Some(SyntaxObservation::TooLarge), None, Rule::FileUnreadable),
        (json(), None, None, Rule::FileUnreadable),
        (schema(), None, Some(SchemaObservation::Valid), Rule::FileAsExpected),
        (schema(), None, Some(invalid(1)), Rule::FileDiffers),
        (schema(), None, Some(invalid(9)), Rule::FileDiffers),
        (schema(), None, Some(invalid(0)), Rule::FileDiffers),
        (schema(), None, broken(), Rule::FileDiffers),
        (schema(), None, unusable(), Rule::SchemaUnusable),
        (schema(), None, Some(SchemaObservation::TooLarge), Rule::FileUnreadable),
        (schema(), None, None, Rule::FileUnreadable),
        // A definite difference takes precedence over an invalid schema, and that over an undetermined result.
        (both(), malformed(), unusable(), Rule::FileDiffers),
        (both(), None, unusable(), Rule::SchemaUnusable),
        (both(), Some(SyntaxObservation::WellFormed), Some(SchemaObservation::Valid), Rule::FileAsExpected),
    ] {
        let action = file("STEP.1", FileExpectation::Present(content));
        let seen = FileState::File(FileObservation { syntax, schema, ..observed(5) });
        let judgement = judge(&plan(vec![action.clone()]), &action, &found(&action, seen.clone()), &nothing());
        assert_eq!(judgement.rule, rule, "{seen:?}");
        assert_eq!(judgement.blocking, rule != Rule::FileAsExpected);
        rows.push(format!("{}: {}", judgement.outcome.as_str(), judgement.reason));
    }
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn every_file_that_a_pattern_names_must_hold() {
    let there = || FileExpectation::Present(FileContent { min_size: Some(10), ..FileContent::default() });
    let good = || FileState::File(observed(10));
    let small = || FileState::File(observed(9));
    let unreadable = || FileState::Unreadable { message: "permission denied".to_owned() };
    let facts = |files: Vec<(&str, FileState)>, truncated| GlobFacts {
        pattern: "dist/*.json".to_owned(),
        files: files.into_iter().map(|(path, found)| FileFacts { path: path.to_owned(), found }).collect(),
        truncated,
        failure: None,
        overrun: None,
    };
    let failed = |files| GlobFacts { failure: Some("permission denied".to_owned()), ..facts(files, false) };
    let four = || ["dist/a.json", "dist/b.json", "dist/c.json", "dist/d.json"].map(|path| (path, small())).to_vec();
    let mut rows = Vec::new();
    for (expectation, facts, outcome, rule) in [
        (there(), facts(vec![("dist/a.json", good())], false), Outcome::Success, Rule::FileAsExpected),
        (
            there(),
            facts(vec![("dist/a.json", good()), ("dist/b.json", good())], false),
            Outcome::Success,
            Rule::FileAsExpected,
        ),
        (
            there(),
            facts(vec![("dist/a.json", good()), ("dist/b.json", small())], false),
            Outcome::ValidationFailure,
            Rule::FileDiffers,
        ),
        (there(), facts(four(), false), Outcome::ValidationFailure, Rule::FileDiffers),
        (
            there(),
            facts(vec![("dist/a.json", unreadable()), ("dist/b.json", small())], false),
            Outcome::ValidationFailure,
            Rule::FileDiffers,
        ),
        (
            there(),
            facts(vec![("dist/a.json", good()), ("dist/b.json", unreadable())], false),
            Outcome::ExecutionError,
            Rule::FileUnreadable,
        ),
        (
            there(),
            facts(vec![("dist/a.json", FileState::Missing)], false),
            Outcome::ValidationFailure,
            Rule::FileDiffers,
        ),
        (there(), facts(Vec::new(), false), Outcome::SpecificationError, Rule::GlobEmpty),
        (there(), facts(vec![("dist/a.json", good())], true), Outcome::ExecutionError, Rule::FileUnreadable),
        (there(), facts(vec![("dist/a.json", small())], true), Outcome::ValidationFailure, Rule::FileDiffers),
        (there(), failed(vec![("dist/a.json", good())]), Outcome::ExecutionError, Rule::FileUnreadable),
        (FileExpectation::Absent, facts(Vec::new(), false), Outcome::Success, Rule::FileAsExpected),
        (FileExpectation::Absent, facts(Vec::new(), true), Outcome::ExecutionError, Rule::FileUnreadable),
        (
            FileExpectation::Absent,
            facts(vec![("dist/a.json", good())], false),
            Outcome::ValidationFailure,
            Rule::FileDiffers,
        ),
        (
            FileExpectation::Absent,
            facts(vec![("dist/a.json", good())], true),
            Outcome::ValidationFailure,
            Rule::FileDiffers,
        ),
        (FileExpectation::Absent, failed(Vec::new()), Outcome::ExecutionError, Rule::FileUnreadable),
    ] {
        let action = glob("STEP.1", expectation);
        let judgement = judge(&plan(vec![action.clone()]), &action, &globbed(&action, facts.clone()), &nothing());
        assert_eq!((judgement.outcome, judgement.rule), (outcome, rule), "{facts:?}");
        assert_eq!(judgement.blocking, outcome != Outcome::Success);
        let file = match judgement.debt {
            DebtGeneration::Item(DebtSummary { file, .. }) => file.unwrap_or_default(),
            DebtGeneration::None { .. } => "no debt".to_owned(),
        };
        rows.push(format!("{}: {} [{file}]", judgement.outcome.as_str(), judgement.reason));
    }
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn a_match_of_nothing_checks_existence_and_says_so() {
    let content = FileContent { unspecified: true, ..FileContent::default() };
    let action = file("STEP.1", FileExpectation::Present(content));
    let judged = |seen| judge(&plan(vec![action.clone()]), &action, &found(&action, seen), &nothing());
    let there = judged(FileState::File(observed(0)));
    assert_eq!(there.outcome, Outcome::Success);
    assert!(there.notes.iter().any(|note| note.contains("all that was checked")), "{:?}", there.notes);
    for seen in [FileState::Missing, FileState::Directory, FileState::Other] {
        assert_eq!(judged(seen).rule, Rule::FileDiffers);
    }
}

#[test]
fn one_file_is_not_judged_as_several_nor_several_as_one() {
    let one = file("STEP.1", FileExpectation::Absent);
    let several = glob("STEP.1", FileExpectation::Absent);
    for (action, record) in [(&one, found_all(&one, Vec::new())), (&several, found(&several, FileState::Missing))] {
        let judgement = judge(&plan(vec![action.clone()]), action, &record, &nothing());
        assert_eq!((judgement.rule, judgement.blocking), (Rule::FactsUnusable, true));
    }
}
