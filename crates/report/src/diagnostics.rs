//! `<ACTION>-diagnostics.json`: the findings that were read from an action's output.

use referee_model::id::ActionId;
use referee_model::plan::Action;
use referee_model::reading::{
    Counts, Diagnostic, EditPlace, FixEdit, Level, Origin, ReaderChoice, Reading, RelatedPlace,
};
use serde::Serialize;

use referee_model::number::Count;

const VERSION: &str = "1.0.0";

/// The findings of one action.
#[document(nulls)]
#[cfg_attr(feature = "schema", schemars(title = "Referee diagnostics"))]
pub struct DiagnosticsDocument<'reading> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    diagnostics_version: &'static str,
    /// Id of the action whose output was read.
    action_id: &'reading ActionId,
    /// Name of the tool whose output was read. Null: not known.
    tool: Option<&'reading str>,
    /// Reader that recognized the output, and why it was chosen. Null: no reader recognized it.
    reader: Option<&'reading ReaderChoice>,
    /// Exact counts, which also cover findings that are not listed.
    counts: &'reading Counts,
    /// Number of findings that are listed.
    kept: Count,
    /// Findings that were kept; `counts` also covers those that were not.
    diagnostics: Vec<DiagnosticDocument<'reading>>,
}

/// One finding. Details that the tool did not print are left out.
#[document]
pub(crate) struct DiagnosticDocument<'reading> {
    /// Name of the tool that reported the finding, such as `tsc`.
    tool: &'reading str,
    /// Path of the file as printed, with forward slashes.
    file: Option<&'reading str>,
    /// 1-based line on which the finding starts.
    line: Option<u32>,
    /// 1-based column at which the finding starts.
    column: Option<u32>,
    /// 1-based line on which the finding ends, inclusive.
    end_line: Option<u32>,
    /// 1-based column after the last character.
    end_column: Option<u32>,
    /// Number of characters from `column` to `endColumn`, where both are on one line.
    length: Option<u32>,
    /// Error code or rule of the tool. Null: none.
    code: Option<&'reading str>,
    /// The code again, under the name that linters use.
    rule_id: Option<&'reading str>,
    /// Severity, in the words that compilers use.
    category: CategoryWord,
    /// Severity that the tool gives the finding.
    severity: Level,
    /// Message of the finding as the tool printed it; may hold several lines.
    message: &'reading str,
    /// Whether the tool reports that it can fix the finding.
    fixable: bool,
    /// Description of the fix that the tool proposes, in the tool's words. Null: none.
    suggestion: Option<&'reading str>,
    /// Proposed fix with its edits. Left out: the tool proposes none.
    fix: Option<FixDocument<'reading>>,
    /// Line of the source that the tool quotes. Null: none.
    source: Option<&'reading str>,
    /// Other locations that the tool mentions with the finding; empty where it mentions none.
    related_information: &'reading [RelatedPlace],
    /// Bytes of the action's log that the finding was read from.
    origin: &'reading Origin,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum CategoryWord {
    Error,
    Warning,
    Message,
}

/// A fix that a tool proposes.
#[document(nulls)]
struct FixDocument<'reading> {
    /// Description of the fix. Null: the tool gives none.
    suggestion: Option<&'reading str>,
    /// Whether the tool applies the fix itself when it is asked to.
    automated: bool,
    /// All edits of the fix. Empty: the tool does not state them, or there are too many to keep.
    edits: Vec<EditDocument<'reading>>,
}

/// An edit of a file, by offsets or by positions, as the tool states it.
#[document]
struct EditDocument<'reading> {
    /// File to change. Left out: the file of the finding.
    file: Option<&'reading str>,
    /// Start and end offset of the replaced text, in the units that the tool counts.
    range: Option<[Count; 2]>,
    /// 1-based line of the first character that is replaced. Left out where `range` gives the place.
    line: Option<u32>,
    /// 1-based column of the first character that is replaced. Left out where `range` gives the place.
    column: Option<u32>,
    /// 1-based line of the last character that is replaced. Left out where `range` gives the place.
    end_line: Option<u32>,
    /// 1-based column after the last character that is replaced. Left out where `range` gives the place.
    end_column: Option<u32>,
    /// Text that replaces the range.
    text: &'reading str,
}

pub fn document<'reading>(action: &'reading Action, reading: &'reading Reading) -> DiagnosticsDocument<'reading> {
    DiagnosticsDocument {
        diagnostics_version: VERSION,
        action_id: &action.id,
        tool: reading.reader.as_ref().map(|reader| reader.tool.as_str()),
        reader: reading.reader.as_ref(),
        counts: &reading.counts,
        kept: Count::of(reading.diagnostics.len()),
        diagnostics: reading.diagnostics.iter().map(DiagnosticDocument::from).collect(),
    }
}

impl<'reading> From<&'reading Diagnostic> for DiagnosticDocument<'reading> {
    fn from(diagnostic: &'reading Diagnostic) -> Self {
        Self {
            tool: &diagnostic.tool,
            file: diagnostic.file.as_deref(),
            line: diagnostic.line,
            column: diagnostic.column,
            end_line: diagnostic.end_line,
            end_column: diagnostic.end_column,
            length: length(diagnostic),
            code: diagnostic.code.as_deref(),
            rule_id: diagnostic.code.as_deref(),
            category: diagnostic.level.into(),
            severity: diagnostic.level,
            message: &diagnostic.message,
            fixable: diagnostic.fixable,
            suggestion: diagnostic.suggestion.as_deref(),
            fix: fix(diagnostic),
            source: diagnostic.source.as_deref(),
            related_information: &diagnostic.related,
            origin: &diagnostic.origin,
        }
    }
}

/// Returns the number of characters that a finding marks. None: its end is not known, or is on another line.
fn length(diagnostic: &Diagnostic) -> Option<u32> {
    let is_one_line = diagnostic.end_line.is_none() || diagnostic.end_line == diagnostic.line;
    let length = diagnostic.end_column?.checked_sub(diagnostic.column?)?;
    (is_one_line && length > 0).then_some(length)
}

fn fix(diagnostic: &Diagnostic) -> Option<FixDocument<'_>> {
    let proposes = diagnostic.fixable || diagnostic.suggestion.is_some() || !diagnostic.edits.is_empty();
    proposes.then(|| FixDocument {
        suggestion: diagnostic.suggestion.as_deref(),
        automated: diagnostic.fixable,
        edits: diagnostic.edits.iter().map(EditDocument::from).collect(),
    })
}

impl<'reading> From<&'reading FixEdit> for EditDocument<'reading> {
    fn from(edit: &'reading FixEdit) -> Self {
        let (range, span) = match edit.place {
            EditPlace::Range { start, end } => (Some([start.into(), end.into()]), None),
            EditPlace::Span { line, column, end_line, end_column } => {
                (None, Some([line, column, end_line, end_column]))
            }
        };
        Self {
            file: edit.file.as_deref(),
            range,
            line: span.map(|[line, ..]| line),
            column: span.map(|[_, column, ..]| column),
            end_line: span.map(|[.., end_line, _]| end_line),
            end_column: span.map(|[.., end_column]| end_column),
            text: &edit.text,
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
