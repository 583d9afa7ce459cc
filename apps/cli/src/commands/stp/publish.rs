//! What a publisher does: `tng stp keygen`, `sign`, `verify` and `revoke`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tng::stp::Module;
use tng::stp::manager::{
    Cap, FUEL_WANTED, MANIFEST_MAX, MEMORY_WANTED, Manifest, Name, Policy, PublisherKey, PublisherPair, RevocationList,
    SignedManifest, SignedRevocations, Version, Wants,
};
use tng_base::CodeHash;
use tng_crypto::code_hash;
use tng_settings::units::{self, moment};
use tng_wire::Repr;

use super::install::beside;
use super::place::{PlaceArgs, manifest_failure, read_file, read_module, revocation_failure};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::modules::engine;
use crate::guests::supply::{PolicyFile, built_in_guests, store_failure};
use crate::guests::word;
use crate::key::{read_private, write_new};
use crate::talk::{Talk, bytes, counted, shown};
use crate::tickets::{expires_s, lifetime};

/// Shown before everything else in `tng stp keygen --help`.
pub(super) const KEYGEN_EXAMPLES: &str = "\
Examples:
  tng stp keygen acme.key  make a publisher's key; prints the public key, for
                           others' policies

The file signs in your name: keep it private. Missing folders are made, for you
alone (mode 0700). It is not a host's key.";

/// Shown before everything else in `tng stp sign --help`.
pub(super) const SIGN_EXAMPLES: &str = "\
Examples:
  tng stp sign fast.wasm --key acme.key --name fast --version 1.0.0
        write fast.manifest, and sign it for a year
  tng stp sign fast.wasm --key second.key
        add another signature
  tng stp sign fast.wasm --key acme.key --name fast --version 1.0.1 \\
      --cap modern --expires 90d";

/// Shown before everything else in `tng stp verify --help`.
pub(super) const VERIFY_EXAMPLES: &str = "\
Examples:
  tng stp verify            verify the whole store; bad modules are set aside,
                            and the exit code is 1
  tng stp verify fast.wasm  verify a module and its manifest: whose signatures
                            are good, what the policy calls them, and until
                            when; exit code 9 if they have expired";

/// Shown before everything else in `tng stp revoke --help`.
pub(super) const REVOKE_EXAMPLES: &str = "\
Examples:
  tng stp revoke acme.list --key acme.key fast.wasm
                            a list that revokes it, or the next number of one
  tng stp revoke acme.list --key acme.key tngpub1...
                            revoke a key, with all that it has signed
  tng stp revoke acme.list  import the list of a publisher in the policy

A list has a number and only grows; the highest number is remembered.";

/// How long signatures are good, unless it is said.
pub const SIGNED_FOR_DEFAULT: Duration = Duration::from_secs(365 * 86_400);
/// Bytes of a list that is read.
pub const LIST_FILE_MAX: usize = 64 << 10;

