//! The file in which the tool counts its events, and learns in which slice it runs.
//!
//! Words of 8 bytes in the machine's order. Word 0 is the epoch: `2 n + 2` until slice n of this tool's own
//! counts, `2 n + 3` while it does, and 0 until the tool is stopped for the first time. From byte 4,096 on
//! every thread has a record of `RECORD` bytes: 1 once the thread is there; the events that it has finished;
//! those of them that ended in a counted part but had begun before the tool was last stopped; and a histogram
//! of the others' latency. The tool maps the file, and we read and write it: Linux keeps both views the same.
//!
//! Bucket b of the histogram holds latencies from `LOWEST_MS * RATIO^b` on. It is as wide as a p95 can be wrong.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub const HEADER: u64 = 4096;
pub const RECORD: u64 = 16384;
pub const BUCKETS: usize = 2045;
pub const LOWEST_MS: f64 = 0.001;
pub const HIGHEST_MS: f64 = 100_000.0;

const WORD: u64 = 8;
const PRESENT: u64 = 0;
const EVENTS: u64 = 1;
const SPANNED: u64 = 2;
const FIRST_BUCKET: u64 = 3;

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

    /// Events that all threads have finished so far.
    pub fn events(&self) -> io::Result<u64> {
        self.sum(EVENTS)
    }

    /// Events whose latency includes a stop.
    pub fn spanned(&self) -> io::Result<u64> {
        self.sum(SPANNED)
    }

    /// Events by bucket, over all threads.
    pub fn histogram(&self) -> io::Result<Vec<u64>> {
        let mut total = vec![0; BUCKETS];
        let mut bytes = vec![0; BUCKETS * 8];
        for thread in self.threads()? {
            self.file.read_exact_at(&mut bytes, place(thread, FIRST_BUCKET))?;
            for (sum, word) in total.iter_mut().zip(bytes.chunks_exact(8)) {
                *sum += u64::from_ne_bytes(word.try_into().expect("8 bytes"));
            }
        }
        Ok(total)
    }

    fn sum(&self, word: u64) -> io::Result<u64> {
        self.threads()?.map(|thread| self.word(thread, word)).sum()
    }

    /// Threads are numbered without a gap.
    fn threads(&self) -> io::Result<std::ops::Range<u64>> {
        let room = (self.file.metadata()?.len() - HEADER) / RECORD;
        let mut count = 0;
        while count < room && self.word(count, PRESENT)? == 1 {
            count += 1;
        }
        Ok(0..count)
    }

    fn word(&self, thread: u64, word: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, place(thread, word))?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

fn place(thread: u64, word: u64) -> u64 {
    HEADER + thread * RECORD + word * WORD
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
        for thread in 0..3 {
            write(thread, PRESENT, 1);
            write(thread, EVENTS, 10 + thread);
            write(thread, SPANNED, thread);
            write(thread, FIRST_BUCKET + 7, 4);
        }
        write(5, EVENTS, 1000);
        counters.set_epoch(3).unwrap();
        assert_eq!(counters.events().unwrap(), 33);
        assert_eq!(counters.spanned().unwrap(), 3);
        let histogram = counters.histogram().unwrap();
        assert_eq!((histogram[7], histogram.iter().sum::<u64>()), (12, 12));
        assert_eq!(std::fs::read(&path).unwrap()[..8], 3u64.to_ne_bytes());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_record_holds_its_histogram() {
        assert_eq!((FIRST_BUCKET + BUCKETS as u64) * WORD, RECORD);
        assert!((lower_end(0) - LOWEST_MS).abs() < 1e-12);
        assert!((lower_end(BUCKETS) - HIGHEST_MS).abs() < 1e-6);
        assert!(lower_end(1000) / lower_end(999) < 1.0092);
    }
}
