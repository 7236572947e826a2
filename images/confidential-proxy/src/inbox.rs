//! Bytes that were read and not yet dealt with.

use std::io::{self, Read};

pub struct Inbox {
    data: Vec<u8>,
    start: usize,
    end: usize,
    usual: usize,
}

impl Inbox {
    pub fn new(usual: usize) -> Self {
        Self { data: vec![0; usual], start: 0, end: 0, usual }
    }

    /// How long a packet may be that fits in without more space being taken.
    pub fn usual(&self) -> usize {
        self.usual
    }

    pub fn unread(&self) -> &[u8] {
        &self.data[self.start..self.end]
    }

    pub fn unread_mut(&mut self) -> &mut [u8] {
        &mut self.data[self.start..self.end]
    }

    pub fn consume(&mut self, length: usize) {
        self.start += length;
        debug_assert!(self.start <= self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.data.len() > self.usual {
                self.data = vec![0; self.usual];
            }
        }
    }

    /// Have space for so many bytes from the first unread one on.
    pub fn reserve(&mut self, length: usize) {
        if self.data.len() - self.start < length {
            self.compact();
            if self.data.len() < length {
                self.data.resize(length, 0);
            }
        }
    }

    /// Read what there is, once; 0 at the end.
    pub fn fill(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        if self.end == self.data.len() {
            self.compact();
        }
        debug_assert!(self.end < self.data.len());
        loop {
            match stream.read(&mut self.data[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn compact(&mut self) {
        self.data.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_and_grows_and_shrinks() {
        let mut source: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
        let mut inbox = Inbox::new(4);
        assert_eq!(inbox.fill(&mut source).unwrap(), 4);
        inbox.consume(3);
        assert_eq!(inbox.fill(&mut source).unwrap(), 3);
        assert_eq!(inbox.unread(), b"defg");
        inbox.reserve(10);
        inbox.fill(&mut source).unwrap();
        assert_eq!(inbox.unread(), b"defghijklm");
        inbox.consume(10);
        assert_eq!(inbox.data.len(), 4);
        assert_eq!(inbox.fill(&mut source).unwrap(), 4);
        assert_eq!(inbox.unread(), b"nopq");
    }
}
