//! What the processor is good at.

/// Whether this processor computes AES-GCM in hardware, so that it beats ChaCha20-Poly1305. A fact of the machine, for
/// the author of a configuration; no protocol machine asks.
pub fn hardware_aes() -> bool {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    {
        std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("pclmulqdq")
    }
    #[cfg(target_arch = "aarch64")]
    {
        std::arch::is_aarch64_feature_detected!("aes") && std::arch::is_aarch64_feature_detected!("pmull")
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
    {
        false
    }
}
