//! The TLS half of quinn's two endpoints: AES-128-GCM by aws-lc-rs, as tng seals, and a raw public key in the place of
//! certificates, which nobody checks: the set-up is not counted.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::SupportedCipherSuite;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::aws_lc_rs;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// The one suite that the two have: so it is theirs.
const SUITE: SupportedCipherSuite = aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;

/// An Ed25519 key in PKCS #8 (RFC 8410 section 7): this, and the 32 bytes of the key.
const PKCS8_HEAD: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// What seals quinn's packets.
pub fn cipher() -> String {
    format!("{:?} of aws-lc-rs", SUITE.suite())
}

fn provider() -> Arc<CryptoProvider> {
    let kx_groups = vec![aws_lc_rs::kx_group::X25519];
    Arc::new(CryptoProvider { cipher_suites: vec![SUITE], kx_groups, ..aws_lc_rs::default_provider() })
}

/// A server with a key.
///
/// # Panics
/// If the TLS library has lost Ed25519, X25519 or AES-128-GCM: a matter of how the program was built.
pub fn server() -> QuicServerConfig {
    let provider = provider();
    let pkcs8 = [&PKCS8_HEAD[..], &[2; 32]].concat();
    let key = provider.key_provider.load_private_key(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pkcs8)));
    let key = key.expect("the library has Ed25519");
    let public = key.public_key().expect("it has a public half").to_vec();
    let key = Arc::new(CertifiedKey::new(vec![CertificateDer::from(public)], key));
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the suite is one of TLS 1.3")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(key)));
    QuicServerConfig::try_from(config).expect("QUIC's first packets are sealed by the suite")
}

/// A client that accepts whatever identity the server claims.
///
/// # Panics
/// As [`server`].
pub fn client() -> QuicClientConfig {
    let provider = provider();
    let verifier = AnyServer(provider.signature_verification_algorithms);
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the suite is one of TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    QuicClientConfig::try_from(config).expect("QUIC's first packets are sealed by the suite")
}

/// Takes every server: there is nobody else in the process.
#[derive(Debug)]
struct AnyServer(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
