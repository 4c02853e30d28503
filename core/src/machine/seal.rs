//! Seals: a key of the host and a MAC, so that only a snapshot that the host saved can be restored.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::ConfigError;

/// The least bytes of a key: a shorter one can be guessed.
const KEY_BYTES: usize = 32;

/// A key that seals snapshots.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealKey(Vec<u8>);

/// A key is a secret: it is never shown.
impl fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealKey")
    }
}

impl SealKey {
    pub(crate) const fn new(key: Vec<u8>) -> Self {
        Self(key)
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let length = self.0.len();
        if length >= KEY_BYTES {
            return Ok(());
        }
        let problem = alloc::format!("has {length} bytes, and a key needs at least {KEY_BYTES}");
        Err(ConfigError::new("snapshotKey", problem))
    }

    /// The seal of a state under a policy, in hexadecimal digits.
    pub(crate) fn seal(&self, policy: &str, state: &str) -> String {
        let bytes = self.mac(policy, state).map(|mac| mac.finalize().into_bytes());
        bytes.iter().flatten().map(|byte| alloc::format!("{byte:02x}")).collect()
    }

    /// Whether a seal belongs to a state; takes the same time wherever it differs.
    pub(crate) fn verifies(&self, seal: &str, policy: &str, state: &str) -> bool {
        let digit = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = seal.as_bytes().chunks(2).map(digit).collect();
        match (bytes, self.mac(policy, state)) {
            (Some(bytes), Some(mac)) => mac.verify_slice(&bytes).is_ok(),
            _ => false,
        }
    }

    fn mac(&self, policy: &str, state: &str) -> Option<Hmac<Sha256>> {
        // A key of any length is taken; the fingerprint of a policy has no line break, so that the parts cannot be mixed up.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(policy.as_bytes());
        mac.update(b"\n");
        mac.update(state.as_bytes());
        Some(mac)
    }
}
