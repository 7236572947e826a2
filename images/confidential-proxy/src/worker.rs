//! A worker: a thread that runs many connections in turns.
//!
//! It waits for all of their sockets at once. A thread for each connection would sleep and be woken for
//! every command and every answer, and most of what a hop costs is that; several connections that are
//! ready at the same moment cost one waking here.
//!
//! A connection is a future that is polled whenever something has happened to one of its sockets, so
//! there is nothing for a waker to do. It never blocks, and reads only so much in one turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Instant;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{eventfd, EventfdFlags, Timespec};
use rustix::io::Errno;

use crate::connection::{self, Shared};
use crate::signals::{Side, Signals};
use crate::socket::Place;

/// The number under which new clients are told; no connection has it.
const CLIENTS: u64 = u64::MAX;
/// Changes that are asked for at a time.
const CHANGES: usize = 256;

/// The accepting thread's end of a worker.
pub struct Worker {
    clients: Sender<TcpStream>,
    bell: OwnedFd,
    load: Arc<AtomicUsize>,
}

impl Worker {
    pub fn start(shared: Arc<Shared>) -> io::Result<Self> {
        let (clients, taken) = mpsc::channel();
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let load = Arc::new(AtomicUsize::new(0));
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &bell, EventData::new_u64(CLIENTS), EventFlags::IN | EventFlags::ET)?;
        let counted = load.clone();
        thread::Builder::new().spawn(move || Turns::new(epoll, taken, counted, shared).run())?;
        Ok(Self { clients, bell, load })
    }

    /// How many connections it has.
    pub fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    /// Give it a client.
    pub fn give(&self, client: TcpStream) {
        self.load.fetch_add(1, Ordering::Relaxed);
        self.clients.send(client).expect("a worker never ends");
        rustix::io::write(&self.bell, &1u64.to_ne_bytes()).expect("a worker can be told");
    }
}

type Running = Pin<Box<dyn Future<Output = ()>>>;

struct Task {
    running: Running,
    signals: Rc<Signals>,
}

/// A place for a connection. Those that have it one after the other have different generations, so that
/// what was told of one is not taken for the next one's.
#[derive(Default)]
struct Slot {
    generation: u32,
    task: Option<Task>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    index: u32,
    generation: u32,
}

impl Key {
    fn data(self, side: Side) -> EventData {
        let side = u64::from(side == Side::Server);
        EventData::new_u64(u64::from(self.generation) << 32 | u64::from(self.index) << 1 | side)
    }

    fn of(data: u64) -> (Self, Side) {
        let side = if data & 1 == 0 { Side::Client } else { Side::Server };
        (Self { index: data as u32 >> 1, generation: (data >> 32) as u32 }, side)
    }
}

struct Turns {
    epoll: Rc<OwnedFd>,
    clients: Receiver<TcpStream>,
    load: Arc<AtomicUsize>,
    shared: Arc<Shared>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Connections that have not read all that is there.
    again: Vec<Key>,
    alarms: BinaryHeap<Reverse<(Instant, Key)>>,
}

impl Turns {
    fn new(
        epoll: OwnedFd,
        clients: Receiver<TcpStream>,
        load: Arc<AtomicUsize>,
        shared: Arc<Shared>,
    ) -> Self {
        let epoll = Rc::new(epoll);
        let (slots, free, again, alarms) = Default::default();
        Self { epoll, clients, load, shared, slots, free, again, alarms }
    }

    fn run(mut self) -> ! {
        let mut events = Vec::with_capacity(CHANGES);
        loop {
            self.wait(&mut events);
            for event in events.drain(..) {
                match event.data.u64() {
                    CLIENTS => {
                        while let Ok(client) = self.clients.try_recv() {
                            self.take(client);
                        }
                    }
                    data => self.happened(data, event.flags),
                }
            }
            for key in std::mem::take(&mut self.again) {
                self.turn(key);
            }
            while self.alarms.peek().is_some_and(|Reverse((time, _))| *time <= Instant::now()) {
                if let Some(Reverse((_, key))) = self.alarms.pop() {
                    self.turn(key);
                }
            }
        }
    }

    /// Wait until something has happened, or is to be done.
    fn wait(&self, events: &mut Vec<Event>) {
        let limit = match self.alarms.peek() {
            _ if !self.again.is_empty() => Some(Timespec::default()),
            Some(Reverse((time, _))) => {
                let left = time.saturating_duration_since(Instant::now());
                Some(Timespec::try_from(left).unwrap_or_default())
            }
            None => None,
        };
        match epoll::wait(&self.epoll, spare_capacity(events), limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("the kernel tells no changes: {error}"),
        }
    }

    fn take(&mut self, client: TcpStream) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[index as usize];
        let key = Key { index, generation: slot.generation };
        let signals = Rc::new(Signals::default());
        let place = Place {
            epoll: self.epoll.clone(),
            client: key.data(Side::Client),
            server: key.data(Side::Server),
            signals: signals.clone(),
        };
        let running = Box::pin(connection::serve(client, place, self.shared.clone()));
        slot.task = Some(Task { running, signals });
        self.turn(key);
    }

    fn task(&mut self, key: Key) -> Option<&mut Task> {
        let slot = self.slots.get_mut(key.index as usize)?;
        slot.task.as_mut().filter(|_| slot.generation == key.generation)
    }

    fn happened(&mut self, data: u64, flags: EventFlags) {
        let (key, side) = Key::of(data);
        let Some(task) = self.task(key) else { return };
        let readiness = task.signals.of(side);
        if flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR) {
            readiness.ended.set(true);
            readiness.readable.set(true);
        }
        if flags.intersects(EventFlags::IN) {
            readiness.readable.set(true);
        }
        if flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR) {
            readiness.writable.set(true);
        }
        self.turn(key);
    }

    /// Let a connection go on.
    fn turn(&mut self, key: Key) {
        let Some(task) = self.task(key) else { return };
        task.signals.begin_turn();
        let mut context = Context::from_waker(Waker::noop());
        // A fault ends the connection that has it, and no other one.
        let done = panic::catch_unwind(AssertUnwindSafe(|| task.running.as_mut().poll(&mut context)));
        if let Ok(Poll::Pending) = done {
            let (again, alarm) = (task.signals.take_again(), task.signals.take_alarm());
            if again {
                self.again.push(key);
            }
            if let Some(time) = alarm {
                self.alarms.push(Reverse((time, key)));
            }
            return;
        }
        let slot = &mut self.slots[key.index as usize];
        slot.task = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(key.index);
        self.load.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_whose_socket_it_is() {
        for index in [0, 1, 70_000, u32::MAX >> 1] {
            for generation in [0, 1, u32::MAX - 1] {
                for side in [Side::Client, Side::Server] {
                    let key = Key { index, generation };
                    let data = key.data(side).u64();
                    assert_ne!(data, CLIENTS);
                    assert_eq!(Key::of(data), (key, side));
                }
            }
        }
    }
}
