//! Bytes that were read and not yet dealt with.

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

    /// Whether nothing more can be read before something is consumed.
    pub fn is_full(&self) -> bool {
        self.end - self.start == self.data.len()
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

    /// Where the next bytes are read to; there is always some space.
    pub fn space(&mut self) -> &mut [u8] {
        if self.end == self.data.len() {
            self.compact();
        }
        debug_assert!(self.end < self.data.len());
        &mut self.data[self.end..]
    }

    /// So many bytes have been read there.
    pub fn filled(&mut self, length: usize) {
        self.end += length;
        debug_assert!(self.end <= self.data.len());
    }

    fn compact(&mut self) {
        self.data.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn fill(inbox: &mut Inbox, source: &mut &[u8]) -> usize {
        let count = source.read(inbox.space()).unwrap();
        inbox.filled(count);
        count
    }

    #[test]
    fn it_moves_and_grows_and_shrinks() {
        let mut source: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
        let mut inbox = Inbox::new(4);
        assert_eq!(fill(&mut inbox, &mut source), 4);
        assert!(inbox.is_full());
        inbox.consume(3);
        assert!(!inbox.is_full());
        assert_eq!(fill(&mut inbox, &mut source), 3);
        assert_eq!(inbox.unread(), b"defg");
        inbox.reserve(10);
        fill(&mut inbox, &mut source);
        assert_eq!(inbox.unread(), b"defghijklm");
        inbox.consume(10);
        assert_eq!(inbox.data.len(), 4);
        assert_eq!(fill(&mut inbox, &mut source), 4);
        assert_eq!(inbox.unread(), b"nopq");
    }
}
