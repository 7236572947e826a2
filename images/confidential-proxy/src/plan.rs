//! What becomes of the columns of a result.

use crate::column::Column;
use crate::envelope::Prefix;

/// What becomes of a column's values.
#[derive(Debug, Clone, Copy)]
pub struct Treatment {
    pub column: Column,
    /// How its envelopes begin; `None` where it stays as it is.
    pub envelope: Option<Prefix>,
}

/// What becomes of each column of a result.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    columns: Vec<Treatment>,
    encrypts: bool,
}

impl Plan {
    pub fn clear(&mut self) {
        self.columns.clear();
        self.encrypts = false;
    }

    pub fn push(&mut self, treatment: Treatment) {
        self.encrypts |= treatment.envelope.is_some();
        self.columns.push(treatment);
    }

    pub fn columns(&self) -> &[Treatment] {
        &self.columns
    }

    /// Whether any column is encrypted.
    pub fn encrypts(&self) -> bool {
        self.encrypts
    }
}
