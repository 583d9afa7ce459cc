//! Tunnels between the helpers of two endpoints, over sockets.

use std::time::Duration;

use tng::relay::{
    ClientTag, FlowId, HelperConfig, HelperEvent, NotTaken, Relay, RelayService, Terms, Tunnel, TunnelEnd, TunnelOver,
    tunnel_named,
};
use tng::{Access, Endpoint, Secret32, Stop};

const NAME: &str = "office";

async fn endpoint(secret: u8) -> (Endpoint, Relay) {
    let service = RelayService::new(Secret32::from_bytes([secret; 32]), HelperConfig::default());
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).access(Access::Public);
    let endpoint = builder.relay(service).build().await.expect("bound");
    let relay = endpoint.relay().expect("it was asked for");
    (endpoint, relay)
}

fn stop(of: &(Endpoint, Relay), tunnels: bool) -> Stop {
    let terms = Terms { life: Duration::from_secs(60), flows_max: 4, tunnels };
    let capability = of.1.issue(ClientTag(7), terms).expect("entropy").expect("it gives one");
    Stop::new(of.0.local_addr(), capability)
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("in time")
}

/// The far end of the next tunnel that is asked for.
async fn asked(relay: &Relay, events: &mut tokio::sync::broadcast::Receiver<tng::relay::RelayEvent>) -> Tunnel {
    loop {
        let event = within(events.recv()).await.expect("it runs");
        if let HelperEvent::Tunnel { tunnel, client, to } = event.event {
            assert_eq!((client, to), (ClientTag(7), tunnel_named(NAME)));
            return relay.tunnel(event.thread, tunnel).expect("it is there");
        }
    }
}

async fn bring(tunnel: &Tunnel) -> (FlowId, Vec<u8>) {
    let mut batch = Vec::new();
    within(tunnel.receive(&mut batch)).await.expect("it is there");
    assert_eq!(batch.len(), 1);
    batch.remove(0)
}

#[tokio::test]
async fn datagrams_that_go_in_at_one_end_wake_the_reader_of_the_other_and_its_end_is_told() {
    let (here, there) = (endpoint(1).await, endpoint(2).await);
    let mut events = there.1.events();
    let near = here.1.open_tunnel(stop(&there, true), tunnel_named(NAME)).expect("it can be");
    let far = asked(&there.1, &mut events).await;
    near.send(FlowId(3), b"out").expect("there is room");
    assert_eq!(bring(&far).await, (FlowId(3), b"out".to_vec()));
    let waits = tokio::spawn({
        let near = near.clone();
        async move { bring(&near).await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    far.send(FlowId(4), b"home").expect("there is room");
    assert_eq!(within(waits).await.expect("no panic"), (FlowId(4), b"home".to_vec()));
    let status = near.status().expect("it is there");
    assert_eq!((status.end, status.to), (TunnelEnd::Asking(there.0.local_addr()), tunnel_named(NAME)));
    let max = far.status().expect("it is there").datagram_max;
    assert!(matches!(far.send(FlowId(4), &vec![0; max + 20]), Err(NotTaken::TooLarge { .. })));

    let waits = tokio::spawn({
        let far = far.clone();
        async move { far.receive(&mut Vec::new()).await }
    });
    near.close();
    assert_eq!(within(waits).await.expect("no panic"), Err(TunnelOver));
    assert_eq!(
        (near.send(FlowId(3), b"late"), near.receive(&mut Vec::new()).await),
        (Err(NotTaken::Unknown), Err(TunnelOver))
    );
    assert!(near.status().is_none() && here.1.tunnels().is_empty());
}

#[tokio::test]
async fn a_capability_without_tunnels_opens_none_and_a_fresh_one_does() {
    let (here, there) = (endpoint(3).await, endpoint(4).await);
    let mut told = here.1.events();
    let mut events = there.1.events();
    let near = here.1.open_tunnel(stop(&there, false), tunnel_named(NAME)).expect("it can be");
    let declined = within(async {
        loop {
            if let HelperEvent::Left { relay, because, .. } = told.recv().await.expect("it runs").event
                && relay == near.id()
            {
                return because;
            }
        }
    });
    assert!(matches!(declined.await, tng::relay::LeftBecause::Declined(_)));
    assert!(there.1.tunnels().is_empty() && near.status().expect("it asks on").section.is_none());
    near.renew(&stop(&there, true).capability).expect("it is there");
    let far = asked(&there.1, &mut events).await;
    near.send(FlowId(1), b"now").expect("there is room");
    assert_eq!(bring(&far).await, (FlowId(1), b"now".to_vec()));
}
