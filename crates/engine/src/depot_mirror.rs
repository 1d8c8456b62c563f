//! Copies of the runs that a depot's heads name, for display. They are verified as pulled runs are, and lie in a directory
//! that may vanish at any time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use referee_ledger::cache_directory::CacheDirectory;
use referee_ledger::key::{KeyId, PublicKey};
use referee_ledger::retention::Prune;
use referee_ledger::trust::{Role, TrustStore};
use referee_ledger::{State, Store};
use referee_model::depot::DepotLink;
use referee_model::id::TaskId;
use referee_report::run_list::RunRow;

use crate::context::Context;
use crate::depot::{self, DepotClient, PullRequest};
use crate::error::EngineError;
use crate::library::Library;
use crate::verification::Verifier;

/// Time between two looks at the depot.
const PAUSE: Duration = Duration::from_secs(3);

/// Time after which a run that could not be verified is fetched again.
const RETRY: Duration = Duration::from_mins(1);

/// Time that whoever asks waits for a first look.
const PATIENCE: Duration = Duration::from_secs(20);

/// Maximum size of a run, in bytes.
const RUN_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Number of earlier runs of a task that are kept.
const EARLIER: usize = 20;

/// The runs of a depot, as they are shown.
#[derive(Debug)]
pub struct DepotMirror {
    context: Context,
    client: DepotClient,
    /// State directory of the trust store.
    state: State,
    /// Where directories for copies are made.
    above: PathBuf,
    progress: Mutex<Progress>,
    looked: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    copies: Option<Copies>,
    is_looking: bool,
    /// When the depot was last asked, and why it did not answer.
    last: Option<(Instant, Option<String>)>,
}

/// What was copied.
#[derive(Debug, Clone)]
struct Copies {
    directory: Arc<CacheDirectory>,
    /// Knows the newest runs, as any machine that pulls does.
    state: State,
    /// The keys by which they were verified.
    trusted: Vec<KeyId>,
    heads: BTreeMap<TaskId, Head>,
}

#[derive(Debug, Clone)]
struct Head {
    run: DepotLink,
    /// Why the run is not shown, and since when. None: it is.
    problem: Option<(String, Instant)>,
}

impl DepotMirror {
    /// Creates the mirror. Nothing is fetched yet. `state` has the trust store, `above` is where copies are put.
    pub fn new(context: &Context, client: DepotClient, state: State, above: PathBuf) -> Self {
        let (progress, looked) = (Mutex::default(), Condvar::new());
        Self { context: context.clone(), client, state, above, progress, looked }
    }