/// Arguments of `tng stp keygen`.
#[derive(Args, Debug)]
pub(super) struct KeygenArgs {
    /// The file to make; it must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Arguments of `tng stp sign`.
#[derive(Args, Debug)]
pub(super) struct SignArgs {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    file: PathBuf,
    /// The publisher's key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Name of the guest; without it, the existing manifest is signed
    #[arg(long, value_name = "NAME", requires = "version")]
    name: Option<Name>,
    /// Version of the guest
    #[arg(long, value_name = "N.N.N", requires = "name")]
    version: Option<Version>,
    /// Lifetime of the signatures: 90d, 12h [default: a year]
    #[arg(long, value_name = "TIME", value_parser = lifetime, requires = "name")]
    expires: Option<Duration>,
    /// Rate limit that it asks for
    #[arg(long, value_name = "CAP", value_parser = Cap::NAMES, default_value = Cap::NAMES[0])]
    cap: String,
    /// Memory that it asks for
    #[arg(long, value_name = "SIZE", value_parser = wanted_memory)]
    memory: Option<u64>,
    /// Fuel (instructions) per call that it asks for
    #[arg(long, value_name = "NUMBER")]
    fuel: Option<u64>,
    /// The manifest [default: beside the module]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
}

/// Arguments of `tng stp verify`.
#[derive(Args, Debug)]
pub(super) struct VerifyArgs {
    /// A module [default: the whole store]
    #[arg(value_name = "FILE.wasm")]
    file: Option<PathBuf>,
    /// Its manifest [default: beside it]
    #[arg(long, value_name = "FILE", requires = "file")]
    manifest: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Arguments of `tng stp revoke`.
#[derive(Args, Debug)]
pub(super) struct RevokeArgs {
    /// File with the revocation list
    #[arg(value_name = "LIST")]
    list: PathBuf,
    /// The publisher's key, to make or extend the list; without it, the list is imported
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// What to revoke: modules, hashes, publishers' keys
    #[arg(value_name = "FILE.wasm|HASH|KEY", requires = "key")]
    what: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Bytes of memory that a manifest may want at most: a module has addresses for no more.
pub const MEMORY_WANTED_MAX: u64 = 4 << 30;

/// Reads what `--memory` says.
fn wanted_memory(text: &str) -> Result<u64, String> {
    let bound = "at most 4GiB: a module has addresses for no more";
    match units::size(text) {
        Ok(bytes) if bytes <= MEMORY_WANTED_MAX => Ok(bytes),
        Ok(_) => Err(bound.to_owned()),
        Err(why) => Err(format!("{why}; {bound}")),
    }
}

/// Makes a publisher's key.
///
/// # Errors
/// If the file is there already, or cannot be written.
pub(super) fn keygen(args: &KeygenArgs, talk: Talk) -> Result<(), Failure> {
    let seed = tng::random_seed().map_err(|why| Failure::read("drawing random numbers", &why))?;
    let publisher = PublisherPair::from_seed(seed);
    write_new(&args.file, &publisher.to_secret_text()).map_err(|error| {
        let failure = Failure::write(format!("writing the key {}", shown(&args.file)), &error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => Failure { why: "it exists already".to_owned(), ..failure }
                .or_try("another name: those who trust the old key would not know a new one"),
            _ => failure,
        }
    })?;
    talk.payload(publisher.public());
    talk.event("publisher", &json!({ "key": publisher.public().to_string() }));
    Ok(())
}

fn publisher(path: &Path) -> Result<PublisherPair, Failure> {
    let what = || format!("reading the publisher's key {}", shown(path));
    read_private(path, what, "publisher.key", |text| {
        PublisherPair::from_secret_text(text).map_err(|error| Failure::told(Exit::Read, what(), error))
    })
}

/// Says what a module is, and signs it; or adds a signature.
///
/// # Errors
/// If it is no module, there is nothing to sign, or the manifest cannot be written.
pub(super) fn sign(args: &SignArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("signing {}", shown(&args.file));
    let publisher = publisher(&args.key)?;
    let module_bytes = read_module(&args.file)?;
    let module =
        Module::new(&engine()?, &module_bytes).map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    let (hash, path) = (code_hash(&module_bytes), args.manifest.clone().unwrap_or_else(|| beside(&args.file)));
    let mut signed = match (&args.name, args.version) {
        (Some(name), Some(version)) => SignedManifest::unsigned(Manifest {
            name: name.clone(),
            version,
            hash,
            kind: module.kind(),
            abi: tng_stp_abi::ABI_VERSION,
            wants: Wants {
                cap: Cap::NAMES.iter().position(|name| *name == args.cap).and_then(Cap::of).unwrap_or_default(),
                memory: args.memory.unwrap_or(MEMORY_WANTED),
                fuel: args.fuel.unwrap_or(FUEL_WANTED),
            },
            expires_unix_s: expires_s(Some(args.expires.unwrap_or(SIGNED_FOR_DEFAULT))),
        }),
        _ => {
            let read = read_file(&path, "manifest", MANIFEST_MAX)
                .map_err(|(failure, _)| failure.or_try("--name and --version, to say what the module is"))?;
            SignedManifest::read_of(&read, &hash, module.kind()).map_err(|error| manifest_failure(&what, &error))?
        }
    };
    signed.sign(&publisher).map_err(|error| manifest_failure(&what, &error))?;
    put(&path, &signed.to_vec())?;
    // What a policy calls the signers is for who verifies.
    tell(&signed, &path, &Policy::default(), talk);
    warn_of_built_in(&signed.manifest, talk);
    Ok(())
}

/// What comes with the program keeps its name, and nothing else has that.
fn warn_of_built_in(manifest: &Manifest, talk: Talk) {
    let (guests, name) = (built_in_guests(), &manifest.name);
    let own = guests.iter().find(|guest| guest.hash == manifest.hash);
    let why = match (own, guests.iter().find(|guest| guest.name == name.as_str())) {
        (Some(own), _) => format!("what was signed is the code of {}, which is built in and keeps its name", own.name),
        (None, Some(_)) => {
            format!("what was signed is not the {name} that is built in: hosts know it by its hash, not by that name")
        }
        (None, None) => return,
    };
    let remedy = "another --name, for code of your own";
    talk.warn(format_args!("{why}\n  try: {remedy}"));
    talk.event("warning", &json!({ "why": why, "try": remedy }));
}

/// Writes beside, and renames.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        Failure::write(format!("writing {}", shown(path)), &error)
    })
}

