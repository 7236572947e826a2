//! Memory for long rows, which all connections share.
//!
//! A connection has buffers for what is usual. To encrypt a row that is longer it needs the row as a whole,
//! and a second time as it is sent. A few clients that ask for long values at the same moment would take
//! more than the process may have.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock;

/// What is counted: a permit stands for as many bytes.
const UNIT: usize = 1 << 10;
/// How long a row waits for others to be sent.
const WAIT: Duration = Duration::from_secs(10);
/// How long a client may usually take to read a row that has memory, which others wait for meanwhile.
pub const LENT: Duration = Duration::from_secs(60);

pub struct Room {
    free: Arc<Semaphore>,
    units: usize,
    lent: Duration,
}

/// Memory that a row has; it is given back when this is dropped.
pub struct Held(#[allow(dead_code)] OwnedSemaphorePermit);

impl Room {
    /// So many bytes for all, each for so long.
    pub fn new(bytes: usize, lent: Duration) -> Self {
        let units = bytes / UNIT;
        Self { free: Arc::new(Semaphore::new(units)), units, lent }
    }

    /// How long a client may take to read a row that has memory.
    pub fn lent(&self) -> Duration {
        self.lent
    }

    /// So many bytes; `None` if there are not as many, or if others do not give them back in time.
    pub async fn take(&self, bytes: usize) -> Option<Held> {
        let units = bytes.div_ceil(UNIT);
        if units > self.units {
            return None;
        }
        let taking = self.free.clone().acquire_many_owned(u32::try_from(units).ok()?);
        clock::within(WAIT, taking).await?.ok().map(Held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    #[test]
    fn there_is_no_more_than_there_is() {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let room = Room::new(10 * UNIT, LENT);
            assert!(room.take(10 * UNIT + 1).await.is_none(), "at once: it will never be there");
            let held = room.take(6 * UNIT).await.unwrap();
            let second = clock::within(Duration::from_millis(20), room.take(5 * UNIT)).await;
            assert!(second.is_none(), "it waits");
            drop(held);
            assert!(room.take(10 * UNIT).await.is_some());
        });
    }
}
