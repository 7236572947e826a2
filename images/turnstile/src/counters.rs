//! The file in which the tool counts its events, and learns in which slice it runs.
//!
//! Words of 8 bytes in the machine's order. Word 0 is the epoch: `2 n + 2` until slice n of this tool's own
//! counts, `2 n + 3` while it does, and 0 until the tool is stopped for the first time. From byte 4,096 on
//! every thread has a record of `RECORD` bytes: 1 once the thread is there; the events that it has finished;
//! those of them that had begun before the tool was last stopped, whether or not they ended in a counted part;
//! TPC-C's New-Orders among all events; and a histogram of latency, of the events in counted parts that no stop
//! interrupted. The tool maps the file, and we read and write it: Linux keeps both views the same.
//!
//! Bucket b of the histogram holds latencies from `LOWEST_MS * RATIO^b` on. It is as wide as a p95 can be wrong.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub const HEADER: u64 = 4096;
pub const RECORD: u64 = 16384;
pub const BUCKETS: usize = 2044;
pub const LOWEST_MS: f64 = 0.001;
pub const HIGHEST_MS: f64 = 100_000.0;

const WORD: usize = 8;
const FIRST_BUCKET: usize = 4;

/// What all threads have counted so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    pub events: u64,
    /// Events whose latency includes a stop.
    pub spanned: u64,
    pub new_orders: u64,
}

/// The file, open for both directions.
#[derive(Debug)]
pub struct Counters {
    file: File,
}

impl Counters {
    /// An empty file for as many threads; pages that no thread touches take no memory.
    pub fn create(path: &Path, threads: u64) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        file.set_len(HEADER + threads * RECORD)?;
        Ok(Self { file })
    }

    pub fn set_epoch(&self, epoch: u64) -> io::Result<()> {
        self.file.write_all_at(&epoch.to_ne_bytes(), 0)
    }

    /// None as long as no thread is there.
    pub fn counts(&self) -> io::Result<Option<Counts>> {
        let mut total = None;
        for thread in 0..self.room()? {
            let [present, events, spanned, new_orders] = self.words::<FIRST_BUCKET>(thread, 0)?;
            // They come in any order: one that is late does not hide those behind it.
            if present != 1 {
                continue;
            }
            let sum: &mut Counts = total.get_or_insert_default();
            sum.events += events;
            sum.spanned += spanned;
            sum.new_orders += new_orders;
        }
        Ok(total)
    }

    /// Events by bucket, over all threads.
    pub fn histogram(&self) -> io::Result<Vec<u64>> {
        let mut total = vec![0; BUCKETS];
        for thread in 0..self.room()? {
            let found = self.words::<BUCKETS>(thread, FIRST_BUCKET)?;
            for (sum, count) in total.iter_mut().zip(found) {
                *sum += count;
            }
        }
        Ok(total)
    }

    /// The threads that the file has a record for.
    fn room(&self) -> io::Result<u64> {
        Ok((self.file.metadata()?.len() - HEADER) / RECORD)
    }

    /// `N` words of a thread's record.
    fn words<const N: usize>(&self, thread: u64, first: usize) -> io::Result<[u64; N]> {
        let mut bytes = [[0; WORD]; N];
        self.file.read_exact_at(bytes.as_flattened_mut(), place(thread, first))?;
        Ok(bytes.map(u64::from_ne_bytes))
    }
}

fn place(thread: u64, word: usize) -> u64 {
    HEADER + thread * RECORD + (word * WORD) as u64
}

/// The lower end of a bucket in ms.
pub fn lower_end(bucket: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let share = bucket as f64 / BUCKETS as f64;
    LOWEST_MS * (HIGHEST_MS / LOWEST_MS).powf(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_the_threads_that_are_there() {
        let folder = std::env::temp_dir().join(format!("turnstile-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("counters");
        let counters = Counters::create(&path, 8).unwrap();
        let write = |thread, word, value: u64| {
            counters.file.write_all_at(&value.to_ne_bytes(), place(thread, word)).unwrap();
        };
        assert_eq!(counters.counts().unwrap(), None);
        for thread in [0, 1, 3] {
            for (word, value) in [1, 10 + thread, thread, 5].into_iter().enumerate() {
                write(thread, word, value);
            }
            write(thread, FIRST_BUCKET + 7, 4);
        }
        write(5, 1, 1000);
        counters.set_epoch(3).unwrap();
        let found = Counts { events: 34, spanned: 4, new_orders: 15 };
        assert_eq!(counters.counts().unwrap(), Some(found));
        let histogram = counters.histogram().unwrap();
        assert_eq!((histogram[7], histogram.iter().sum::<u64>()), (12, 12));
        assert_eq!(std::fs::read(&path).unwrap()[..8], 3u64.to_ne_bytes());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_record_holds_its_histogram() {
        assert_eq!(((FIRST_BUCKET + BUCKETS) * WORD) as u64, RECORD);
        assert!((lower_end(0) - LOWEST_MS).abs() < 1e-12);
        assert!((lower_end(BUCKETS) - HIGHEST_MS).abs() < 1e-6);
        assert!(lower_end(1000) / lower_end(999) < 1.0092);
    }
}