    /// Returns the runs that were copied, after a look at the depot if there was none or if the last one failed; else the
    /// depot is asked behind the caller's back, and at most every few seconds.
    ///
    /// # Errors
    /// Fails, with the reason, while the depot does not answer.
    pub fn library(self: &Arc<Self>) -> Result<Library, String> {
        let mut progress = self.progress();
        let mut copies = progress.whole();
        if progress.is_due(copies.is_some()) {
            progress.is_looking = true;
            let mirror = Arc::clone(self);
            let look = std::thread::Builder::new().name("depot".to_owned()).spawn(move || mirror.look());
            if let Err(error) = look {
                progress.is_looking = false;
                return Err(format!("the depot cannot be asked: {error}"));
            }
        }
        if copies.is_none() {
            let waited = self.looked.wait_timeout_while(progress, PATIENCE, |progress| progress.is_looking);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
            copies = progress.whole();
        }
        match (copies, &progress.last) {
            (Some(copies), _) => Ok(copies.library(&self.state)),
            (None, Some((_, Some(problem)))) => Err(problem.clone()),
            (None, _) => Err("the runs of the depot are still being fetched: ask again later".to_owned()),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the depot, and tells whoever waits.
    fn look(&self) {
        let before = self.progress().copies.clone();
        // A panic becomes a failure, so that nobody waits forever.
        let looked = catch_unwind(AssertUnwindSafe(|| self.refresh(before)))
            .unwrap_or_else(|_| Err(EngineError::internal("the runs of the depot could not be copied".to_owned())));
        let mut progress = self.progress();
        progress.is_looking = false;
        progress.last = Some((Instant::now(), looked.as_ref().err().map(|error| error.message.clone())));
        if let Ok(copies) = looked {
            progress.copies = Some(copies);
        }
        self.looked.notify_all();
    }

    /// Copies what the depot has and the copies lack. Copies that were verified by other keys are discarded.
    fn refresh(&self, before: Option<Copies>) -> Result<Copies, EngineError> {
        let heads = self.client.heads()?;
        let (trust, now) = (TrustStore::read(&self.state)?, self.context.now());
        let trusted: Vec<KeyId> = trust.believed(Role::Runner, now).iter().map(PublicKey::id).collect();
        let mut copies = if let Some(copies) = before.filter(|copies| copies.trusted == trusted && copies.is_whole()) {
            copies
        } else {
            let directory = CacheDirectory::make(&self.above)?;
            let state = State::open(&directory.path().join("state"))?;
            Copies { directory: Arc::new(directory), state, trusted, heads: BTreeMap::new() }
        };
        let verifier = Verifier { keys: Vec::new(), trust: Ok(trust), now };
        let mut found = BTreeMap::new();
        for run in heads {
            let known = copies.heads.remove(&run.task_id).filter(|known| known.run == run && !known.is_due());
            let task = run.task_id.clone();
            found.insert(task, known.unwrap_or_else(|| self.fetch(run, &copies, &verifier)));
        }
        Ok(Copies { heads: found, ..copies })
    }

    /// Fetches the newest run of a task, and verifies it.
    fn fetch(&self, run: DepotLink, copies: &Copies, verifier: &Verifier) -> Head {
        let task = run.task_id.clone();
        let request = PullRequest { task: &task, verifier, accept_unsigned: false, max_bytes: RUN_BYTES };
        match depot::pull(&self.context, &self.client, &copies.root(), Some(&copies.state), &request) {
            Ok((pulled, _)) => {
                copies.prune(&task, verifier);
                Head { run: pulled.run, problem: None }
            }
            Err(error) => Head { run, problem: Some((error.message, Instant::now())) },
        }
    }
}

impl Progress {
    /// Whether the depot is to be asked: nobody does, and it was not asked just now, or what it gave has vanished since.
    fn is_due(&self, is_whole: bool) -> bool {
        let is_stale =
            |(at, problem): &(Instant, Option<String>)| PAUSE <= at.elapsed() || (problem.is_none() && !is_whole);
        !self.is_looking && self.last.as_ref().is_none_or(is_stale)
    }

    /// Returns the copies, if they are there and the depot answered when it was last asked.
    fn whole(&self) -> Option<Copies> {
        let answers = self.last.as_ref().is_some_and(|(_, problem)| problem.is_none());
        self.copies.clone().filter(|copies| answers && copies.is_whole())
    }
}

impl Copies {
    fn root(&self) -> PathBuf {
        self.directory.path().join("evidence")
    }

    /// Whether the runs that were verified are still there.
    fn is_whole(&self) -> bool {
        let mut verified = self.heads.iter().filter(|(_, head)| head.problem.is_none());
        match Store::look(&self.root(), Some(&self.state)) {
            Ok(Some(store)) => verified.all(|(task, _)| store.sealed(task).is_some()),
            Ok(None) => verified.next().is_none(),
            Err(_) => false,
        }
    }

    /// Returns the runs, with the state directory whose keys are trusted.
    fn library(&self, trusting: &State) -> Library {
        let unverified = self.heads.values().filter_map(|head| {
            let (problem, _) = head.problem.as_ref()?;
            Some(RunRow::unverified(&head.run, problem.clone()))
        });
        let library = Library::new(self.root(), Some(self.state.clone()));
        library.of_depot(trusting.clone(), unverified.collect(), Arc::clone(&self.directory))
    }

    /// Removes old runs. What cannot be removed stays.
    fn prune(&self, task: &TaskId, verifier: &Verifier) {
        let reason = "a server keeps copies of the latest runs";
        let prune = Prune { keep: EARLIER, before: None, dry_run: false, now: verifier.now, reason, sign: None };
        let store = Store::open_with(&self.root(), Some(&self.state)).ok();
        drop(store.map(|store| store.prune(task, &prune)));
    }
}

impl Head {
    /// Whether the run is to be fetched once more: it could not be verified a while ago, and keys may be trusted by now.
    fn is_due(&self) -> bool {
        self.problem.as_ref().is_some_and(|(_, since)| RETRY <= since.elapsed())
    }
}
