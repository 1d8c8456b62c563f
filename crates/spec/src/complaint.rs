//! What is wrong with a specification, with the place and what may have been meant.

use std::fmt::Write as _;

use referee_model::limit;
use referee_syntax::span::Span;

use crate::source::{Source, harmless};

/// Whether a complaint stands against loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Nothing is run.
    Error,
    /// It is run all the same.
    Warning,
}

impl Level {
    /// Returns the level as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// At which stage a complaint arises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The bytes are no document.
    Reading,
    /// The document has another shape than the published schema asks for: an error of this stage is one of the schema,
    /// and the other way round.
    Shape,
    /// The shape is right and the meaning is not; no schema can say it.
    Meaning,
    /// The same of a workflow, which is no specification.
    Workflow,
}

macro_rules! codes {
    ($($stage:ident: { $($(#[$doc:meta])* $name:ident = $id:literal,)* })*) => {
        /// What a complaint is about. Ids are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($($(#[$doc])* $name,)*)*
        }

        impl Code {
            /// All codes, in the order of the stages.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// Returns the stable id.
            pub fn id(self) -> &'static str {
                match self {
                    $($(Self::$name => $id,)*)*
                }
            }

            /// Returns the stage at which it arises.
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
        /// The file is larger than a specification may be.
        TooLarge = "too-large",
        /// The bytes are not UTF-8 text.
        NotText = "not-text",
        /// There is nothing, or nothing but comments.
        Empty = "empty",
        /// The text is neither JSON nor YAML.
        Syntax = "syntax",
        /// The nesting is too deep.
        TooDeep = "too-deep",
        /// There are too many values.
        TooManyValues = "too-many-values",
        /// YAML aliases repeat too much.
        AliasExpansion = "alias-expansion",
        /// There is more than one YAML document.
        SeveralDocuments = "several-documents",
        /// A key is there twice.
        DuplicateKey = "duplicate-key",
        /// A key is not a text.
        KeyNotText = "key-not-text",
        /// A YAML merge key, which YAML 1.2 does not have.
        MergeKey = "merge-key",
        /// A YAML tag that is not of the core schema, or does not fit its value.
        UnknownTag = "unknown-tag",
    }
    Shape: {
        /// A value is of the wrong kind.
        WrongType = "wrong-type",
        /// A text does not have the form that is asked for.
        WrongText = "wrong-text",
        /// A word is not among those that are known.
        UnknownWord = "unknown-word",
        /// A number is too small or too large.
        OutOfRange = "out-of-range",
        /// A list or mapping has too few entries.
        TooFew = "too-few",
        /// A key that must be there is not.
        MissingKey = "missing-key",
        /// A key is not known.
        UnknownKey = "unknown-key",
        /// A name does not have the form that is asked for.
        WrongName = "wrong-name",
        /// None of the keys is there that would say what a check does.
        NoAction = "no-action",
        /// Several of the keys are there that say what a check does.
        SeveralActions = "several-actions",
        /// A key belongs to another kind of check.
        MisplacedKey = "misplaced-key",
        /// A key asks for what this version cannot run.
        NotSupported = "not-supported",
    }
    Meaning: {
        /// A key is not known where others may stand, and one that is known has a similar name.
        MisspeltKey = "misspelt-key",
        /// A task's key is no task id, and it is given one.
        DerivedTaskId = "derived-task-id",
        /// A task is called otherwise than its key.
        TaskIdMismatch = "task-id-mismatch",
        /// There are more tasks than a specification may have.
        TooManyTasks = "too-many-tasks",
        /// A task depends on one that is not there.
        UnknownDependency = "unknown-dependency",
        /// Tasks depend on each other.
        DependencyCycle = "dependency-cycle",
        /// Two actions have the same id.
        DuplicateAction = "duplicate-action",
        /// An action is named that is not there.
        UnknownAction = "unknown-action",
        /// An order does not name all actions.
        IncompleteOrder = "incomplete-order",
        /// The type of an action is not among the available ones.
        UnavailableType = "unavailable-type",
        /// The type of an action cannot be run.
        UnsupportedAction = "unsupported-action",
        /// An interpreter is not among the allowed ones.
        ForbiddenInterpreter = "forbidden-interpreter",
        /// A content is asked for, and nothing says which.
        UnspecifiedContent = "unspecified-content",
        /// Nothing says when a task has passed.
        NoCondition = "no-condition",
        /// A condition cannot be read.
        InvalidCondition = "invalid-condition",
        /// A condition asks for a field that its action never has.
        UnknownField = "unknown-field",
        /// A condition asks for what its action does not keep.
        NotKept = "not-kept",
        /// Nothing says where the application is, and it is taken to be at the usual place.
        DefaultBaseUrl = "default-base-url",
        /// Exit codes are expected that do not count for the action's role.
        IdleExitCodes = "idle-exit-codes",
        /// `exitCodeOnly` for a command that runs no tests.
        IdleExitCodeOnly = "idle-exit-code-only",
        /// A value is used before it is captured.
        EarlyUse = "early-use",
        /// The document is a specification in a form that cannot be read.
        OtherForm = "other-form",
        /// A duration is too short or too long.
        DurationOutOfRange = "duration-out-of-range",
        /// A check that every project would pass.
        Vacuous = "vacuous",
        /// Two keys exclude each other.
        Contradiction = "contradiction",
        /// A regular expression cannot be read.
        InvalidRegex = "invalid-regex",
        /// A JSON path cannot be read.
        InvalidJsonPath = "invalid-json-path",
        /// A JSON Schema cannot be used.
        InvalidSchema = "invalid-schema",
        /// A URL is neither `http` nor `https`, or names no machine.
        InvalidUrl = "invalid-url",
        /// A pattern of file names cannot be read.
        InvalidGlob = "invalid-glob",
        /// A JSON pointer cannot be read, or cannot be used there.
        InvalidPointer = "invalid-pointer",
        /// A value cannot be written as JSON.
        NotJson = "not-json",
        /// A request of a method that goes without has a body.
        UnusualBody = "unusual-body",
        /// Nothing tells when a service is ready.
        NoReadiness = "no-readiness",
        /// A name that must be the only one of its kind is there again.
        DuplicateName = "duplicate-name",
        /// A path leaves the directory that it must stay in.
        LeavesWorkspace = "leaves-workspace",
        /// The workspace is not there.
        NoWorkspace = "no-workspace",
        /// The evidence has no directory of its own.
        EvidenceDirectory = "evidence-directory",
        /// A kind of evidence is required that nothing in this version collects.
        UncollectableEvidence = "uncollectable-evidence",
        /// A variable is not declared.
        UnresolvedVariable = "unresolved-variable",
        /// A need names no check.
        UnknownNeed = "unknown-need",
        /// A check needs itself.
        NeedOfItself = "need-of-itself",
        /// Checks need each other.
        NeedCycle = "need-cycle",
        /// A need names a check of another phase.
        NeedOfOtherPhase = "need-of-other-phase",
        /// There are more actions than a task may have.
        TooManyActions = "too-many-actions",
        /// A command's failure does not show.
        MaskedFailure = "masked-failure",
        /// The deadline over all is shorter than one action's.
        ShortDeadline = "short-deadline",
        /// No tool and no category has this name, and one has a similar one.
        UnknownTool = "unknown-tool",
        /// A tool has the same policy twice, under two of its names.
        DuplicatePolicy = "duplicate-policy",
        /// A tool's policy has an option that says nothing of this tool.
        MisplacedOption = "misplaced-option",
        /// There are more complaints than are kept.
        MoreComplaints = "more-complaints",
    }
    Workflow: {
        /// A path names no file inside the directory, or one that Referee writes itself.
        InvalidPath = "invalid-path",
        /// A query cannot be read.
        InvalidQuery = "invalid-query",
        /// Something comes from a stage, and nothing says which file of it; or the other way round.
        HalfSource = "half-source",
        /// A stage is named that is not there.
        UnknownStage = "unknown-stage",
        /// Something comes from the stage itself, or from one that is declared after it.
        LaterStage = "later-stage",
        /// A file is named that the stage does not write.
        UnknownOutput = "unknown-output",
        /// A value is named that the stage does not publish.
        UnknownOutputParameter = "unknown-output-parameter",
        /// A list is longer than it may be.
        TooManyItems = "too-many-items",
        /// What is Referee's own stands where nothing looks at it.
        MisplacedExtension = "misplaced-extension",
    }
}

/// One complaint, complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Whether it stands against loading.
    pub level: Level,
    /// What it is about.
    pub code: Code,
    /// The file, as it was named.
    pub file: String,
    /// 1-based line.
    pub line: usize,
    /// 1-based column of the first character that is meant.
    pub column: usize,
    /// 1-based column after the last character on this line that is meant; greater than `column`.
    pub end_column: usize,
    /// RFC 6901 pointer to the value; empty for the whole document.
    pub pointer: String,
    /// What is wrong and what would be right, as a lowercase fragment.
    pub message: String,
    /// The line, made harmless to terminals: one character for each of the text's, at most 200 of them.
    pub source_line: String,
    /// Column of the first character of `source_line`: 1, unless the line is too long to be shown whole.
    pub source_column: usize,
    /// What may have been meant, such as the right spelling of a key.
    pub suggestion: Option<String>,
    /// What of the published schema it breaks. None: no schema can say it.
    pub rule: Option<SchemaRule>,
}

/// A rule of the published JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRule {
    /// JSON pointer into the schema, as a URI fragment: `#/$defs/command/properties/role/enum`.
    pub path: String,
    /// The values that it allows, where they can be listed.
    pub allowed: Vec<String>,
}

impl SchemaRule {
    /// Returns the keyword of the rule, such as `enum`.
    pub fn keyword(&self) -> &str {
        let keyword = self.path.rsplit('/').find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        keyword.unwrap_or_default()
    }
}

/// Renders a complaint for places without colour: the place, the message, the line with a caret, and help.
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

/// What a stage found: a complaint whose place is not yet worked out.
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
    /// An error at a place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Error, code, span, message: message.into(), suggestion: None, rule: None }
    }

    /// A warning at a place.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, span, message) }
    }

    /// Returns where it is.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Returns what is wrong, and what may help.
    pub(crate) fn whole_message(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => format!("{}; {suggestion}", self.message),
            None => self.message.clone(),
        }
    }

    /// Adds what may help, as a lowercase sentence.
    #[must_use]
    pub fn help(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Names the rule of the published schema that is broken.
    #[must_use]
    pub(crate) fn breaks(self, rule: SchemaRule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    /// Whether two say the same of the same place. An aliased YAML value is checked wherever it is used, by several rules.
    fn says_what(&self, other: &Self) -> bool {
        let said = |finding: &Self| (finding.level, finding.code, finding.span);
        said(self) == said(other) && self.message == other.message && self.suggestion == other.suggestion
    }

    /// Adds the word that may have been meant, if there is one.
    #[must_use]
    pub fn meant(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.help(format!("did you mean `{word}`?")),
            None => self,
        }
    }
}

