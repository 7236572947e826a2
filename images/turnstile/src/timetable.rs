//! When the tool may run. One line each, times in Unix seconds:
//!
//! ```text
//! stop 1700000005.0
//! slice 4 1700000005.05 1700000005.55 1700000008.05
//! go 1700000065.0
//! ```
//!
//! The tool runs until `stop`. A slice has its number in the block's timetable, and the moments at which
//! the tool continues, at which counting begins, and at which the tool stops. From `go` on the tool runs
//! until it ends.

/// One turn of the tool; Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    pub number: u64,
    pub begin: f64,
    pub counted: f64,
    pub end: f64,
}

/// The whole timetable; Unix seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Timetable {
    pub stop: f64,
    pub slices: Vec<Slice>,
    pub go: f64,
}

/// The timetable in a file's text, or a sentence that says what is wrong with it.
pub fn parse(text: &str) -> Result<Timetable, String> {
    let (mut stop, mut go, mut slices) = (None, None, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["stop", moment] => stop = Some(seconds(moment)?),
            ["go", moment] => go = Some(seconds(moment)?),
            ["slice", number, begin, counted, end] => slices.push(Slice {
                number: number.parse().map_err(|_| format!("{number} is not a slice's number"))?,
                begin: seconds(begin)?,
                counted: seconds(counted)?,
                end: seconds(end)?,
            }),
            _ => return Err(format!("a line is neither stop, slice nor go: {line}")),
        }
    }
    let stop = stop.ok_or("the timetable has no stop")?;
    let go = go.ok_or("the timetable has no go")?;
    let mut moments = vec![stop];
    for slice in &slices {
        moments.extend([slice.begin, slice.counted, slice.end]);
    }
    moments.push(go);
    if !moments.is_sorted() {
        return Err("the timetable's moments are not in order".into());
    }
    Ok(Timetable { stop, slices, go })
}

fn seconds(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(format!("{word} is not a time in Unix seconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_line() {
        let found = parse("stop 5\n\nslice 4 5.5 6 8\nslice 7 9 9.5 11\ngo 12\n").unwrap();
        assert_eq!(found.stop, 5.0);
        assert_eq!(found.slices[1], Slice { number: 7, begin: 9.0, counted: 9.5, end: 11.0 });
        assert_eq!(found.go, 12.0);
    }

    #[test]
    fn refuses_what_cannot_be_kept() {
        for (text, why) in [
            ("go 5", "the timetable has no stop"),
            ("stop 5", "the timetable has no go"),
            ("stop 5\nslice 0 4 6 7\ngo 9", "the timetable's moments are not in order"),
            ("stop 5\nslice 0 6 7 8\nslice 1 7 8 9\ngo 9", "the timetable's moments are not in order"),
            ("stop nan\ngo 9", "nan is not a time in Unix seconds"),
            ("stop 5\nslice x 6 7 8\ngo 9", "x is not a slice's number"),
            ("halt 5", "a line is neither stop, slice nor go: halt 5"),
        ] {
            assert_eq!(parse(text).unwrap_err(), why);
        }
    }
}
