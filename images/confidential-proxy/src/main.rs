//! The program: reads its files, then serves until a signal ends it.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use confidential_proxy::cli::{self, Command, Options};
use confidential_proxy::connection::Shared;
use confidential_proxy::envelope::Master;
use confidential_proxy::room::{Room, LENT};
use confidential_proxy::rules::Rules;
use confidential_proxy::{key, open_files, server};
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
    let text = Zeroizing::new(read(&options.mek_file)?);
    let key = key::parse(&text).map_err(|error| content(&options.mek_file, &error))?;
    let text = String::from_utf8(read(&options.columns)?)
        .map_err(|_| content(&options.columns, &"it is not UTF-8"))?;
    let rules =
        Rules::parse(&text, !options.permissive).map_err(|error| content(&options.columns, &error))?;
    Ok(Shared {
        upstream: options.upstream.clone(),
        rules: Arc::new(rules),
        master: Arc::new(Master::new(options.algorithm, key)),
        room: Arc::new(Room::new(options.row_memory, LENT)),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure(format!("{}: {error}", path.display()), UNREADABLE))
}

fn content(path: &Path, error: &dyn Display) -> Failure {
    Failure(format!("{}: {error}", path.display()), CONTENT)
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
