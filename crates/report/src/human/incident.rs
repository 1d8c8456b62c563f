//! Incidents for people: a list, a single one, and why it is one.

use std::io::{self, Write};

use crate::incident_explanation::IncidentExplanationDocument;
use crate::incident_shown::{ApprovalShown, IncidentShownDocument};
use referee_model::incident::event::IncidentEventDocument;
use referee_model::incident::list::{IncidentListDocument, IncidentRow};
use referee_model::incident::seconds;
use referee_model::incident::status::IncidentStatus;
use referee_syntax::count::count;
use serde_json::Value;

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone};

/// Column at which values of an incident start.
const VALUES: usize = 14;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 6;

/// Number of lines shown of a log's end.
const LOG_LINES: usize = 15;

/// Maximum width of the column of classes; a longer class shifts the rest of its row.
const CLASS_COLUMNS: usize = 20;

/// Maximum number of rows of one kind that are shown.
const ROWS: usize = 12;

/// Writes where the incidents are stored, how many there are, and a line for each one on the page.
pub fn list(root: &str, list: &IncidentListDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let counts = &list.counts;
    page.line(Line::new().then(Tone::Faint, "root ").then(Tone::Place, root))?;
    let archived = format!("archive: {} resolved, {} escalated", counts.resolved, counts.escalated);
    let line = Line::new().then(Tone::Strong, &format!("{} unresolved", counts.unresolved));
    let line = line.word(Tone::Faint, page.signs().dot).word(Tone::Plain, &archived);
    page.line(line)?;
    let by_status: Vec<String> = counts.by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
    if !by_status.is_empty() {
        page.line(Line::new().then(Tone::Faint, "status ").then(Tone::Plain, &by_status.join(", ")))?;
    }
    let widest = |of: fn(&IncidentRow) -> &str| list.incidents.iter().map(|row| width(of(row))).max().unwrap_or(0);
    let ids = widest(|row| row.incident_id.as_str());
    let states = widest(|row| row.status.as_str());
    let classes = widest(|row| &row.failure_class).min(CLASS_COLUMNS);
    let rows: Vec<(Line, Line)> =
        list.incidents.iter().map(|row| (id_of(row), facts_of(row, [states, classes]))).collect();
    // Generated ids are long: where one leaves no room for the rest, the rest of each row gets a line of its own.
    let fits = rows.iter().all(|(_, facts)| ids + 2 + facts.width() <= page.columns());
    for (id, facts) in rows {
        if fits {
            page.line(id.padded_to(ids + 2).followed_by(facts))?;
        } else {
            page.line(id)?;
            page.line(Line::indented(2).followed_by(facts))?;
        }
    }
    if let Some(next) = &list.next {
        let left = list.total.saturating_sub(list.incidents.len() as u64);
        let more = format!("of {}: the next by --after '{next}'", count(list.total, "incident"));
        page.line(Line::new().then(Tone::Faint, &format!("{left} more, ")).then(Tone::Faint, &more))?;
    }
    degraded(&list.degraded, &mut page)
}

fn id_of(row: &IncidentRow) -> Line {
    Line::new().then(Tone::Strong, row.incident_id.as_str())
}

fn facts_of(row: &IncidentRow, [states, classes]: [usize; 2]) -> Line {
    let class_at = states + 2;
    let seen = if row.occurrences > 1 { format!(" ×{}", row.occurrences) } else { String::new() };
    let ym = if row.ym.is_empty() { String::new() } else { format!(" {}", row.ym) };
    Line::new()
        .then(tone(row.status), row.status.as_str())
        .padded_to(class_at)
        .then(Tone::Plain, &row.failure_class)
        .padded_to(class_at + classes)
        .then(Tone::Plain, "  ")
        .then(Tone::Faint, &seconds::text(row.updated_at))
        .then(Tone::Faint, &ym)
        .then(Tone::Warning, &seen)
        .then(Tone::Plain, if row.step.is_empty() { "" } else { "  " })
        .then(Tone::Plain, &row.step)
}

fn tone(status: IncidentStatus) -> Tone {
    match status {
        IncidentStatus::Resolved => Tone::Good,
        IncidentStatus::Escalated => Tone::Bad,
        IncidentStatus::New | IncidentStatus::PlanProposed => Tone::Warning,
        IncidentStatus::Approved | IncidentStatus::HandedOff | IncidentStatus::Running => Tone::Place,
    }
}

