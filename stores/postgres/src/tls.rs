//! TLS by rustls: whose certificates are trusted, and what is checked.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::configuration::{Checks, Configuration};
use crate::failure::{Code, Failure};

/// Connects by TLS as the configuration says.
pub fn connector(configuration: &Configuration) -> Result<MakeRustlsConnect, Failure> {
    let provider = Arc::new(ring::default_provider());
    let unusable = |error: &dyn std::fmt::Display| {
        Failure::new(Code::Failed, format!("TLS cannot be used: {error}"))
    };
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    if configuration.checks == Checks::Nothing {
        let verifier = Arc::new(Lenient {
            provider,
            signer: None,
        });
        let config = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        return Ok(MakeRustlsConnect::new(config.with_no_client_auth()));
    }
    let roots = Arc::new(roots(configuration.root_certificates.as_deref())?);
    if configuration.checks == Checks::SignerAndName {
        let config = builder.with_root_certificates(roots);
        return Ok(MakeRustlsConnect::new(config.with_no_client_auth()));
    }
    let signer = WebPkiServerVerifier::builder_with_provider(roots, provider.clone())
        .build()
        .map_err(|error| unusable(&error))?;
    let verifier = Arc::new(Lenient {
        provider,
        signer: Some(signer),
    });
    let config = builder
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

/// The certificates of the file, or those that the system trusts.
fn roots(file: Option<&Path>) -> Result<RootCertStore, Failure> {
    let failed = |message: String| Failure::new(Code::Failed, message);
    let mut store = RootCertStore::empty();
    let Some(path) = file else {
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if store.is_empty() {
            let message = "this system trusts no certificates; name a file with sslrootcert";
            return Err(failed(message.to_owned()));
        }
        return Ok(store);
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        failed(format!(
            "cannot read certificates from {}: {error}",
            path.display()
        ))
    };
    for certificate in CertificateDer::pem_file_iter(path).map_err(|it| unreadable(&it))? {
        let certificate = certificate.map_err(|it| unreadable(&it))?;
        store.add(certificate).map_err(|it| unreadable(&it))?;
    }
    if store.is_empty() {
        return Err(unreadable(&"there are none in it"));
    }
    Ok(store)
}

/// Checks the signer where there is one to check, and never the name. That the server has the key
/// of its certificate is always checked.
#[derive(Debug)]
struct Lenient {
    provider: Arc<CryptoProvider>,
    signer: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(signer) = &self.signer else {
            return Ok(ServerCertVerified::assertion());
        };
        match signer.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        {
            // The name is the last thing that the library checks.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
