//! Complaints about a specification: position, message and suggestion.

use std::fmt::Write as _;

use referee_model::limit;
use referee_syntax::span::Span;

use crate::source::{Source, harmless};

/// Severity of a complaint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The document is not loaded.
    Error,
    /// The document is loaded all the same.
    Warning,
}

impl Level {
    /// Returns the level as complaints print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Stage of loading at which a complaint arises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The bytes cannot be parsed as a document.
    Reading,
    /// The document breaks the published JSON Schema. Every error of this stage is also an error of the schema,
    /// and vice versa.
    Shape,
    /// The shape is valid, but the meaning is not, in a way that no schema can express.
    Meaning,
    /// The same as [`Stage::Meaning`], for a workflow document.
    Workflow,
}

macro_rules! codes {
    ($($stage:ident: { $($(#[doc = $doc:literal])* $name:ident = $id:literal,)* })*) => {
        /// Kind of a complaint. Ids are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($($(#[doc = $doc])* $name,)*)*
        }

        impl Code {
            /// All codes, ordered by stage.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// Returns the stable id.
            pub fn id(self) -> &'static str {
                match self {
                    $($(Self::$name => $id,)*)*
                }
            }

            /// Returns what the code means, as a sentence: that of the documentation of the variant.
            pub fn meaning(self) -> &'static str {
                match self {
                    $($(Self::$name => concat!($($doc),*).trim_ascii_start(),)*)*
                }
            }

            /// Returns the stage at which the complaint arises.
            pub fn stage(self) -> Stage {
                match self {
                    $($(Self::$name => Stage::$stage,)*)*
                }
            }
        }
    };
}

codes! {
    Reading: {
        /// The file is larger than the limit for specifications.
        TooLarge = "too-large",
        /// The bytes are not UTF-8 text.
        NotText = "not-text",
        /// The document is empty, or holds only comments.
        Empty = "empty",
        /// The text is neither JSON nor YAML.
        Syntax = "syntax",
        /// Values are nested too deeply.
        TooDeep = "too-deep",
        /// The document has too many values.
        TooManyValues = "too-many-values",
        /// YAML aliases expand to too many values.
        AliasExpansion = "alias-expansion",
        /// The file holds more than one YAML document.
        SeveralDocuments = "several-documents",
        /// A key occurs twice in one mapping.
        DuplicateKey = "duplicate-key",
        /// A key is not a string.
        KeyNotText = "key-not-text",
        /// A YAML merge key, which YAML 1.2 does not have.
        MergeKey = "merge-key",
        /// A YAML tag is not in the core schema, or does not fit its value.
        UnknownTag = "unknown-tag",
    }
    Shape: {
        /// A value has the wrong type.
        WrongType = "wrong-type",
        /// A string does not have the required form.
        WrongText = "wrong-text",
        /// A value is not one of the known keywords.
        UnknownWord = "unknown-word",
        /// A number is out of range.
        OutOfRange = "out-of-range",
        /// A list or mapping has too few entries.
        TooFew = "too-few",
        /// A required key is missing.
        MissingKey = "missing-key",
        /// A key is unknown.
        UnknownKey = "unknown-key",
        /// A name does not have the required form.
        WrongName = "wrong-name",
        /// A check has none of the keys that select its kind.
        NoAction = "no-action",
        /// A check has several of the keys that select its kind.
        SeveralActions = "several-actions",
        /// A key belongs to another kind of check.
        MisplacedKey = "misplaced-key",
        /// A key asks for a feature that this version does not support.
        NotSupported = "not-supported",
    }
    Meaning: {
        /// An unknown key, where unknown keys are allowed, resembles a known one.
        MisspeltKey = "misspelt-key",
        /// The key of a task is not a valid task id; an id is derived from it.
        DerivedTaskId = "derived-task-id",
        /// The id that a task declares differs from its key.
        TaskIdMismatch = "task-id-mismatch",
        /// The specification has more tasks than the limit.
        TooManyTasks = "too-many-tasks",
        /// A task depends on a task that does not exist.
        UnknownDependency = "unknown-dependency",
        /// Tasks depend on each other in a cycle.
        DependencyCycle = "dependency-cycle",
        /// Two actions have the same id.
        DuplicateAction = "duplicate-action",
        /// The named action does not exist.
        UnknownAction = "unknown-action",
        /// An order does not list all actions.
        IncompleteOrder = "incomplete-order",
        /// The type of an action is not in the list of available types.
        UnavailableType = "unavailable-type",
        /// An interpreter is not in the list of allowed ones.
        ForbiddenInterpreter = "forbidden-interpreter",
        /// A check of content does not say which content it expects.
        UnspecifiedContent = "unspecified-content",
        /// A task has no condition for passing.
        NoCondition = "no-condition",
        /// A condition cannot be parsed.
        InvalidCondition = "invalid-condition",
        /// A condition refers to a field that its action never has.
        UnknownField = "unknown-field",
        /// A condition refers to data that its action does not keep.
        NotKept = "not-kept",
        /// The base URL of the application is not given; the default is used.
        DefaultBaseUrl = "default-base-url",
        /// Expected exit codes are set, but do not count for the role of the action.
        IdleExitCodes = "idle-exit-codes",
        /// `exitCodeOnly` is set for a command that runs no tests.
        IdleExitCodeOnly = "idle-exit-code-only",
        /// A value is used before it is captured.
        EarlyUse = "early-use",
        /// The document is a specification in a format that cannot be read.
        OtherForm = "other-form",
        /// A duration is out of range.
        DurationOutOfRange = "duration-out-of-range",
        /// The check would pass in every project.
        Vacuous = "vacuous",
        /// Two keys contradict each other.
        Contradiction = "contradiction",
        /// A regular expression cannot be parsed.
        InvalidRegex = "invalid-regex",
        /// A JSON path cannot be parsed.
        InvalidJsonPath = "invalid-json-path",
        /// A JSON Schema cannot be used.
        InvalidSchema = "invalid-schema",
        /// A URL has another scheme than the ones that can be used here, or no host.
        InvalidUrl = "invalid-url",
        /// A glob pattern cannot be parsed.
        InvalidGlob = "invalid-glob",
        /// A secret is written in the specification.
        LiteralSecret = "literal-secret",
        /// A JSON pointer cannot be parsed, or cannot be used here.
        InvalidPointer = "invalid-pointer",
        /// A value cannot be written as JSON.
        NotJson = "not-json",
        /// A request has a body, although its method usually has none.
        UnusualBody = "unusual-body",
        /// A service has no readiness check.
        NoReadiness = "no-readiness",
        /// A name that must be unique occurs again.
        DuplicateName = "duplicate-name",
        /// A path leads out of the directory that it must stay in.
        LeavesWorkspace = "leaves-workspace",
        /// The workspace directory does not exist.
        NoWorkspace = "no-workspace",
        /// The evidence has no directory of its own.
        EvidenceDirectory = "evidence-directory",
        /// A required kind of evidence cannot be collected by this version.
        UncollectableEvidence = "uncollectable-evidence",
        /// A variable is not declared.
        UnresolvedVariable = "unresolved-variable",
        /// A need refers to a check that does not exist.
        UnknownNeed = "unknown-need",
        /// A check needs itself.
        NeedOfItself = "need-of-itself",
        /// Checks need each other in a cycle.
        NeedCycle = "need-cycle",
        /// A need refers to a check of another phase.
        NeedOfOtherPhase = "need-of-other-phase",
        /// A task has more actions than the limit.
        TooManyActions = "too-many-actions",
        /// The failure of a command is masked, such as by `|| true`.
        MaskedFailure = "masked-failure",
        /// The overall deadline is shorter than that of one action.
        ShortDeadline = "short-deadline",
        /// No tool or category has this name, and one has a similar name.
        UnknownTool = "unknown-tool",
        /// A tool has two policies, under two of its names.
        DuplicatePolicy = "duplicate-policy",
        /// The policy of a tool has an option that does not apply to this tool.
        MisplacedOption = "misplaced-option",
        /// There are more complaints than the limit; the rest is dropped.
        MoreComplaints = "more-complaints",
    }
    Workflow: {
        /// A path does not name a file inside the directory, or names one that Referee itself writes.
        InvalidPath = "invalid-path",
        /// A query cannot be parsed.
        InvalidQuery = "invalid-query",
        /// Only one of the source stage and the file in it is given.
        HalfSource = "half-source",
        /// The named stage does not exist.
        UnknownStage = "unknown-stage",
        /// The source is the stage itself, or a stage that is declared after it.
        LaterStage = "later-stage",
        /// The named file is not an output of the stage.
        UnknownOutput = "unknown-output",
        /// The named value is not published by the stage.
        UnknownOutputParameter = "unknown-output-parameter",
        /// A list is longer than the limit.
        TooManyItems = "too-many-items",
        /// A key of Referee's own extension is in a place where it has no effect.
        MisplacedExtension = "misplaced-extension",
    }
}

/// A complaint with its resolved position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Severity.
    pub level: Level,
    /// Kind of the complaint.
    pub code: Code,
    /// File, as it was named by the caller.
    pub file: String,
    /// 1-based line.
    pub line: usize,
    /// 1-based column of the first character concerned.
    pub column: usize,
    /// 1-based column after the last character concerned on this line; greater than `column`.
    pub end_column: usize,
    /// RFC 6901 pointer to the value; empty for the whole document.
    pub pointer: String,
    /// Problem and what is expected, as a lowercase fragment.
    pub message: String,
    /// The source line, made safe for terminals character by character; at most 200 characters.
    pub source_line: String,
    /// 1-based column of the first character of `source_line`; 1 unless the line is too long to be shown whole.
    pub source_column: usize,
    /// Suggestion, such as the right spelling of a key.
    pub suggestion: Option<String>,
    /// Rule of the published schema that is broken. None if no schema can express the rule.
    pub rule: Option<SchemaRule>,
}

