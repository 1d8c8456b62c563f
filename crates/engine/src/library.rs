//! Read-only access to an evidence root, for display: runs, their reports, files and logs, and the registers.
//!
//! Nothing is looked up by a caller's path: a run is requested by task and id, a file by its name in the run's
//! seal. Every byte returned was hashed and compared with the seal; a file that does not match is refused by
//! name.

use std::path::PathBuf;
use std::sync::Arc;

use referee_ledger::cache_directory::CacheDirectory;
use referee_ledger::catalogue::{OpenRun, Spot};
use referee_ledger::trust::TrustStore;
use referee_ledger::{LedgerError, State, Store};
use referee_model::debt_register::{DebtListDocument, RegisterDocument};
use referee_model::diagnostic_register::ListDocument;
use referee_model::id::{ActionId, DebtId, ExecutionId, TaskId};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use referee_model::{evidence_name, limit};
use referee_report::evidence_files::{self, EvidenceFilesDocument};
use referee_report::evidence_verification::EvidenceVerificationDocument;
use referee_report::run_list::{self, EvidenceState, RunDetailDocument, RunListDocument, RunRow};

use crate::context::{Context, SpecificationNames};
use crate::error::{EngineError, ErrorKind};
use crate::recorded::{self, Recorded};
use crate::verification::{self, Verifier, VerifyRequest};

mod listing;
mod log;
mod look;
mod registers;
mod run_contents;

pub use self::log::Lines;
pub use self::registers::{DebtQuery, DiagnosticQuery, DiagnosticSince, RegisterError};
pub use self::run_contents::{Part, SealedRun};

/// The runs and registers below an evidence root.
#[derive(Debug, Clone)]
pub struct Library {
    root: PathBuf,
    state: Option<State>,
    /// State directory with the keys that are trusted.
    trusting: Option<State>,
    /// Runs that a depot names and that are not shown, at most one of each task.
    unverified: Vec<RunRow>,
    /// The directory of the root, where it goes with whoever reads it.
    _copies: Option<Arc<CacheDirectory>>,
}

/// Selects a run of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The latest run.
    Latest,
    /// The run with this id.
    Run(ExecutionId),
}

/// Selects the runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Only runs of this task. `None`: of all tasks.
    pub task: Option<TaskId>,
    /// Only runs with this decision. `None`: all runs, including those without a report.
    pub decision: Option<Decision>,
    /// Cursor: the `next` value of the previous page. `None`: the first page.
    pub after: Option<String>,
    /// Maximum number of runs. 0: the default page size.
    pub limit: usize,
}

/// Error of a library request.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// There is no such run, file, action or item.
    #[error("{0}")]
    Unknown(String),
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The run is not sealed: it is still running, or it died.
    #[error("{0}")]
    NotSealed(String),
    /// The files of the run were pruned.
    #[error("{0}")]
    Pruned(String),
    /// The content does not match the seal.
    #[error("{0}")]
    Altered(String),
    /// The content exceeds the size limit.
    #[error("{0}")]
    TooLarge(String),
    /// A register cannot be read.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The evidence root cannot be read.
    #[error(transparent)]
    Store(#[from] LedgerError),
    /// Referee itself failed.
    #[error("{0}")]
    Internal(String),
}

impl Library {
    /// Creates a library of an evidence root, which need not exist, and the user's state directory, which has
    /// the heads of the chains.
    pub fn new(root: PathBuf, state: Option<State>) -> Self {
        Self { root, trusting: state.clone(), state, unverified: Vec::new(), _copies: None }
    }

    /// Returns the library of copies of a depot's runs: with the state directory whose keys are trusted, runs that are not
    /// shown, and the directory of the root.
    pub(crate) fn of_depot(self, trusting: State, unverified: Vec<RunRow>, copies: Arc<CacheDirectory>) -> Self {
        Self { trusting: Some(trusting), unverified, _copies: Some(copies), ..self }
    }

