//! What becomes of the columns of a result.

use std::ops::Range;

use crate::column::Column;

/// What becomes of a column's values.
#[derive(Debug, Clone)]
pub struct Treatment {
    pub column: Column,
    /// Where the plan has what its envelopes are bound to; `None` where it stays as it is.
    envelope: Option<Range<usize>>,
}

/// What becomes of each column of a result.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    columns: Vec<Treatment>,
    /// Of all encrypted columns, one after the other.
    bound: Vec<u8>,
}

impl Plan {
    pub fn clear(&mut self) {
        self.columns.clear();
        self.bound.clear();
    }

    /// The next column stays as it is.
    pub fn pass(&mut self, column: Column) {
        self.columns.push(Treatment { column, envelope: None });
    }

    /// The next column is encrypted; `bind` appends what its values are bound to.
    pub fn encrypt(&mut self, column: Column, bind: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bound.len();
        bind(&mut self.bound);
        self.columns.push(Treatment { column, envelope: Some(start..self.bound.len()) });
    }

    pub fn columns(&self) -> &[Treatment] {
        &self.columns
    }

    /// What a column's envelopes are bound to, if it has any.
    pub fn bound(&self, treatment: &Treatment) -> Option<&[u8]> {
        treatment.envelope.clone().map(|range| &self.bound[range])
    }

    /// Whether any column is encrypted.
    pub fn encrypts(&self) -> bool {
        !self.bound.is_empty()
    }
}
