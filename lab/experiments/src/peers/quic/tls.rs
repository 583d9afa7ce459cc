//! The TLS half of simulated QUIC hosts.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientSessionMemoryCache, Resumption};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::time_provider::TimeProvider;
use rustls::{CertificateError, DigitallySignedStruct, Error, PeerIncompatible, SignatureScheme};

/// An Ed25519 key in PKCS #8 (RFC 8410 section 7): this, and the 32 bytes of the key.
const PKCS8_HEAD: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
/// The key of every simulated server.
const KEY: [u8; 32] = *b"a key known to all: lab use only";
/// What is spoken on connections, as HTTP/3 would say it.
const ALPN: &[u8] = b"h3";
/// Servers whose tickets a client keeps, eight each at most.
pub(super) const TICKETS_MAX: usize = 256;

/// AES-128-GCM, and X25519 without ML-KEM.
fn provider() -> Arc<CryptoProvider> {
    let cipher_suites = vec![aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256];
    let kx_groups = vec![aws_lc_rs::kx_group::X25519];
    Arc::new(CryptoProvider { cipher_suites, kx_groups, ..aws_lc_rs::default_provider() })
}

/// The key with its public half in the place of a certificate.
fn certified(provider: &CryptoProvider) -> Result<CertifiedKey, Error> {
    let pkcs8 = [&PKCS8_HEAD[..], &KEY].concat();
    let key = provider.key_provider.load_private_key(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pkcs8)))?;
    let public = key.public_key().ok_or(Error::General("a key without a public half".into()))?.to_vec();
    Ok(CertifiedKey::new(vec![CertificateDer::from(public)], key))
}

/// A server that gives tickets and takes early data.
pub(super) fn server() -> Result<QuicServerConfig, Error> {
    let provider = provider();
    let key = certified(&provider)?;
    let mut config = rustls::ServerConfig::builder_with_details(provider, Arc::new(StoppedClock))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(Arc::new(key))));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.max_early_data_size = u32::MAX;
    QuicServerConfig::try_from(config).map_err(|error| Error::General(error.to_string()))
}

/// A client that knows the key; it has no tickets yet.
pub(super) fn client(early_data: bool) -> Result<QuicClientConfig, Error> {
    let provider = provider();
    let key = certified(&provider)?;
    let known = SubjectPublicKeyInfoDer::from(key.cert[0].to_vec());
    let verifier = Verifier { known, provider: Arc::clone(&provider) };
    let mut config = rustls::ClientConfig::builder_with_details(provider, Arc::new(StoppedClock))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.enable_early_data = early_data;
    config.resumption = Resumption::store(Arc::new(ClientSessionMemoryCache::new(TICKETS_MAX)));
    QuicClientConfig::try_from(config).map_err(|error| Error::General(error.to_string()))
}

/// The time that tickets are dated by.
#[derive(Debug)]
struct StoppedClock;

impl TimeProvider for StoppedClock {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(core::time::Duration::from_secs(1_000_000_000)))
    }
}

/// Knows a server by its key.
#[derive(Debug)]
struct Verifier {
    known: SubjectPublicKeyInfoDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if end_entity.as_ref() == self.known.as_ref() {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer))
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
        _: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &self.known, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
