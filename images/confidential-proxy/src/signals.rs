//! What a connection and the worker that runs it tell each other between two turns.

use std::cell::Cell;
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

/// How many bytes a connection reads in one turn. Then the worker's other connections have theirs.
const TURN: usize = 128 << 10;

/// The sockets of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

impl Side {
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// What may be tried on a socket without being refused. The kernel tells of changes only, so this is
/// what it said last.
#[derive(Default)]
pub struct Readiness {
    pub readable: Cell<bool>,
    pub writable: Cell<bool>,
    /// Nothing follows what is there to be read.
    pub ended: Cell<bool>,
}

#[derive(Default)]
pub struct Signals {
    client: Readiness,
    server: Readiness,
    left: Cell<usize>,
    again: Cell<bool>,
    alarm: Cell<Option<Instant>>,
}

impl Signals {
    pub fn of(&self, side: Side) -> &Readiness {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    pub fn begin_turn(&self) {
        self.left.set(TURN);
    }

    /// Whether the connection has read enough in this turn. If so it gets another one soon.
    pub fn is_over(&self) -> bool {
        let over = self.left.get() == 0;
        self.again.set(over);
        over
    }

    pub fn count(&self, bytes: usize) {
        self.left.set(self.left.get().saturating_sub(bytes));
    }

    /// Whether the connection wants another turn without anything having happened.
    pub fn take_again(&self) -> bool {
        self.again.take()
    }

    /// When the connection wants a turn at the latest.
    pub fn take_alarm(&self) -> Option<Instant> {
        self.alarm.take()
    }

    /// What `future` gives, or `None` if that takes longer than `limit`.
    pub async fn within<T>(&self, limit: Duration, future: impl Future<Output = T>) -> Option<T> {
        let end = Instant::now() + limit;
        self.alarm.set(Some(end));
        let mut future = pin!(future);
        let value = poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if Instant::now() >= end => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        let value = value.await;
        self.alarm.set(None);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    fn polled<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_turn_ends_with_its_bytes() {
        let signals = Signals::default();
        signals.begin_turn();
        signals.count(TURN - 1);
        assert!(!signals.is_over() && !signals.take_again());
        signals.count(TURN);
        assert!(signals.is_over() && signals.take_again());
        signals.begin_turn();
        assert!(!signals.is_over() && !signals.take_again());
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let signals = Signals::default();
        assert_eq!(polled(signals.within(Duration::from_secs(9), ready(7))), Poll::Ready(Some(7)));
        assert_eq!(signals.take_alarm(), None);
        let waits = signals.within(Duration::from_millis(20), pending::<()>());
        let mut waits = pin!(waits);
        assert_eq!(polled(waits.as_mut()), Poll::Pending);
        let alarm = signals.take_alarm().unwrap();
        std::thread::sleep(alarm.saturating_duration_since(Instant::now()));
        assert_eq!(polled(waits), Poll::Ready(None));
    }
}
