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
                                       hand out the JPEGs of a folder, each with a mark of who asks
  tng trickles watermark name alice --marks marks
                                       a folder of her own: prints its name, such as alice.1f0e...
  tng trickles get @FILE//alice.1f0e.../a.jpg
                                       fetch an image, as any file
  tng trickles watermark get --by mcus -o a.jpg @FILE//alice.1f0e.../a.jpg
                                       the same in another way: the server need not lay it out
                                       before
  tng trickles watermark read a.jpg --marks marks
                                       whose it is, of all names that were given out";

const SERVE_EXAMPLES: &str = "\
Examples:
  tng trickles watermark serve photos --marks marks
                                       hand out the JPEGs of a folder to anyone who has the ticket
                                       that this prints and a folder name from `tng trickles
                                       watermark name`
  tng trickles watermark serve photos --marks marks --keys fleet.epochs --key fleet.key
                                       one of several servers: all have these three files
An image is marked anew for each request; nothing is kept of who fetches it. It has to be a
baseline JPEG, grey or in three colours, of 128 by 128 pixels at least.";

const NAME_EXAMPLES: &str = "\
Examples:
  tng trickles watermark name alice --marks marks
                                       prints the name of alice's folder, alone on a line
Who has the folder's name fetches images with the mark of alice: it is a secret between her and
the server.";

const GET_EXAMPLES: &str = "\
Examples:
  tng trickles watermark get -o a.jpg @FILE//alice.1f0e.../a.jpg
                                       from the server whose ticket is in FILE
  tng trickles watermark get --by skips -o - @FILE//alice.1f0e.../a.jpg
                                       to stdout, joined of pieces with markers that say how many
                                       bits to skip
All ways bring the same bytes. `tng trickles get` fetches images by alignments, goes on where it
was, and compares hashes.";

const READ_EXAMPLES: &str = "\
Examples:
  tng trickles watermark read a.jpg --marks marks
                                       whose mark the image has, of all names that were given out
                                       with these marks
  tng trickles watermark read --name alice,bob a.jpg --marks marks
                                       of these names, too
It needs no original, and finds the mark in what is left of an image that was cut to some rows of
blocks without decoding it, as `jpegtran -crop` does. It is gone when an image is decoded and
coded anew.";

/// Arguments of `tng trickles watermark`.
#[derive(Args, Debug)]
pub struct WatermarkArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Hand out images, each with the mark of who asks
    #[command(before_help = SERVE_EXAMPLES)]
    Serve(ServeArgs),
    /// Give a client a folder of its own
    #[command(before_help = NAME_EXAMPLES)]
    Name(NameArgs),
    /// Fetch an image in one of three ways
    #[command(before_help = GET_EXAMPLES)]
    Get(GetArgs),
    /// Tell whose mark an image has
    #[command(before_help = READ_EXAMPLES)]
    Read(ReadArgs),
}

/// Arguments of `tng trickles watermark serve`.
#[derive(Args, Debug)]
struct ServeArgs {
    /// The folder of images, or one image
    path: PathBuf,
    /// File of the secret that marks come from; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
    #[command(flatten)]
    application: ApplicationArgs,
}

/// Arguments of `tng trickles watermark name`.
#[derive(Args, Debug)]
struct NameArgs {
    /// The client: letters, digits, - and _
    name: String,
    /// File of the secret that marks come from; it is made if it is not there, and so is FILE.names, which the name is
    /// noted in
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
}

/// Arguments of `tng trickles watermark get`.
#[derive(Args, Debug)]
struct GetArgs {
    /// The image, in the client's folder: @FILE//FOLDER/IMAGE with a ticket in FILE, or as `tng get --help` says
    #[arg(value_name = "URL", value_parser = LocationParser)]
    url: Location,
    /// Where to: a file, or - for stdout [default: here, under its own name]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// By what the server makes it again from
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
    /// File of the secret that marks come from
    #[arg(long, value_name = "FILE")]
    marks: PathBuf,
    /// Further names, beside those that were given out
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
