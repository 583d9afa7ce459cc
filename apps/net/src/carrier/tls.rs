//! TLS as carriers have it: version 1.3 alone, one protocol name, and nobody is authenticated. Who the peer is shows
//! inside, where a middlebox that terminates TLS cannot look (docs/carrier.md).

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{ClientConfig, DigitallySignedStruct, Error, PeerMisbehaved, ServerConfig, SignatureScheme};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::CARRIER_ALPN;
use super::error::CarrierListenError;

/// The end that begins.
pub(super) struct Client(TlsConnector);

impl Default for Client {
    fn default() -> Client {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let trusting = Arc::new(Trusting(Arc::clone(&provider)));
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .expect("the provider has suites of TLS 1.3")
            .dangerous()
            .with_custom_certificate_verifier(trusting)
            .with_no_client_auth();
        config.alpn_protocols = vec![CARRIER_ALPN.into()];
        // What a resumption would save is a signature that nobody relies on.
        config.resumption = rustls::client::Resumption::disabled();
        Client(TlsConnector::from(Arc::new(config)))
    }
}

impl Client {
    pub(super) fn connector(&self) -> TlsConnector {
        self.0.clone()
    }
}

/// A chain of certificates, and the key of the first.
type Shown = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// A certificate that nobody has signed.
///
/// # Errors
/// If none can be made.
pub(super) fn made() -> Result<Shown, CarrierListenError> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])
        .map_err(|error| CarrierListenError::Tls(error.to_string()))?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    Ok((vec![made.cert.der().clone()], PrivateKeyDer::from(key)))
}

/// The end that is asked.
///
/// # Errors
/// If the certificate is none for TLS.
pub(super) fn server((chain, key): Shown) -> Result<TlsAcceptor, CarrierListenError> {
    let tls = |error: Error| CarrierListenError::Tls(error.to_string());
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(tls)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(tls)?;
    config.alpn_protocols = vec![CARRIER_ALPN.into()];
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Certificates and a key from files in PEM.
///
/// # Errors
/// If they hold none.
pub(super) fn read(chain: &Path, key: &Path) -> Result<Shown, CarrierListenError> {
    let bad = |file: &Path, reason: String| CarrierListenError::Certificate { file: file.to_owned(), reason };
    let certificates = CertificateDer::pem_file_iter(chain).map_err(|error| bad(chain, error.to_string()))?;
    let certificates: Result<Vec<_>, _> = certificates.collect();
    let certificates = certificates.map_err(|error| bad(chain, error.to_string()))?;
    if certificates.is_empty() {
        return Err(bad(chain, "it holds none".to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| bad(key, error.to_string()))?;
    Ok((certificates, private))
}

/// Takes whatever certificate is shown.
#[derive(Debug)]
struct Trusting(Arc<CryptoProvider>);

impl ServerCertVerifier for Trusting {
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
        // It was not offered.
        Err(PeerMisbehaved::SelectedUnofferedCipherSuite.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
