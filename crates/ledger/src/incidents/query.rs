//! Queries for incidents: filters, order (newest first), and pages that continue where the previous one ended.

use referee_model::incident::status::IncidentStatus;
use referee_model::limit;

use super::incident_dir::IncidentDir;
use super::row::{Row, Text};
use super::rows::Rows;
use crate::error::LedgerError;

/// Maximum length of the search text, in bytes.
const TEXT_BYTES: usize = 4 * 1024;

/// A query for incidents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Statuses to include. Empty: all.
    pub statuses: Vec<IncidentStatus>,
    /// Only incidents in the inbox (`true`) or in the archive (`false`). `None`: all.
    pub open: Option<bool>,
    pub failure_class: Option<String>,
    pub step: Option<String>,
    /// Only incidents with this fingerprint, as text.
    pub fingerprint: Option<String>,
    /// Only incidents with all of these words in id, step, class, message or run.
    pub text: Option<String>,
    /// Cursor: the value of `next` of the previous page.
    pub after: Option<String>,
    /// Maximum number of incidents. 0: the default page size.
    pub limit: usize,
}

/// A validated query.
#[derive(Debug)]
pub(super) struct Question<'query> {
    pub(super) query: &'query Query,
    /// Search words, in lowercase.
    pub(super) words: Vec<String>,
    pub(super) after: Option<Cursor>,
    pub(super) limit: usize,
}

/// Position of the last incident of a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cursor {
    pub(super) updated_ms: i64,
    pub(super) name: String,
    pub(super) lies: u8,
}

impl Cursor {
    /// Parses the value of `next` of a page.
    fn parse(text: &str) -> Option<Self> {
        let (updated, rest) = text.split_once('.')?;
        let (lies, name) = rest.split_once('.')?;
        let lies = lies.parse().ok().filter(|lies| usize::from(*lies) < IncidentDir::ALL.len())?;
        Some(Self { updated_ms: updated.parse().ok()?, name: name.to_owned(), lies })
    }

    /// Returns the value of `next` of a page. It needs no escaping in a URL.
    pub(super) fn text(&self) -> String {
        format!("{}.{}.{}", self.updated_ms, self.lies, self.name)
    }
}

impl Query {
    /// Validates the query.
    pub(super) fn ask(&self) -> Result<Question<'_>, LedgerError> {
        let wrong = |reason: &str| LedgerError::Question { reason: reason.to_owned() };
        let after = match &self.after {
            None => None,
            Some(text) => Some(
                Cursor::parse(text)
                    .ok_or_else(|| wrong("where the page begins must be what the page before said under `next`"))?,
            ),
        };
        let text = self.text.as_deref().unwrap_or_default();
        if text.len() > TEXT_BYTES {
            return Err(wrong(&format!("at most {TEXT_BYTES} bytes can be looked for")));
        }
        let words = text.split_whitespace().map(str::to_lowercase).collect();
        let limit = if self.limit == 0 { limit::INCIDENTS_LISTED } else { self.limit };
        Ok(Question { query: self, words, after, limit: limit.min(limit::INCIDENTS_LISTED_MAX) })
    }
}

impl Question<'_> {
    /// Returns whether an incident matches, on any page.
    pub(super) fn is_about(&self, rows: &Rows, row: &Row) -> bool {
        let query = self.query;
        let is =
            |wanted: &Option<String>, text: Text| wanted.as_deref().is_none_or(|wanted| wanted == rows.text(row, text));
        (query.statuses.is_empty() || query.statuses.contains(&row.status))
            && query.open.is_none_or(|open| open == (row.shelf == IncidentDir::Inbox))
            && is(&query.failure_class, Text::FailureClass)
            && is(&query.step, Text::Step)
            && is(&query.fingerprint, Text::Fingerprint)
            && (self.words.is_empty() || self.has_words(&rows.words(row)))
    }

    fn has_words(&self, text: &str) -> bool {
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_goes_on_where_the_last_ended_and_nowhere_else() {
        let cursor = Cursor { updated_ms: -5, name: "incident_1.a-b".to_owned(), lies: 2 };
        assert_eq!(Cursor::parse(&cursor.text()), Some(cursor));
        for junk in ["", "x", "1", "1.2", "1.9.a", "a.1.a", "1.-1.a", "99999999999999999999.1.a", "' OR 1=1 --"] {
            let query = Query { after: Some(junk.to_owned()), ..Query::default() };
            assert!(matches!(query.ask(), Err(LedgerError::Question { .. })), "{junk}");
        }
    }

    #[test]
    fn a_question_has_bounds() {
        let limits = |limit| Query { limit, ..Query::default() }.ask().unwrap().limit;
        assert_eq!([0, 1, 100_000].map(limits), [limit::INCIDENTS_LISTED, 1, limit::INCIDENTS_LISTED_MAX]);
        assert!(Query { text: Some("x".repeat(TEXT_BYTES + 1)), ..Query::default() }.ask().is_err());
    }
}
