//! Files, and files that match a pattern.

use super::*;

#[test]
fn files_have_their_fields() {
    Fixture::new().file("STEP.1", FileContent::default(), observed(|_| {})).hold(&[
        ("exists", 'T'),
        ("size > 1", 'T'),
        ("contentLength === 12", 'T'),
        ("modified === '2026-11-21T09:05:24.123Z'", 'T'),
        ("isDirectory", 'F'),
        // The check searches for none of this.
        ("contentMatches", 'U'),
        ("patternMatches", 'U'),
        ("isValidJSON", 'U'),
        ("json", 'U'),
    ]);
    Fixture::new().file("STEP.1", FileContent::default(), FileState::Missing).hold(&[
        ("exists", 'F'),
        ("exists === true", 'F'),
        ("size > 0", 'U'),
        ("isDirectory", 'U'),
    ]);
    Fixture::new().file("STEP.1", FileContent::default(), FileState::Directory).hold(&[
        ("exists", 'T'),
        ("isDirectory", 'T'),
        ("size", 'U'),
    ]);
    Fixture::new()
        .file("STEP.1", FileContent::default(), FileState::Other)
        .hold(&[("exists", 'T'), ("isDirectory", 'F')]);
    for found in
        [FileState::Outside { target: "/etc".to_owned() }, FileState::Unreadable { message: "denied".to_owned() }]
    {
        Fixture::new().file("STEP.1", FileContent::default(), found).hold(&[("exists", 'U'), ("isDirectory", 'U')]);
    }
}

#[test]
fn contents_of_files_are_as_the_check_observed_them() {
    let two = || vec!["a".to_owned(), "b".to_owned()];
    let content = FileContent { contains: two(), matches: two(), ..FileContent::default() };
    for (observation, expected) in
        [(Some(vec![true, true]), 'T'), (Some(vec![true, false]), 'F'), (None, 'U'), (Some(vec![true]), 'U')]
    {
        let found = observed(|file| {
            file.contains.clone_from(&observation);
            file.matches.clone_from(&observation);
        });
        Fixture::new()
            .file("STEP.1", content.clone(), found)
            .hold(&[("contentMatches", expected), ("patternMatches === true", expected)]);
    }
    let json = FileContent { syntax: Some(DataSyntax::Json), ..FileContent::default() };
    let malformed = || SyntaxObservation::Malformed { message: "1:2".to_owned() };
    for (syntax, expected) in
        [(SyntaxObservation::WellFormed, 'T'), (malformed(), 'F'), (SyntaxObservation::TooLarge, 'U')]
    {
        let found = observed(|file| file.syntax = Some(syntax.clone()));
        Fixture::new().file("STEP.1", json.clone(), found).hold(&[("isValidJSON", expected)]);
    }
    // Well-formed YAML need not be JSON.
    let yaml = FileContent { syntax: Some(DataSyntax::Yaml), ..FileContent::default() };
    let found = observed(|file| file.syntax = Some(SyntaxObservation::WellFormed));
    Fixture::new().file("STEP.1", yaml, found).hold(&[("isValidJSON", 'U')]);

    let kept = |text: &str| {
        Fixture::new()
            .file("STEP.1", FileContent::default(), observed(|_| {}))
            .content("STEP.1", Content::Text(text.to_owned()))
    };
    kept(r#"{"version":"1.0"}"#).hold(&[("json.version === '1.0'", 'T'), ("isValidJSON", 'T'), ("json", 'T')]);
    kept("no json").hold(&[("json", 'U'), ("isValidJSON", 'F')]);
}

#[test]
fn patterns_speak_of_all_their_files() {
    let expectation =
        || FileExpectation::Present(FileContent { contains: vec!["a".to_owned()], ..FileContent::default() });
    let world = |files: Vec<(&str, FileState)>, truncated: bool, failure: Option<&str>| {
        let action = fixture::glob("STEP.1", expectation());
        let files = files.into_iter().map(|(path, found)| FileFacts { path: path.to_owned(), found }).collect();
        let facts = GlobFacts {
            pattern: "dist/*.json".to_owned(),
            files,
            truncated,
            failure: failure.map(str::to_owned),
            overrun: None,
        };
        let record = fixture::globbed(&action, facts);
        Fixture::new().ran(action, record, nothing())
    };
    let holding = |holds: bool| observed(|file| file.contains = Some(vec![holds]));
    let unsearched = || observed(|_| {});
    world(vec![], false, None).hold(&[("exists", 'F'), ("contentMatches", 'U'), ("size", 'U')]);
    world(vec![("a", holding(true))], false, None).hold(&[
        ("exists", 'T'),
        ("contentMatches", 'T'),
        ("size === 12", 'T'),
    ]);
    world(vec![("a", holding(true)), ("b", holding(true))], false, None).hold(&[
        ("contentMatches", 'T'),
        ("size", 'U'),
        ("isDirectory", 'U'),
    ]);
    world(vec![("a", holding(true)), ("b", holding(false))], false, None).hold(&[("contentMatches", 'F')]);
    world(vec![("a", unsearched()), ("b", holding(false))], false, None).hold(&[("contentMatches", 'F')]);
    world(vec![("a", holding(true)), ("b", unsearched())], false, None).hold(&[("contentMatches", 'U')]);
    world(vec![("a", holding(true)), ("b", holding(true))], true, None).hold(&[("contentMatches", 'U')]);
    world(vec![("a", holding(true))], true, None).hold(&[("contentMatches", 'U'), ("size", 'U')]);
    world(vec![], false, Some("denied")).hold(&[("exists", 'U'), ("contentMatches", 'U')]);
}
