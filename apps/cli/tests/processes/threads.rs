//! A server of several threads.

use crate::bench::{Bench, same};

#[test]
fn a_server_of_several_threads_serves_at_a_free_port_and_at_a_named_one() {
    for threads in ["2", "8"] {
        let bench = Bench::new();
        let file = bench.write("tree/file", 3_000_000, 1);
        let mut bind = "127.0.0.1:0".to_owned();
        // The second is bound where the first was.
        for copy in ["first", "second"] {
            let args = ["--threads", threads, "serve", "tree", "--bind", &bind, "--json"];
            let server = bench.run(bench.tng("server.key", &args));
            bench.get(&["--threads", threads, "-o", copy, &server.url_of("file")]).expect(0);
            assert!(same(&file, &bench.path(copy)), "{threads} threads");
            bind.clone_from(&server.address);
        }
    }
}
