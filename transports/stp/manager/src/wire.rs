//! The bytes of manifests, of revocation lists, and of the files of a store. docs/wire.md, "Manifests", has them.

use tng_base::CodeHash;
use tng_crypto::{SIGNATURE_LEN, code_hash};
use tng_stp_abi::{Kind, abi_word, of_abi_word};
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, prefixed_len, varint_len};

use crate::PublisherKey;
use crate::history::{History, Record, VIOLATIONS_KEPT_MAX, VIOLATORS_MAX, Violation};
use crate::index::{Entry, Index, MARKS_MAX, MODULES_MAX, Mark, NOTE_MAX};
use crate::manifest::{Cap, Manifest, NAME_MAX, Name, SIGNATURES_MAX, Signature, SignedManifest, Version, Wants};
use crate::origin::{FILE_NAME_MAX, HOST_MAX, Origin};
use crate::revocation::{REVOKED_HASHES_MAX, REVOKED_KEYS_MAX, RevocationList, SignedRevocations};

/// What a manifest begins with: letters, and the version of the format.
const MANIFEST_MAGIC: [u8; 5] = *b"tngm\x01";
/// What a revocation list begins with.
const REVOCATION_MAGIC: [u8; 5] = *b"tngr\x01";
/// Bytes of a checksum: of BLAKE3 over all that stands before it.
const CHECKSUM_LEN: usize = 16;
const HASH_LEN: usize = tng_base::CODE_HASH_LEN;
const KEY_LEN: usize = 32;

/// A body as a file: magic, version, body, checksum.
pub(crate) fn checked(body: &[u8], magic: [u8; 4], version: u8) -> Vec<u8> {
    let mut file = [&magic, &[version][..], body].concat();
    let checksum = checksum(&file);
    file.extend_from_slice(&checksum);
    file
}

/// The body of such a file; if it is none, its version if that is another one.
pub(crate) fn unchecked(file: &[u8], magic: [u8; 4], version: u8) -> Result<&[u8], Option<u8>> {
    let found = match file.strip_prefix(&magic) {
        Some([found, ..]) => *found,
        _ => return Err(None),
    };
    let (covered, sum) = file.split_last_chunk::<CHECKSUM_LEN>().ok_or(None)?;
    match covered.get(magic.len() + 1..) {
        Some(body) if checksum(covered) == *sum => {
            if found == version {
                Ok(body)
            } else {
                Err(Some(found))
            }
        }
        _ => Err(None),
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_LEN] {
    *code_hash(bytes).as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// A list of at most so many, each with what reads it.
fn list<'a, T>(
    reader: &mut Reader<'a>,
    most: usize,
    read: impl Fn(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let count = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
    if count > most {
        return Err(Malformed);
    }
    // What is claimed is not what is there: each value takes a byte at least.
    let mut values = Vec::with_capacity(count.min(reader.left()));
    for _ in 0..count {
        values.push(read(reader)?);
    }
    Ok(values)
}

/// The same whose keys rise, so that each is there once, and there is one form.
fn rising<'a, T, K: Ord>(
    reader: &mut Reader<'a>,
    most: usize,
    key: impl Fn(&T) -> &K,
    read: impl Fn(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let values = list(reader, most, read)?;
    if values.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])) { Ok(values) } else { Err(Malformed) }
}

fn hash(reader: &mut Reader<'_>) -> Result<CodeHash, Malformed> {
    reader.array().map(CodeHash::from_bytes)
}

fn key(reader: &mut Reader<'_>) -> Result<PublisherKey, Malformed> {
    reader.array().map(PublisherKey::from_bytes)
}

fn number(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    u32::try_from(reader.varint()?).map_err(|_| Malformed)
}

fn kind(reader: &mut Reader<'_>) -> Result<Kind, Malformed> {
    of_abi_word(u64::from(reader.u8()?)).1.ok_or(Malformed)
}

fn kind_byte(kind: Kind) -> u8 {
    // The low byte of the word.
    abi_word(kind).to_be_bytes()[7]
}

