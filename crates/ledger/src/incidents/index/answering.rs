//! Questions are answered from the index. What is looked for is data: it is bound to the statement, never a part of it.

use std::cmp::Reverse;

use memchr::memmem::Finder;
use referee_model::fingerprint::Fingerprint;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::time::Timestamp;
use referee_wire::incident_list::{IncidentCounts, IncidentListDocument, IncidentRow};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::IndexError;
use super::catalogue::Catalogue;
use super::catching_up::Shown;
use crate::incidents::query::{Cursor, Question};
use crate::incidents::scan::{TOLD, told};
use crate::incidents::shelf::Shelf;

/// The columns of an incident in a list.
const COLUMNS: &str =
    "name, lies, stamp, shelf, updated, created, status, class, step, fingerprint, run, ym, occurrences, message";

/// A page, and what of the index is on it.
pub(super) struct Page {
    pub(super) list: IncidentListDocument,
    pub(super) shown: Vec<Shown>,
}

/// The condition that an incident must meet.
struct Condition {
    text: String,
    values: Vec<Value>,
}

impl Catalogue {
    /// Answers a question.
    pub(super) fn answer(&self, question: &Question<'_>) -> Result<Page, IndexError> {
        let condition = Condition::of(question);
        let (total, mut rows) = if question.words.is_empty() {
            (self.total(&condition)?, self.page(question, condition)?)
        } else {
            self.search(question, &condition)?
        };
        let is_last = rows.len() <= question.limit;
        rows.truncate(question.limit);
        let next = rows.last().filter(|_| !is_last).map(|(row, shown)| {
            let (updated_ms, name) = (row.updated_at.as_millisecond(), shown.name.clone());
            Cursor { updated_ms, name, lies: shown.lies }.text()
        });
        let (incidents, shown) = rows.into_iter().unzip();
        let list = IncidentListDocument { counts: self.counts()?, total, incidents, next, degraded: self.faults()? };
        Ok(Page { list, shown })
    }

    /// Returns the incidents of a fingerprint, the newest first.
    pub(super) fn of_fingerprint(&self, fingerprint: &Fingerprint) -> Result<Vec<IncidentId>, IndexError> {
        let mut query = self
            .database
            .prepare("SELECT name FROM incident WHERE fingerprint = ? ORDER BY updated DESC, name DESC, lies DESC")?;
        let names = query.query_map([fingerprint.to_string()], |row| row.get::<_, String>(0))?;
        let names = names.collect::<Result<Vec<_>, _>>()?;
        Ok(names.iter().filter_map(|name| IncidentId::parse(name).ok()).collect())
    }

