//! The arguments of `litmpi explore`.

use crate::args::ModelArgs;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// A named set of the model's constants, or several, as in `rendezvous+synchronising`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
    /// Begin on a shortest way to this outcome (`a=1; b=0`, `deadlock`, `erroneous`), at its first state: `n` steps along it
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
    /// Without a terminal: press these keys, `down,enter,u`, and print the screen that they lead to
    #[arg(long, value_name = "KEYS")]
    pub(crate) keys: Option<String>,
    /// The size of that screen, columns by rows
    #[arg(long, value_name = "WxH", default_value = "80x24", value_parser = size)]
    pub(crate) screen: (u16, u16),
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let read = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let fits = |(w, h): &(u16, u16)| (40..=400).contains(w) && (12..=200).contains(h);
    read.filter(fits).ok_or_else(|| "columns by rows, as in 80x24; at least 40x12 and at most 400x200".to_owned())
}
