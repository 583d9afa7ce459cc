//! What hangs below a stream: substreams, datagrams, and priorities among them.

use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::ConnectionId;
use tng_stack::structured::{self, Priority, StreamId, Streams};
use tokio::sync::Notify;

use super::{Attempt, Hub, Stage};
use crate::error::{OpenError, SendDatagramError, SubstreamError};

impl Hub {
    pub(crate) fn open_substream(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
    ) -> Result<Attempt<StreamId>, OpenError> {
        let result = self.streams(id)?.open_child(parent);
        self.opened(id, result)
    }

    /// Has a stream take substreams and datagrams, and answers what to wait on for them.
    pub(crate) fn listen_substreams(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
    ) -> Result<Arc<Notify>, SubstreamError> {
        let streams = self.streams(id)?;
        streams.listen_children(parent);
        if streams.priority(parent).is_none() {
            return Err(SubstreamError::ParentOver);
        }
        let slot = self.note(id, parent).ok_or(SubstreamError::ParentOver)?;
        Ok(Arc::clone(slot.children.get_or_insert_default()))
    }

    pub(crate) fn accept_substream(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
    ) -> Result<Attempt<StreamId>, SubstreamError> {
        self.take_below(id, parent, Streams::accept_child)
    }

    pub(crate) fn recv_datagram(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
    ) -> Result<Attempt<Bytes>, SubstreamError> {
        self.take_below(id, parent, |streams, parent| streams.recv_datagram(parent).map(Bytes::from))
    }

    /// Takes what waits below a parent. If there is nothing: whether something may come yet.
    fn take_below<T>(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
        take: impl FnOnce(&mut Streams, StreamId) -> Option<T>,
    ) -> Result<Attempt<T>, SubstreamError> {
        let streams = self.streams(id)?;
        if let Some(taken) = take(streams, parent) {
            return Ok(Attempt::Done(taken));
        }
        let is_over = streams.priority(parent).is_none();
        match self.stage(id)? {
            Stage::Ended(cause) => Err(SubstreamError::Connection(cause.into())),
            _ if is_over => Err(SubstreamError::ParentOver),
            Stage::Pending | Stage::Open => Ok(Attempt::Blocked),
        }
    }

    pub(crate) fn send_datagram(
        &mut self,
        id: ConnectionId,
        parent: StreamId,
        data: &[u8],
        lifetime: Option<Duration>,
    ) -> Result<(), SendDatagramError> {
        use structured::SendDatagramError as E;
        match self.streams(id)?.send_datagram(parent, data, lifetime) {
            Ok(()) => Ok(()),
            Err(E::Full) => Err(SendDatagramError::Full),
            Err(E::NoParent) => Err(SendDatagramError::ParentOver),
            Err(E::ConnectionLost) => Err(self.error(id).into()),
        }
    }

    pub(crate) fn priority(&mut self, id: ConnectionId, stream: StreamId) -> Option<Priority> {
        self.streams(id).ok()?.priority(stream)
    }

    pub(crate) fn set_priority(&mut self, id: ConnectionId, stream: StreamId, priority: Priority) {
        if let Ok(streams) = self.streams(id) {
            streams.set_priority(stream, priority);
        }
    }

    pub(crate) fn request_priority(&mut self, id: ConnectionId, stream: StreamId, priority: Priority) {
        if let Ok(streams) = self.streams(id) {
            streams.request_priority(stream, priority);
        }
    }
}
