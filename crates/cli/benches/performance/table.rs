//! The lines that were measured, as a table for people and as a document for programs.

use std::fmt;

use serde_json::{Value, json};

use crate::growth::Curve;
use crate::machine::Machine;
use crate::measurement::{Samples, milliseconds};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Of what the reference takes.
    Ratio,
    /// More than the reference takes.
    MillisecondsMore,
    Milliseconds,
    Seconds,
    Mebibytes,
    Megabytes,
    MegabytesPerSecond,
    Count,
    Percent,
    /// The power of the size that a time grows with.
    Power,
}

impl Unit {
    fn shown(self, value: f64) -> String {
        match self {
            Self::Ratio => format!("{value:.2} ×"),
            Self::MillisecondsMore => format!("{value:.1} ms more"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Seconds => format!("{value:.1} s"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Megabytes => format!("{value:.1} MB"),
            Self::MegabytesPerSecond => format!("{value:.0} MB/s"),
            Self::Count => format!("{value:.0}"),
            Self::Percent => format!("{value:.1} %"),
            Self::Power => format!("n^{value:.2}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Aim {
    AtMost(f64),
    AtLeast(f64),
    /// Shown for comparison.
    None,
}

/// What came of measuring a row.
#[derive(Debug)]
enum Outcome {
    Measured(f64),
    /// Something that is needed is not there.
    Skipped(String),
    /// It did not work.
    Failed(String),
}

#[derive(Debug)]
pub(crate) struct Row {
    line: &'static str,
    what: String,
    reference: String,
    unit: Unit,
    aim: Aim,
    outcome: Outcome,
    /// Each measured time, by what was measured.
    samples: Vec<(String, Samples)>,
}

impl Row {
    pub(crate) fn value(line: &'static str, what: impl Into<String>, value: f64, unit: Unit, aim: Aim) -> Self {
        Self {
            line,
            what: what.into(),
            reference: "–".to_owned(),
            unit,
            aim,
            outcome: Outcome::Measured(value),
            samples: Vec::new(),
        }
    }

    pub(crate) fn median(line: &'static str, what: impl Into<String>, ours: &Samples, aim: Aim) -> Self {
        let row = Self::value(line, what, milliseconds(ours.median()), Unit::Milliseconds, aim);
        Self { samples: vec![("referee".to_owned(), ours.clone())], ..row }
    }

    pub(crate) fn ratio(
        line: &'static str,
        what: impl Into<String>,
        ours: &Samples,
        (reference, theirs): (&str, &Samples),
        aim: Aim,
    ) -> Self {
        let value = ours.median().as_secs_f64() / theirs.median().as_secs_f64();
        Self::value(line, what, value, Unit::Ratio, aim).against(reference, ours, theirs)
    }

    pub(crate) fn more(
        line: &'static str,
        what: impl Into<String>,
        ours: &Samples,
        (reference, theirs): (&str, &Samples),
        aim: Aim,
    ) -> Self {
        let value = milliseconds(ours.median()) - milliseconds(theirs.median());
        Self::value(line, what, value, Unit::MillisecondsMore, aim).against(reference, ours, theirs)
    }

    /// Names what the value is held against.
    pub(crate) fn beside(self, reference: &str) -> Self {
        Self { reference: reference.to_owned(), ..self }
    }

    fn against(self, reference: &str, ours: &Samples, theirs: &Samples) -> Self {
        let samples = vec![("referee".to_owned(), ours.clone()), (reference.to_owned(), theirs.clone())];
        Self { samples, ..self.beside(reference) }
    }

    pub(crate) fn skipped(line: &'static str, what: impl Into<String>, reference: &str, why: &str) -> Self {
        let row = Self::value(line, what, f64::NAN, Unit::Ratio, Aim::None);
        Self { reference: reference.to_owned(), outcome: Outcome::Skipped(why.to_owned()), ..row }
    }

    pub(crate) fn failed(line: &'static str, why: &str) -> Self {
        let row = Self::value(line, "all of it", f64::NAN, Unit::Ratio, Aim::None);
        Self { outcome: Outcome::Failed(why.to_owned()), ..row }
    }

    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    fn reached(&self) -> Option<bool> {
        let Outcome::Measured(value) = self.outcome else { return None };
        match self.aim {
            Aim::AtMost(most) => Some(value <= most),
            Aim::AtLeast(least) => Some(value >= least),
            Aim::None => None,
        }
    }

    fn cells(&self) -> [String; 6] {
        let measured = match &self.outcome {
            Outcome::Measured(value) => self.unit.shown(*value),
            Outcome::Skipped(why) => format!("skipped: {why}"),
            Outcome::Failed(why) => format!("failed: {why}"),
        };
        let aim = match self.aim {
            Aim::AtMost(most) => format!("≤ {}", self.unit.shown(most)),
            Aim::AtLeast(least) => format!("≥ {}", self.unit.shown(least)),
            Aim::None => "–".to_owned(),
        };
        let reached = match self.reached() {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        [self.line.to_owned(), self.what.clone(), self.reference.clone(), measured, aim, reached.to_owned()]
    }

    fn document(&self) -> Value {
        let (value, skipped, failed) = match &self.outcome {
            Outcome::Measured(value) => (json!(value), Value::Null, Value::Null),
            Outcome::Skipped(why) => (Value::Null, json!(why), Value::Null),
            Outcome::Failed(why) => (Value::Null, Value::Null, json!(why)),
        };
        let aim = match self.aim {
            Aim::AtMost(most) => json!({ "atMost": most }),
            Aim::AtLeast(least) => json!({ "atLeast": least }),
            Aim::None => Value::Null,
        };
        let samples: serde_json::Map<_, _> =
            self.samples.iter().map(|(name, samples)| (name.clone(), json!(samples.milliseconds()))).collect();
        json!({
            "line": self.line,
            "what": self.what,
            "reference": self.reference,
            "value": value,
            "unit": format!("{:?}", self.unit),
            "aim": aim,
            "reached": self.reached(),
            "skipped": skipped,
            "failed": failed,
            "milliseconds": samples,
        })
    }
}

const HEAD: [&str; 6] = ["line", "what", "floor or peer", "measured", "aim", "reached"];

/// The rows in columns for a terminal.
pub(crate) struct Columns<'rows>(pub(crate) &'rows [Row]);

impl fmt::Display for Columns<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.0.iter().map(Row::cells));
        let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or_default();
        let widths: [usize; 6] = std::array::from_fn(width);
        for cells in &lines {
            let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(formatter, "{}", padded.join("  ").trim_end())?;
        }
        Ok(())
    }
}

pub(crate) fn markdown(rows: &[Row]) -> String {
    let line = |cells: [String; 6]| format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    let body: String = rows.iter().map(|row| line(row.cells())).collect();
    format!("{}|---|---|---|---|---|---|\n{body}", line(HEAD.map(str::to_owned)))
}

pub(crate) fn document(machine: &Machine, rows: &[Row], curves: &[Curve]) -> Value {
    json!({
        "machine": machine.document(),
        "rows": rows.iter().map(Row::document).collect::<Vec<_>>(),
        "curves": curves.iter().map(Curve::document).collect::<Vec<_>>(),
    })
}
