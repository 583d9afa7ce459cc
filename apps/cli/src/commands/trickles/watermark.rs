//! `tng trickles watermark`: images with a mark for each client.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use tng_services::files::SafePath;
use tng_services::watermark::{IMAGE_LEN_MAX, Image, Unread, look};

use super::application::ApplicationArgs;
use super::seals::AskedSeals;
use super::whole;
use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::Root;
use crate::key::KeyArgs;
use crate::location::{Location, LocationParser};
use crate::signals::{stopped, stopped_failure};
use crate::talk::{Talk, bytes, shown};
use crate::trickles::watermark::{By, Marked, MarksFile, fetch};
use crate::trickles::{Keeper, Stateless};

/// Shown before everything else in `tng trickles watermark --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng trickles watermark serve photos --marks marks
        serve the JPEGs of a folder, each with a mark of its client
  tng trickles watermark name alice --marks marks
        a folder for alice: prints its name, such as alice.1f0e...
  tng trickles get @FILE//alice.1f0e.../a.jpg
        fetch an image, as any file
  tng trickles watermark get --by mcus -o a.jpg @FILE//alice.1f0e.../a.jpg
        the same in another encoding, which the server need not prepare
  tng trickles watermark read a.jpg --marks marks
        whose it is, of all names given out";

const SERVE_EXAMPLES: &str = "\
Examples:
  tng trickles watermark serve photos --marks marks
        serve the JPEGs of a folder to anyone with the ticket that this prints
        and a folder name from `tng trickles watermark name`
  tng trickles watermark serve photos --marks marks \\
      --keys fleet.epochs --key fleet.key
        one of several servers: all have these three files

An image is marked anew for each request; nothing is stored about the client. It
must be a baseline JPEG, grey or in three colours, of at least 128 by 128
pixels. SIGINT (Ctrl-C), SIGTERM or SIGHUP ends the server.";

const NAME_EXAMPLES: &str = "\
Examples:
  tng trickles watermark name alice --marks marks
        prints the name of alice's folder, alone on a line

Anyone who knows the folder's name fetches images with the mark of alice: it is
a secret between her and the server.";

const GET_EXAMPLES: &str = "\
Examples:
  tng trickles watermark get -o a.jpg @FILE//alice.1f0e.../a.jpg
        FILE holds the ticket of the server
  tng trickles watermark get --by skips -o - @FILE//alice.1f0e.../a.jpg
        to stdout, joined from pieces with markers that say how many bits to
        skip

All encodings give the same bytes. `tng trickles get` fetches images by
alignments, resumes, and compares hashes.";

const READ_EXAMPLES: &str = "\
Examples:
  tng trickles watermark read a.jpg --marks marks
        whose mark the image has, of all names given out with these marks
  tng trickles watermark read --name alice,bob a.jpg --marks marks
        also of these names

It needs no original, and finds the mark also in an image that was cropped to
some rows of blocks without decoding, as `jpegtran -crop` does. The mark is lost
when an image is decoded and encoded again.";

/// Arguments of `tng trickles watermark`.
#[derive(Args, Debug)]
pub struct WatermarkArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Serve images, each with the watermark of its client
    #[command(before_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Make a folder name for a client
    #[command(before_help = NAME_EXAMPLES)]
    Name(NameArgs),
    /// Fetch an image in one of three encodings
    #[command(before_help = GET_EXAMPLES)]
    Get(GetArgs),
    /// Read the watermark of an image
    #[command(before_help = READ_EXAMPLES)]
    Read(ReadArgs),
}

/// Arguments of `tng trickles watermark serve`.
#[derive(Args, Debug)]
struct ServeArgs {
    /// Folder of images, or one image
    path: PathBuf,
    /// File with the secret of the watermarks, made if missing
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
    #[command(flatten)]
    application: ApplicationArgs,
}

/// Arguments of `tng trickles watermark name`.
#[derive(Args, Debug)]
struct NameArgs {
    /// Name of the client: letters, digits, - and _
    name: String,
    /// File with the secret of the watermarks, made if missing, as is FILE.names, which lists the names
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
}

/// Arguments of `tng trickles watermark get`.
#[derive(Args, Debug)]
struct GetArgs {
    /// The image, in the client's folder: @FILE//FOLDER/IMAGE with a ticket in FILE, or as `tng get --help` says
    #[arg(value_name = "URL", value_parser = LocationParser)]
    url: Location,
    /// Write to this file, or - for stdout [default: the working folder, under its own name]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// How the server encodes it
    #[arg(long, value_name = "WAY", value_enum, default_value_t = By::Alignments)]
    by: By,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    seals: AskedSeals,
    #[command(flatten)]
    key: KeyArgs,
}

