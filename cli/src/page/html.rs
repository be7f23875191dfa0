//! The page as a file: a head, the style, the data and the script that shows it, and nothing from elsewhere.
//!
//! Everything that comes from files stands in the data. The script makes elements of it and never markup, pictures are images, which
//! run no scripts, and a policy in the head lets the browser run this script alone and load nothing.

use super::data::Page;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("page.js"), include_str!("test.js"));

/// The page.
pub(super) fn text(page: &Page) -> String {
    let asks = if page.served.is_some() { "connect-src 'self'; " } else { "" };
    let hash = BASE64_STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{hash}'; \
         style-src 'unsafe-inline'; img-src data:; {asks} base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"litmpi {}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <noscript><p>This page shows its results by a script that stands in it; the data are JSON at its end.</p></noscript>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escaped(&page.title),
        data(page),
    )
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that ends no element and begins none: within a script, only `<` could.
fn data(page: &Page) -> String {
    let json = serde_json::to_string(page).expect("a page is plain data");
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_files_is_neither_markup_nor_script() {
        let hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
        let page = Page { title: hostile.into(), notes: vec![hostile.into()], ..Page::default() };
        let text = text(&page);
        assert_eq!(text.matches("<script").count(), 2, "{text}");
        assert!(!text.contains("<img") && !text.contains("<!--"), "{text}");
        let data = text.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let read: serde_json::Value = serde_json::from_str(data.expect("data").0).expect("JSON");
        assert_eq!(read["notes"][0], hostile);
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        let text = text(&Page::default());
        for word in ["http://", "https://", "src=\"", "@import", "url(", "innerHTML", "eval("] {
            let places: Vec<&str> = text.lines().filter(|l| l.contains(word)).collect();
            assert!(places.is_empty(), "{word}: {places:?}");
        }
    }
}
