//! Wires beside InfiniBand's: what the page on them shows.

use crate::command::root;
use crate::support::litmpi_in;

#[test]
fn the_page_on_wires_shows_what_the_command_says() {
    let page = std::fs::read_to_string(root().join("docs/wires.md")).expect("the page");
    let (_, shown) = page.split_once("$ litmpi ").expect("a command");
    let (command, table) = shown.split_once('\n').expect("what it prints");
    let (table, _) = table.split_once("\n```").expect("an end");
    let said = litmpi_in(&root(), command.split(' '));
    let printed: Vec<&str> = said.stdout.lines().map(str::trim_end).collect();
    assert!(printed.join("\n").starts_with(table), "{said}");
}
