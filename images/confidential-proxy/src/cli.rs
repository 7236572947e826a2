//! The command line.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

use lexopt::prelude::*;

use crate::envelope::Algorithm;
use crate::upstream::Upstream;

pub const HELP: &str = "\
confidential-proxy: encrypts chosen columns of a MySQL or MariaDB server's result sets

usage: confidential-proxy --listen ADDRESS --upstream ADDRESS --mek-file FILE
                          --algorithm ALGORITHM --columns FILE [--permissive] [--workers N]
                          [--row-memory BYTES]

  --listen ADDRESS       where clients connect, such as 0.0.0.0:3307
  --upstream ADDRESS     where the server is, such as 127.0.0.1:3306, or its socket, such as
                         unix:/run/mysqld/mysqld.sock. At its socket the server sees the proxy's
                         system user: an account that lets that user in without a password lets
                         every client in
  --mek-file FILE        the master key: 32 hex digits
  --algorithm ALGORITHM  AES_128_GCM or SM4_128_GCM
  --columns FILE         one table.column a line: it is encrypted, and its table is known; or one
                         table a line: it is known. The other columns of a known table pass in
                         plaintext. # begins a comment. Without any column nothing is ever encrypted
  --permissive           encrypt the columns of the file only; otherwise every column is encrypted
                         that cannot be seen to come from a known table
  --workers N            how many threads share the connections, 1 to 1024; otherwise as many as the
                         program has processors
  --row-memory BYTES     what all rows together may take that are longer than a connection's buffers,
                         each twice its length; a row that gets nothing is an error. At least
                         1048576; 34 MiB otherwise
  --help, --version      print this, or the version

exit codes: 0 ended by SIGTERM or SIGINT, 64 wrong usage, 65 a file holds something else than it
should, 66 a file cannot be read, 69 it cannot listen there, handle signals or start its workers
";

const MOST_WORKERS: usize = 1024;
/// Enough for one row of the greatest length.
const ROW_MEMORY: usize = 34 << 20;
const LEAST_ROW_MEMORY: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub listen: SocketAddr,
    pub upstream: Upstream,
    pub mek_file: PathBuf,
    pub algorithm: Algorithm,
    pub columns: PathBuf,
    pub permissive: bool,
    pub workers: usize,
    pub row_memory: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Run(Options),
    Help,
    Version,
}

/// What is wrong, in one sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<lexopt::Error> for Usage {
    fn from(error: lexopt::Error) -> Self {
        Self(error.to_string())
    }
}

/// Read the arguments after the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Usage> {
    let (mut listen, mut upstream, mut mek_file) = (None, None, None);
    let (mut algorithm, mut columns, mut permissive) = (None, None, false);
    let (mut workers, mut row_memory) = (None, ROW_MEMORY);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("listen") => listen = Some(address(&parser.value()?)?),
            Long("upstream") => {
                let named = parser.value()?.to_str().and_then(|text| text.parse().ok());
                let wrong = || {
                    Usage(
                        "--upstream is an IP address and a port, such as 127.0.0.1:3306, or unix: and the \
                         path of a socket, such as unix:/run/mysqld/mysqld.sock"
                            .into(),
                    )
                };
                upstream = Some(named.ok_or_else(wrong)?);
            }
            Long("mek-file") => mek_file = Some(parser.value()?.into()),
            Long("columns") => columns = Some(parser.value()?.into()),
            Long("permissive") => permissive = true,
            Long("workers") => {
                let number = parser.value()?.to_str().and_then(|text| text.parse().ok());
                let wrong = || Usage(format!("--workers is a number from 1 to {MOST_WORKERS}"));
                workers = Some(number.filter(|n| (1..=MOST_WORKERS).contains(n)).ok_or_else(wrong)?);
            }
            Long("row-memory") => {
                let number = parser.value()?.to_str().and_then(|text| text.parse().ok());
                let wrong =
                    || Usage(format!("--row-memory is a number of bytes, {LEAST_ROW_MEMORY} or more"));
                row_memory = number.filter(|bytes| *bytes >= LEAST_ROW_MEMORY).ok_or_else(wrong)?;
            }
            Long("algorithm") => {
                let named = parser.value()?.to_str().and_then(Algorithm::from_name);
                let wrong = || Usage("--algorithm is AES_128_GCM or SM4_128_GCM".into());
                algorithm = Some(named.ok_or_else(wrong)?);
            }
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("version") | Short('V') => return Ok(Command::Version),
            // A key that was given by mistake is not repeated.
            Value(_) => return Err(Usage("there are only options, see --help".into())),
            other => return Err(other.unexpected().into()),
        }
    }
    let missing = |name: &str| Usage(format!("--{name} is missing, see --help"));
    Ok(Command::Run(Options {
        listen: listen.ok_or_else(|| missing("listen"))?,
        upstream: upstream.ok_or_else(|| missing("upstream"))?,
        mek_file: mek_file.ok_or_else(|| missing("mek-file"))?,
        algorithm: algorithm.ok_or_else(|| missing("algorithm"))?,
        columns: columns.ok_or_else(|| missing("columns"))?,
        permissive,
        workers: workers.unwrap_or_else(processors),
        row_memory,
    }))
}

