//! The stream of incident events: server-sent events, resumed where the client left off.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::api::asked::FollowQuery;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use referee_engine::incident::{IncidentContext, IncidentError};
use referee_model::incident::event::IncidentEventDocument;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use crate::extract::{QueryParameters, sequence};
use crate::problem::Problem;
use crate::service::Service;

/// Interval of checks for new events while there are followers.
const LOOK: Duration = Duration::from_millis(250);
/// Interval of heartbeats to a client.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Time limit for a client to take a frame.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum number of frames queued for a client.
const QUEUE: usize = 64;
/// Number of events read at a time.
const BATCH: usize = 256;
/// Milliseconds after which a browser reconnects.
const AGAIN_MS: u32 = 2_000;

/// Checks for new events as long as the server runs and there are followers.
pub(crate) async fn watch(service: Arc<Service>) {
    loop {
        tokio::select! {
            () = service.closes() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        if service.news.is_followed() {
            let known = service.news.head();
            // After an error the check is repeated later.
            if let Ok(head) = service.with_incidents("api", move |context| last(context, known)).await {
                service.news.tell(head);
            }
        }
    }
}

/// Finds the number of the last event, starting from a known one.
fn last(context: IncidentContext<'_>, known: u64) -> Result<u64, IncidentError> {
    let mut head = known;
    loop {
        let events = context.incidents.events(head, BATCH)?;
        match events.last() {
            Some(event) if event.sequence > head => head = event.sequence,
            _ => return Ok(head),
        }
    }
}

/// `GET /api/events`: streams events.
pub(crate) async fn follow(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    QueryParameters(asked): QueryParameters<FollowQuery>,
) -> Result<Response, Problem> {
    let resumed = headers.get("last-event-id").map(|id| {
        let number = id.to_str().ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| Problem::invalid("the header Last-Event-ID is not an event number"))
    });
    let resumed = resumed.transpose()?.or(sequence(asked.after)?);
    let (news, place) =
        service.news.follow().ok_or_else(|| Problem::unavailable("too many follow already: try again later"))?;
    let known = service.news.head();
    let head = service.with_incidents("api", move |context| last(context, known)).await?;
    service.news.tell(head);
    let (sender, frames) = mpsc::channel(QUEUE);
    let follower = Follower { service, news, sender, after: resumed.unwrap_or(head), _place: place };
    tokio::spawn(follower.tell(head));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(Frames(frames))).into_response())
}

struct Follower {
    service: Arc<Service>,
    news: watch::Receiver<u64>,
    sender: mpsc::Sender<Bytes>,
    after: u64,
    _place: OwnedSemaphorePermit,
}

impl Follower {
    /// Sends events until the client is gone or too slow, or the server shuts down.
    async fn tell(mut self, head: u64) {
        let greeting = format!("retry: {AGAIN_MS}\n\n");
        // The number is from an earlier store of incidents: the client starts over with the current events.
        let reset = if self.after > head { format!("event: reset\nid: {head}\ndata: {{}}\n\n") } else { String::new() };
        self.after = self.after.min(head);
        let mut goes_on = self.send(greeting + &reset).await;
        while goes_on {
            goes_on = match self.batch().await {
                Ok(events) if events.is_empty() => self.wait().await,
                Ok(events) => self.send_all(&events).await,
                Err(_) => false,
            };
        }
    }

    async fn batch(&self) -> Result<Vec<IncidentEventDocument>, Problem> {
        let after = self.after;
        self.service.with_incidents("api", move |context| Ok(context.incidents.events(after, BATCH)?)).await
    }

    async fn send_all(&mut self, events: &[IncidentEventDocument]) -> bool {
        for event in events {
            let Ok(data) = serde_json::to_string(event) else { return false };
            if !self.send(format!("id: {}\nevent: incident\ndata: {data}\n\n", event.sequence)).await {
                return false;
            }
            self.after = event.sequence;
        }
        true
    }

    /// Waits for new events. Returns false at the end of the stream.
    async fn wait(&mut self) -> bool {
        let after = self.after;
        let there_is_news = tokio::select! {
            () = self.service.closes() => Some(false),
            () = self.sender.closed() => Some(false),
            news = self.news.wait_for(|head| *head > after) => Some(news.is_ok()),
            () = tokio::time::sleep(HEARTBEAT) => None,
        };
        match there_is_news {
            Some(goes_on) => goes_on,
            None => self.send(": here\n\n".to_owned()).await,
        }
    }

    /// Queues a frame. Returns false if the client is gone or too slow, or if the server is shutting down.
    async fn send(&self, frame: String) -> bool {
        tokio::select! {
            () = self.service.closes() => false,
            sent = self.sender.send_timeout(Bytes::from(frame), PATIENCE) => sent.is_ok(),
        }
    }
}

/// The frames queued for a client.
struct Frames(mpsc::Receiver<Bytes>);

impl Stream for Frames {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|frame| frame.map(Ok))
    }
}
