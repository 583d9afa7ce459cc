//! Range nonces.