fn name(reader: &mut Reader<'_>) -> Result<Name, Malformed> {
    let text = core::str::from_utf8(reader.prefixed(NAME_MAX)?).map_err(|_| Malformed)?;
    text.parse().map_err(|_| Malformed)
}

fn version(reader: &mut Reader<'_>) -> Result<Version, Malformed> {
    Ok(Version([number(reader)?, number(reader)?, number(reader)?]))
}

fn version_len(version: Version) -> usize {
    version.0.iter().map(|number| varint_len(u64::from(*number))).sum()
}

fn emit_version(version: Version, writer: &mut Writer<'_>) -> Result<(), Full> {
    version.0.iter().try_for_each(|number| writer.varint(u64::from(*number)))
}

impl Repr<'_> for Manifest {
    fn parse(reader: &mut Reader<'_>) -> Result<Manifest, Malformed> {
        Ok(Manifest {
            name: name(reader)?,
            version: version(reader)?,
            hash: hash(reader)?,
            kind: kind(reader)?,
            abi: number(reader)?,
            wants: Wants {
                cap: Cap::of(usize::from(reader.u8()?)).ok_or(Malformed)?,
                memory: reader.varint()?,
                fuel: reader.varint()?,
            },
            expires_unix_s: Some(reader.varint()?).filter(|expires| *expires != 0),
        })
    }

    fn wire_len(&self) -> usize {
        let numbers = [u64::from(self.abi), self.wants.memory, self.wants.fuel, self.expires_unix_s.unwrap_or(0)];
        prefixed_len(self.name.as_str().len())
            + version_len(self.version)
            + HASH_LEN
            + 2
            + numbers.iter().map(|number| varint_len(*number)).sum::<usize>()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.prefixed(self.name.as_str().as_bytes())?;
        emit_version(self.version, writer)?;
        writer.bytes(self.hash.as_bytes())?;
        writer.u8(kind_byte(self.kind))?;
        writer.varint(u64::from(self.abi))?;
        writer.u8(self.wants.cap as u8)?;
        writer.varint(self.wants.memory.min(VARINT_MAX))?;
        writer.varint(self.wants.fuel.min(VARINT_MAX))?;
        writer.varint(self.expires_unix_s.unwrap_or(0).min(VARINT_MAX))
    }
}

impl Repr<'_> for SignedManifest {
    fn parse(reader: &mut Reader<'_>) -> Result<SignedManifest, Malformed> {
        if reader.array()? != MANIFEST_MAGIC {
            return Err(Malformed);
        }
        let manifest = Manifest::parse(reader)?;
        let signature = |reader: &mut Reader<'_>| Ok(Signature { key: key(reader)?, bytes: reader.array()? });
        let signatures = rising(reader, SIGNATURES_MAX, |signature: &Signature| &signature.key, signature)?;
        Ok(SignedManifest { manifest, signatures })
    }

    fn wire_len(&self) -> usize {
        let signatures = varint_len(self.signatures.len() as u64) + self.signatures.len() * (KEY_LEN + SIGNATURE_LEN);
        MANIFEST_MAGIC.len() + self.manifest.wire_len() + signatures
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(&MANIFEST_MAGIC)?;
        self.manifest.emit(writer)?;
        writer.varint(self.signatures.len() as u64)?;
        for Signature { key, bytes } in &self.signatures {
            writer.bytes(key.as_bytes())?;
            writer.bytes(bytes)?;
        }
        Ok(())
    }
}

impl Repr<'_> for RevocationList {
    fn parse(reader: &mut Reader<'_>) -> Result<RevocationList, Malformed> {
        Ok(RevocationList {
            issuer: key(reader)?,
            number: reader.varint()?,
            hashes: rising(reader, REVOKED_HASHES_MAX, |hash| hash, hash)?,
            keys: rising(reader, REVOKED_KEYS_MAX, |key| key, key)?,
        })
    }

    fn wire_len(&self) -> usize {
        let (hashes, keys) = (self.hashes.len(), self.keys.len());
        let counts = varint_len(self.number) + varint_len(hashes as u64) + varint_len(keys as u64);
        KEY_LEN + counts + hashes * HASH_LEN + keys * KEY_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.issuer.as_bytes())?;
        writer.varint(self.number.min(VARINT_MAX))?;
        writer.varint(self.hashes.len() as u64)?;
        self.hashes.iter().try_for_each(|hash| writer.bytes(hash.as_bytes()))?;
        writer.varint(self.keys.len() as u64)?;
        self.keys.iter().try_for_each(|key| writer.bytes(key.as_bytes()))
    }
}

