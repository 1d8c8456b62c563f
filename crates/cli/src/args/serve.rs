//! What is typed to serve.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use referee_model::access::Role;
use referee_model::id::WorkerLabel;

use super::incident::Root;
use super::worker::worker_label;
use super::{DepotProject, PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  referee serve                         listen on http://127.0.0.1:4747, with a token
  referee serve --listen 0              listen on any free port and print it
  referee serve --unix ~/.referee.sock  listen on a Unix socket, for this user only
  referee serve --agent 'claude -p'     enable repair loops with an agent
  referee serve --listen 10.0.0.5:8443 --allow-non-loopback --token-file token \\
      --tls-cert server.pem --tls-key server.key
  openssl rand 32 >session.key; chmod 600 session.key
  referee serve --fleet --project shop --evidence s3://evidence --session-key session.key
                                        show runs of a depot and orders of a queue
  referee serve token create --name dashboard --role viewer --until 90d

SIGINT, SIGTERM and SIGHUP stop the server: requests have 10 seconds to finish, repair loops are
cancelled."
)]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
    #[command(flatten)]
    pub(crate) server: ServeServer,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Create, list and revoke tokens with a role.
    #[command(subcommand)]
    Token(ServeToken),
    /// Show and verify the audit log: who changed what, and who tried.
    Audit(ServeAudit),
}

#[derive(Debug, Args)]
pub(crate) struct ServeServer {
    #[command(flatten)]
    pub(crate) root: Root,
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Evidence directory of all tasks [default: that of the nearest specification]; with --fleet the depot, `s3://BUCKET/PREFIX`
    /// or a directory [default: REFEREE_DEPOT].
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) evidence: Option<String>,
    /// Serve the runs of a depot and the orders of a queue instead of a project of this machine; any number of servers may do so
    /// behind a load balancer.
    #[arg(
        long,
        requires = "session_key",
        conflicts_with_all = ["files", "workspace", "root", "agent", "agent_label", "planner", "queue_dir"]
    )]
    pub(crate) fleet: bool,
    /// File with the key that all servers of the fleet share, at least 32 random bytes, readable only by you: each of them knows
    /// the sessions of the others, and verifies their audit logs.
    #[arg(long, value_name = "FILE", requires = "fleet")]
    pub(crate) session_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    /// Port or address to listen on; port 0 picks a free one [default: 127.0.0.1:4747].
    #[arg(long, value_name = "[ADDRESS:]PORT", env = "REFEREE_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Listen on this Unix socket instead of an address.
    #[arg(long, value_name = "PATH")]
    pub(crate) unix: Option<PathBuf>,
    /// Allow an address that other machines can reach (requires --token-file).
    #[arg(long)]
    pub(crate) allow_non_loopback: bool,
    /// Additional host name to accept in requests (can be repeated).
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    /// File with the token, readable only by you [default: REFEREE_TOKEN, or a generated token in the state directory].
    #[arg(long, value_name = "FILE", env = "REFEREE_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Certificate chain of the server, as PEM; listens with TLS.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of the certificate, as PEM, readable only by you.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Take the user's name from this header of a proxy that signs people in.
    #[arg(long, value_name = "HEADER", requires = "proxy_secret_file")]
    pub(crate) trust_proxy_user: Option<String>,
    /// What users of the proxy may do.
    #[arg(long, value_enum, value_name = "ROLE", default_value_t = RoleName::Viewer, requires = "trust_proxy_user")]
    pub(crate) proxy_role: RoleName,
    /// File with the secret that the proxy sends as X-Referee-Proxy-Secret, readable only by you.
    #[arg(long, value_name = "FILE", requires = "trust_proxy_user")]
    pub(crate) proxy_secret_file: Option<PathBuf>,
    /// Sign people in at this OpenID provider; the issuer exactly as the provider says it.
    #[arg(long, value_name = "URL", requires_all = ["oidc_client_id", "oidc_client_secret_file", "oidc_operator_group"])]
    pub(crate) oidc_issuer: Option<String>,
    /// Id of this server at the provider.
    #[arg(long, value_name = "ID", requires = "oidc_issuer")]
    pub(crate) oidc_client_id: Option<String>,
    /// File with the secret of this server at the provider, readable only by you.
    #[arg(long, value_name = "FILE", requires = "oidc_issuer")]
    pub(crate) oidc_client_secret_file: Option<PathBuf>,
    /// Group at the provider whose members are operators.
    #[arg(long, value_name = "GROUP", requires = "oidc_issuer")]
    pub(crate) oidc_operator_group: Option<String>,
    /// Group at the provider whose members are viewers [default: none].
    #[arg(long, value_name = "GROUP", requires = "oidc_issuer")]
    pub(crate) oidc_viewer_group: Option<String>,
    /// Address at which browsers reach this server [default: the address that it listens on].
    #[arg(long, value_name = "URL", requires = "oidc_issuer")]
    pub(crate) public_url: Option<String>,
    /// Agent's command for repair loops; without it repair loops are disabled.
    #[arg(long, value_name = "CMD", env = "REFEREE_AGENT", allow_hyphen_values = true)]
    pub(crate) agent: Option<String>,
    /// Run the agent on another machine, by a worker with this label (can be repeated); the workspace goes through the depot of
    /// REFEREE_DEPOT.
    #[arg(long, value_name = "LABEL", requires = "agent", value_parser = worker_label)]
    pub(crate) agent_label: Vec<WorkerLabel>,
    /// Planner's command, which reads an incident as JSON and prints a plan.
    #[arg(long, value_name = "CMD", env = "REFEREE_PLANNER")]
    pub(crate) planner: Option<String>,
    /// Queue directory of handoff packages [default: REFEREE_HANDOFF_DIR or AX_ANTIGRAVITY_HANDOFF_DIR].
    #[arg(long, value_name = "DIR")]
    pub(crate) queue_dir: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee serve audit                   show the last lines, and verify all
  referee serve audit --verify          only verify that no line was changed or removed
  referee serve audit --session-key session.key --evidence s3://evidence
                                        the same of all servers of a fleet