fn tell(signed: &SignedManifest, path: &Path, policy: &Policy, talk: Talk) {
    let manifest = &signed.manifest;
    let signers: Vec<String> = signed.signers().map(ToString::to_string).collect();
    let publisher_of = |key| policy.publisher_of(key).map(|publisher| publisher.name.as_str());
    talk.payload(format_args!(
        "{}  {} {}  {}  {}, {}",
        manifest.hash.short(),
        manifest.name,
        manifest.version,
        word(manifest.kind),
        counted(signers.len(), "signature"),
        match manifest.expires_unix_s {
            Some(at) => format!("until {}", moment(at)),
            None => "for ever".to_owned(),
        }
    ));
    for key in signed.signers() {
        let publisher = publisher_of(key).map(|name| format!("  {name}")).unwrap_or_default();
        talk.payload(format_args!("signed by  {key}{publisher}"));
    }
    let fields = json!({
        "manifest": path.to_string_lossy(),
        "blake3": manifest.hash.to_string(),
        "name": manifest.name.as_str(),
        "version": manifest.version.to_string(),
        "kind": word(manifest.kind),
        "signers": signers,
        "publishers": signed.signers().map(publisher_of).collect::<Vec<_>>(),
        "expires_unix_s": manifest.expires_unix_s,
        "expires": manifest.expires_unix_s.map(moment),
    });
    talk.event("manifest", &fields);
}

