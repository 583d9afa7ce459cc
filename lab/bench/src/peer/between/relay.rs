//! An endpoint of this project that passes flows on.

use core::time::Duration;

use tng::relay::{ClientTag, FLOWS_MAX, HelperConfig, Network, Onward, RelayService, Terms};
use tng::{Endpoint, Secret32, random_seed};

use crate::Failure;
use crate::peer::LOOPBACK;
use crate::process::Usage;
use crate::server::Post;
use crate::work::{Hello, Mtu, Through, Work};

/// Longer than any measurement.
const LIFE: Duration = Duration::from_secs(24 * 3_600);

/// Stands there for ever.
pub async fn stand(work: Work) -> Result<(), Failure> {
    let server = super::server()?;
    let onward = Onward::Listed(vec![Network::only(server.addr.ip())]);
    let mut config = HelperConfig { onward, ..HelperConfig::default() };
    let mut builder = Endpoint::builder().bind(LOOPBACK);
    if let Mtu::Bytes(bytes) = work.mtu() {
        builder = builder.mtu(bytes.into());
        config.mtu.payload_max = bytes.into();
    }
    config.relays_max = config.relays_max.max(work.flows() as usize + 16);
    let secret = Secret32::from_bytes(*random_seed()?.expose());
    let endpoint = builder.relay(RelayService::new(secret, config)).build().await?;
    let relay = endpoint.relay().ok_or("no relay")?;
    let terms = Terms { life: LIFE, flows_max: FLOWS_MAX, tunnels: false };
    let capability = relay.issue(ClientTag(1), terms)?.ok_or("a relay that is being shut down")?;
    let through = Through {
        addr: endpoint.local_addr(),
        eid: endpoint.eid().to_string(),
        shown: capability.shown,
        key: capability.key.expose().to_vec(),
    };
    let usage = move || {
        let stats = relay.stats();
        Ok(Usage { passed: Some(stats.sent_bytes), ..Usage::now(stats.relays as u64)? })
    };
    Post.hello_with(Hello { relay: Some(through), ..server }, usage)?;
    core::future::pending().await
}
