//! How the TLS peers' servers prove who they are, and how their clients see to it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{
    ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue, WebPkiServerVerifier,
};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, DigitallySignedStruct, Error, NamedGroup, PeerIncompatible, SignatureScheme};

use crate::Failure;
use crate::peer::HOST;
use crate::work::{Hello, Proof, Settings};

/// Only what tng does too: AES-128-GCM, and X25519 without ML-KEM.
fn provider() -> Arc<CryptoProvider> {
    let suites = vec![aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256];
    let groups = vec![aws_lc_rs::kx_group::X25519];
    Arc::new(CryptoProvider { cipher_suites: suites, kx_groups: groups, ..aws_lc_rs::default_provider() })
}

/// What the TLS peers have set otherwise than by default.
pub fn settings(hello: &Hello) -> Settings {
    let (certificate, resumption) = match hello.proof {
        Some(Proof::RawKey(_)) => ("none: the server's raw Ed25519 key, known to the client", "off at the client"),
        Some(Proof::Ticket(_)) => (
            "ECDSA P-256, self-signed, verified once",
            "1-RTT, by tickets collected before; the server keeps no sessions",
        ),
        _ => ("ECDSA P-256, self-signed, verified by the client", "off at the client"),
    };
    let settings = [
        ("cipher", "AES-128-GCM alone, of aws-lc-rs"),
        ("key exchange", "X25519 alone (default: X25519MLKEM768 first)"),
        ("certificate", certificate),
        ("resumption", resumption),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// A server with a certificate, and the certificate.
pub fn server() -> Result<(rustls::ServerConfig, Vec<u8>), Failure> {
    let made = rcgen::generate_simple_self_signed([HOST.to_owned()])?;
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
    let certificate = made.cert.der().to_vec();
    let config = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(certificate.clone())], key)?;
    Ok((config, certificate))
}

/// A server with a raw public key.
pub fn raw_key_server() -> Result<(rustls::ServerConfig, Proof), Failure> {
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519)?;
    let provider = provider();
    let key = provider.key_provider.load_private_key(PrivateKeyDer::try_from(pair.serialize_der())?)?;
    let public = key.public_key().ok_or("a key without its public half")?.to_vec();
    let certified = CertifiedKey::new(vec![CertificateDer::from(public.clone())], key);
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(Arc::new(certified))));
    Ok((config, Proof::RawKey(public)))
}

/// A server with a certificate, whose tickets say all that it needs to know.
pub fn ticket_server() -> Result<(rustls::ServerConfig, Proof), Failure> {
    let (mut config, certificate) = server()?;
    config.ticketer = aws_lc_rs::Ticketer::new()?;
    Ok((config, Proof::Ticket(certificate)))
}

/// A client, and what it notes.
pub struct Noting {
    /// The client.
    pub config: rustls::ClientConfig,
    /// How often a server has signed for it.
    pub verified: Arc<AtomicU64>,
    /// Its tickets, if it resumes.
    pub tickets: Option<Arc<Tickets>>,
}

/// Tickets, each for one connection.
#[derive(Debug, Default)]
pub struct Tickets(Mutex<VecDeque<Tls13ClientSessionValue>>);

impl Tickets {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// A client that knows the server by its proof.
pub fn client(hello: &Hello) -> Result<Noting, Failure> {
    let provider = provider();
    let mut tickets = None;
    let (known, resumption) = match &hello.proof {
        Some(Proof::RawKey(key)) => (Known::RawKey(SubjectPublicKeyInfoDer::from(key.clone())), Resumption::disabled()),
        Some(Proof::Certificate(certificate)) => {
            (Known::certificate(certificate, Arc::clone(&provider))?, Resumption::disabled())
        }
        Some(Proof::Ticket(certificate)) => {
            let store = Arc::clone(tickets.insert(Arc::new(Tickets::default())));
            (Known::certificate(certificate, Arc::clone(&provider))?, Resumption::store(store))
        }
        None => return Err("a server with TLS proves who it is".into()),
    };
    let verified = Arc::new(AtomicU64::new(0));
    let verifier = Verifier { known, provider: Arc::clone(&provider), verified: Arc::clone(&verified) };
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.resumption = resumption;
    Ok(Noting { config, verified, tickets })
}

/// By what the server is known.
#[derive(Debug)]
enum Known {
    Certificate(Arc<WebPkiServerVerifier>),
    RawKey(SubjectPublicKeyInfoDer<'static>),
}

impl Known {
    fn certificate(certificate: &[u8], provider: Arc<CryptoProvider>) -> Result<Known, Failure> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from(certificate.to_vec()))?;
        Ok(Known::Certificate(WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build()?))
    }
}

/// rustls' own checks, counted.
#[derive(Debug)]
struct Verifier {
    known: Known,
    provider: Arc<CryptoProvider>,
    verified: Arc<AtomicU64>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.known {
            Known::Certificate(verifier) => verifier.verify_server_cert(end_entity, intermediates, name, ocsp, now),
            Known::RawKey(key) if end_entity.as_ref() == key.as_ref() => Ok(ServerCertVerified::assertion()),
            Known::RawKey(_) => Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)),
        }
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verified.fetch_add(1, Ordering::Relaxed);
        match &self.known {
            Known::Certificate(verifier) => verifier.verify_tls13_signature(message, certificate, signed),
            Known::RawKey(key) => verify_tls13_signature_with_raw_key(
                message,
                key,
                signed,
                &self.provider.signature_verification_algorithms,
            ),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        matches!(self.known, Known::RawKey(_))
    }
}