/// A rule of the published JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRule {
    /// JSON pointer into the schema, as a URI fragment: `#/$defs/command/properties/role/enum`.
    pub path: String,
    /// Allowed values, where they can be listed.
    pub allowed: Vec<String>,
}

impl SchemaRule {
    /// Returns the keyword of the rule, such as `enum`.
    pub fn keyword(&self) -> &str {
        let keyword = self.path.rsplit('/').find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        keyword.unwrap_or_default()
    }
}

/// Renders a complaint without color: position, message, source line with a caret, and help.
pub fn render_plain(complaint: &Complaint) -> String {
    let Complaint { level, code, file, line, column, message, .. } = complaint;
    let mut text = format!("{file}:{line}:{column}: {}: {message} [{}]\n", level.as_str(), code.id());
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(column.saturating_sub(complaint.source_column));
    let carets = "^".repeat(complaint.end_column.saturating_sub(*column).max(1));
    let mut push = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("writing to a text cannot fail");
    };
    push(format_args!("{number} | {}\n", complaint.source_line));
    push(format_args!("{margin} | {indent}{carets}\n"));
    if let Some(suggestion) = &complaint.suggestion {
        push(format_args!("{margin} = help: {suggestion}\n"));
    }
    text
}

/// A complaint whose position in the text is not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    level: Level,
    code: Code,
    span: Span,
    message: String,
    suggestion: Option<String>,
    rule: Option<SchemaRule>,
}

