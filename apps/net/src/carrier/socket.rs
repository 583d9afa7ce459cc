//! A socket that sends by carriers what goes to a carried peer, and by UDP all else.

use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tng_base::{CarrierNews, Transmit, Unreachable};
use tng_endpoint::is_carried;

use super::Carriers;
use crate::socket::{Received, Socket};

/// One thread's.
#[derive(Debug)]
pub(super) struct CarrierSocket {
    carriers: Arc<Carriers>,
    thread: usize,
    udp: Arc<dyn Socket>,
    /// What came by carriers is asked for first: they take turns.
    carriers_first: AtomicBool,
}

impl CarrierSocket {
    pub(super) fn new(carriers: Arc<Carriers>, thread: usize, udp: Arc<dyn Socket>) -> CarrierSocket {
        CarrierSocket { carriers, thread, udp, carriers_first: AtomicBool::new(true) }
    }

    fn receive(
        &self,
        buffer: &mut [u8],
        received: &mut [Received],
        by_udp: impl FnOnce(&mut [u8], &mut [Received]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let inbox = &self.carriers.inboxes[self.thread];
        if self.carriers_first.fetch_xor(true, Ordering::Relaxed) {
            match inbox.take(buffer, received) {
                0 => {}
                count => return Ok(count),
            }
        }
        match by_udp(buffer, received) {
            Ok(count) => {
                // Nobody has such an address: who writes it into a datagram is not to be taken for a carried peer.
                received[..count].iter_mut().filter(|it| is_carried(it.remote.ip())).for_each(|it| it.len = 0);
                Ok(count)
            }
            Err(error) => match inbox.take(buffer, received) {
                0 => Err(error),
                count => Ok(count),
            },
        }
    }
}

impl Socket for CarrierSocket {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.udp.local_addr()
    }

    fn segments_max(&self) -> usize {
        self.udp.segments_max()
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Both wake the driver.
        let carried = self.carriers.inboxes[self.thread].poll(cx.waker());
        let readable = self.udp.poll_readable(cx);
        if carried { Poll::Ready(Ok(())) } else { readable }
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.udp.poll_writable(cx)
    }

    fn try_send(&self, transmit: &Transmit, payload: &[u8]) -> io::Result<()> {
        if !is_carried(transmit.remote.ip()) {
            return self.udp.try_send(transmit, payload);
        }
        self.carriers.send(self.thread, transmit.remote.ip(), transmit.segment_size, payload);
        Ok(())
    }

    fn try_receive(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.receive(buffer, received, |buffer, received| self.udp.try_receive(buffer, received))
    }

    fn receive_unasked(&self, buffer: &mut [u8], received: &mut [Received]) -> io::Result<usize> {
        self.receive(buffer, received, |buffer, received| self.udp.receive_unasked(buffer, received))
    }

    fn take_news(&self) -> Option<(IpAddr, CarrierNews)> {
        self.carriers.inboxes[self.thread].take_news()
    }

    fn take_unreachable(&self) -> Option<Unreachable> {
        // Nobody has a carried address: what is said of one was made up.
        self.udp.take_unreachable().filter(|told| !is_carried(told.remote.ip()))
    }
}
