//! `verification-N.json`: the checks of an agent's work, level by level (seed 2, 1.2 and 1.4).
//!
//! Two shapes exist, and both are read; the first is what Referee writes:
//!
//! | content            | document                       | originating program                         |
//! |--------------------|--------------------------------|---------------------------------------------|
//! | overall result     | `overall.passed`, `.summary`   | `passed`                                    |
//! | a level            | `levels.L0` to `levels.L3`     | `l0Result` to `l3Result`                    |
//! | output of a check  | `output`                       | `message`, `details`                        |
//! | elapsed time       | `duration`                     | `totalDuration`                             |
//! | time of completion | `completedAt`                  | `createdAt`                                 |
//! | additional keys    | –                              | `id`, `snapshotId`, `diagnostics` (`logs` is ignored) |

use referee_model::build_error::ContextValue;
use referee_model::foreign::{ANYTHING, COUNT, FLAG, Foreign, ForeignError, Members, TEXT, TEXTS, TIME};
use referee_model::verification::{
    Harness, KeptVerification, Overall, VerificationCheck, VerificationDiagnostic, VerificationLevel,
    VerificationReport,
};

/// Name of the document in messages.
const NAME: &str = "the verification report";

/// Keys of the levels in the shape of the originating program, and the names of the levels.
const RESULTS: [(&str, &str); 4] = [("l0Result", "L0"), ("l1Result", "L1"), ("l2Result", "L2"), ("l3Result", "L3")];

/// Parses a verification report in either shape and spelling, including what was added when it was stored.
///
/// # Errors
/// Fails for a document that is not such a report, that has both shapes, or that claims an overall pass
/// although a level failed.
pub fn read(bytes: &[u8]) -> Result<VerificationReport, ForeignError> {
    let foreign = Foreign::read(NAME, bytes)?;
    let members = foreign.members()?;
    let overall = members.object("overall")?;
    let (passed, summary) = match &overall {
        Some(overall) => (overall.required("passed", &FLAG)?, overall.optional("summary", &TEXT)?),
        None => (members.required("passed", &FLAG)?, None),
    };
    let levels = levels(&members)?;
    if let Some(failed) = levels.iter().find(|level| passed && !level.passed) {
        return Err(members.contradiction(format!("all of it passed, and level {} did not", failed.name)));
    }
    let duration = members.optional("duration", &COUNT)?.or(members.optional("totalDuration", &COUNT)?);
    Ok(VerificationReport {
        id: members.optional("id", &TEXT)?,
        run_id: members.optional("runId", &TEXT)?,
        iteration: members.optional("iteration", &COUNT)?,
        snapshot_id: members.optional("snapshotId", &TEXT)?,
        overall: Overall { passed, summary: summary.unwrap_or_default() },
        levels,
        diagnostics: diagnostics(&members)?,
        duration_ms: duration.ok_or_else(|| members.missing("duration"))?,
        completed_at: members.optional("completedAt", &TIME)?.or(members.optional("createdAt", &TIME)?),
        kept: kept(&members)?,
    })
}

/// Returns the levels that ran, from whichever shape the report has.
fn levels(members: &Members<'_>) -> Result<Vec<VerificationLevel>, ForeignError> {
    let mut results = Vec::new();
    for (key, name) in RESULTS {
        if let Some(result) = members.object(key)? {
            results.push(level(name, &result)?);
        }
    }
    match (members.object("levels")?, results.is_empty()) {
        (Some(levels), true) => levels.each_object()?.iter().map(|(name, members)| level(name, members)).collect(),
        (None, false) => Ok(results),
        (None, true) => Err(members.missing("levels")),
        (Some(_), false) => Err(members.contradiction("it has `levels`, and `l0Result` and the like".to_owned())),
    }
}

fn level(name: &str, members: &Members<'_>) -> Result<VerificationLevel, ForeignError> {
    if let Some(own) = members.optional("level", &TEXT)?.filter(|own| own != name) {
        return Err(members.contradiction(format!("the level {name} calls itself {own}")));
    }
    let checks = members.objects("checks")?.ok_or_else(|| members.missing("checks"))?;
    Ok(VerificationLevel {
        name: name.to_owned(),
        passed: members.required("passed", &FLAG)?,
        checks: checks.iter().map(check).collect::<Result<_, _>>()?,
        duration_ms: members.optional("duration", &COUNT)?,
    })
}

fn check(members: &Members<'_>) -> Result<VerificationCheck, ForeignError> {
    let details = members.optional("details", &ANYTHING)?.as_ref().map(shown);
    let parts = [members.optional("output", &TEXT)?, members.optional("message", &TEXT)?, details];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Ok(VerificationCheck {
        name: members.required("name", &TEXT)?,
        passed: members.required("passed", &FLAG)?,
        output: parts.join("\n"),
        duration_ms: members.optional("duration", &COUNT)?,
    })
}

/// Returns the details of a check as text: a string unchanged, anything else as JSON.
fn shown(details: &ContextValue) -> String {
    match details {
        ContextValue::Text(text) => text.clone(),
        // Values parsed from JSON can be serialized as JSON.
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

fn diagnostics(members: &Members<'_>) -> Result<Vec<VerificationDiagnostic>, ForeignError> {
    let found = members.objects("diagnostics")?.unwrap_or_default();
    let found = found.iter().map(|members| {
        Ok(VerificationDiagnostic {
            level: members.optional("level", &TEXT)?,
            kind: members.optional("type", &TEXT)?,
            message: members.required("message", &TEXT)?,
            file: members.optional("file", &TEXT)?,
            line: members.optional("line", &COUNT)?,
            column: members.optional("column", &COUNT)?,
        })
    });
    found.collect()
}

fn kept(members: &Members<'_>) -> Result<Option<KeptVerification>, ForeignError> {
    let Some(captured_at) = members.optional("capturedAt", &TIME)? else { return Ok(None) };
    let harness = members.object("harnessConfig")?.map(|harness| {
        Ok(Harness {
            wait_for_ci: harness.optional("waitForCI", &FLAG)?.unwrap_or_default(),
            skip_levels: harness.optional("skipLevels", &TEXTS)?.unwrap_or_default(),
        })
    });
    let skipped_levels = members.optional("skippedLevels", &TEXTS)?.unwrap_or_default();
    Ok(Some(KeptVerification { captured_at, skipped_levels, harness: harness.transpose()? }))
}

#[cfg(test)]
mod tests;