impl Finding {
    /// Creates an error at a span.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Error, code, span, message: message.into(), suggestion: None, rule: None }
    }

    /// Creates a warning at a span.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, span, message) }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Returns the message followed by the suggestion.
    pub(crate) fn whole_message(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => format!("{}; {suggestion}", self.message),
            None => self.message.clone(),
        }
    }

    /// Sets the suggestion, as a lowercase sentence.
    #[must_use]
    pub fn help(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Sets the rule of the published schema that is broken.
    #[must_use]
    pub(crate) fn breaks(self, rule: SchemaRule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    /// Returns whether two findings are equal but for the rule. An aliased YAML value is checked at each use,
    /// by several rules.
    fn says_what(&self, other: &Self) -> bool {
        let said = |finding: &Self| (finding.level, finding.code, finding.span);
        said(self) == said(other) && self.message == other.message && self.suggestion == other.suggestion
    }

    /// Suggests the word that may have been meant, if there is one.
    #[must_use]
    pub fn meant(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.help(format!("did you mean `{word}`?")),
            None => self,
        }
    }
}

/// Collected findings. The first [`limit::COMPLAINTS_KEPT`] are kept, all are counted.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    dropped: usize,
    dropped_errors: usize,
}

impl Findings {
    /// Adds a finding, unless an equal one is already kept.
    pub fn push(&mut self, finding: Finding) {
        if self.kept.iter().any(|kept| kept.says_what(&finding)) {
            return;
        }
        if self.is_full() {
            self.dropped += 1;
            self.dropped_errors += usize::from(finding.level == Level::Error);
        } else {
            self.kept.push(finding);
        }
    }

    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// Removes findings of one code at these spans, because another complaint explains the problem better.
    pub(crate) fn take_back(&mut self, code: Code, places: &[Span]) {
        self.kept.retain(|finding| finding.code != code || !places.contains(&finding.span));
    }