    fn counts(&self) -> Result<IncidentCounts, IndexError> {
        let mut counts = IncidentCounts::default();
        let mut query = self.database.prepare("SELECT lies, folders FROM shelf")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let folders = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
            match row.get(0)? {
                0 => counts.unresolved = folders,
                1 => counts.resolved = folders,
                _ => counts.escalated = folders,
            }
        }
        let mut query = self.database.prepare("SELECT status, count(*) FROM incident GROUP BY status")?;
        let by_status = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        counts.by_status = by_status.collect::<Result<_, _>>()?;
        Ok(counts)
    }

    fn faults(&self) -> Result<Vec<String>, IndexError> {
        let mut query = self.database.prepare("SELECT reason FROM fault ORDER BY reason LIMIT ?")?;
        let limit = i64::try_from(TOLD).unwrap_or(i64::MAX);
        let faults = query.query_map([limit], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        let all = if faults.len() == TOLD {
            let mut query = self.database.prepare("SELECT count(*) FROM fault")?;
            query.query_row([], |row| row.get(0).map(i64::unsigned_abs))?
        } else {
            faults.len() as u64
        };
        Ok(told(faults, all))
    }

    fn total(&self, condition: &Condition) -> Result<u64, IndexError> {
        let text = format!("SELECT count(*) FROM incident WHERE {}", condition.text);
        let mut query = self.database.prepare(&text)?;
        let total: i64 = query.query_row(params_from_iter(&condition.values), |row| row.get(0))?;
        Ok(total.unsigned_abs())
    }

    /// Returns the incidents of a page, and one more where there is one.
    fn page(&self, question: &Question<'_>, mut condition: Condition) -> Result<Vec<(IncidentRow, Shown)>, IndexError> {
        if let Some(after) = &question.after {
            let lies = i64::from(after.lies);
            condition.and(
                "(updated, name, lies) < (?, ?, ?)",
                [Value::Integer(after.updated_ms), Value::Text(after.name.clone()), Value::Integer(lies)],
            );
        }
        condition.values.push(Value::Integer(i64::try_from(question.limit + 1).unwrap_or(i64::MAX)));
        let text = format!(
            "SELECT {COLUMNS} FROM incident WHERE {} ORDER BY updated DESC, name DESC, lies DESC LIMIT ?",
            condition.text
        );
        let mut query = self.database.prepare(&text)?;
        let rows = query.query_map(params_from_iter(&condition.values), read)?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// Goes through all incidents for those that have the words. Returns how many there are, and those of a page with one more.
    fn search(
        &self,
        question: &Question<'_>,
        condition: &Condition,
    ) -> Result<(u64, Vec<(IncidentRow, Shown)>), IndexError> {
        let mut found = self.with_words(question, condition)?;
        let total = found.len() as u64;
        found.sort_unstable_by_key(|(updated, _)| Reverse(*updated));
        // The names decide among those of one time, so that these are all taken.
        let after = question.after.as_ref();
        let begin = found.partition_point(|(updated, _)| after.is_some_and(|after| *updated > after.updated_ms));
        let same = found.partition_point(|(updated, _)| after.is_some_and(|after| *updated >= after.updated_ms));
        let last = found.get(same + question.limit).map_or(i64::MIN, |(updated, _)| *updated);
        let end = found.partition_point(|(updated, _)| *updated >= last);
        let mut query = self.database.prepare(&format!("SELECT {COLUMNS} FROM incident WHERE rowid = ?"))?;
        let mut page = Vec::new();
        for (_, number) in found.get(begin..end).unwrap_or_default() {
            page.extend(query.query_row([number], read)?);
        }
        let cursor = |(row, shown): &(IncidentRow, Shown)| Cursor {
            updated_ms: row.updated_at.as_millisecond(),
            name: shown.name.clone(),
            lies: shown.lies,
        };
        page.retain(|one| after.is_none_or(|after| cursor(one) < *after));
        page.sort_by_cached_key(|one| Reverse(cursor(one)));
        page.truncate(question.limit + 1);
        Ok((total, page))
    }

    /// Returns the times and numbers of all incidents that have the words.
    fn with_words(&self, question: &Question<'_>, condition: &Condition) -> Result<Vec<(i64, i64)>, rusqlite::Error> {
        let finders: Vec<_> = question.words.iter().map(|word| Finder::new(word.as_bytes())).collect();
        let text = format!("SELECT words, updated, rowid FROM incident NOT INDEXED WHERE {}", condition.text);
        let mut query = self.database.prepare(&text)?;
        let mut rows = query.query(params_from_iter(&condition.values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let words = row.get_ref(0)?.as_bytes().unwrap_or_default();
            if finders.iter().all(|finder| finder.find(words).is_some()) {
                found.push((row.get(1)?, row.get(2)?));
            }
        }
        Ok(found)
    }
}

impl Condition {
    fn of(question: &Question<'_>) -> Self {
        let query = question.query;
        let mut condition = Self { text: "TRUE".to_owned(), values: Vec::new() };
        if !query.statuses.is_empty() {
            let marks = vec!["?"; query.statuses.len()].join(", ");
            let statuses = query.statuses.iter().map(|status| Value::Text(status.as_str().to_owned()));
            condition.and(&format!("status IN ({marks})"), statuses);
        }
        match query.open {
            Some(true) => condition.and("shelf = 0", []),
            Some(false) => condition.and("shelf <> 0", []),
            None => {}
        }
        let equal = [("class", &query.failure_class), ("step", &query.step), ("fingerprint", &query.fingerprint)];
        for (column, value) in equal {
            if let Some(value) = value {
                condition.and(&format!("{column} = ?"), [Value::Text(value.clone())]);
            }
        }
        condition
    }

    /// Takes a further condition. Its text is ours; what comes from outside is a value.
    fn and(&mut self, text: &str, values: impl IntoIterator<Item = Value>) {
        self.text.push_str(" AND ");
        self.text.push_str(text);
        self.values.extend(values);
    }
}

/// Reads a row of [`COLUMNS`]. None: it is none of ours.
fn read(row: &rusqlite::Row<'_>) -> Result<Option<(IncidentRow, Shown)>, rusqlite::Error> {
    let shown = super::catching_up::shown(row)?;
    let status = row.get_ref(6)?.as_str().ok().and_then(IncidentStatus::parse);
    let shelf = Shelf::ALL.get(usize::from(row.get::<_, u8>(3)?));
    let (Ok(incident_id), Some(status), Some(shelf)) = (IncidentId::parse(&shown.name), status, shelf) else {
        return Ok(None);
    };
    let time = |column| row.get(column).map(Timestamp::from_millisecond);
    let row = IncidentRow {
        path: shelf.path_of(&incident_id),
        incident_id,
        status,
        updated_at: time(4)?,
        created_at: time(5)?,
        failure_class: row.get(7)?,
        step: row.get(8)?,
        fingerprint: row.get(9)?,
        run_id: row.get(10)?,
        ym: row.get(11)?,
        occurrences: row.get::<_, i64>(12)?.cast_unsigned(),
        message: row.get(13)?,
    };
    Ok(Some((row, shown)))
}