/// How many threads can run at the same time; a limit of the container's CPU counts.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn address(value: &OsString) -> Result<SocketAddr, Usage> {
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| Usage("--listen is an IP address and a port, such as 0.0.0.0:3307".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "--listen 0.0.0.0:3307 --upstream [::1]:3306 --mek-file=/run/mek \
                         --algorithm SM4_128_GCM --columns /run/columns";

    fn parsed(line: &str) -> Result<Command, Usage> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options() {
        let Command::Run(options) = parsed(WHOLE).unwrap() else { panic!() };
        assert_eq!(options.listen, "0.0.0.0:3307".parse().unwrap());
        assert_eq!(options.upstream, Upstream::Tcp("[::1]:3306".parse().unwrap()));
        assert_eq!(options.algorithm, Algorithm::Sm4128Gcm);
        assert_eq!(options.mek_file, PathBuf::from("/run/mek"));
        assert!(!options.permissive && options.workers == processors());
        assert_eq!(options.row_memory, 34 << 20);
        let more = format!("{WHOLE} --workers 3 --row-memory 16777216");
        let Command::Run(options) = parsed(&more).unwrap() else { panic!() };
        assert_eq!((options.workers, options.row_memory), (3, 16 << 20));
        let socket = WHOLE.replace("[::1]:3306", "unix:/run/mysqld/mysqld.sock");
        let Command::Run(options) = parsed(&socket).unwrap() else { panic!() };
        assert_eq!(options.upstream, Upstream::Unix("/run/mysqld/mysqld.sock".into()));
        assert_eq!(parsed("--help"), Ok(Command::Help));
        assert_eq!(parsed("-V"), Ok(Command::Version));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, message) in [
            ("", "--listen is missing"),
            ("--listen here", "--listen is an IP address and a port"),
            ("--listen unix:/run/proxy.sock", "--listen is an IP address and a port"),
            ("--upstream localhost:3306", "--upstream is an IP address and a port"),
            ("--upstream unix:mysqld.sock", "or unix: and the path of a socket"),
            ("--algorithm AES", "AES_128_GCM or SM4_128_GCM"),
            ("--workers 0", "--workers is a number from 1 to 1024"),
            ("--workers 1025", "--workers is a number from 1 to 1024"),
            ("--workers many", "--workers is a number from 1 to 1024"),
            ("--row-memory 64Mi", "--row-memory is a number of bytes"),
            ("--row-memory 1048575", "1048576 or more"),
            ("--mek 00", "--mek"),
            ("--mek-file", "mek-file"),
        ] {
            let Usage(said) = parsed(line).unwrap_err();
            assert!(said.contains(message), "{said}");
        }
        let Usage(said) = parsed("00112233445566778899aabbccddeeff").unwrap_err();
        assert!(!said.contains("0011"), "{said}");
    }
}
