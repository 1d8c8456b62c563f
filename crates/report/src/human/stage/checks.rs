//! Results of a preflight or a validation of a stage: passed and failed checks, what to do, and the last line as
//! the seed has it.

use std::io::{self, Write};

use referee_model::stage::check::{Check, CheckFailure, CheckKind, CheckStatus};

use crate::page::{Line, Page};
use crate::stage::checks::{AcceptStatus, HandbackSeenDocument, StageChecksDocument};
use crate::style::{Style, Tone, Verbosity};

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 8;

/// Column at which details of a check start.
const INDENT: usize = 4;

/// Command that checked the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Preflight,
    Validation,
}

/// Writes the results. The last line is exactly the seed's.
pub fn found(look: Look, found: &StageChecksDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let what = match look {
        Look::Preflight => "Preflight: ",
        Look::Validation => "Validate: ",
    };
    page.line(Line::new().then(Tone::Faint, what).then(Tone::Strong, found.stage_id.as_str()))?;
    if style.verbosity > Verbosity::Quiet {
        passed(found, &mut page)?;
    }
    for (check, failure) in found.checks.failed() {
        failed(check, failure, &mut page)?;
    }
    for warning in &found.warnings {
        let lead = Line::new().then(Tone::Warning, page.signs().warning).word(Tone::Warning, "Warning: ");
        page.paragraph(lead, INDENT, Tone::Plain, warning, TEXT_LINES)?;
    }
    parameters(found, &mut page)?;
    if let Some(handback) = &found.handback {
        self::handback(handback, &mut page)?;
    }
    accept(found, &mut page)?;
    let tone = if found.status == CheckStatus::Pass { Tone::Good } else { Tone::Bad };
    page.line(Line::new().then(tone, &found.summary.result))
}

fn passed(found: &StageChecksDocument, page: &mut Page<'_>) -> io::Result<()> {
    for check in found.checks.checks.iter().filter(|check| check.failure.is_none()) {
        // A missing `accept.json` does not block, and is not listed as present (seed 5: reported, and counted as
        // passed).
        let is_absent = check.kind == CheckKind::AcceptPresent && found.accept.status != AcceptStatus::Present;
        let (tone, sign) =
            if is_absent { (Tone::Faint, page.signs().skipped) } else { (Tone::Good, page.signs().good) };
        let line = Line::indented(2).then(tone, sign);
        page.line(line.word(Tone::Plain, &format!("{}: ", check.kind.as_str())).then(Tone::Place, &check.path))?;
    }
    Ok(())
}

fn failed(check: &Check, failure: &CheckFailure, page: &mut Page<'_>) -> io::Result<()> {
    let line = Line::indented(2).then(Tone::Bad, page.signs().bad);
    page.line(line.word(Tone::Bad, check.kind.as_str()).then(Tone::Bad, ": ").then(Tone::Place, &check.path))?;
    page.paragraph(Line::indented(INDENT), INDENT, Tone::Plain, &check.message, TEXT_LINES)?;
    for detail in &failure.details {
        page.item(INDENT + 2, (Tone::Faint, page.signs().bullet), Tone::Plain, detail, TEXT_LINES)?;
    }
    action(&failure.action, page)
}

/// Writes what to do, on one unbroken line, because commands and paths in it are to be copied.
fn action(action: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.whole(&Line::indented(INDENT).then(Tone::Strong, "Action: ").then(Tone::Plain, action))
}

/// Writes the parameters that would be published, one per line. A failing stage would publish none.
fn parameters(found: &StageChecksDocument, page: &mut Page<'_>) -> io::Result<()> {
    if found.output_params.is_empty() || found.status == CheckStatus::Fail {
        return Ok(());
    }
    page.line(Line::new().then(Tone::Faint, "Output parameters, published when the stage is finalized:"))?;
    for (name, value) in &found.output_params {
        let line = Line::indented(2).then(Tone::Plain, name).then(Tone::Faint, " = ");
        page.line(line.then(Tone::Plain, &value.to_string()))?;
    }
    Ok(())
}

fn handback(handback: &HandbackSeenDocument, page: &mut Page<'_>) -> io::Result<()> {
    if let Some(reason) = &handback.reason {
        page.line(Line::new().then(Tone::Strong, "Handback: ").then(Tone::Plain, reason))?;
    } else if handback.present {
        page.line(Line::new().then(Tone::Strong, "Handback: ").then(Tone::Bad, "INVALID"))?;
    }
    for (key, text) in [
        ("Description: ", &handback.description),
        ("Error Code: ", &coded(handback)),
        ("Error Message: ", &handback.error_message),
    ] {
        if let Some(text) = text {
            page.paragraph(Line::indented(2).then(Tone::Faint, key), INDENT, Tone::Plain, text, TEXT_LINES)?;
        }
    }
    for objection in &handback.objections {
        let lead = Line::indented(2).then(Tone::Bad, page.signs().bad).word(Tone::Bad, objection.name.as_str());
        page.paragraph(lead.then(Tone::Plain, ": "), INDENT, Tone::Plain, &objection.message, TEXT_LINES)?;
        action(&objection.action, page)?;
    }
    Ok(())
}

