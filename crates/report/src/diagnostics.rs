//! `<ACTION>-diagnostics.json`: the findings that were read from an action's output.

use std::collections::BTreeMap;

use referee_model::id::ActionId;
use referee_model::plan::Action;
use referee_model::reading::{
    ChosenBecause, Counts, Diagnostic, EditPlace, FixEdit, Level, Origin, ReaderChoice, Reading, RelatedPlace,
};
use referee_model::record::Stream;
use serde::Serialize;

use referee_model::number::Count;

const VERSION: &str = "1.0.0";

/// The findings of one action.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee diagnostics", deny_unknown_fields))]
pub struct DiagnosticsDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    diagnostics_version: &'static str,
    action_id: ActionId,
    /// The tool whose output was read.
    tool: Option<String>,
    /// Null: no reader recognized the output.
    reader: Option<ReaderDocument>,
    /// Exact counts, also of what is not listed.
    counts: CountsDocument,
    /// How many are listed.
    kept: Count,
    diagnostics: Vec<DiagnosticDocument>,
}

/// The reader that was chosen, and why.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct ReaderDocument {
    tool: String,
    format: String,
    because: ChosenBecause,
}

/// Exact counts of findings.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct CountsDocument {
    errors: Count,
    warnings: Count,
    infos: Count,
    /// Those that the tool can mend.
    fixable: Count,
    /// Per rule; findings without a rule stand under the empty name.
    by_rule: BTreeMap<String, RuleCountsDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct RuleCountsDocument {
    errors: Count,
    warnings: Count,
    infos: Count,
}

/// One finding. What the tool did not print is left out.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct DiagnosticDocument {
    tool: String,
    /// File as printed, with forward slashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// 1-based, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// 1-based, after the last character.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    /// Characters from `column` to `endColumn`, where both stand on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u32>,
    /// Code or rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The same, as linters call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<String>,
    /// The severity as compilers call it.
    category: CategoryWord,
    severity: Level,
    message: String,
    /// Whether the tool says it can mend it.
    fixable: bool,
    /// What the tool proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    /// The same with the changes that it consists of. Left out: the tool proposes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixDocument>,
    /// The offending source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    related_information: Vec<RelatedDocument>,
    origin: OriginDocument,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum CategoryWord {
    Error,
    Warning,
    Message,
}

/// What a tool proposes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct FixDocument {
    /// In words. Null: it says none.
    suggestion: Option<String>,
    /// Whether the tool makes it by itself when it is asked to.
    automated: bool,
    /// The changes, all of them. Empty: the tool does not say them, or they are too many to be kept.
    edits: Vec<EditDocument>,
}

/// A change of a file: by offsets or by positions, as the tool says it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct EditDocument {
    /// Left out: the finding's.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// From this offset to that one, as the tool counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[Count; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    /// What stands there then.
    text: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct RelatedDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    message: String,
}

/// The bytes of the log that something was read from, and by which rule.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct OriginDocument {
    rule: String,
    stream: Stream,
    /// Offset of the first byte in the log.
    start: Count,
    /// Offset after the last byte in the log.
    end: Count,
}

/// Returns what was found in an action's output.
pub fn document(action: &Action, reading: &Reading) -> DiagnosticsDocument {
    DiagnosticsDocument {
        diagnostics_version: VERSION,
        action_id: action.id.clone(),
        tool: reading.reader.as_ref().map(|reader| reader.tool.clone()),
        reader: reading.reader.as_ref().map(ReaderDocument::from),
        counts: (&reading.counts).into(),
        kept: Count::of(reading.diagnostics.len()),
        diagnostics: reading.diagnostics.iter().map(DiagnosticDocument::from).collect(),
    }
}

impl From<&ReaderChoice> for ReaderDocument {
    fn from(reader: &ReaderChoice) -> Self {
        Self { tool: reader.tool.clone(), format: reader.format.clone(), because: reader.because }
    }
}

impl From<&Counts> for CountsDocument {
    fn from(counts: &Counts) -> Self {
        let by_rule = counts.by_rule.iter().map(|(rule, counts)| {
            let counts = RuleCountsDocument {
                errors: counts.errors.into(),
                warnings: counts.warnings.into(),
                infos: counts.infos.into(),
            };
            (rule.clone(), counts)
        });
        Self {
            errors: counts.errors.into(),
            warnings: counts.warnings.into(),
            infos: counts.infos.into(),
            fixable: counts.fixable.into(),
            by_rule: by_rule.collect(),
        }
    }
}

impl From<&Diagnostic> for DiagnosticDocument {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            tool: diagnostic.tool.clone(),
            file: diagnostic.file.clone(),
            line: diagnostic.line,
            column: diagnostic.column,
            end_line: diagnostic.end_line,
            end_column: diagnostic.end_column,
            length: length(diagnostic),
            code: diagnostic.code.clone(),
            rule_id: diagnostic.code.clone(),
            category: diagnostic.level.into(),
            severity: diagnostic.level,
            message: diagnostic.message.clone(),
            fixable: diagnostic.fixable,
            suggestion: diagnostic.suggestion.clone(),
            fix: fix(diagnostic),
            source: diagnostic.source.clone(),
            related_information: diagnostic.related.iter().map(RelatedDocument::from).collect(),
            origin: (&diagnostic.origin).into(),
        }
    }
}

/// Characters that a finding marks. None: its end is not known, or stands on another line.
fn length(diagnostic: &Diagnostic) -> Option<u32> {
    let is_one_line = diagnostic.end_line.is_none() || diagnostic.end_line == diagnostic.line;
    let length = diagnostic.end_column?.checked_sub(diagnostic.column?)?;
    (is_one_line && length > 0).then_some(length)
}

fn fix(diagnostic: &Diagnostic) -> Option<FixDocument> {
    let proposes = diagnostic.fixable || diagnostic.suggestion.is_some() || !diagnostic.edits.is_empty();
    proposes.then(|| FixDocument {
        suggestion: diagnostic.suggestion.clone(),
        automated: diagnostic.fixable,
        edits: diagnostic.edits.iter().map(EditDocument::from).collect(),
    })
}

impl From<&FixEdit> for EditDocument {
    fn from(edit: &FixEdit) -> Self {
        let (range, span) = match edit.place {
            EditPlace::Range { start, end } => (Some([start.into(), end.into()]), None),
            EditPlace::Span { line, column, end_line, end_column } => {
                (None, Some([line, column, end_line, end_column]))
            }
        };
        Self {
            file: edit.file.clone(),
            range,
            line: span.map(|[line, ..]| line),
            column: span.map(|[_, column, ..]| column),
            end_line: span.map(|[.., end_line, _]| end_line),
            end_column: span.map(|[.., end_column]| end_column),
            text: edit.text.clone(),
        }
    }
}

impl From<Level> for CategoryWord {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warning => Self::Warning,
            Level::Info => Self::Message,
        }
    }
}

impl From<&RelatedPlace> for RelatedDocument {
    fn from(place: &RelatedPlace) -> Self {
        Self { file: place.file.clone(), line: place.line, column: place.column, message: place.message.clone() }
    }
}

impl From<&Origin> for OriginDocument {
    fn from(origin: &Origin) -> Self {
        Self { rule: origin.rule.clone(), stream: origin.stream, start: origin.start.into(), end: origin.end.into() }
    }
}
