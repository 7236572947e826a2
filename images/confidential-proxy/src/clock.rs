//! Time limits, kept by a thread of their own.
//!
//! A worker whose own runtime kept time would look at the clock after each waking, which is a tenth of its
//! instructions for a query, although limits are for what happens once a connection.

use std::future::Future;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::time::{sleep, timeout};

use crate::background;

static KEEPER: LazyLock<Handle> = LazyLock::new(|| {
    background::driven(Builder::new_current_thread().enable_time()).expect("a thread that keeps time")
});

/// Begin now rather than with the first limit, so that a machine without room for a thread is known.
pub fn start() {
    LazyLock::force(&KEEPER);
}

/// What a future gives; `None` if it takes longer. It runs where this is awaited.
pub async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let limited = {
        let _entered = KEEPER.enter();
        timeout(limit, future)
    };
    limited.await.ok()
}

/// Wait for that long.
pub async fn pause(length: Duration) {
    let slept = {
        let _entered = KEEPER.enter();
        sleep(length)
    };
    slept.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::time::Instant;

    #[test]
    fn a_runtime_without_a_clock_has_limits() {
        Builder::new_current_thread().build().unwrap().block_on(async {
            assert_eq!(within(Duration::from_secs(10), async { 7 }).await, Some(7));
            let begun = Instant::now();
            assert_eq!(within(Duration::from_millis(20), pending::<u8>()).await, None);
            assert!(begun.elapsed() >= Duration::from_millis(20));
            pause(Duration::from_millis(20)).await;
            assert!(begun.elapsed() >= Duration::from_millis(40));
        });
    }
}
