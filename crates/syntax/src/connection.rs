//! URLs of databases, such as `postgres://user:password@host:5432/name` and `sqlite:path`.

use std::fmt;

use crate::percent;

/// Database systems, by the scheme of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Postgres,
    /// MySQL or MariaDB.
    MySql,
    Sqlite,
}

/// URL of a database, decoded. Its text form leaves out the password and the parameters.
#[derive(Clone, PartialEq, Eq)]
pub struct Connection {
    pub system: System,
    pub user: Option<String>,
    pub password: Option<String>,
    /// Name or address, without brackets.
    pub host: Option<String>,
    pub port: Option<u16>,
    /// Name of the database. For SQLite: the path of the file, or [`IN_MEMORY`]. May be empty.
    pub database: String,
    /// Parameters after the question mark, in order.
    pub parameters: Vec<(String, String)>,
}

/// Name of a SQLite database that is in no file.
pub const IN_MEMORY: &str = ":memory:";

/// Advice on how a URL is written.
const FORMS: &str =
    "write postgres://user:password@host:port/name, mysql://user:password@host:port/name or sqlite:path";

impl Connection {
    /// Parses a URL. An `Err` says what is wrong with it, without repeating any part of it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.chars().any(|character| character.is_control() || character == ' ' || character == '#') {
            return Err(format!("the URL of the database holds a space, a `#` or a control character: {ENCODE}"));
        }
        let (scheme, rest) = text.split_once(':').ok_or_else(|| format!("that is no URL of a database: {FORMS}"))?;
        let system = match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => System::Postgres,
            "mysql" | "mariadb" => System::MySql,
            "sqlite" => System::Sqlite,
            _ => return Err(format!("the scheme of the URL names no database that is known: {FORMS}")),
        };
        let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, query)| (rest, query));
        if query.contains('@') || (!query.is_empty() && query.split('&').any(|field| !field.contains('='))) {
            return Err(format!("the parameters in the URL of the database cannot be read: {ENCODE}"));
        }
        let parameters = percent::fields(query.as_bytes()).collect();
        if system == System::Sqlite {
            let database = decode(rest.strip_prefix("//").unwrap_or(rest))?;
            return Ok(Self { system, user: None, password: None, host: None, port: None, database, parameters });
        }
        let rest = rest.strip_prefix("//").ok_or_else(|| format!("the URL of the database has no `//`: {FORMS}"))?;
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        if database.contains(['@', '/']) {
            return Err(format!("the name of the database holds `@` or `/`: {ENCODE}"));
        }
        let (credentials, address) = match authority.split_once('@') {
            Some((credentials, address)) => (Some(credentials), address),
            None => (None, authority),
        };
        if address.contains('@') || credentials.is_some_and(|both| both.matches(':').count() > 1) {
            return Err(format!("the user or the password in the URL of the database holds `@` or `:`: {ENCODE}"));
        }
        let (host, port) = host_and_port(address)?;
        let (user, password) = match credentials.map(|both| both.split_once(':').unwrap_or((both, ""))) {
            Some((user, password)) => (Some(decode(user)?), Some(decode(password)?)),
            None => (None, None),
        };
        let user = user.filter(|user| !user.is_empty());
        let password = password.filter(|password| !password.is_empty());
        Ok(Self { system, user, password, host, port, database: decode(database)?, parameters })
    }
}

/// Advice on characters that separate the parts of a URL.
const ENCODE: &str = "write such characters as `%` and two hexadecimal digits, such as %40 for `@`";

fn decode(part: &str) -> Result<String, String> {
    let decoded = String::from_utf8(percent::decode(part));
    let decoded = decoded.map_err(|_| "a part of the URL of the database is not UTF-8".to_owned())?;
    if decoded.contains('\0') {
        return Err("a part of the URL of the database holds a null character".to_owned());
    }
    Ok(decoded)
}