fn degraded(sentences: &[String], page: &mut Page<'_>) -> io::Result<()> {
    for sentence in sentences.iter().take(ROWS) {
        let lead = Line::new().then(Tone::Bad, "unreadable ");
        page.paragraph(lead, 2, Tone::Plain, sentence, TEXT_LINES)?;
    }
    rest(sentences.len(), page)
}

/// Writes how many rows of one kind are left out.
fn rest(all: usize, page: &mut Page<'_>) -> io::Result<()> {
    match all.checked_sub(ROWS) {
        None | Some(0) => Ok(()),
        Some(left) => page.line(Line::indented(2).then(Tone::Faint, &format!("and {left} more"))),
    }
}

/// Writes everything that is stored of one incident.
pub fn show(shown: &IncidentShownDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let incident = &shown.incident;
    let line = Line::new().then(Tone::Strong, incident.incident_id.as_str());
    page.line(line.word(tone(incident.status), incident.status.as_str()))?;
    let seen = match (incident.occurrences, incident.last_seen_at) {
        (0 | 1, _) => "once".to_owned(),
        (times, Some(last)) => format!("{times} times, last at {}", seconds::text(last)),
        (times, None) => format!("{times} times"),
    };
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    for (key, value) in [
        ("class", incident.failure_class.clone()),
        ("step", incident.step.clone()),
        ("message", incident.message.clone()),
        ("seen", seen),
        ("regression of", incident.regression_of.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("run", incident.run_id.clone()),
        ("about", incident.ym.clone()),
        ("captured", seconds::text(incident.created_at)),
        ("changed", seconds::text(incident.updated_at)),
        ("directory", shown.path.clone()),
        ("closed", optional(&incident.archive_reason)),
        ("next", next(incident.status, incident.incident_id.as_str(), incident.archive_result.is_some())),
    ] {
        row(key, &value, &mut page)?;
    }
    evidence(shown, &mut page)?;
    plan(shown, &mut page)?;
    work(shown, &mut page)?;
    events(&shown.events, &mut page)?;
    degraded(&shown.degraded, &mut page)
}

/// Returns what a person does next with an incident of this status. Empty: nothing.
fn next(status: IncidentStatus, id: &str, is_archived: bool) -> String {
    match status {
        IncidentStatus::New => format!("referee incident plan {id}"),
        IncidentStatus::PlanProposed => format!("read the plan, then referee incident approve {id}, or reject it"),
        IncidentStatus::Approved => format!("referee incident run {id} --agent CMD, or hand it off"),
        IncidentStatus::HandedOff => format!("its executor takes it: referee incident ack {id}; recall takes it back"),
        IncidentStatus::Running => format!("referee incident run {id} goes on with it"),
        IncidentStatus::Resolved if is_archived => String::new(),
        IncidentStatus::Resolved => format!("referee incident archive {id} --result resolved --reason WHY"),
        IncidentStatus::Escalated => format!("a person decides; referee incident reopen {id} opens it again"),
    }
}

/// Writes a value under its key, unless it is empty.
fn row(key: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    if value.is_empty() {
        return Ok(());
    }
    let lead = Line::new().then(Tone::Faint, key).padded_to(VALUES);
    page.paragraph(lead, VALUES, Tone::Plain, value, TEXT_LINES)
}

fn heading(text: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.blank()?;
    page.line(Line::new().then(Tone::Strong, text))
}

fn evidence(shown: &IncidentShownDocument, page: &mut Page<'_>) -> io::Result<()> {
    let diagnostics = list_of(shown.diagnostics.as_ref());
    if !diagnostics.is_empty() {
        heading("Diagnostics", page)?;
    }
    for found in diagnostics.iter().take(ROWS) {
        let tone = if found["blocking"] == true { Tone::Bad } else { Tone::Plain };
        let line = found["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let place = format!("{}{line}", text(&found["file"]));
        let lead = Line::indented(2).then(tone, text(&found["severity"])).then(Tone::Plain, " ");
        let lead = if place.is_empty() { lead } else { lead.then(Tone::Place, &place).then(Tone::Plain, " ") };
        page.paragraph(lead, 4, Tone::Plain, text(&found["message"]), 2)?;
    }
    rest(diagnostics.len(), page)?;
    let lines: Vec<&str> = shown.log_tail.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return Ok(());
    }
    heading("End of the log", page)?;
    for line in lines.get(lines.len().saturating_sub(LOG_LINES)..).unwrap_or_default() {
        let bar = page.signs().bar;
        page.line(Line::indented(2).then(Tone::Faint, bar).word(Tone::Plain, line))?;
    }
    Ok(())
}

fn plan(shown: &IncidentShownDocument, page: &mut Page<'_>) -> io::Result<()> {
    let Some(plan) = &shown.plan else { return Ok(()) };
    heading("Plan", page)?;
    row("summary", text(&plan["summary"]), page)?;
    let confidence = plan["confidence_score"].as_f64().map(|score| format!("{score:.2}")).unwrap_or_default();
    row("confidence", &confidence, page)?;
    for (key, list, value) in [
        ("cause", &plan["root_cause_hypotheses"], "reason"),
        ("action", &plan["actions"], "title"),
        ("unknown", &plan["unknowns"], ""),
        ("verify by", &plan["verification_commands"], ""),
        ("done when", &plan["done_criteria"], ""),
    ] {
        for item in list_of(Some(list)).iter().take(ROWS) {
            let said = if value.is_empty() { text(item) } else { text(&item[value]) };
            row(key, [text(&item["id"]), said].join(" ").trim_start(), page)?;
        }
        rest(list_of(Some(list)).len(), page)?;
    }
    row("approval", &approval(&shown.approval), page)
}

fn approval(approval: &ApprovalShown) -> String {
    let person = approval.person.as_deref().unwrap_or("nobody");
    match (approval.stands, &approval.approver, &approval.reason) {
        (true, Some(approver), _) => format!("approved by {person}, signed with the key of {approver}"),
        (true, None, _) => format!("approved by {person}, self-asserted"),
        (false, _, Some(reason)) => format!("not approved: {reason}"),
        (false, _, None) => "not approved".to_owned(),
    }
}

fn work(shown: &IncidentShownDocument, page: &mut Page<'_>) -> io::Result<()> {
    if let Some(handoff) = &shown.handoff {
        heading("Handoff", page)?;
        row("executor", text(&handoff["executor"]), page)?;
        row("prepared", text(&handoff["prepared_at"]), page)?;
    }
    handback(shown, page)?;
    if !shown.attempts.is_empty() || shown.run_result.is_some() {
        heading("Loop", page)?;
    }
    for attempt in &shown.attempts {
        let passed = attempt["verification_passed"] == true;
        let (tone, sign) = if passed { (Tone::Good, page.signs().good) } else { (Tone::Bad, page.signs().bad) };
        let turn = attempt["iteration"].as_u64().map(|turn| format!("turn {turn}")).unwrap_or_default();
        let lead = Line::indented(2).then(tone, sign).word(Tone::Strong, &turn).then(Tone::Plain, "  ");
        let said = [text(&attempt["result"]), text(&attempt["error_signature"])];
        page.paragraph(lead, 4, Tone::Plain, said.join(" ").trim(), 2)?;
    }
    match &shown.run_result {
        Some(result) => row("result", text(&result["final_status"]), page),
        None => Ok(()),
    }
}

/// Writes what the executor stated when it handed the incident back; a question waits for a person's answer.
fn handback(shown: &IncidentShownDocument, page: &mut Page<'_>) -> io::Result<()> {
    let Some(handback) = &shown.handback else { return Ok(()) };
    let reason = text(&handback["reason"]);
    let claim = if reason == "success" { " (a claim: its checks decide)" } else { "" };
    row("handed back", &format!("{reason}{claim}: {}", text(&handback["description"])), page)?;
    let error = &handback["error"];
    row("its error", [text(&error["code"]), text(&error["message"])].join(" ").trim(), page)
}

fn events(events: &[IncidentEventDocument], page: &mut Page<'_>) -> io::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    heading("Events", page)?;
    let (left, last) = events.split_at(events.len().saturating_sub(ROWS));
    if !left.is_empty() {
        page.line(Line::indented(2).then(Tone::Faint, &format!("{} earlier ones", left.len())))?;
    }
    for event in last {
        let line = Line::indented(2)
            .then(Tone::Faint, &seconds::text(event.at))
            .word(Tone::Strong, &event.action)
            .word(Tone::Plain, &format!("to {} by {}", event.to.as_str(), event.by));
        page.line(if event.note.is_empty() {
            line
        } else {
            line.then(Tone::Faint, ": ").then(Tone::Faint, &event.note)
        })?;
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list_of(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Writes why failures were grouped as one incident, and why it has its class.
pub fn explain(explained: &IncidentExplanationDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let line = Line::new().then(Tone::Strong, explained.incident_id.as_str());
    page.line(match &explained.class {
        Some(class) => line.word(Tone::Warning, &class.name),
        None => line,
    })?;
    for sentence in &explained.sentences {
        page.item(2, (Tone::Faint, page.signs().bullet), Tone::Plain, sentence, 2 * TEXT_LINES)?;
    }
    match &explained.fingerprint {
        Some(fingerprint) => row("fingerprint", &fingerprint.to_string(), &mut page),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::incident::id::IncidentId;
    use referee_model::incident::list::IncidentCounts;
    use serde_json::json;

    use super::*;
    use crate::style::Verbosity;

    const PLAIN: Style =
        Style { color: false, unicode: true, width: 120, interactive: false, verbosity: Verbosity::Normal };

    fn incident() -> referee_model::incident::IncidentDocument {
        let bytes = json!({
            "incident_id": "incident_20260217_120000_run_abc",
            "status": "plan_proposed",
            "created_at": "2026-02-17T03:00:00+00:00",
            "updated_at": "2026-02-17T03:15:00+00:00",
            "run_id": "run_20260217_115959_123456",
            "year": 2026,
            "month": 1,
            "ym": "2026-01",
            "step": "amazon_download",
            "failure_class": "transient",
            "message": "Network timeout\u{1b}[2J during receipt download",
            "error_signature": "transient | amazon_download | Network timeout during receipt download",
            "occurrences": 3,
        });
        referee_model::incident::read(bytes.to_string().as_bytes()).unwrap()
    }

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_list_says_root_counts_and_a_line_each() {
        let rows = vec![IncidentRow::of(&incident(), "error_inbox/x".to_owned())];
        let document = IncidentListDocument {
            counts: IncidentCounts {
                unresolved: 1,
                resolved: 2,
                escalated: 0,
                by_status: [("new".to_owned(), 1), ("resolved".to_owned(), 2)].into(),
            },
            total: 3,
            incidents: rows,
            next: Some("n".to_owned()),
            degraded: vec!["error_inbox/junk: no incident".to_owned()],
        };
        insta::assert_snapshot!("incident_list", written(|out| list("/w/.referee/reports", &document, &PLAIN, out)));
    }

    #[test]
    fn long_ids_leave_the_rest_a_line_of_its_own_and_nothing_is_run_together() {
        let mut long = incident();
        long.incident_id = IncidentId::parse("incident_20261122_140958_exec-20261122T140958249Z-556404da").unwrap();
        long.failure_class = "a_class_that_is_longer_than_its_column".to_owned();
        let document = IncidentListDocument {
            counts: IncidentCounts { unresolved: 2, ..IncidentCounts::default() },
            total: 2,
            incidents: [long, incident()].map(|one| IncidentRow::of(&one, String::new())).into(),
            next: None,
            degraded: Vec::new(),
        };
        let narrow = Style { width: 100, ..PLAIN };
        insta::assert_snapshot!("incident_list_narrow", written(|out| list("/w", &document, &narrow, out)));
    }

    #[test]
    fn an_incident_is_shown_whole_and_harmless() {
        let mut shown = IncidentShownDocument::of(incident(), "error_inbox/x".to_owned());
        shown.log_tail = "start\n\u{1b}]0;title\u{7}AUTH_REQUIRED\n".to_owned();
        shown.diagnostics =
            Some(json!([{"severity": "error", "blocking": true, "file": "src/a.ts", "line": 3, "message": "no"}]));
        shown.plan = Some(json!({
            "summary": "Fix it", "confidence_score": 0.55,
            "root_cause_hypotheses": [{"id": "H1", "reason": "The network"}],
            "actions": [{"id": "A1", "title": "Reproduce"}],
            "verification_commands": ["npm test"],
        }));
        shown.approval.reason = Some("nobody approved it".to_owned());
        shown.attempts = vec![json!({"iteration": 1, "verification_passed": false, "result": "continue"})];
        shown.run_result = Some(json!({"final_status": "replan_requested"}));
        insta::assert_snapshot!("incident_show", written(|out| show(&shown, &PLAIN, out)));
    }

    #[test]
    fn junk_in_files_is_no_reason_to_fail() {
        let mut shown = IncidentShownDocument::of(incident(), String::new());
        (shown.plan, shown.diagnostics) = (Some(json!([1])), Some(json!({"a": [null]})));
        (shown.attempts, shown.handoff) = (vec![json!("x"), json!(null)], Some(json!(7)));
        assert!(written(|out| show(&shown, &PLAIN, out)).contains("incident_20260217_120000_run_abc"));
    }
}
