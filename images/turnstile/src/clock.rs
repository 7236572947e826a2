//! Waiting for moments of the wall clock, by a clock that nobody sets.

use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{clock_gettime, clock_nanosleep, ClockId, ClockNanosleepFlags};

/// Unix time at the monotonic clock's zero, read once: a step of the wall clock moves no slice.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    zero: f64,
}

impl Clock {
    pub fn new() -> Result<Self, Errno> {
        Ok(Self { zero: now(ClockId::CLOCK_REALTIME)? - now(ClockId::CLOCK_MONOTONIC)? })
    }

    /// Unix seconds.
    pub fn now(&self) -> Result<f64, Errno> {
        Ok(self.zero + now(ClockId::CLOCK_MONOTONIC)?)
    }

    /// Sleeps until a moment in Unix seconds; false if a signal came first.
    pub fn sleep_until(&self, moment: f64) -> Result<bool, Errno> {
        let at = moment - self.zero;
        if at <= now(ClockId::CLOCK_MONOTONIC)? {
            return Ok(true);
        }
        #[allow(clippy::cast_possible_truncation)] // both parts fit
        let wanted = TimeSpec::new(at.trunc() as i64, (at.fract() * 1e9) as i64);
        match clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &wanted) {
            Ok(_) => Ok(true),
            Err(Errno::EINTR) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

/// Seconds of a clock.
pub fn now(clock: ClockId) -> Result<f64, Errno> {
    let found = clock_gettime(clock)?;
    #[allow(clippy::cast_precision_loss)] // microseconds of any date are exact
    Ok(found.tv_sec() as f64 + found.tv_nsec() as f64 / 1e9)
}