fn host_and_port(address: &str) -> Result<(Option<String>, Option<u16>), String> {
    let (host, port) = match address.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(Some((host, rest))) => (host, rest.strip_prefix(':')),
        Some(None) => return Err("the address in the URL of the database has no closing bracket".to_owned()),
        None => match address.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let port = port.filter(|port| !port.is_empty()).map(str::parse).transpose();
    let port = port.map_err(|_| "the port in the URL of the database is not a number below 65536".to_owned())?;
    let host = decode(host)?;
    Ok(((!host.is_empty()).then_some(host), port))
}

impl fmt::Display for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.system {
            System::Postgres => "postgres",
            System::MySql => "mysql",
            System::Sqlite => return write!(formatter, "sqlite:{}", self.database),
        };
        write!(formatter, "{scheme}://")?;
        if let Some(user) = &self.user {
            write!(formatter, "{}@", percent::component(user))?;
        }
        match &self.host {
            Some(host) if host.contains(':') => write!(formatter, "[{host}]")?,
            Some(host) => formatter.write_str(host)?,
            None => {}
        }
        if let Some(port) = self.port {
            write!(formatter, ":{port}")?;
        }
        write!(formatter, "/{}", percent::component(&self.database))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Connection({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_password_and_parameters() {
        for (text, shown, password) in [
            ("postgres://u:p%40w@h:5432/d?sslmode=require", "postgres://u@h:5432/d", Some("p@w")),
            ("postgresql://u@h/d", "postgres://u@h/d", None),
            ("MARIADB://u:@[::1]:3306/", "mysql://u@[::1]:3306/", None),
            ("mysql://u:p@h", "mysql://u@h/", Some("p")),
            ("postgres://u:${pw}@/d%2fe?host=/run/postgresql", "postgres://u@/d%2Fe", Some("${pw}")),
            ("sqlite:data/app%20x.db", "sqlite:data/app x.db", None),
            ("sqlite://app.db?mode=ro", "sqlite:app.db", None),
            ("sqlite:///tmp/app.db", "sqlite:/tmp/app.db", None),
            ("sqlite::memory:", "sqlite::memory:", None),
        ] {
            let connection = Connection::parse(text).unwrap();
            assert_eq!((connection.to_string().as_str(), connection.password.as_deref()), (shown, password), "{text}");
            assert_eq!(format!("{connection:?}"), format!("Connection({shown})"));
        }
        let connection = Connection::parse("mysql://u:p@h:1/d?a=1&b=x%26y").unwrap();
        let parameters = [("a", "1"), ("b", "x&y")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(connection.parameters, parameters);
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused_and_never_repeated() {
        for (text, problem) in [
            ("SECRET", "no URL"),
            ("oracle://u:SECRET@h/d", "names no database"),
            ("postgres:SECRET", "has no `//`"),
            ("postgres://u:SEC/RET@h/d", "holds `@` or `/`"),
            ("postgres://u:12/SECRET@h/d", "holds `@` or `/`"),
            ("postgres://u:12?SECRET@h/d", "parameters"),
            ("postgres://u:12?SEC=RET@h/d", "parameters"),
            ("postgres://u:12?SECRET", "parameters"),
            ("postgres://u:12#SECRET@h/d", "`#`"),
            ("postgres://u:SEC@RET@h/d", "holds `@` or `:`"),
            ("postgres://u:SEC:RET@h/d", "holds `@` or `:`"),
            ("postgres://u:p@h:SECRET/d", "port"),
            ("postgres://u:SECRET@h:70000/d", "port"),
            ("postgres://u:p@[::1", "bracket"),
            ("postgres://u:SECRET%ff@h/d", "UTF-8"),
            ("postgres://u:SECRET%00@h/d", "null"),
        ] {
            let error = Connection::parse(text).unwrap_err();
            assert!(error.contains(problem) && !error.contains("SEC"), "{text}: {error}");
        }
    }
}
