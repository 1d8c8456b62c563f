//! Requests of the protocol, each mapped to a tool, a resource or a prompt.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    NotificationMetaObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use crate::answer::{Answer, Refusal};
use crate::observer::{Observer, Step, WAITING};
use crate::project::Project;
use crate::tool::{self, Operation, Run};
use crate::work::Work;
use crate::{prompt, resource};

/// Maximum number of requests that read at a time: each may hash gigabytes.
const READERS: usize = 4;

/// Key of the event in the `_meta` of a progress notification.
const EVENT: &str = "referee/event";

const INSTRUCTIONS: &str = "Referee decides whether work may be called done. Call referee_gate before you say that something is done: \
only the decision PASS means that it is. FAIL and BLOCKED are results, not errors of the tool: each cause says what to fix. \
Fix causes in the code: a weaker check, test or specification is seen and blocks. referee_report, referee_explain and \
referee_diagnostics say more about what was found; resources below referee://evidence/ hold reports and logs as they were sealed. \
Approving, waiving and locking are left to a person, and have no tool.";

/// A server for one client, or for all clients of one address.
#[derive(Clone)]
pub(crate) struct Handler {
    project: Arc<Project>,
    work: Arc<Work>,
    readers: Arc<Semaphore>,
}

impl Handler {
    pub(crate) fn new(project: Project) -> Self {
        Self { project: Arc::new(project), work: Arc::new(Work::default()), readers: Arc::new(Semaphore::new(READERS)) }
    }

    pub(crate) fn work(&self) -> Arc<Work> {
        Arc::clone(&self.work)
    }

    /// Reads on a blocking thread, a few requests at a time.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Project) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = Arc::clone(&self.readers).acquire_owned().await.map_err(Refusal::internal)?;
        let project = Arc::clone(&self.project);
        let done = tokio::task::spawn_blocking(move || {
            let done = read(&project);
            drop(turn);
            done
        });
        done.await.map_err(Refusal::internal)?
    }

    /// Runs checks, and tells the client of each event if it asked for progress.
    async fn run(&self, run: Run, arguments: Value, context: RequestContext<RoleServer>) -> Answer {
        let RequestContext { ct, meta, peer, .. } = context;
        let (steps, told) = match meta.get_progress_token() {
            Some(token) => {
                let (sender, receiver) = mpsc::channel(WAITING);
                (Some(sender), Some((token, receiver)))
            }
            None => (None, None),
        };
        let project = Arc::clone(&self.project);
        let done = self.work.perform(ct.cancelled(), move |cancellation| {
            // The observer goes with the run, which ends the progress.
            let mut observer = Observer::new(steps);
            run(&project, arguments, &mut observer, cancellation)
        });
        let telling = async {
            if let Some((token, receiver)) = told {
                tell(&peer, token, receiver).await;
            }
        };
        let (done, ()) = tokio::join!(done, telling);
        done?
    }
}

/// Sends progress until the run is over, or the client is gone.
async fn tell(peer: &Peer<RoleServer>, token: ProgressToken, mut steps: mpsc::Receiver<Step>) {
    while let Some(Step { number, message, event }) = steps.recv().await {
        let mut meta = MetaObject::default();
        meta.0.insert(EVENT.to_owned(), event);
        let mut progress = ProgressNotificationParam::new(token.clone(), f64::from(number)).with_message(message);
        progress.meta = Some(NotificationMetaObject(meta));
        if peer.notify_progress(progress).await.is_err() {
            return;
        }
    }
}

/// Returns the result of a tool: the JSON once as data and once as text, or why there is none.
fn result(answer: Answer) -> CallToolResult {
    match answer {
        Ok(value) => CallToolResult::structured(value),
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.to_string())]),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let server = Implementation::new("referee", env!("CARGO_PKG_VERSION")).with_title("Referee");
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            tool::all().map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(operation) = tool::operation(&request.name) else {
            return Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let answer = match operation {
            Operation::Read(read) => self.read(move |project| read(project, arguments)).await,
            Operation::Run(run) => self.run(run, arguments, context).await,
        };
        Ok(result(answer).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (resources, next) = self.read(move |project| resource::list(project, cursor.as_deref())).await?;
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.read(move |project| resource::read(project, &request.uri)).await;
        let missing = |refusal: Refusal| ErrorData::resource_not_found(refusal.to_string(), None);
        read.map(Into::into).map_err(missing)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompt::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != prompt::FIX {
            return Err(ErrorData::invalid_params(format!("unknown prompt: {}", request.name), None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(self.read(move |project| prompt::fix(project, arguments)).await?.into())
    }
}

impl From<Refusal> for ErrorData {
    fn from(refusal: Refusal) -> Self {
        Self::invalid_params(refusal.to_string(), None)
    }
}
