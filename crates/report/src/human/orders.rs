//! Orders of the queue, for people.

use std::io::{self, Write};

use referee_model::id::WorkerLabel;
use referee_model::order_list::{OrderEntry, OrderList, OrderStatus, OrderSubject};

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column after the status.
const STATUS: usize = 11;

/// Writes two lines for each order: where it stands, and its id.
pub fn list(list: &OrderList, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if list.orders.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "no orders"));
    }
    for entry in &list.orders {
        let tone = match entry.status {
            OrderStatus::Queued | OrderStatus::Running => Tone::Strong,
            OrderStatus::Answered => Tone::Plain,
            OrderStatus::Failed | OrderStatus::Cancelled | OrderStatus::TimedOut => Tone::Warning,
        };
        let subject = entry.subject.as_ref().map_or_else(|| "unknown".to_owned(), OrderSubject::summary);
        let line = Line::new().then(tone, entry.status.as_str()).padded_to(STATUS).then(Tone::Plain, &subject);
        page.line(line.then(Tone::Faint, &details(entry)))?;
        page.whole(&Line::indented(STATUS).then(Tone::Plain, &entry.order.to_string()))?;
    }
    Ok(())
}

fn details(entry: &OrderEntry) -> String {
    let labels = entry.labels.iter().flatten().map(WorkerLabel::as_str).collect::<Vec<_>>().join("+");
    let details = [
        (!labels.is_empty()).then(|| format!("for {labels}")),
        entry.attempt.map(|attempt| format!("attempt {attempt}")),
        entry.worker.as_ref().map(|worker| format!("by {worker}")),
        entry.began.map(|began| format!("since {began}")),
        entry.ended.map(|ended| format!("until {ended}")),
    ];
    details.into_iter().flatten().fold(String::new(), |text, detail| text + ", " + &detail)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::id::{Digest, ProjectName, TaskId};
    use referee_model::time::Timestamp;

    use super::*;
    use crate::style::Verbosity;

    #[test]
    fn an_order_is_told_with_what_is_known_of_it_and_no_text_of_the_queue_moves_the_cursor() {
        let (project, task) = (ProjectName::parse("shop").unwrap(), TaskId::parse("T001").unwrap());
        let open = OrderEntry {
            order: Digest::from_bytes([0xab; 32]),
            subject: Some(OrderSubject::Run { project, task }),
            labels: Some(["gpu", "linux"].map(|label| WorkerLabel::parse(label).unwrap()).into()),
            status: OrderStatus::Running,
            began: Some(Timestamp::from_millisecond(0)),
            ended: None,
            attempt: Some(2),
            worker: Some("7@\u{1b}[2Jhost".to_owned()),
        };
        let over = OrderEntry {
            subject: None,
            labels: Some(BTreeSet::new()),
            status: OrderStatus::TimedOut,
            ended: Some(Timestamp::from_millisecond(5_000)),
            attempt: None,
            worker: None,
            ..open.clone()
        };
        let style =
            Style { color: false, unicode: false, width: 160, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        super::list(&OrderList { orders: vec![open, over], next: None }, &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let id = "ab".repeat(32);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("running    shop T001, for gpu+linux, attempt 2, by 7@"), "{text}");
        assert!(lines[0].ends_with("host, since 1970-01-01T00:00:00.000Z"), "{text}");
        assert_eq!(lines[1], format!("           {id}"));
        let second = "timed-out  unknown, since 1970-01-01T00:00:00.000Z, until 1970-01-01T00:00:05.000Z";
        assert_eq!(lines[2..], [second.to_owned(), format!("           {id}")]);
    }
}
