//! `slices.json`: what the recorder stores and the report counts from.

use std::fmt::Write as _;
use std::io;

use crate::counters::{lower_end, Counters};
use crate::turns::Turn;

/// The file's content. Times are Unix seconds, latencies ms; a bucket is its lower end, its upper end and its count.
pub fn json(turns: &[Turn], counters: Option<&Counters>) -> io::Result<String> {
    let mut text = String::from("{\"schema\": \"encbench.io/slices/v1\", \"slices\": [");
    for (place, turn) in turns.iter().enumerate() {
        let [events, new_orders, all] = [turn.events, turn.new_orders, turn.all_events].map(number);
        let _ = write!(
            text,
            "{}\n {{\"slice\": {}, \"begin\": {:.6}, \"counted\": {:.6}, \"end\": {:.6}, \
             \"transactions\": {events}, \"newOrders\": {new_orders}, \"allTransactions\": {all}, \
             \"cpuSeconds\": {:.6}}}",
            if place == 0 { "" } else { "," },
            turn.number,
            turn.begin,
            turn.counted,
            turn.end,
            turn.cpu_seconds,
        );
    }
    text.push_str("\n]");
    if let Some(counters) = counters {
        let spanned = counters.counts()?.unwrap_or_default().spanned;
        let _ = write!(text, ", \"spanned\": {spanned}, \"latency\": [");
        let counts = counters.histogram()?;
        let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        for (place, (bucket, count)) in filled.enumerate() {
            let (from, to) = (lower_end(bucket), lower_end(bucket + 1));
            let _ = write!(text, "{}\n [{from:.6}, {to:.6}, {count}]", if place == 0 { "" } else { "," });
        }
        text.push_str("\n]");
    }
    text.push_str("}\n");
    Ok(text)
}

fn number(count: Option<u64>) -> String {
    count.map_or_else(|| "null".into(), |count| count.to_string())
}
