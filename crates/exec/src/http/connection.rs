//! Connections for ureq: TCP, with TLS over it, and a record of their progress.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, TcpConnector, Transport, TransportAdapter,
};

use super::progress::{Break, Progress, Stage};

/// Opens connections for one request.
#[derive(Debug)]
pub(super) struct Dial {
    pub(super) rules: Arc<ClientConfig>,
    /// Whether certificates are verified.
    pub(super) verify: bool,
    pub(super) progress: Progress,
}

impl Connector for Dial {
    type Out = Line;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Line>, Error> {
        // If all addresses fail, the failure of the last one is reported.
        self.progress.connects(details.addrs.iter().copied());
        let Some(socket) = TcpConnector::default().connect(details, None::<()>)? else {
            return Err(Error::ConnectionFailed);
        };
        let socket: Box<dyn Transport> = Box::new(socket);
        let transport = if details.needs_tls() {
            if !self.verify {
                self.progress.leaves_unchecked();
            }
            Box::new(self.secured(socket, details)?)
        } else {
            socket
        };
        self.progress.reaches(Stage::Answer);
        Ok(Some(Line { transport, progress: self.progress.clone() }))
    }
}

impl Dial {
    fn secured(&self, socket: Box<dyn Transport>, details: &ConnectionDetails<'_>) -> Result<Secured, Error> {
        let host = details.uri.host().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(host.to_owned()).map_err(|error| Error::Other(error.into()))?;
        let client = ClientConnection::new(Arc::clone(&self.rules), name).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(client, TransportAdapter::new(socket, Arc::clone(&details.current_time)));
        stream.sock.set_timeout(details.timeout);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Secured { buffers, stream })
    }
}

/// A connection whose progress is recorded.
#[derive(Debug)]
pub(super) struct Line {
    transport: Box<dyn Transport>,
    progress: Progress,
}

impl Transport for Line {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.transport.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.transport.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let awaited = self.transport.await_input(timeout);
        // To ureq these errors are the end of a body without a length; but a truncated body must not pass for a
        // complete one.
        if let Err(Error::Io(error)) = &awaited {
            match error.kind() {
                io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => self.progress.breaks(Break::Reset),
                io::ErrorKind::UnexpectedEof => self.progress.breaks(Break::Cut),
                _ => {}
            }
        }
        awaited
    }

    fn is_open(&mut self) -> bool {
        self.transport.is_open()
    }

    fn is_tls(&self) -> bool {
        self.transport.is_tls()
    }
}

struct Secured {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl Transport for Secured {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        let output = &self.buffers.output()[..amount];
        self.stream.write_all(output)?;
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let read = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl fmt::Debug for Secured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Secured").finish_non_exhaustive()
    }
}
