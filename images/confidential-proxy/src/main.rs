//! The program: reads its files, then serves until a signal ends it.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use confidential_proxy::cli::{self, Command, Options};
use confidential_proxy::connection::{Shared, GREETING};
use confidential_proxy::envelope::Master;
use confidential_proxy::key::{self, Key};
use confidential_proxy::room::{Room, LENT};
use confidential_proxy::rules::Rules;
use confidential_proxy::{open_files, server};
use signal_hook::consts::{SIGINT, SIGTERM};
use zeroize::Zeroizing;

const USAGE: u8 = 64;
const CONTENT: u8 = 65;
const UNREADABLE: u8 = 66;
const UNAVAILABLE: u8 = 69;

/// One sentence and the exit code.
struct Failure(String, u8);

fn main() -> ExitCode {
    match cli::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => print!("{}", cli::HELP),
        Ok(Command::Version) => println!("confidential-proxy {}", env!("CARGO_PKG_VERSION")),
        Ok(Command::Run(options)) => {
            let Err(Failure(said, code)) = run(&options);
            eprintln!("confidential-proxy: {said}");
            return code.into();
        }
        Err(usage) => {
            eprintln!("confidential-proxy: {usage}");
            return USAGE.into();
        }
    }
    ExitCode::SUCCESS
}

fn run(options: &Options) -> Result<std::convert::Infallible, Failure> {
    open_files::ask_for_more();
    for signal in [SIGTERM, SIGINT] {
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(signal, 0, always)
            .map_err(|error| Failure(format!("signal {signal}: {error}"), UNAVAILABLE))?;
    }
    let shared = Arc::new(shared(options)?);
    let listener = server::listen(options.listen)
        .map_err(|error| Failure(format!("cannot listen at {}: {error}", options.listen), UNAVAILABLE))?;
    let workers = server::workers(options.workers, &shared).map_err(|error| {
        Failure(format!("cannot start {} workers: {error}", options.workers), UNAVAILABLE)
    })?;
    let address = listener.local_addr().unwrap_or(options.listen);
    println!("{}", announcement(&shared, address));
    server::accept(&listener, &workers)
}

fn shared(options: &Options) -> Result<Shared, Failure> {
    let key = master_key(&options.mek_file)?;
    let rules = rules(&options.columns, !options.permissive)?;
    Ok(Shared {
        upstream: options.upstream.clone(),
        rules: Arc::new(rules),
        master: Arc::new(Master::new(options.algorithm, key)),
        room: Arc::new(Room::new(options.row_memory, LENT)),
        greeting: GREETING,
    })
}

/// A failure does not name the path, which is the key itself where that was given by mistake.
fn master_key(path: &Path) -> Result<Key, Failure> {
    let failure = |error: &dyn Display, code| Failure(format!("--mek-file: {error}"), code);
    let text = fs::read(path).map(Zeroizing::new).map_err(|error| failure(&error, UNREADABLE))?;
    key::parse(&text).map_err(|error| failure(&error, CONTENT))
}

fn rules(path: &Path, strict: bool) -> Result<Rules, Failure> {
    let failure = |error: &dyn Display, code| Failure(format!("{}: {error}", path.display()), code);
    let bytes = fs::read(path).map_err(|error| failure(&error, UNREADABLE))?;
    let text = String::from_utf8(bytes).map_err(|_| failure(&"it is not UTF-8", CONTENT))?;
    Rules::parse(&text, strict).map_err(|error| failure(&error, CONTENT))
}

fn announcement(shared: &Shared, address: std::net::SocketAddr) -> String {
    let rules = &shared.rules;
    let what = match (rules.is_empty(), rules.is_strict()) {
        (true, _) => "encrypts nothing".to_owned(),
        (false, true) => format!("encrypts {} columns and whatever is of unknown origin", rules.chosen()),
        (false, false) => format!("encrypts {} columns", rules.chosen()),
    };
    format!("listens at {address} for {} and {what}", shared.upstream)
}