impl Repr<'_> for SignedRevocations {
    fn parse(reader: &mut Reader<'_>) -> Result<SignedRevocations, Malformed> {
        if reader.array()? != REVOCATION_MAGIC {
            return Err(Malformed);
        }
        Ok(SignedRevocations { list: RevocationList::parse(reader)?, signature: reader.array()? })
    }

    fn wire_len(&self) -> usize {
        REVOCATION_MAGIC.len() + self.list.wire_len() + SIGNATURE_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(&REVOCATION_MAGIC)?;
        self.list.emit(writer)?;
        writer.bytes(&self.signature)
    }
}

fn violation(reader: &mut Reader<'_>) -> Result<(u64, Violation), Malformed> {
    let (at, number) = (reader.varint()?, reader.u8()?);
    let known = Violation::ALL.into_iter().find(|violation| *violation as u8 == number);
    Ok((at, known.ok_or(Malformed)?))
}

impl Repr<'_> for History {
    fn parse(reader: &mut Reader<'_>) -> Result<History, Malformed> {
        let forgotten = reader.varint()?;
        let record = |reader: &mut Reader<'_>| {
            let (hash, total) = (hash(reader)?, number(reader)?);
            let recent = list(reader, VIOLATIONS_KEPT_MAX, violation)?;
            // Every record was made by a violation.
            let fits = !recent.is_empty() && recent.len() as u64 <= u64::from(total);
            if fits { Ok((hash, Record { total, recent })) } else { Err(Malformed) }
        };
        let records = rising(reader, VIOLATORS_MAX, |(hash, _)| hash, record)?;
        Ok(History { records: records.into_iter().collect(), forgotten })
    }

    fn wire_len(&self) -> usize {
        let of = |record: &Record| {
            let recent: usize = record.recent.iter().map(|(at, _)| varint_len(*at) + 1).sum();
            HASH_LEN + varint_len(u64::from(record.total)) + varint_len(record.recent.len() as u64) + recent
        };
        let records = self.records.values().map(of).sum::<usize>();
        varint_len(self.forgotten) + varint_len(self.records.len() as u64) + records
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.varint(self.forgotten.min(VARINT_MAX))?;
        writer.varint(self.records.len() as u64)?;
        for (hash, record) in &self.records {
            writer.bytes(hash.as_bytes())?;
            writer.varint(u64::from(record.total))?;
            writer.varint(record.recent.len() as u64)?;
            for (at, violation) in &record.recent {
                writer.varint((*at).min(VARINT_MAX))?;
                writer.u8(*violation as u8)?;
            }
        }
        Ok(())
    }
}

fn text(reader: &mut Reader<'_>, most: usize) -> Result<String, Malformed> {
    core::str::from_utf8(reader.prefixed(most)?).map(str::to_owned).map_err(|_| Malformed)
}

impl Repr<'_> for Origin {
    fn parse(reader: &mut Reader<'_>) -> Result<Origin, Malformed> {
        match reader.u8()? {
            0 => Ok(Origin::Unknown),
            1 => text(reader, FILE_NAME_MAX).map(Origin::File),
            2 => reader.array().map(tng_base::Eid::from_bytes).map(Origin::Peer),
            3 => text(reader, HOST_MAX).map(Origin::Host),
            _ => Err(Malformed),
        }
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Origin::Unknown => 0,
            Origin::Peer(_) => KEY_LEN,
            Origin::File(name) | Origin::Host(name) => prefixed_len(name.len()),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Origin::Unknown => writer.u8(0),
            Origin::File(path) => writer.u8(1).and_then(|()| writer.prefixed(path.as_bytes())),
            Origin::Peer(eid) => writer.u8(2).and_then(|()| writer.bytes(eid.as_bytes())),
            Origin::Host(name) => writer.u8(3).and_then(|()| writer.prefixed(name.as_bytes())),
        }
    }
}

