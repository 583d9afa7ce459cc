//! Whether what this host sends by a controller of its own is held by the policer.

use clap::Args;
use tng::stp::Policed;
use tng::{Builder, HostConfig};

/// Those of commands that send in bulk.
#[derive(Args, Clone, Copy, Debug)]
pub struct PolicedArgs {
    /// Limit sending to TCP's rate by the policer of docs/stp.md [default: on in debug builds only]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = cfg!(debug_assertions), default_missing_value = "true", hide_default_value = true)]
    pub policed: bool,
}

impl PolicedArgs {
    /// Has the controller that was chosen be held.
    pub fn configure(self, config: &mut HostConfig) {
        if self.policed {
            config.controller = Policed::choice(config.controller.clone());
        }
    }

    /// The same, of an endpoint.
    pub fn hold(self, builder: Builder) -> Builder {
        builder.configure(|config| self.configure(config))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tng::Access;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        policed: PolicedArgs,
    }

    #[test]
    fn it_is_on_in_debug_builds_unless_it_is_switched_off_and_changes_the_controller() {
        let read = |args: &[&str]| Line::try_parse_from([&["tng"], args].concat()).expect("understood").policed;
        let controller = |policed: PolicedArgs| {
            let mut config = HostConfig::new(Access::Public);
            policed.configure(&mut config);
            config.controller.name().to_owned()
        };
        assert_eq!(read(&[]).policed, cfg!(debug_assertions));
        assert_eq!(controller(read(&["--policed"])), "policed-cubic");
        assert_eq!(controller(read(&["--policed=true"])), "policed-cubic");
        assert_eq!(controller(read(&["--policed=false"])), "cubic");
        assert!(Line::try_parse_from(["tng", "--policed", "false"]).is_err(), "that is a word of something else");
    }
}