/// Everything found so far. The first [`limit::COMPLAINTS_KEPT`] are kept, all are counted.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    dropped: usize,
    dropped_errors: usize,
}

impl Findings {
    /// Adds one.
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

    /// Adds whatever there is.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// Takes back those of one kind that are about these places: another complaint says it better.
    pub(crate) fn take_back(&mut self, code: Code, places: &[Span]) {
        self.kept.retain(|finding| finding.code != code || !places.contains(&finding.span));
    }

    /// Says those of one kind in other words: what is read is no specification.
    pub(crate) fn reword(&mut self, code: Code, message: &str, suggestion: Option<&str>) {
        for finding in self.kept.iter_mut().filter(|finding| finding.code == code) {
            message.clone_into(&mut finding.message);
            finding.suggestion = suggestion.map(str::to_owned);
        }
    }

    /// Returns whether no more are kept, so that it is idle to work out suggestions.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= limit::COMPLAINTS_KEPT
    }

    /// Returns whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.dropped_errors > 0 || self.kept.iter().any(|finding| finding.level == Level::Error)
    }

    /// Works out all places, in the order of the text. `pointer` finds the pointer of what stands at a span.
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

/// Longest part of a line that a complaint shows, in characters.
const LINE_SHOWN: usize = 200;

fn locate(finding: Finding, source: &Source, pointer: impl Fn(Span) -> String) -> Complaint {
    let start = source.position(finding.span.start);
    let end = source.position(finding.span.end.max(finding.span.start));
    let line = source.line(start.line);
    let after_line = line.chars().count() + 1;
    let end_column = if end.line == start.line { end.column } else { after_line };
    // A long line is shown from shortly before the place.
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
