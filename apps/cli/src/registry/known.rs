//! The registries that this process asks, as the command line or the environment names them.

use std::sync::OnceLock;

use tng::Builder;
use tng::help::Token;
use tng::registry::RegistryTarget;
use tng_base::Eid;

use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::folder_of_configuration;
use crate::location::{Location, location, resolve};
use crate::registry::token::NamedToken;

static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
static SHOWN: OnceLock<Option<NamedToken>> = OnceLock::new();

/// Has these be asked from now on, and be shown this token; only the first time. An empty text, as of a variable that
/// is set to nothing, names none.
pub fn set(registries: Vec<String>, token: Option<NamedToken>) {
    let _ = KNOWN.set(registries.into_iter().filter(|text| !text.trim().is_empty()).collect());
    let _ = SHOWN.set(token);
}

/// What is shown to find a host: the token of the command line, else that of the configuration.
///
/// # Errors
/// If it cannot be read.
pub fn token_of(eid: Eid) -> Result<Option<Token>, Failure> {
    match SHOWN.get() {
        Some(Some(named)) => named.token().map(Some),
        _ => Config::load()?.registry_token(eid).transpose(),
    }
}

/// The registry that a text names: a ticket, `EID@host:port`, `@FILE`, or a name of the configuration.
///
/// # Errors
/// If it names none, or its place cannot be looked up.
pub async fn target(text: &str) -> Result<RegistryTarget, Failure> {
    const WHAT: &str = "asking a registry";
    let host = match Config::load()?.host(text) {
        Some(host) => Location::from(host),
        None => location(text).map_err(|why| Failure::told(Exit::Usage, WHAT, why))?,
    };
    if !host.path.is_root() {
        return Err(Failure::usage(WHAT, "a registry has no path").or_try("what stands before the /"));
    }
    let door = Some(host.capability).filter(|door| !door.is_empty());
    Ok(RegistryTarget { eid: host.eid, addresses: resolve(&host.places).await?, door })
}

/// All that are named.
///
/// # Errors
/// If none is, or one of them names none.
pub async fn targets() -> Result<Vec<RegistryTarget>, Failure> {
    let named = KNOWN.get().map(Vec::as_slice).unwrap_or_default();
    if named.is_empty() {
        return Err(Failure::usage("asking a registry", "none is named").or_try("--registry REGISTRY or TNG_REGISTRY"));
    }
    let mut targets = Vec::new();
    for text in named {
        targets.push(target(text).await?);
    }
    Ok(targets)
}

/// An endpoint that asks the registries that are named. One whose place is not found now is left out.
///
/// # Errors
/// If a text names none.
pub async fn asked(mut builder: Builder) -> Result<Builder, Failure> {
    for text in KNOWN.get().into_iter().flatten() {
        match target(text).await {
            Ok(target) => builder = builder.registry(target),
            Err(failure) if failure.exit == Exit::Resolve => tracing::warn!("a registry is not asked: {failure}"),
            Err(failure) => return Err(failure),
        }
    }
    if let Some(folder) = folder_of_configuration() {
        builder = builder.registry_memory(folder.join("registry-seen"));
    }
    Ok(builder)
}
