//! `tng trickles watermark`, `tng trickles shop` and a fleet, as docs/guides/stateless.md shows them.

use std::fs;

use serde_json::Value;
use tng_services::watermark::battery::Sample;

use crate::bench::{Bench, Ended};

/// Runs the tool to its end, for programs.
fn run(bench: &Bench, args: &[&str]) -> Ended {
    Ended(bench.tng("client.key", &[args, &["--json"]].concat()).output().expect("it runs"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A folder of its own for a client.
fn name(bench: &Bench, name: &str) -> String {
    let ended = run(bench, &["trickles", "watermark", "name", name, "--marks", "marks"]).expect(0);
    text(&ended.events("named")[0]["folder"])
}

#[test]
fn images_come_in_three_ways_with_the_mark_of_who_asks_and_it_is_read_again() {
    let bench = Bench::new();
    fs::create_dir(bench.path("photos")).expect("made");
    let file = Sample { width: 900, height: 700, is_optimised: true, ..Sample::default() }.draw(1);
    fs::write(bench.path("photos/a.jpg"), &file).expect("written");
    fs::write(bench.path("photos/text"), b"none").expect("written");
    // Frame and components as the file has them.
    let frame = file.windows(2).position(|bytes| bytes == [0xff, 0xc0]).expect("a frame");
    for (image, at, byte) in [("progressive.jpg", 1, 0xc2), ("cmyk.jpg", 9, 4)] {
        let mut bad = file.clone();
        bad[frame + at] = byte;
        fs::write(bench.path(&format!("photos/{image}")), bad).expect("written");
    }
    fs::write(bench.path("photos/cut.jpg"), &file[..file.len() / 2]).expect("written");
    let (alice, bob) = (name(&bench, "alice"), name(&bench, "bob"));
    let args = ["trickles", "watermark", "serve", "photos", "--marks", "marks", "--bind", "127.0.0.1:0"];
    let mut server = bench.start(&args);
    let ticket = server.ticket.clone();
    let url = |folder: &str, image: &str| format!("tng://{ticket}/{folder}/{image}");
    let got = run(&bench, &["trickles", "get", "-o", "whole.jpg", &url(&alice, "a.jpg")]).expect(0);
    assert_eq!(got.events("file")[0]["outcome"], "fetched");
    let whole = fs::read(bench.path("whole.jpg")).expect("there");
    for by in ["alignments", "skips", "mcus"] {
        let args = ["trickles", "watermark", "get", "--by", by, "-o", "a.jpg", &url(&alice, "a.jpg")];
        let got = run(&bench, &args).expect(0);
        assert_eq!(got.events("fetched")[0]["bytes"], whole.len() as u64);
        assert!(fs::read(bench.path("a.jpg")).expect("there") == whole, "{by}");
    }
    run(&bench, &["trickles", "watermark", "get", "-o", "b.jpg", &url(&bob, "a.jpg")]).expect(0);
    assert_ne!(fs::read(bench.path("b.jpg")).expect("there"), whole);
    for (image, whose) in [("a.jpg", "alice"), ("b.jpg", "bob")] {
        let read = run(&bench, &["trickles", "watermark", "read", image, "--marks", "marks"]).expect(0);
        assert_eq!((&read.events("mark")[0]["name"], &read.events("mark")[0]["percent"]), (&whose.into(), &100.into()));
    }
    let unmarked = run(&bench, &["trickles", "watermark", "read", "photos/a.jpg", "--marks", "marks"]).expect(78);
    assert!(unmarked.stderr().contains("the mark of none of the names"), "{}", unmarked.stderr());
    // What is wrong is said, in one way as in the other.
    for (folder, image, exit, words) in [
        (&alice[..], "text", 9, "it is no JPEG"),
        (&alice[..], "progressive.jpg", 9, "save it as baseline"),
        (&alice[..], "cmyk.jpg", 9, "save it as grey or in three colours"),
        (&alice[..], "cut.jpg", 9, "put a whole copy in its place"),
        ("alice.0000000000000000", "a.jpg", 9, "watermark name"),
        (&alice[..], "none.jpg", 78, "not found"),
    ] {
        for get in [&["trickles", "watermark", "get"][..], &["trickles", "get"]] {
            let said = run(&bench, &[get, &["-o", "x", &url(folder, image)]].concat()).expect(exit);
            assert!(said.stderr().contains(words), "{get:?} {image}: {}", said.stderr());
            let hint = &said.events("error")[0]["try"];
            assert!(exit != 9 || hint == "ask who runs the server", "{get:?} {image}: {hint}");
            assert!(!bench.path("x").exists());
        }
    }
    let said = run(&bench, &["trickles", "get", "-r", "-o", "all", &url(&alice, "")]).expect(9);
    assert!(said.stderr().contains("images are fetched one by one"), "{}", said.stderr());
    // The keys are those of before: nothing of a download is lost.
    server.kill();
    let address = ["--bind", "127.0.0.1:0"];
    server = bench.start(&[&args[..6], &address].concat());
    let again = format!("tng://{}/{alice}/a.jpg", server.ticket);
    run(&bench, &["trickles", "get", "-o", "again.jpg", &again]).expect(0);
    assert!(fs::read(bench.path("again.jpg")).expect("there") == whole);
    drop(server);
}

#[test]
fn a_shop_is_searched_a_cart_filled_and_paid_once_and_its_goods_fetched() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("goods/songs")).expect("made");
    let catalogue = "mug\t12.50\tA blue mug\nsong-1\t0.90\tA blue song\tsongs/1.ogg\n";
    fs::write(bench.path("goods/catalogue"), catalogue).expect("written");
    let song = bench.write("goods/songs/1.ogg", 300_000, 1);
    let args = ["trickles", "shop", "serve", "--catalogue", "goods/catalogue", "--store", "orders"];
    let start = || bench.start(&[&args[..], &["--bind", "127.0.0.1:0"]].concat());
    // Two servers with one store.
    let (one, other) = (start(), start());
    let shop = |args: &[&str]| run(&bench, &[&["trickles", "shop"], args].concat());
    let found = shop(&["search", &one.ticket, "blue"]).expect(0);
    let item = &found.events("item")[1];
    assert_eq!((&item["id"], &item["price"], &item["digital"]), (&"song-1".into(), &"0.90".into(), &true.into()));
    let cart = shop(&["add", &one.ticket, "--cart", "cart", "mug=2", "song-1"]).expect(0);
    assert_eq!(cart.events("cart")[0]["total"], "25.90");
    let cart = shop(&["add", &other.ticket, "--cart", "cart"]).expect(0);
    assert_eq!(cart.events("cart")[0]["total"], "25.90", "the other server knows it as well");
    for copy in ["copy", "same"] {
        fs::copy(bench.path("cart"), bench.path(copy)).expect("copied");
    }
    let paid = shop(&["checkout", &one.ticket, "--cart", "cart", "--receipt", "receipt"]).expect(0);
    assert_eq!(paid.events("paid")[0]["total"], "25.90");
    assert!(!bench.path("cart").exists());
    let again = shop(&["checkout", &other.ticket, "--cart", "copy", "--receipt", "receipt-2"]).expect(0);
    assert_eq!(again.events("paid")[0]["at_s"], paid.events("paid")[0]["at_s"]);
    assert_eq!(fs::read(bench.path("receipt")).expect("there"), fs::read(bench.path("receipt-2")).expect("there"));
    // Run again it says what is so: the cart is gone, or it is the one that the receipt is of.
    for (cart, words) in [("cart", "there is no cart in cart any more"), ("same", "bought already")] {
        let again = shop(&["checkout", &other.ticket, "--cart", cart, "--receipt", "receipt"]).expect(0);
        assert!(again.stderr().contains(words), "{cart}: {}", again.stderr());
        assert_eq!(again.events("bought_before")[0]["receipt"], "receipt");
        assert!(!bench.path(cart).exists());
    }
    assert_eq!(fs::read_to_string(bench.path("orders/orders")).expect("there").lines().count(), 1);
    shop(&["add", &one.ticket, "--cart", "another", "mug"]).expect(0);
    shop(&["fetch", &other.ticket, "--receipt", "receipt", "-o", "music", "song-1"]).expect(0);
    assert!(fs::read(bench.path("music/song-1")).expect("there") == fs::read(song).expect("there"));
    for (args, exit, words) in [
        (&["add", &one.ticket, "--cart", "new", "pot"][..], 9, "pot is not for sale"),
        (&["fetch", &one.ticket, "--receipt", "receipt", "mug"], 9, "nothing that can be sent"),
        (&["checkout", &one.ticket, "--cart", "none", "--receipt", "r"], 26, "there is no cart"),
        (&["checkout", &one.ticket, "--cart", "receipt", "--receipt", "r"], 26, "tngcart1"),
        (&["checkout", &one.ticket, "--cart", "another", "--receipt", "receipt"], 73, "no receipt of the cart in"),
        (&["checkout", &one.ticket, "--cart", "gone", "--receipt", "goods/catalogue"], 73, "there already"),
        (&["add", &one.ticket, "--cart", "new", "mug=0"], 2, "ID=COUNT"),
    ] {
        let said = shop(args).expect(exit).stderr().to_owned();
        assert!(said.contains(words), "{args:?}: {said}");
    }
    // Who fetches files of a shop is told that it has none.
    let url = format!("{}/a.jpg", one.ticket);
    let said = run(&bench, &["trickles", "get", "-o", "a.jpg", &url]).expect(8);
    let error = &said.events("error")[0];
    assert!(error["try"].as_str().is_some_and(|what| what.contains("a server that hands out files")), "{error}");
    fs::write(bench.path("goods/catalogue"), "mug\tx\tA mug\n").expect("written");
    let said = Ended(bench.tng("server.key", &args).output().expect("it runs")).expect(26).stderr().to_owned();
    assert!(said.contains("line 1: a price"), "{said}");
}

#[test]
fn two_servers_are_asked_by_turns_and_behind_a_sprayer_and_their_keys_are_rotated() {
    let bench = Bench::new();
    let photo = bench.write("photos/a.jpg", 2_000_000, 1);
    run(&bench, &["trickles", "keys", "new", "fleet.epochs"]).expect(0);
    let serve = ["trickles", "serve", "photos", "--public", "--keys", "fleet.epochs", "--key", "fleet.key"];
    let servers = [0, 1].map(|_| bench.start(&[&serve[..], &["--bind", "127.0.0.1:0"]].concat()));
    let [one, two] = servers.each_ref().map(|server| server.address.clone());
    assert_eq!(servers[0].eid, servers[1].eid);
    let eid = &servers[0].eid;
    let url = format!("tng://{eid}@{one},{two}/a.jpg");
    run(&bench, &["trickles", "get", "--pick", "spray", "-o", "sprayed.jpg", &url]).expect(0);
    let spray = ["trickles", "spray", "--listen", "127.0.0.1:0", "--to", &one, "--to", &two, "--control", "spray.sock"];
    let sprayer = bench.start(&spray);
    let url = format!("tng://{eid}@{}/a.jpg", sprayer.address);
    run(&bench, &["trickles", "get", "-o", "a.jpg", &url]).expect(0);
    for copy in ["sprayed.jpg", "a.jpg"] {
        assert_eq!(fs::read(bench.path(copy)).expect("there"), fs::read(&photo).expect("there"), "{copy}");
    }
    let status = run(&bench, &["trickles", "status", "--control", "spray.sock"]).expect(0);
    let status = status.documents().remove(0);
    assert!(status["replicas"].as_array().is_some_and(|replicas| replicas.len() == 2), "{status}");
    // People are told the key that names both, too.
    let said = bench.words(&[&serve[..], &["--bind", "127.0.0.1:0"]].concat(), "tng1");
    assert!(said.contains(&format!("tng://{eid}@HOST:PORT,HOST:PORT/")), "{said}");
    run(&bench, &["trickles", "keys", "rotate", "fleet.epochs"]).expect(0);
    let shown = run(&bench, &["trickles", "keys", "show", "fleet.epochs"]).expect(0);
    assert_eq!(shown.events("keys")[0]["rotations"], 1);
}

#[test]
fn shops_and_servers_of_images_leave_seals_out_for_clients_that_were_told_so_and_refuse_others_by_name() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("photos")).expect("made");
    fs::create_dir_all(bench.path("goods")).expect("made");
    fs::write(bench.path("goods/catalogue"), "mug\t12.50\tA blue mug\n").expect("written");
    let file = Sample { width: 300, height: 260, ..Sample::default() }.draw(1);
    fs::write(bench.path("photos/a.jpg"), &file).expect("written");
    let alice = name(&bench, "alice");
    let shop = ["trickles", "shop", "serve", "--catalogue", "goods/catalogue", "--store", "orders"];
    let images = ["trickles", "watermark", "serve", "photos", "--marks", "marks"];
    for plain_there in [true, false] {
        let more = if plain_there { &["--danger-plain"][..] } else { &[] };
        let other = if plain_there { &[][..] } else { &["--danger-plain"] };
        let start = |args: &[&str]| bench.start(&[args, &["--bind", "127.0.0.1:0"], more].concat());
        let (shop, images) = (start(&shop), start(&images));
        let image = format!("tng://{}/{alice}/a.jpg", images.ticket);
        let asking: [&[&str]; 4] = [
            &["trickles", "shop", "search", &shop.ticket, "blue"],
            &["trickles", "shop", "add", &shop.ticket, "--cart", "cart", "mug"],
            &["trickles", "watermark", "get", "-o", "x.jpg", &image],
            &["trickles", "get", "-o", "y.jpg", &image],
        ];
        for args in asking {
            let told = run(&bench, &[args, other].concat()).expect(9).stderr();
            assert!(told.contains("--danger-plain"), "{args:?}: {told}");
            run(&bench, &[args, more].concat()).expect(0);
        }
        assert!(fs::read(bench.path("x.jpg")).expect("there") == fs::read(bench.path("y.jpg")).expect("there"));
        for made in ["x.jpg", "y.jpg", "cart"] {
            fs::remove_file(bench.path(made)).expect("there");
        }
    }
}
