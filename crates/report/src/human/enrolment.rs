//! Projects that are enrolled for hooks.

use std::io::{self, Write};
use std::path::Path;

use referee_model::enrolment::{EnrolledBy, EnrolmentRecord, EnrolmentStanding};
use referee_model::id::WorkerLabel;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column at which values start.
const VALUES: usize = 16;

/// Writes the enrolment of one project. Paths are never cut.
pub fn told(record: &EnrolmentRecord, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    one(record, &mut Page::new(*style, out))
}

/// Writes all projects, in the given order.
pub fn list(records: &[EnrolmentRecord], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if records.is_empty() {
        return page.line(Line::new().then(Tone::Faint, "no project is enrolled; `referee enroll` enrols one"));
    }
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            page.blank()?;
        }
        one(record, &mut page)?;
    }
    Ok(())
}

fn one(record: &EnrolmentRecord, page: &mut Page<'_>) -> io::Result<()> {
    let signs = page.signs();
    let (sign, tone, word) = match record.standing {
        EnrolmentStanding::Enrolled { .. } => (signs.good, Tone::Good, "enrolled"),
        EnrolmentStanding::Removed(_) => (signs.bad, Tone::Bad, "not enrolled any more"),
    };
    let enrolment = &record.enrolment;
    let text = |path: &Path| path.display().to_string();
    let lead = Line::new().then(tone, sign).word(tone, word).then(Tone::Plain, "  ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Strong, &text(&enrolment.project), usize::MAX)?;
    let by = match enrolment.by {
        EnrolledBy::Person => "by a person",
        EnrolledBy::Agent => "by an agent, in its shell",
        EnrolledBy::CommittedSpecification => "by its committed specification",
    };
    let mut rows =
        vec![("specification", text(&enrolment.specification)), ("since", format!("{}, {by}", enrolment.since))];
    rows.extend(enrolment.held_out.as_deref().map(|path| ("held-out checks", text(path))));
    rows.extend(enrolment.trusted.as_ref().map(|commit| {
        let name = commit.name.as_ref().map_or_else(String::new, |name| format!(" ({name} then)"));
        ("compared with", format!("{}{name}", commit.id))
    }));
    rows.extend(enrolment.fleet.as_ref().map(|fleet| {
        let labels: Vec<&str> = fleet.labels.iter().map(WorkerLabel::as_str).collect();
        let labels = if labels.is_empty() { "any worker".to_owned() } else { format!("workers {}", labels.join("+")) };
        let parts = fleet.parts.map_or_else(String::new, |parts| format!(", at most {parts} parts"));
        ("checks of hooks", format!("{labels}, through {}{parts}", fleet.depot))
    }));
    rows.extend(record.removal().map(|removal| {
        let agent = removal.agent.as_ref().map_or_else(String::new, |agent| format!(", in a shell of {agent}"));
        ("removed", format!("{}{agent}", removal.at))
    }));
    for (name, value) in rows {
        let lead = Line::indented(2).then(Tone::Faint, name).padded_to(VALUES + 2).then(Tone::Plain, " ");
        page.paragraph(lead, VALUES + 3, Tone::Plain, &value, usize::MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use referee_model::depot::DepotAddress;
    use referee_model::enrolment::{Enrolment, FleetSettings, Removal, TrustedCommit};
    use referee_model::time::Timestamp;

    use super::*;
    use crate::human::fixture::plain;

    #[test]
    fn projects_are_told_with_what_enrolled_them_and_what_ended_it() {
        let at = Timestamp::from_millisecond(1_795_251_924_120);
        let enrolment = |project: &str, by| Enrolment {
            project: project.into(),
            specification: Path::new(project).join("referee.yaml"),
            by,
            since: at,
            held_out: None,
            trusted: None,
            fleet: None,
        };
        let by_person = Enrolment {
            held_out: Some("/secret/held-out.yaml".into()),
            trusted: Some(TrustedCommit { id: "4f2c9e1".to_owned(), name: Some("main".to_owned()) }),
            fleet: Some(FleetSettings {
                labels: ["gpu", "linux"].map(|label| WorkerLabel::parse(label).unwrap()).into(),
                depot: DepotAddress::parse("s3://evidence/team-a").unwrap(),
                project: None,
                parts: NonZeroUsize::new(4),
            }),
            ..enrolment("/work/quotes", EnrolledBy::Person)
        };
        let removal = Removal { at, agent: Some("codex\u{1b}[31m".to_owned()) };
        let records = [
            EnrolmentRecord { enrolment: by_person, standing: EnrolmentStanding::Enrolled { ended_before: None } },
            EnrolmentRecord {
                enrolment: enrolment("/work/older", EnrolledBy::CommittedSpecification),
                standing: EnrolmentStanding::Removed(removal),
            },
        ];
        insta::assert_snapshot!(plain(80, |style, out| list(&records, &style, out)));
        assert!(plain(80, |style, out| list(&[], &style, out)).contains("no project is enrolled"));
    }
}