The exit code is 1 if the log is broken; the message names the line.")]
pub(crate) struct ServeAudit {
    /// Only verify the log.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Show the logs of all servers of a fleet that have the session key in this file, from the depot.
    #[arg(long, value_name = "FILE")]
    pub(crate) session_key: Option<PathBuf>,
    /// Depot of the fleet: `s3://BUCKET/PREFIX`, or a directory [default: REFEREE_DEPOT].
    #[arg(long, value_name = "URL", requires = "session_key")]
    pub(crate) evidence: Option<String>,
    /// Maximum number of lines to show, the last ones; with --session-key, of each server.
    #[arg(long, value_name = "N", default_value_t = 200, conflicts_with = "verify")]
    pub(crate) limit: usize,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeToken {
    /// Create a token and print it; only its SHA-256 is kept.
    Create(TokenCreate),
    /// List the tokens.
    List(TokenListed),
    /// Revoke a token; running servers refuse it from then on.
    Revoke(TokenRevoke),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  openssl rand 32 >session.key; chmod 600 session.key
  referee serve --fleet --project shop --evidence s3://evidence --session-key session.key
                                        show runs of a depot and orders of a queue
  referee serve token create --name dashboard --role viewer
  openssl rand 32 >session.key; chmod 600 session.key
  referee serve --fleet --project shop --evidence s3://evidence --session-key session.key
                                        show runs of a depot and orders of a queue
  referee serve token create --name ci --role operator --until 2026-12-31

The token is printed once. It applies to every server of this user's state directory, also to those
that run already.")]
pub(crate) struct TokenCreate {
    /// Name of the token, by which it is listed, revoked and audited.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// What the token allows.
    #[arg(long, value_enum, value_name = "ROLE")]
    pub(crate) role: RoleName,
    /// Expiry: a duration such as 12h, 3d or 2w, or a date [default: none].
    #[arg(long, value_name = "DATE|DURATION")]
    pub(crate) until: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TokenListed {
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct TokenRevoke {
    /// Name of the token.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleName {
    /// Read everything and change nothing.
    Viewer,
    /// Do everything that the server offers.
    Operator,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Viewer => Self::Viewer,
            RoleName::Operator => Self::Operator,
        }
    }
}
