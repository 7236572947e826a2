//! Where the server is, and the connection to it: by TCP, or by its unix socket.
//!
//! A server takes its socket for a secure transport. `caching_sha2_password` then wants the password
//! itself where the server does not remember the user, while the client, which is on TCP, would encrypt it
//! under the server's key. `handshake` ends such a login before the client has sent anything.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio::net::{TcpStream, UnixStream};

use crate::clock;
use crate::open_files;
use crate::refusal::{self, Refusal};
use crate::socket;
use crate::stream::Stream;

const CONNECT: Duration = Duration::from_secs(10);
/// How long to wait for a place in the queue of a server's socket.
const QUEUE: Duration = Duration::from_millis(5);
const SCHEME: &str = "unix:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upstream {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// It is neither an address with a port nor `unix:` and an absolute path.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown;

impl FromStr for Upstream {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        match text.strip_prefix(SCHEME) {
            Some(path) if path.starts_with('/') => Ok(Self::Unix(path.into())),
            Some(_) => Err(Unknown),
            None => text.parse().map(Self::Tcp).map_err(|_| Unknown),
        }
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{SCHEME}{}", path.display()),
        }
    }
}

impl From<SocketAddr> for Upstream {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl Upstream {
    /// A connection; or what the client is told, if it cannot be had or takes too long.
    pub(crate) async fn connect(&self) -> Result<Stream, Refusal> {
        match clock::within(CONNECT, self.connected()).await {
            Some(Ok(stream)) => Ok(stream),
            Some(Err(error)) if open_files::are_used_up(&error) => Err(refusal::FILES),
            _ => Err(refusal::UNREACHABLE),
        }
    }

    async fn connected(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                socket::keep_alive(&stream)?;
                Stream::new(stream.into_std()?)
            }
            Self::Unix(path) => loop {
                match UnixStream::connect(path).await {
                    // The socket's queue is full. By TCP the kernel would try again.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => clock::pause(QUEUE).await,
                    connected => break Stream::new(connected?.into_std()?),
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_socket() {
        for text in ["127.0.0.1:3306", "[::1]:3306", "unix:/run/mysqld/mysqld.sock"] {
            let upstream: Upstream = text.parse().unwrap();
            assert_eq!(upstream.to_string(), text);
            assert_eq!(matches!(upstream, Upstream::Unix(_)), text.starts_with("unix"));
        }
        for text in ["", "localhost:3306", "127.0.0.1", "unix:", "unix:mysqld.sock", "/run/mysqld.sock"] {
            assert_eq!(text.parse::<Upstream>(), Err(Unknown), "{text}");
        }
    }
}