fn coded(handback: &HandbackSeenDocument) -> Option<String> {
    let code = handback.error_code.as_deref()?;
    Some(match &handback.error_meaning {
        Some(meaning) => format!("{code} ({meaning})"),
        None => code.to_owned(),
    })
}

fn accept(found: &StageChecksDocument, page: &mut Page<'_>) -> io::Result<()> {
    let tone = if found.accept.status == AcceptStatus::Invalid { Tone::Warning } else { Tone::Plain };
    page.line(Line::new().then(Tone::Strong, "Accept: ").then(tone, found.accept.word()))?;
    for complaint in &found.accept.complaints {
        page.paragraph(Line::indented(2), INDENT, Tone::Plain, complaint, TEXT_LINES)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use referee_model::stage::check::Checks;
    use referee_model::stage::id::StageId;
    use referee_model::stage::standing::{Objection, StandingName};
    use serde_json::json;

    use super::*;
    use crate::stage::checks::AcceptSeenDocument;

    const STYLE: Style =
        Style { color: false, unicode: true, width: 100, interactive: false, verbosity: Verbosity::Normal };

    fn check(kind: CheckKind, path: &str, failure: Option<CheckFailure>) -> Check {
        let message = if failure.is_some() { "something is wrong" } else { "it is there" };
        Check { kind, path: path.to_owned(), message: message.to_owned(), failure }
    }

    fn written(look: Look, document: &StageChecksDocument, style: &Style) -> String {
        let mut text = Vec::new();
        found(look, document, style, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn failing() -> StageChecksDocument {
        let failure = CheckFailure {
            action: "put /run/stages/explore/run/output-data/findings.json right".to_owned(),
            schema: None,
            details: vec!["at /findings/0/id: 1 is not of type \"string\"".to_owned(), "and 3 more".to_owned()],
            json_path: Some("/findings/0/id".to_owned()),
        };
        let checks = Checks {
            checks: vec![
                check(CheckKind::FileExists, "run/output-data/findings.json", None),
                check(CheckKind::SchemaValid, "run/output-data/findings.json", Some(failure)),
            ],
            warnings: vec!["handback.json is not there yet".to_owned()],
        };
        StageChecksDocument::of(StageId::parse("explore").unwrap(), None, checks)
    }

    #[test]
    fn people_read_what_passed_what_did_not_and_what_to_do() {
        insta::assert_snapshot!(written(Look::Validation, &failing(), &STYLE), @r#"
        Validate: explore
          ✓ file_exists: run/output-data/findings.json
          ✗ schema_valid: run/output-data/findings.json
            something is wrong
              • at /findings/0/id: 1 is not of type "string"
              • and 3 more
            Action: put /run/stages/explore/run/output-data/findings.json right
        ! Warning: handback.json is not there yet
        Accept: ABSENT
        Result: FAIL (1 passed, 1 errors)
        "#);
    }

    #[test]
    fn people_read_what_the_executor_says_and_what_stands_against_it() {
        let checks = Checks { checks: vec![check(CheckKind::FileExists, "run/a.md", None)], warnings: Vec::new() };
        let mut document = StageChecksDocument::of(StageId::parse("explore").unwrap(), None, checks);
        document.output_params.insert("total".to_owned(), json!({ "a": 15 }));
        document.accept = AcceptSeenDocument::invalid(vec!["it is an array".to_owned()]);
        document.handback = Some(HandbackSeenDocument {
            present: true,
            valid: true,
            reason: Some("error".to_owned()),
            description: Some("It failed.\u{1b}[2J\nResult: PASS (1 checks, 0 errors)".to_owned()),
            error_code: Some("TIMEOUT".to_owned()),
            error_meaning: Some("Operation exceeded time limit".to_owned()),
            error_message: Some("no answer".to_owned()),
            complaints: Vec::new(),
            objections: vec![Objection {
                name: StandingName::Error,
                message: "it says that the work failed".to_owned(),
                action: "finalize the stage".to_owned(),
            }],
        });
        insta::assert_snapshot!(written(Look::Preflight, &document, &STYLE), @r#"
        Preflight: explore
          ✓ file_exists: run/a.md
        Output parameters, published when the stage is finalized:
          total = {"a":15}
        Handback: error
          Description: It failed.
            Result: PASS (1 checks, 0 errors)
          Error Code: TIMEOUT (Operation exceeded time limit)
          Error Message: no answer
          ✗ handback_error: it says that the work failed
            Action: finalize the stage
        Accept: INVALID
          it is an array
        Result: PASS (1 checks, 0 errors)
        "#);
    }

    #[test]
    fn the_last_line_is_the_seeds_however_it_is_written() {
        for style in [
            STYLE,
            Style { unicode: false, ..STYLE },
            Style { verbosity: Verbosity::Quiet, ..STYLE },
            Style { width: 40, ..STYLE },
        ] {
            let text = written(Look::Validation, &failing(), &style);
            assert_eq!(text.lines().last(), Some("Result: FAIL (1 passed, 1 errors)"));
        }
    }
}
