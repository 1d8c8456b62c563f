//! Waivers of a project, for people.

use std::io::{self, Write};

use referee_model::run_context::waiver::{WaiverStanding, WaiverState, WaiverUse};

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Maximum number of lines of one sentence.
const SENTENCE_LINES: usize = 6;

/// Column at which values start.
const VALUES: usize = 10;

/// Writes one paragraph for each waiver.
pub fn list(waivers: &[WaiverUse], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if waivers.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "nothing is waived"));
    }
    for used in waivers {
        let (word, tone) = word(used.state);
        let lead = Line::new().then(tone, word).word(Tone::Strong, &used.waiver.id).then(Tone::Plain, ": ");
        let text = match &used.waiver.standing {
            WaiverStanding::Refused { reason } => reason.clone(),
            WaiverStanding::Signed { approver, terms, .. } => format!(
                "{}, {} to {}, by {} (signed by {approver}): {}",
                terms.scope.said(),
                terms.given,
                terms.until,
                terms.person,
                terms.reason
            ),
        };
        page.paragraph(lead, 4, Tone::Plain, &text, SENTENCE_LINES)?;
    }
    Ok(())
}

/// Writes all terms of one waiver.
pub fn show(used: &WaiverUse, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let (word, tone) = word(used.state);
    page.line(Line::new().then(tone, word).word(Tone::Strong, &used.waiver.id))?;
    let digest = used.waiver.digest.map(|digest| digest.to_string()).unwrap_or_default();
    let rows: Vec<(&str, String)> = match &used.waiver.standing {
        WaiverStanding::Refused { reason } => vec![("refused", reason.clone()), ("sha256", digest)],
        WaiverStanding::Signed { key, approver, terms } => vec![
            ("lifts", terms.scope.said()),
            ("reason", terms.reason.clone()),
            ("given by", terms.person.clone()),
            ("from", terms.given.to_string()),
            ("until", terms.until.to_string()),
            ("signed by", approver.clone()),
            ("key", key.clone()),
            ("sha256", digest),
        ],
    };
    for (name, text) in rows {
        let lead = Line::new().then(Tone::Faint, name).padded_to(VALUES);
        page.paragraph(lead, VALUES, Tone::Plain, &text, usize::MAX)?;
    }
    Ok(())
}

fn word(state: WaiverState) -> (&'static str, Tone) {
    match state {
        WaiverState::Applied | WaiverState::Unused => ("holds", Tone::Warning),
        WaiverState::NotYet => ("not yet", Tone::Faint),
        WaiverState::Expired => ("ended", Tone::Faint),
        WaiverState::Refused => ("refused", Tone::Bad),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::run_context::waiver::{Waiver, WaiverScope, WaiverTerms};
    use referee_model::time::Timestamp;

    use super::*;
    use crate::human::fixture::plain;

    #[test]
    fn waivers_are_told_with_who_why_and_until_when_and_refused_ones_with_the_reason() {
        let terms = WaiverTerms {
            scope: WaiverScope::Rule { tool: "eslint".to_owned(), rule: "no-console".to_owned() },
            reason: "removed with the \u{1b}[31mlogger".to_owned(),
            person: "Ada".to_owned(),
            given: Timestamp::from_millisecond(0),
            until: Timestamp::from_millisecond(86_400_000),
        };
        let signed = WaiverStanding::Signed { key: "ab".repeat(32), approver: "ada@example".to_owned(), terms };
        let refused = WaiverStanding::Refused { reason: "its signature is nobody's".to_owned() };
        let of = |id: &str, standing, state| WaiverUse {
            waiver: Waiver { id: id.to_owned(), digest: None, standing },
            state,
            applied_to: Vec::new(),
        };
        let all = [of("waiver-1", signed, WaiverState::Unused), of("waiver-2", refused, WaiverState::Refused)];
        insta::assert_snapshot!(plain(100, |style, out| list(&all, &style, out)));
        insta::assert_snapshot!(plain(100, |style, out| show(&all[0], &style, out)));
        assert_eq!(plain(100, |style, out| list(&[], &style, out)), "nothing is waived\n");
    }
}
