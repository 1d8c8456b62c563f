//! Write timeout: a connection whose client reads nothing for a while is closed.

use std::future::Future;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A connection whose writes fail if the client reads nothing for `patience`.
pub(crate) struct IdleTimeout<Stream> {
    stream: Stream,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<Stream> IdleTimeout<Stream> {
    /// Wraps a connection with this timeout.
    pub(crate) fn new(stream: Stream, patience: Duration) -> Self {
        Self { stream, patience, waiting: None }
    }

    /// Starts, checks or clears the timeout after an attempt to write.
    fn weigh<T>(&mut self, attempt: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if attempt.is_ready() {
            self.waiting = None;
            return attempt;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the other end reads nothing"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<Stream: AsyncRead + Unpin> AsyncRead for IdleTimeout<Stream> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<Stream: AsyncWrite + Unpin> AsyncWrite for IdleTimeout<Stream> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.weigh(attempt, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.weigh(attempt, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_flush(context);
        self.weigh(attempt, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_shutdown(context);
        self.weigh(attempt, context)
    }
}
