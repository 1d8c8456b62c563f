//! A server behind TLS that asks for the certificates of its clients.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use referee_model::order_protocol::OrderFailureKind;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::scene::{Scene, performed};
use crate::server;

#[test]
fn a_server_and_its_clients_prove_who_they_are() {
    let Some(server) = server::shared() else { return };
    let ground = tempfile::tempdir().unwrap();
    if !certificates(ground.path()) {
        println!("skipped: no openssl that signs certificates");
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let proxy = runtime.block_on(Proxy::bind(ground.path(), server.port));
    let scene = Scene::new(proxy.port, "tls");
    runtime.spawn(proxy.serve());
    let file = |name: &str| ground.path().join(name).to_str().unwrap().to_owned();
    let (authority, certificate, key) = (file("ca.pem"), file("client.pem"), file("client.key"));
    let name = ("TEMPORAL_TLS_SERVER_NAME", "queue.test");
    let authority = ("TEMPORAL_TLS_SERVER_CA_CERT_PATH", authority.as_str());
    let certificate = ("TEMPORAL_TLS_CLIENT_CERT_PATH", certificate.as_str());
    let key = ("TEMPORAL_TLS_CLIENT_KEY_PATH", key.as_str());

    let order = scene.order(&[]);
    for (variables, problem) in [
        (&[name, certificate, key][..], "invalid peer certificate"),
        (&[authority, certificate, key], "invalid peer certificate"),
        (&[name, authority], "CertificateRequired"),
    ] {
        let (kind, message) = scene.ask_with(&order, variables).failure();
        assert_eq!(kind, OrderFailureKind::Address, "{message}");
        assert!(message.contains(problem), "{message}");
    }
    let complete = [name, authority, certificate, key];
    let asker = scene.ask_with(&order, &complete);
    assert!(!asker.is_attached());
    let _worker = scene.worker_with(&[], 1, "echo \"$OUTCOME\"", &complete);
    assert_eq!(asker.outcome(), performed());
}

/// Makes an authority, and what it signed. False: the program is not there, or too old.
fn certificates(ground: &Path) -> bool {
    let make = |name: &str, more: &[&str]| {
        let output = Command::new("openssl")
            .current_dir(ground)
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
            .args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem"), "-subj", &format!("/CN={name}")])
            .args(more)
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    let signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE", "-addext"];
    make("ca", &[])
        && make("server", &[&signed[..], &["subjectAltName=DNS:queue.test"]].concat())
        && make("client", &[&signed[..], &["subjectAltName=DNS:client.test"]].concat())
}

/// Speaks TLS for a server that does not.
struct Proxy {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    port: u16,
    server: SocketAddr,
}

impl Proxy {
    async fn bind(ground: &Path, server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(Arc::new(config(ground)));
        Self { listener, acceptor, port, server: ([127, 0, 0, 1], server).into() }
    }

    async fn serve(self) {
        loop {
            let (client, _) = self.listener.accept().await.unwrap();
            let (acceptor, server) = (self.acceptor.clone(), self.server);
            tokio::spawn(async move {
                let Ok(mut client) = acceptor.accept(client).await else { return };
                let Ok(mut server) = TcpStream::connect(server).await else { return };
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    }
}

fn config(ground: &Path) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = |name: &str| CertificateDer::from_pem_file(ground.join(name)).unwrap();
    let mut authorities = RootCertStore::empty();
    authorities.add(certificate("ca.pem")).unwrap();
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), Arc::clone(&provider));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients.build().unwrap())
        .with_single_cert(
            vec![certificate("server.pem")],
            PrivateKeyDer::from_pem_file(ground.join("server.key")).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}
