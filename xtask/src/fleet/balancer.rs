//! One address for several servers, as a load balancer gives it.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

/// Listens on a port, and hands each connection to the first server that takes it. It goes on until this program ends.
pub(super) fn balance(servers: Vec<u16>) -> io::Result<u16> {
    let socket = TcpListener::bind("127.0.0.1:0")?;
    let port = socket.local_addr()?.port();
    thread::spawn(move || {
        for client in socket.incoming().filter_map(Result::ok) {
            let Some(server) = servers.iter().find_map(|port| TcpStream::connect(("127.0.0.1", *port)).ok()) else {
                continue;
            };
            // A connection that cannot be had twice is closed, as any that fails.
            drop(relay(&client, &server).and_then(|()| relay(&server, &client)));
        }
    });
    Ok(port)
}

/// Copies one direction of a connection in the background, and closes both ends when it is over.
fn relay(from: &TcpStream, to: &TcpStream) -> io::Result<()> {
    let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
    thread::spawn(move || {
        // However it ends, the connection is over.
        drop(io::copy(&mut from, &mut to));
        drop(from.shutdown(Shutdown::Both));
        drop(to.shutdown(Shutdown::Both));
    });
    Ok(())
}