/// Verifies a module with its manifest, or the store.
///
/// # Errors
/// If something is wrong.
pub(super) fn verify(args: &VerifyArgs, talk: Talk) -> Result<(), Failure> {
    let engine = engine()?;
    let Some(file) = &args.file else {
        let manager = args.place.manager_there(talk)?;
        let verified = manager.verify().map_err(|error| store_failure("verifying the store", &error))?;
        let wrong: Vec<String> = verified.wrong.iter().map(ToString::to_string).collect();
        wrong.iter().for_each(|note| talk.payload(note));
        talk.say(format_args!(
            "{}, {}; {}, {}; {} wrong",
            counted(verified.modules, "module"),
            bytes(verified.bytes),
            counted(verified.manifests, "manifest"),
            counted(verified.revocations, "revocation list"),
            counted(wrong.len(), "thing")
        ));
        let fields = json!({
            "modules": verified.modules,
            "bytes": verified.bytes,
            "manifests": verified.manifests,
            "revocations": verified.revocations,
            "wrong": wrong,
        });
        talk.event("verified", &fields);
        return match wrong.len() {
            0 => Ok(()),
            1 => Err(Failure::new(Exit::Unmet, "verifying the store", "one thing was wrong")
                .or_try("install again what was set aside")),
            many => Err(Failure::new(Exit::Unmet, "verifying the store", format!("{many} things were wrong"))
                .or_try("install again what was set aside")),
        };
    };
    let what = format!("verifying {}", shown(file));
    let module_bytes = read_module(file)?;
    let module = Module::new(&engine, &module_bytes).map_err(|error| Failure::told(Exit::NotRunnable, &what, error))?;
    let path = args.manifest.clone().unwrap_or_else(|| beside(file));
    let read = read_file(&path, "manifest", MANIFEST_MAX).map_err(|(failure, _)| failure)?;
    let signed = SignedManifest::read_of(&read, &code_hash(&module_bytes), module.kind())
        .map_err(|error| manifest_failure(&what, &error))?;
    let policy = PolicyFile::of(&args.place).read()?;
    tell(&signed, &path, &policy, talk);
    match signed.manifest.expires_unix_s.filter(|at| *at <= clock::seconds_since_1970()) {
        Some(at) => {
            let why = format!("its signatures ended on {}", moment(at));
            Err(Failure::new(Exit::Denied, what, why).or_try("have it signed again"))
        }
        None => Ok(()),
    }
}

/// Makes a revocation list, adds to one, or takes one in.
///
/// # Errors
/// If it cannot be read, written or taken.
pub(super) fn revoke(args: &RevokeArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("revoking by {}", shown(&args.list));
    let read = || -> Result<SignedRevocations, Failure> {
        let bytes = read_file(&args.list, "list", LIST_FILE_MAX).map_err(|(failure, _)| failure)?;
        SignedRevocations::read(&bytes).map_err(|error| revocation_failure(&what, &error))
    };
    let signed = match &args.key {
        None => {
            let manager = args.place.manager(talk)?;
            let signed = read()?;
            manager.revoke(signed.clone()).map_err(|error| store_failure(&what, &error))?;
            signed
        }
        Some(key) => {
            let publisher = publisher(key)?;
            let mut list = if args.list.exists() { read()?.list } else { RevocationList::new(publisher.public()) };
            if list.issuer != publisher.public() {
                let why = format!("the list is of another key, {}", list.issuer);
                return Err(Failure::new(Exit::Denied, what, why).or_try("a list of your own"));
            }
            for text in &args.what {
                let added = match revoked(text)? {
                    Revoked::Code(hash) => list.revoke(hash),
                    Revoked::Key(key) => list.revoke_key(key),
                };
                added.map_err(|error| revocation_failure(&what, &error))?;
            }
            list.number += 1;
            let signed = list.sign(&publisher);
            put(&args.list, &signed.to_vec())?;
            signed
        }
    };
    let list = &signed.list;
    talk.say(format_args!(
        "list {} of {} takes back {} and {}",
        list.number,
        list.issuer,
        counted(list.hashes().len(), "module"),
        counted(list.keys().len(), "key")
    ));
    let fields = json!({
        "number": list.number,
        "issuer": list.issuer.to_string(),
        "hashes": list.hashes().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "keys": list.keys().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "taken": args.key.is_none(),
    });
    talk.event("revocations", &fields);
    Ok(())
}

enum Revoked {
    Code(CodeHash),
    Key(PublisherKey),
}

fn revoked(text: &str) -> Result<Revoked, Failure> {
    if let Ok(hash) = text.parse() {
        return Ok(Revoked::Code(hash));
    }
    match text.parse() {
        Ok(key) => Ok(Revoked::Key(key)),
        Err(_) => read_module(Path::new(text)).map(|bytes| Revoked::Code(code_hash(&bytes))),
    }
}
