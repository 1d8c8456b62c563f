//! `referee-fleet work`: asks for orders, and performs them.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join_all};
use referee_model::order_protocol::WorkRequest;
use temporalio_client::Client;
use temporalio_common::worker::{WorkerDeploymentOptions, WorkerTaskTypes};
use temporalio_sdk::runtime::PollerBehavior as WorkflowPollers;
use temporalio_sdk::{Runtime, Worker as WorkflowWorker, WorkerOptions};
use temporalio_sdk_core::{
    CoreRuntime, PollerBehavior, TunerBuilder, Worker, WorkerConfig, WorkerValidationError, WorkerVersioningStrategy,
    init_worker,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use super::access::QueueAccess;
use super::activity::{HEARTBEAT, Workplace, serve};
use super::connection::connect;
use super::error::QueueError;
use super::jobs::{Jobs, QueueSlots};
use super::log;
use super::program::Stop;
use super::request::{RequestError, request, runtime};
use super::task_queue;
use super::workflow::OrderWorkflow;

/// Time to answer what was taken, after a signal. Programs that end in their time fit into it.
const STOP_TIME: Duration = Duration::from_secs(30);

/// Time to kill what was taken, after a second signal.
const KILL_TIME: Duration = Duration::from_secs(5);

/// Requests that are open to each queue. Each one of a worker that hangs swallows an order for the time that the queue waits
/// for a sign of life.
const REQUESTS: usize = 1;

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the system refused what a connection needs: {0}")]
    System(#[from] std::io::Error),
    #[error("cannot prepare the worker: {0}")]
    Worker(String),
}

/// Performs orders until a signal ends it.
pub(crate) fn work(access: &QueueAccess) -> Result<ExitCode, WorkError> {
    let work: WorkRequest = request()?;
    let runtime = runtime()?;
    let end = runtime.block_on(run(work, access));
    // Whatever is left would wait for a queue that does not answer.
    runtime.shutdown_background();
    end
}

async fn run(work: WorkRequest, access: &QueueAccess) -> Result<ExitCode, WorkError> {
    log::tell_of_connections(access).map_err(WorkError::Worker)?;
    let mut signals = Signals::new()?;
    let names = task_queue::of_worker(&work.labels)?;
    let client = tokio::select! {
        client = connect(access) => client?,
        () = signals.next() => return Ok(ExitCode::SUCCESS),
    };
    let (stop, stopped) = watch::channel(Stop::No);
    let jobs = Jobs::new(work.jobs);
    let workplace = Arc::new(Workplace { work, jobs: jobs.clone(), stop: stopped });
    let mut queues = Queues::new(&client, &names, &jobs)?;
    queues.check(access).await?;
    log::write(&format!(
        "connected to {}, namespace {}, queues: {}",
        access.address(),
        access.namespace(),
        names.join(", ")
    ));
    let shutdown = queues.shutdown();
    let halt = || {
        stop.send_if_modified(|stop| std::mem::replace(stop, Stop::Asked.max(*stop)) == Stop::No);
        shutdown();
    };
    let served = queues.serve(&workplace, &halt);
    tokio::pin!(served);
    tokio::select! {
        end = &mut served => {
            end.map_err(|error| access.redact_error(&error))?;
            return Err(WorkError::Worker("the queue ended the connection".to_owned()));
        }
        () = signals.next() => {}
    }
    log::write(&format!("stopping, {} orders are performed", jobs.running()));
    halt();
    tokio::select! {
        _ = timeout(STOP_TIME, &mut served) => return Ok(ExitCode::SUCCESS),
        () = signals.next() => {}
    }
    log::write("killing what is performed");
    stop.send_replace(Stop::Kill);
    let _ = timeout(KILL_TIME, &mut served).await;
    Ok(ExitCode::FAILURE)
}

/// The connections of a worker to its queues: for each one, one for workflows and one for activities.
struct Queues {
    workflows: Vec<WorkflowWorker>,
    activities: Vec<Arc<Worker>>,
    /// These keep what their workers need.
    _runtimes: (Runtime, CoreRuntime),
}

impl Queues {
    fn new(client: &Client, names: &[String], jobs: &Jobs) -> Result<Self, WorkError> {
        let wrong = |error: &dyn std::fmt::Display| WorkError::Worker(error.to_string());
        let options = temporalio_sdk::runtime::RuntimeOptions::builder().heartbeat_interval(None).build();
        let runtime = Runtime::from_current_tokio(options.map_err(|error| wrong(&error))?);
        let runtime = runtime.map_err(|error| wrong(&error))?;
        let options = temporalio_sdk_core::RuntimeOptions::builder().heartbeat_interval(None).build();
        let core = CoreRuntime::new_assume_tokio(options.map_err(|error| wrong(&error))?);
        let core = core.map_err(|error| wrong(&error))?;
        let workflows = names.iter().map(|name| {
            let options = WorkerOptions::new(name.as_str())
                .deployment_options(WorkerDeploymentOptions::from_build_id(build()))
                // Workflows are so short that replaying them costs less than waiting for a worker that is gone.
                .max_cached_workflows(0)
                .workflow_task_poller_behavior(WorkflowPollers::SimpleMaximum(REQUESTS))
                .register_workflow::<OrderWorkflow>();
            let options = options.map_err(|error| wrong(&error))?.build();
            WorkflowWorker::new(&runtime, client.clone(), options).map_err(|error| wrong(&error))
        });
        let workflows = workflows.collect::<Result<_, _>>()?;
        let activities = names.iter().map(|name| {
            let config = activity_config(client, name, jobs).map_err(|error| wrong(&error))?;
            let worker = init_worker(&core, config, client.connection().clone()).map_err(|error| wrong(&error))?;
            Ok(Arc::new(worker))
        });
        let activities = activities.collect::<Result<_, WorkError>>()?;
        Ok(Self { workflows, activities, _runtimes: (runtime, core) })
    }

    /// Checks that the namespace exists.
    async fn check(&self, access: &QueueAccess) -> Result<(), QueueError> {
        for worker in &self.activities {
            worker.validate().await.map_err(|WorkerValidationError::NamespaceDescribeError { source, .. }| {
                access.redact_error(&QueueError::of_status(&source))
            })?;
        }
        Ok(())
    }

    /// Returns what ends all requests to the queues.
    fn shutdown(&self) -> impl Fn() + use<> {
        let workflows: Vec<_> = self.workflows.iter().map(WorkflowWorker::shutdown_handle).collect();
        let activities = self.activities.clone();
        move || {
            for shutdown in &workflows {
                shutdown();
            }
            for worker in &activities {
                worker.initiate_shutdown();
            }
        }
    }

    /// Takes and performs orders until the requests are ended, and what was taken is answered. If the queue refuses one
    /// request, all are ended.
    async fn serve(&mut self, workplace: &Arc<Workplace>, halt: &impl Fn()) -> Result<(), QueueError> {
        let checked = |end: Result<(), QueueError>| {
            if end.is_err() {
                halt();
            }
            end
        };
        let workflows = self
            .workflows
            .iter_mut()
            .map(|worker| async { checked(worker.run().await.map_err(|error| QueueError::of_worker(&error))) });
        let activities = self.activities.iter().map(|worker| async {
            checked(
                serve(Arc::clone(worker), Arc::clone(workplace)).await.map_err(|status| QueueError::of_status(&status)),
            )
        });
        let (workflows, activities) = join(join_all(workflows), join_all(activities)).await;
        join_all(self.activities.iter().map(|worker| worker.shutdown())).await;
        workflows.into_iter().chain(activities).collect()
    }
}

fn activity_config(client: &Client, name: &str, jobs: &Jobs) -> Result<WorkerConfig, String> {
    let slots = QueueSlots { queue: name.to_owned(), jobs: jobs.clone() };
    let tuner = TunerBuilder::default().activity_slot_supplier(Arc::new(slots)).build();
    WorkerConfig::builder()
        .namespace(client.options().namespace.clone())
        .task_queue(name)
        .tuner(Arc::new(tuner))
        .activity_task_poller_behavior(PollerBehavior::SimpleMaximum(REQUESTS))
        .task_types(WorkerTaskTypes::activity_only())
        .max_heartbeat_throttle_interval(HEARTBEAT)
        .default_heartbeat_throttle_interval(HEARTBEAT)
        .versioning_strategy(WorkerVersioningStrategy::None { build_id: build() })
        .build()
}

fn build() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Signals that end a worker.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