impl Repr<'_> for Entry {
    fn parse(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
        Ok(Entry {
            bytes: number(reader)?,
            kind: kind(reader)?,
            origin: Origin::parse(reader)?,
            installed_unix_s: reader.varint()?,
            used_unix_s: reader.varint()?,
            manifest: None,
        })
    }

    fn wire_len(&self) -> usize {
        let times = varint_len(self.installed_unix_s) + varint_len(self.used_unix_s);
        varint_len(u64::from(self.bytes)) + 1 + self.origin.wire_len() + times
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.varint(u64::from(self.bytes))?;
        writer.u8(kind_byte(self.kind))?;
        self.origin.emit(writer)?;
        writer.varint(self.installed_unix_s.min(VARINT_MAX))?;
        writer.varint(self.used_unix_s.min(VARINT_MAX))
    }
}

impl Repr<'_> for Index {
    fn parse(reader: &mut Reader<'_>) -> Result<Index, Malformed> {
        let generation = reader.varint()?;
        let module = |reader: &mut Reader<'_>| Ok((hash(reader)?, Entry::parse(reader)?));
        let modules = rising(reader, MODULES_MAX, |(hash, _)| hash, module)?;
        let pins = rising(reader, MODULES_MAX, |hash| hash, hash)?;
        let flag = |reader: &mut Reader<'_>| Ok((hash(reader)?, text(reader, NOTE_MAX)?));
        let flags = rising(reader, MODULES_MAX, |(hash, _)| hash, flag)?;
        let mark = |reader: &mut Reader<'_>| {
            let at = (name(reader)?, key(reader)?);
            Ok((at, Mark { version: version(reader)?, hash: hash(reader)? }))
        };
        let marks = rising(reader, MARKS_MAX, |(at, _)| at, mark)?;
        Ok(Index {
            generation,
            modules: modules.into_iter().collect(),
            pins: pins.into_iter().collect(),
            flags: flags.into_iter().collect(),
            marks: marks.into_iter().collect(),
        })
    }

    fn wire_len(&self) -> usize {
        let counts = [self.modules.len(), self.pins.len(), self.flags.len(), self.marks.len()];
        let modules: usize = self.modules.values().map(|entry| HASH_LEN + entry.wire_len()).sum();
        let flags: usize = self.flags.values().map(|note| HASH_LEN + prefixed_len(note.len())).sum();
        let mark = |((name, _), mark): (&(Name, PublisherKey), &Mark)| {
            prefixed_len(name.as_str().len()) + KEY_LEN + version_len(mark.version) + HASH_LEN
        };
        varint_len(self.generation)
            + counts.iter().map(|count| varint_len(*count as u64)).sum::<usize>()
            + modules
            + self.pins.len() * HASH_LEN
            + flags
            + self.marks.iter().map(mark).sum::<usize>()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.varint(self.generation)?;
        writer.varint(self.modules.len() as u64)?;
        for (hash, entry) in &self.modules {
            writer.bytes(hash.as_bytes())?;
            entry.emit(writer)?;
        }
        writer.varint(self.pins.len() as u64)?;
        self.pins.iter().try_for_each(|hash| writer.bytes(hash.as_bytes()))?;
        writer.varint(self.flags.len() as u64)?;
        for (hash, note) in &self.flags {
            writer.bytes(hash.as_bytes())?;
            writer.prefixed(note.as_bytes())?;
        }
        writer.varint(self.marks.len() as u64)?;
        for ((name, key), mark) in &self.marks {
            writer.prefixed(name.as_str().as_bytes())?;
            writer.bytes(key.as_bytes())?;
            emit_version(mark.version, writer)?;
            writer.bytes(mark.hash.as_bytes())?;
        }
        Ok(())
    }
}