    /// Creates a library of the evidence of a project: of the selected specification, even if it cannot be loaded.
    ///
    /// # Errors
    /// Fails if no specification is found, if several are selected, or if one that cannot be loaded does not say where
    /// its evidence is.
    pub fn of_project(context: &Context, names: &SpecificationNames) -> Result<Self, EngineError> {
        let mut all = context.load(names)?.all;
        let root = match (all.pop(), all.is_empty()) {
            (Some(Ok(loaded)), true) => loaded.suite.tasks.first().map(|plan| plan.evidence_root.clone()),
            (Some(Err(problem)), true) => {
                let left = context.remains(names).pop().filter(|left| left.remains.is_placed);
                Some(left.ok_or(problem)?.remains.evidence_root)
            }
            _ => return Err(EngineError::usage("there are several specifications: name one of them".to_owned())),
        };
        let root = root.ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))?;
        Ok(Self::new(root, context.state_if_any()?))
    }

    /// Returns the tasks of which runs are kept.
    ///
    /// # Errors
    /// Fails if the root cannot be read.
    pub fn tasks(&self) -> Result<Vec<TaskId>, LibraryError> {
        Ok(self.store()?.map(|store| store.known_tasks()).transpose()?.unwrap_or_default())
    }

    /// Lists runs, the latest first.
    ///
    /// # Errors
    /// Fails if the root cannot be read. A problem of one run is reported in its entry.
    pub fn runs(&self, query: &RunQuery) -> Result<RunListDocument, LibraryError> {
        listing::list(self.store()?.as_ref(), self.state.as_ref(), &self.unverified, query)
    }

    /// Returns the details of one run.
    ///
    /// # Errors
    /// Fails if there is no such run, or if the root cannot be read.
    pub fn run(&self, task: &TaskId, which: &Which) -> Result<RunDetailDocument, LibraryError> {
        let unverified = self.unverified(task);
        if let Some(row) = unverified.filter(|row| row.execution_id.as_ref() == which.execution()) {
            return Ok(run_list::detail(row.clone(), Vec::new(), Vec::new()));
        }
        let of_depot = || unverified.filter(|_| *which == Which::Latest).cloned();
        let Some(store) = self.store()? else {
            let row = of_depot().ok_or_else(|| unknown(task, which))?;
            return Ok(run_list::detail(row, Vec::new(), Vec::new()));
        };
        let state = self.state.as_ref();
        let Some(open) = store.open_run(task, which.execution())? else {
            let row = listing::without_directory(&store, task, which)?.or_else(of_depot);
            let row = row.ok_or_else(|| unknown(task, which))?;
            return Ok(run_list::detail(row, Vec::new(), Vec::new()));
        };
        let looked = look::look(&open, task, which.execution(), state, look::Chain::Asked);
        let unfinished = if open.spot == Spot::Latest { store.unfinished(task)? } else { Vec::new() };
        let of_depot = of_depot().and_then(|row| row.execution_id);
        let later = unfinished.into_iter().map(|run| run.execution).chain(of_depot).collect();
        let actions = if looked.row.evidence == EvidenceState::AsSealed {
            match self.sealed(task, open, which).and_then(|run| run.actions()) {
                // A problem of the plan is reported to readers of the plan; the run itself can be shown.
                Err(LibraryError::Altered(_)) => Vec::new(),
                actions => actions?,
            }
        } else {
            Vec::new()
        };
        Ok(run_list::detail(looked.row, later, actions))
    }

    /// Opens one run, to read its sealed files.
    ///
    /// # Errors
    /// Fails if there is no such run, if it was never sealed or its files were pruned, or if its seal or its
    /// report was altered.
    pub fn open(&self, task: &TaskId, which: &Which) -> Result<SealedRun, LibraryError> {
        self.check_verified(task, which)?;
        let store = self.store()?.ok_or_else(|| unknown(task, which))?;
        match store.open_run(task, which.execution())? {
            Some(open) => self.sealed(task, open, which),
            None => Err(match listing::without_directory(&store, task, which)? {
                Some(row) => LibraryError::NotSealed(format!(
                    "{} of {task} is {}: there is no sealed evidence of it",
                    which.shown(),
                    row.state.as_str()
                )),
                None => unknown(task, which),
            }),
        }
    }

    /// Judges a run again from its evidence, to explain it.
    ///
    /// # Errors
    /// Fails if there is no such run, or if its evidence cannot be relied on.
    pub fn recorded(&self, task: &TaskId, which: &Which) -> Result<Recorded, EngineError> {
        let unread = |error: LibraryError| EngineError::new(ErrorKind::Evidence, error.to_string());
        let missing = || EngineError::usage(format!("{}: run `referee run` first", unknown(task, which)));
        let store = self.store().map_err(unread)?.ok_or_else(missing)?;
        let open = store.open_run(task, which.execution())?.ok_or_else(missing)?;
        let run = recorded::open(open.evidence.path(), self.state.as_ref());
        run.map_err(|unreliable| unreliable.problem(&format!("{} of {task} is not explained", which.shown())))
    }

    /// Lists the files of a run, from its seal.
    ///
    /// # Errors
    /// Fails as [`Library::open`] does.
    pub fn files(&self, task: &TaskId, which: &Which) -> Result<EvidenceFilesDocument, LibraryError> {
        let run = self.open(task, which)?;
        Ok(evidence_files::document(run.seal(), run.seal_digest()))
    }

    /// Verifies a run: every file against the seal, the seal against the chain, and signatures against the
    /// user's trust store. With `replay`, judges it again.
    ///
    /// # Errors
    /// Fails if there is no such run, if it is too large to be judged again on demand, or if it cannot be read.
    pub fn verify(
        &self,
        task: &TaskId,
        which: &Which,
        replay: bool,
        now: Timestamp,
    ) -> Result<EvidenceVerificationDocument, LibraryError> {
        self.check_verified(task, which)?;
        let store = self.store()?.ok_or_else(|| unknown(task, which))?;
        let open = store.open_run(task, which.execution())?.ok_or_else(|| unknown(task, which))?;
        if replay {
            let looked = look::look(&open, task, which.execution(), self.state.as_ref(), look::Chain::NotAsked);
            let bytes = looked
                .seal
                .iter()
                .flat_map(|(seal, _)| &seal.files)
                .fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
            if bytes > limit::REPLAYED_BYTES {
                return Err(LibraryError::TooLarge(format!(
                    "the evidence has {bytes} bytes, and at most {} are judged again on demand: use `referee evidence verify \
                     --replay`",
                    limit::REPLAYED_BYTES
                )));
            }
        }
        let trust = self.trusting.as_ref().map_or_else(
            || Ok(TrustStore::default()),
            |state| TrustStore::read(state).map_err(|error| error.to_string()),
        );
        let verifier = Verifier { keys: Vec::new(), trust, now };
        let directory = open.evidence.path();
        let request = VerifyRequest { directory, replay, state: self.state.as_ref(), verifier: &verifier };
        let verification =
            verification::verify(&request).map_err(|failure| LibraryError::Internal(failure.to_string()))?;
        Ok(verification.document())
    }

    /// Lists items of debt.
    ///
    /// # Errors
    /// Fails if the register cannot be read.
    pub fn debt(&self, query: &DebtQuery) -> Result<DebtListDocument, LibraryError> {
        registers::debt(&self.root, query)
    }

    /// Returns one item of debt, as a register that contains only this item.
    ///
    /// # Errors
    /// Fails if there is no such item, or if the register cannot be read.
    pub fn debt_item(&self, id: &DebtId) -> Result<RegisterDocument, LibraryError> {
        registers::debt_item(&self.root, id)
    }

    /// Lists diagnostics of all runs.
    ///
    /// # Errors
    /// Fails if the register cannot be read.
    pub fn diagnostics(&self, query: &DiagnosticQuery) -> Result<ListDocument, LibraryError> {
        registers::diagnostics(&self.root, query)
    }

    /// Returns the run of a task that a depot names and that is not shown.
    fn unverified(&self, task: &TaskId) -> Option<&RunRow> {
        self.unverified.iter().find(|row| row.task_id == *task)
    }

    /// Refuses to open a run that a depot names and that is not shown.
    fn check_verified(&self, task: &TaskId, which: &Which) -> Result<(), LibraryError> {
        let named = self.unverified(task).filter(|row| row.execution_id.as_ref() == which.execution());
        let problem = named.and_then(|row| row.problem.clone());
        problem.map_or(Ok(()), |problem| Err(LibraryError::Altered(problem)))
    }

    fn store(&self) -> Result<Option<Store>, LibraryError> {
        Ok(Store::look(&self.root, self.state.as_ref())?)
    }

    fn sealed(&self, task: &TaskId, open: OpenRun, which: &Which) -> Result<SealedRun, LibraryError> {
        let looked = look::look(&open, task, which.execution(), self.state.as_ref(), look::Chain::Asked);
        let told = || looked.row.problem.clone().unwrap_or_default();
        let whose = format!("{} of {task}", which.shown());
        match looked.row.evidence {
            EvidenceState::AsSealed => {}
            EvidenceState::Altered | EvidenceState::Unverified => {
                return Err(LibraryError::Altered(format!("{whose}: {}", told())));
            }
            EvidenceState::Unreadable => return Err(LibraryError::Internal(format!("{whose}: {}", told()))),
            EvidenceState::Unsealed => return Err(LibraryError::NotSealed(format!("{whose}: {}", told()))),
            EvidenceState::Pruned => return Err(LibraryError::Pruned(format!("{whose}: {}", told()))),
        }
        let (Some((seal, digest)), Some(report)) = (looked.seal, looked.report) else {
            return Err(LibraryError::Internal(format!("{whose}: it matches its seal, and has no seal")));
        };
        Ok(SealedRun::new(open.evidence, seal, digest, report))
    }
}

impl Which {
    fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Latest => None,
            Self::Run(execution) => Some(execution),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Latest => "the latest run".to_owned(),
            Self::Run(execution) => execution.to_string(),
        }
    }
}

fn unknown(task: &TaskId, which: &Which) -> LibraryError {
    LibraryError::Unknown(match which {
        Which::Latest => format!("no run of {task} is kept here"),
        Which::Run(execution) => format!("no run {execution} of {task} is kept here"),
    })
}

/// Creates the error for an action that is not in the plan.
fn unknown_action(action: &ActionId) -> LibraryError {
    LibraryError::Unknown(format!("the plan of that run has no action {action}"))
}

/// Converts an error about a sealed file into one that names the file.
fn refused(error: LedgerError) -> LibraryError {
    match error {
        LedgerError::Meddled { what, .. } => {
            LibraryError::Altered(format!("{what}: it is not shown as evidence; `referee evidence verify` says more"))
        }
        LedgerError::Name { name } => {
            LibraryError::Altered(format!("the seal lists `{name}`, which can be no file of evidence"))
        }
        other => LibraryError::Store(other),
    }
}

const REPORT: &str = evidence_name::EXECUTION_REPORT;
