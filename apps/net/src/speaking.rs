//! Connections that speak another protocol than structured streams.

use core::fmt;
use core::marker::PhantomData;

use tng_base::Semantic;

use crate::connection::Connection;
use crate::error::ConnectionError;

/// A [`Connection`] whose ends speak the registered protocol `P`: what happens to the protocol, and access to it. Cheap
/// to clone; every clone is the same connection.
///
/// The connection ends with its last handle, this one and its clones and those of the [`Connection`] included. What the
/// protocol has not delivered by then is lost: [wait](Speaking::wait) for it.
pub struct Speaking<P> {
    connection: Connection,
    protocol: PhantomData<fn(&mut P)>,
}

impl<P> Clone for Speaking<P> {
    fn clone(&self) -> Speaking<P> {
        Speaking::new(self.connection.clone())
    }
}

impl<P> fmt::Debug for Speaking<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Speaking").field(&self.connection).finish()
    }
}

impl<P> Speaking<P> {
    /// A connection that is known to speak it.
    pub(crate) fn new(connection: Connection) -> Speaking<P> {
        Speaking { connection, protocol: PhantomData }
    }

    /// The connection: its peer, its paths, its end.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl<P: Semantic> Speaking<P> {
    /// Calls `f` with this end of the protocol; what it is given to say leaves soon. After the end of the connection it
    /// can still be looked at.
    ///
    /// `f` runs while the endpoint stands still: it must be short, and call nothing of the endpoint's.
    ///
    /// # Errors
    /// If nothing is left of the connection.
    pub fn with<T>(&self, f: impl FnOnce(&mut P) -> T) -> Result<T, ConnectionError> {
        let tie = &self.connection.tie;
        let mut hub = tie.shared.lock();
        let result = f(hub.protocol(tie.id)?);
        hub.changed(tie.id);
        Ok(result)
    }

    /// Whether the protocol may have something to tell yet: an error when the connection is over. Who asks waits.
    pub(crate) fn expects_more(&self) -> Result<(), ConnectionError> {
        let tie = &self.connection.tie;
        let mut hub = tie.shared.lock();
        hub.expects_more(tie.id)?;
        hub.waits(tie.id);
        Ok(())
    }

    /// Waits until `f` finds in this end of the protocol what it looks for. It is called at once, and again whenever
    /// the protocol has something to tell; the same holds for it as in [`with`](Speaking::with).
    ///
    /// Cancel safe as far as `f` is: if the future is dropped before it is ready, `f` has found nothing.
    ///
    /// # Errors
    /// When the connection is over and `f` has not found it.
    pub async fn wait<T>(&self, mut f: impl FnMut(&mut P) -> Option<T>) -> Result<T, ConnectionError> {
        let tie = &self.connection.tie;
        loop {
            // Made before looking, so that no notice is missed.
            let notice = tie.signals.notice.notified();
            {
                let mut hub = tie.shared.lock();
                let found = f(hub.protocol(tie.id)?);
                hub.changed(tie.id);
                match found {
                    Some(found) => return Ok(found),
                    None => hub.expects_more(tie.id)?,
                }
                hub.waits(tie.id);
            }
            notice.await;
        }
    }
}
