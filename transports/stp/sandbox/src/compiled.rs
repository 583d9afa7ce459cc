//! Code that was compiled here before, by this engine for this processor, and was kept.
//!
//! What is kept is machine code: who could change it would have the whole process. So a MAC of a secret of this host's
//! stands before it, and is checked over the very bytes that are taken after it, in memory: a file that is mapped may
//! change after it was looked at.
#![expect(unsafe_code, reason = "machine code is taken as it was kept, once its MAC shows that this host made it")]
#![warn(clippy::undocumented_unsafe_blocks)]

use core::fmt;
use core::hash::{Hash, Hasher};

use tng_base::CodeHash;
use tng_crypto::{BLAKE3_TAG_LEN, Blake3Key, Secret32, labels};

use crate::check::ModuleError;
use crate::engine::Engine;
use crate::module::Module;

/// The version of what is kept.
const FORMAT: u8 = 1;

/// Proves that compiled code is this host's own. Only who has it may write what is taken.
#[derive(Debug)]
pub struct CompiledKey(Blake3Key);

/// Why kept code is not taken. Compile it anew.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompiledError {
    /// Environment: it is damaged, of another host, engine, processor or code, or somebody made it up.
    Unproven,
    /// Environment: the engine does not take it, or does not say what it is.
    Engine(String),
    /// Guest: it went wrong when it was asked what it is.
    Module(ModuleError),
}

impl fmt::Display for CompiledError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompiledError::Unproven => {
                f.write_str("this is not code that this host compiled of this module; compile it anew")
            }
            CompiledError::Engine(why) => write!(f, "the engine does not take the code that was kept: {why}"),
            CompiledError::Module(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CompiledError {}

impl CompiledKey {
    /// That of a host's secret.
    pub fn derive(secret: &Secret32) -> CompiledKey {
        CompiledKey(Blake3Key::derive(secret, labels::STP_COMPILED))
    }
}

impl Engine {
    /// What compiled code is of: the version of the engine, its settings, the processor, and what modules were checked
    /// against. 16 letters and digits: other code is kept under another.
    pub fn tag(&self) -> String {
        let mut hasher = Blake3Hasher(Blake3Key::from_bytes([0; 32]), Vec::new());
        self.wasmtime().precompile_compatibility_hash().hash(&mut hasher);
        let quotas = self.quotas();
        (FORMAT, quotas.memory, quotas.table, quotas.stack, tng_stp_abi::ABI_VERSION).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// A hasher that gives the same in every build.
struct Blake3Hasher(Blake3Key, Vec<u8>);

impl Hasher for Blake3Hasher {
    fn finish(&self) -> u64 {
        let tag = self.0.tag(&[&self.1]);
        u64::from_be_bytes(*tag.first_chunk().expect("a tag has 16 bytes"))
    }

    fn write(&mut self, bytes: &[u8]) {
        self.1.extend_from_slice(bytes);
    }
}

impl Module {
    /// The code that this module, which has this hash, was compiled into, to be kept.
    ///
    /// # Errors
    /// If the engine does not give it.
    pub fn compiled(&self, key: &CompiledKey, hash: &CodeHash) -> Result<Vec<u8>, CompiledError> {
        let code = self.serialized().map_err(|error| CompiledError::Engine(error.to_string()))?;
        let tag = mac(key, &self.engine().tag(), hash, &code);
        Ok([&tag, &code[..]].concat())
    }

    /// The module of this hash of code that was [kept](Self::compiled). It is not checked again: it was before it was
    /// compiled, and the MAC shows that this host did that.
    ///
    /// # Errors
    /// See [`CompiledError`].
    pub fn of_compiled(
        engine: &Engine,
        key: &CompiledKey,
        hash: &CodeHash,
        kept: &[u8],
    ) -> Result<Module, CompiledError> {
        let (tag, code) = kept.split_first_chunk::<BLAKE3_TAG_LEN>().ok_or(CompiledError::Unproven)?;
        if !tng_crypto::equal(&mac(key, &engine.tag(), hash, code), tag) {
            return Err(CompiledError::Unproven);
        }
        // SAFETY: `code` is what `Module::serialize` gave: its MAC was made in `compiled` of exactly these bytes, by
        // who has this host's secret. It lies in memory that nobody else can write to. The tag in the MAC is that of
        // this very engine, settings and processor; were it another, the engine would refuse by its own header.
        let module = unsafe { wasmtime::Module::deserialize(engine.wasmtime(), code) };
        let module = module.map_err(|error| CompiledError::Engine(error.to_string()))?;
        Module::of(engine, &module, |_| Ok(())).map_err(CompiledError::Module)
    }
}

/// The MAC of kept code: over its engine, its module, and itself.
fn mac(key: &CompiledKey, tag: &str, hash: &CodeHash, code: &[u8]) -> [u8; BLAKE3_TAG_LEN] {
    key.0.tag(&[&[FORMAT], tag.as_bytes(), hash.as_bytes(), code])
}