    /// Rewords findings of one code, because the document is not a specification.
    pub(crate) fn reword(&mut self, code: Code, message: &str, suggestion: Option<&str>) {
        for finding in self.kept.iter_mut().filter(|finding| finding.code == code) {
            message.clone_into(&mut finding.message);
            finding.suggestion = suggestion.map(str::to_owned);
        }
    }

    /// Returns whether the limit is reached, so that computing suggestions is useless.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= limit::COMPLAINTS_KEPT
    }

    /// Returns whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.dropped_errors > 0 || self.kept.iter().any(|finding| finding.level == Level::Error)
    }

    /// Resolves all positions and sorts by position. `pointer` returns the JSON pointer of the value at a span.
    pub fn into_complaints(mut self, source: &Source, pointer: impl Fn(Span) -> String) -> Vec<Complaint> {
        self.kept.sort_by_key(|finding| (finding.span.start, finding.span.end));
        if self.dropped > 0 {
            let level = if self.dropped_errors > 0 { Level::Error } else { Level::Warning };
            let message = match self.dropped {
                1 => "one more complaint is not shown".to_owned(),
                dropped => format!("{dropped} more complaints are not shown"),
            };
            self.kept.push(Finding { level, ..Finding::error(Code::MoreComplaints, Span::BEGINNING, message) });
        }
        self.kept.into_iter().map(|finding| locate(finding, source, &pointer)).collect()
    }
}

/// Maximum length of the shown part of a line, in characters.
const LINE_SHOWN: usize = 200;

fn locate(finding: Finding, source: &Source, pointer: impl Fn(Span) -> String) -> Complaint {
    let start = source.position(finding.span.start);
    let end = source.position(finding.span.end.max(finding.span.start));
    let line = source.line(start.line);
    let after_line = line.chars().count() + 1;
    let end_column = if end.line == start.line { end.column } else { after_line };
    // A long line is shown from shortly before the position.
    let source_column =
        if after_line <= LINE_SHOWN + 1 { 1 } else { start.column.saturating_sub(LINE_SHOWN / 4).max(1) };
    let source_line: String = line.chars().skip(source_column - 1).take(LINE_SHOWN).map(harmless).collect();
    let shown_end = source_column + source_line.chars().count();
    Complaint {
        level: finding.level,
        code: finding.code,
        file: source.file().to_owned(),
        line: start.line,
        column: start.column,
        end_column: end_column.min(shown_end).max(start.column + 1),
        pointer: pointer(finding.span),
        message: finding.message,
        source_line,
        source_column,
        suggestion: finding.suggestion,
        rule: finding.rule,
    }
}
