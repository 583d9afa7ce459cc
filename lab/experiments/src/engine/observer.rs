//! What watches the hosts of a run: traces, a key log, and the keys as comments of a capture.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use tng_sim::Comments;
use tng_stack::{Host, Watch};
use tng_trace::{MakeOutput, Traces};

/// Watches the hosts of a run, as far as anybody has asked for it. Clones are the same observer.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    watch: Rc<Cell<Watch>>,
    books: Rc<RefCell<Books>>,
    /// For the capture.
    pub(crate) comments: Comments,
}

#[derive(Default)]
struct Books {
    title: String,
    /// Makes what makes the outputs of a host's traces.
    make: Option<Box<dyn Fn() -> MakeOutput>>,
    /// How often each host was started, and the traces of its present life.
    hosts: BTreeMap<usize, (u32, Option<Traces>)>,
    key_log: Option<Box<dyn Write>>,
    /// The first error ends it all.
    failure: Option<io::Error>,
}

impl Observer {
    /// Writes a trace of every channel from now on, to outputs that `make` makes by their names.
    pub(crate) fn trace(
        &self,
        title: &str,
        make: impl Fn(&str) -> io::Result<Box<dyn Write + Send>> + Clone + Send + 'static,
    ) {
        self.watch.set(Watch { notes: true, ..self.watch.get() });
        let mut books = self.books.borrow_mut();
        title.clone_into(&mut books.title);
        books.make = Some(Box::new(move || Box::new(make.clone())));
    }

    /// Has the keys told: to a key log if there is one, and as comments.
    pub(crate) fn tell_keys(&self, key_log: Option<Box<dyn Write>>) {
        self.watch.set(Watch { secrets: true, ..self.watch.get() });
        if let Some(key_log) = key_log {
            self.books.borrow_mut().key_log = Some(key_log);
        }
    }

    /// Takes what a host has noted since the last time. To be called before it has a channel, and from then on whenever
    /// it has been polled.
    pub(crate) fn attend(&self, place: usize, name: &str, host: &mut Host) {
        let watch = self.watch.get();
        if watch == Watch::default() {
            return;
        }
        let mut books = self.books.borrow_mut();
        if host.config().watch != watch {
            host.set_watch(watch);
            books.begin(place, name);
        }
        while let Some(line) = host.poll_key_line() {
            self.comments.add(&line);
            let written = books.key_log.as_mut().map_or(Ok(()), |out| writeln!(out, "{line}"));
            books.note_failure(written);
        }
        while let Some(note) = host.poll_note() {
            let Some((_, Some(traces))) = books.hosts.get_mut(&place) else { continue };
            let written = traces.note(note.connection.0, note.path.0, &note.note);
            books.note_failure(written);
        }
    }

    /// Ends what is written.
    ///
    /// # Errors
    /// The first that an output met.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.watch.set(Watch::default());
        let mut books = self.books.take();
        if let Some(failure) = books.failure.take() {
            return Err(failure);
        }
        books.hosts.values_mut().filter_map(|(_, traces)| traces.as_mut()).try_for_each(Traces::flush)?;
        books.key_log.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Books {
    /// A host has begun a life.
    fn begin(&mut self, place: usize, name: &str) {
        let (lives, traces) = self.hosts.entry(place).or_default();
        *lives += 1;
        let name = if *lives == 1 { name.to_owned() } else { format!("{name}.{lives}") };
        if let Some(mut before) = traces.take() {
            let flushed = before.flush();
            self.note_failure(flushed);
        }
        let traces = self.make.as_ref().map(|make| Traces::new(&name, &self.title, 0, make()));
        if let Some((_, place)) = self.hosts.get_mut(&place) {
            *place = traces;
        }
    }

    fn note_failure(&mut self, written: io::Result<()>) {
        if let Err(failure) = written {
            self.failure.get_or_insert(failure);
            (self.make, self.key_log) = (None, None);
            self.hosts.clear();
        }
    }
}
