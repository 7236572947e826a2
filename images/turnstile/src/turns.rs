//! The run: the tool's turns by the timetable, and what it did in each.

use std::io;

use crate::clock::Clock;
use crate::counters::Counters;
use crate::timetable::{Slice, Timetable};
use crate::tool::Tool;

/// Seconds between looks: whether the tool has ended while it warms up, and whether we were asked to end. A
/// signal that comes just before a sleep does not end that sleep.
const LOOK: f64 = 0.5;

/// One slice as it was kept. Times are Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    pub number: u64,
    /// When the tool was told to continue.
    pub begin: f64,
    /// When counting began.
    pub counted: f64,
    /// When the tool had stopped.
    pub end: f64,
    /// Events that ended in the counted part; None without counters, or where no thread has come to count.
    pub events: Option<u64>,
    /// New-Orders among them.
    pub new_orders: Option<u64>,
    /// Events that ended in the whole slice.
    pub all_events: Option<u64>,
    /// CPU seconds of the tool in the counted part.
    pub cpu_seconds: f64,
}

/// Runs the tool by the timetable until its last slice is over; every slice that was completed. `interrupted` says whether we were asked to end.
pub fn take(
    tool: &mut Tool,
    timetable: &Timetable,
    counters: Option<&Counters>,
    interrupted: impl Fn() -> bool,
) -> io::Result<Vec<Turn>> {
    let clock = Clock::new()?;
    let mut turns = Vec::with_capacity(timetable.slices.len());
    let until = |moment: f64| -> io::Result<bool> {
        while !interrupted() {
            let next = moment.min(clock.now()? + LOOK);
            if clock.sleep_until(next)? && next >= moment {
                return Ok(!interrupted());
            }
        }
        Ok(false)
    };
    // A tool that ends while it warms up is noticed at once, because the other arms load for nothing.
    loop {
        let next = timetable.stop.min(clock.now()? + LOOK);
        if !until(next)? || tool.has_ended()? {
            return Ok(turns);
        }
        if next >= timetable.stop {
            break;
        }
    }
    if !tool.stop()? {
        return Ok(turns);
    }
    tool.find_members()?;
    if let Some(counters) = counters {
        counters.set_epoch(2)?;
    }
    for (place, slice) in (1..).zip(&timetable.slices) {
        if !until(slice.begin)? {
            return Ok(turns);
        }
        let Some(turn) = one(tool, place, slice, counters, &clock, &until)? else {
            return Ok(turns);
        };
        turns.push(turn);
    }
    if until(timetable.go)? {
        tool.resume()?;
    }
    Ok(turns)
}

/// One slice; None if the tool has ended in it, or we were asked to.
fn one(
    tool: &mut Tool,
    place: u64,
    slice: &Slice,
    counters: Option<&Counters>,
    clock: &Clock,
    until: &impl Fn(f64) -> io::Result<bool>,
) -> io::Result<Option<Turn>> {
    let epoch = |value| counters.map_or(Ok(()), |it| it.set_epoch(value));
    let counts = || counters.map_or(Ok(None), Counters::counts);
    let first = counts()?.unwrap_or_default();
    tool.resume()?;
    let begin = clock.now()?;
    if !until(slice.counted)? {
        return Ok(None);
    }
    epoch(2 * place + 1)?;
    let (counted, before, cpu) = (clock.now()?, counts()?.unwrap_or_default(), tool.cpu_seconds());
    if !until(slice.end)? || !tool.stop()? {
        return Ok(None);
    }
    let (end, last) = (clock.now()?, counts()?);
    epoch(2 * place + 2)?;
    Ok(Some(Turn {
        number: slice.number,
        begin,
        counted,
        end,
        events: last.map(|last| last.events - before.events),
        new_orders: last.map(|last| last.new_orders - before.new_orders),
        all_events: last.map(|last| last.events - first.events),
        cpu_seconds: tool.cpu_seconds() - cpu,
    }))
}