/// Arguments of `tng trickles watermark read`.
#[derive(Args, Debug)]
struct ReadArgs {
    /// The image
    image: PathBuf,
    /// File with the secret of the watermarks
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
    /// More names to look for, besides those in FILE.names
    #[arg(long = "name", value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,
}

/// Serves, names, fetches or reads.
///
/// # Errors
/// As each of them.
pub async fn run(args: &WatermarkArgs, talk: Talk) -> Result<(), Failure> {
    match &args.action {
        Action::Serve(args) => serve(args, talk).await,
        Action::Name(args) => name(args, talk),
        Action::Get(args) => get(args, talk).await,
        Action::Read(args) => read(args, talk),
    }
}

async fn serve(args: &ServeArgs, talk: Talk) -> Result<(), Failure> {
    let mut root = Root::new(&args.path)?;
    let file = MarksFile::named(&args.marks)?;
    let marks = file.load_or_create()?;
    for own in args.application.own()? {
        root = root.without(own);
    }
    let own = crate::files::Own::beside(file.path());
    root = root.without(own.map_err(|error| Failure::read(format!("serving {}", shown(&args.path)), &error))?);
    let path = root.path();
    let image = root.only().map_or("IMAGE", SafePath::as_str).to_owned();
    let shown_marks = shown(file.path()).to_string();
    let application = Marked::new(root, marks, args.application.own_bytes(Keeper::Images))?;
    let announce = |door: &crate::host::Door| {
        let target = door.target();
        talk.say("each image gets the mark of who asks; nothing is kept of who fetches");
        talk.say(format_args!(
            "\ngive a client a folder with:\n  tng trickles watermark name NAME --marks {shown_marks}"
        ));
        talk.say(format_args!("\nfetch with:\n  tng trickles get {target}//FOLDER/{image}"));
        json!({ "marks": shown_marks })
    };
    args.application.serve(application, ("trickles-watermark", Keeper::Images, &path), announce, talk).await
}

fn name(args: &NameArgs, talk: Talk) -> Result<(), Failure> {
    let file = MarksFile::named(&args.marks)?;
    let folder = file.load_or_create()?.folder(&args.name);
    let folder = folder.map_err(|error| Failure::usage(format!("naming {:?}", args.name), error))?;
    file.note(&args.name)?;
    talk.payload(&folder);
    talk.event("named", &json!({ "name": args.name, "folder": folder }));
    Ok(())
}

async fn get(args: &GetArgs, talk: Talk) -> Result<(), Failure> {
    let path = &args.url.path;
    let name = path.name().ok_or_else(|| {
        Failure::usage("fetching", "the URL names no image").or_try("@FILE//FOLDER/IMAGE, as --help shows")
    })?;
    let to = args.output.clone().unwrap_or_else(|| name.into());
    let fetching = async {
        let host = Stateless::reach(args.key.load_or_create()?, &args.url, args.seals.config(), args.time).await?;
        whole::write(&to, async |mut out| fetch(&host, path, args.by, &mut out).await).await
    };
    let len = tokio::select! {
        fetched = args.time.whole(fetching) => fetched?,
        () = stopped() => return Err(stopped_failure()),
    };
    talk.say(format_args!("{}: {}", shown(&to), bytes(len)));
    talk.event("fetched", &json!({ "path": to.to_string_lossy(), "bytes": len }));
    Ok(())
}

fn read(args: &ReadArgs, talk: Talk) -> Result<(), Failure> {
    let what = format!("reading the mark of {}", shown(&args.image));
    let length = fs::metadata(&args.image).map_err(|error| Failure::read(&*what, &error))?.len();
    if length > IMAGE_LEN_MAX as u64 {
        return Err(Failure::new(Exit::Read, what, tng_services::watermark::ImageError::TooLong));
    }
    let bytes = fs::read(&args.image).map_err(|error| Failure::read(&*what, &error))?;
    let seen = Image::parse(&bytes).and_then(|image| look(&image));
    let seen = seen.map_err(|error| Failure::new(Exit::Read, &*what, error))?;
    let file = MarksFile::named(&args.marks)?;
    let (marks, given_out) = (file.load()?, file.names()?);
    let names = given_out.lines().chain(args.names.iter().map(String::as_str));
    let found = seen.find(&marks, names).map_err(|unread| {
        let failure = Failure::new(Exit::NotFound, &*what, unread);
        match unread {
            Unread::Nobody { .. } => failure.or_try("the marks of another server, or further names with --name"),
            Unread::TooPlain(_) => failure,
        }
    })?;
    talk.payload(found.name);
    talk.say(format_args!("{} of 100 parts of the mark agree, in {} blocks", found.percent, seen.carriers()));
    talk.event("mark", &json!({ "name": found.name, "percent": found.percent, "blocks": seen.carriers() }));
    Ok(())
}
