//! Pings: requests that are their own answer.

use std::io;
use std::time::Duration;

use tng::{Connection, Endpoint, FirstData, Request, ServeOptions};
use tng_services::ping::{PING_LEN, PING_MAX, SERVICE};

use crate::clock;
use crate::commands::serve::CONNECTIONS_MAX;
use crate::failure::Failure;
use crate::host::bind_failure;

/// Pings of one connection that have not come whole; more are refused. All others are answered at once.
pub const HALF_PINGS_PER_CONNECTION_MAX: usize = 16;
/// Pings of all peers that have not come whole: as many as two for each that one of all connections may have, so that
/// half of what the others leave is enough for the last.
pub const HALF_PINGS_MAX: usize = 2 * CONNECTIONS_MAX * HALF_PINGS_PER_CONNECTION_MAX;
/// How long a ping may take to come whole.
pub const PING_TIME: Duration = Duration::from_secs(10);

/// Has an endpoint answer pings.
///
/// # Errors
/// If it does already.
pub fn answer(endpoint: &Endpoint) -> Result<(), Failure> {
    let options = ServeOptions {
        // One packet of a stranger brings back no more than itself.
        first_data: FirstData::Unproven,
        request_max: PING_MAX,
        requests_max: HALF_PINGS_MAX,
        requests_per_connection_max: HALF_PINGS_PER_CONNECTION_MAX,
        request_within: PING_TIME,
        bytes_max: HALF_PINGS_MAX * PING_MAX,
        ..ServeOptions::default()
    };
    let echo = async |ping: Request| {
        tracing::info!(peer = %ping.peer(), len = ping.body().len(), "ping");
        ping.into_body()
    };
    endpoint.serve_with(SERVICE, options, echo).map_err(bind_failure)
}

/// Sends ping `number` and waits for it to come back.
///
/// # Errors
/// If there is no answer, or another.
pub async fn ping(connection: &Connection, number: u64) -> io::Result<Duration> {
    let (began, bytes) = (clock::now(), number.to_be_bytes());
    let back = connection.request(SERVICE, bytes.to_vec()).answer_max(PING_LEN).await?;
    if *back != bytes {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "another ping came back than the one sent"));
    }
    Ok(began.elapsed())
}

#[cfg(test)]
mod tests {
    use tng::{Access, RequestError, TOO_LONG};

    use super::*;

    async fn connected(serve: impl FnOnce(&Endpoint)) -> (Endpoint, Endpoint, Connection) {
        let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Endpoint::builder().bind(any).access(Access::Public).build().await.expect("bound");
        serve(&server);
        let client = Endpoint::builder().bind(any).build().await.expect("bound");
        let connection = client.connect(&server.ticket().expect("public")).await.expect("connected");
        (server, client, connection)
    }

    #[tokio::test]
    async fn a_ping_comes_back_and_a_long_one_is_refused() {
        let (_server, _client, connection) = connected(|server| answer(server).expect("once")).await;
        for number in [0, 1, u64::MAX] {
            ping(&connection, number).await.expect("it comes back");
        }
        let longest = vec![7; PING_MAX];
        assert_eq!(connection.request(SERVICE, longest.clone()).await.expect("it comes back"), longest);
        let too_long = connection.request(SERVICE, vec![7; PING_MAX + 1]).await;
        assert_eq!(too_long, Err(RequestError::Failed(TOO_LONG)));
    }

    #[tokio::test]
    async fn something_else_than_the_ping_is_an_error() {
        let nines = |server: &Endpoint| server.serve(SERVICE, async |_| vec![9; PING_LEN]).expect("once");
        let (_server, _client, connection) = connected(nines).await;
        let error = ping(&connection, 1).await.expect_err("not ours");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
