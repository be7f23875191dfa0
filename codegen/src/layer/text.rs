//! The header and the source of a library.

use super::body::Writer;
use super::value::Holder;
use std::fmt::Write as _;

/// Header and source.
pub(super) fn library(w: &Writer<'_>, name: &str, title: &str) -> (String, String) {
    let (p, guard) = (&w.prefix, w.prefix.to_uppercase());
    let mut h = format!(
        "/* {title}.\n * Made by `litmpi emit --layer` from the layer's text. `litmpi refine` says what holds of that, over RDMA^TSO.\n \
         * One thread of each process calls it. Objects are made by all processes in the same order. */\n\
         #ifndef LITMPI_{guard}_H\n#define LITMPI_{guard}_H\n\n#include \"litmpi-net.h\"\n\n"
    );
    let mut c = format!("/* {title}; see {name}.h. */\n#include \"{name}.h\"\n\n#include <stdlib.h>\n\n");
    structure(
        w,
        &mut h,
        &Holder::Library,
        p,
        "    struct litmpi_net *net;\n",
        "The library: one for all objects, made by all processes.",
    );
    let _ = writeln!(h, "struct {p} *{p}_open(struct litmpi_net *net);\n");
    let _ = writeln!(c, "struct {p} *{p}_open(struct litmpi_net *net)\n{{");
    let _ = writeln!(c, "    struct {p} *made = litmpi_zeroed(sizeof *made);\n    made->net = net;");
    fields(w, &mut c, &Holder::Library);
    c += "    return made;\n}\n\n";
    for kind in &w.objects {
        let holder = Holder::Object(kind.clone());
        let asked: Vec<&str> = w.users.iter().filter(|(k, _)| k == kind).map(|(_, by)| by.as_str()).collect();
        let mut first = format!("    struct {p} *lib;\n");
        asked.iter().for_each(|by| _ = writeln!(first, "    struct litmpi_nodes users_{by};"));
        let says = if asked.is_empty() {
            "An object: memory on every process, which has it in the same place.".to_owned()
        } else {
            format!("An object; who uses it is said when it is made, the same by all: {}.", asked.join(", "))
        };
        structure(w, &mut h, &holder, &format!("{p}_{kind}"), &first, &says);
        let params: String = asked.iter().map(|by| format!(", struct litmpi_nodes users_{by}")).collect();
        let head = format!("struct {p}_{kind} *{p}_make_{kind}(struct {p} *lib{params})");
        let _ = writeln!(h, "{head};\n");
        let _ = writeln!(c, "{head}\n{{\n    struct litmpi_net *net = lib->net;");
        let _ = writeln!(c, "    struct {p}_{kind} *made = litmpi_zeroed(sizeof *made);\n    made->lib = lib;");
        asked.iter().for_each(|by| _ = writeln!(c, "    made->users_{by} = litmpi_nodes_copy(net, users_{by});"));
        fields(w, &mut c, &holder);
        c += "    return made;\n}\n\n";
    }
    for f in &w.functions {
        let _ = writeln!(h, "/* {}. */\n{};\n", f.doc, f.head);
        let _ = writeln!(c, "{}\n{{\n{}}}\n", f.head, f.body);
    }
    h += "#endif\n";
    (h, c)
}

fn structure(w: &Writer<'_>, h: &mut String, holder: &Holder, name: &str, first: &str, says: &str) {
    let _ = writeln!(h, "/* {says} */\nstruct {name} {{\n{}", first.trim_end_matches('\n'));
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let sizes: String = sizes.iter().map(|s| format!("[{}]", s.trim_start_matches("net->"))).collect();
        let _ = writeln!(
            h,
            "    uint64_t {field}; /* where it begins{} */",
            if sizes.is_empty() { sizes } else { format!(": {sizes}") }
        );
    }
    for ((_, field), work) in w.lasting.iter().filter(|((of, _), _)| of == holder) {
        let _ = writeln!(h, "    {}{field};", if *work { "struct litmpi_work " } else { "int64_t " });
    }
    *h += "};\n";
}

fn fields(w: &Writer<'_>, c: &mut String, holder: &Holder) {
    for ((_, field), sizes) in w.memory.iter().filter(|((of, _), _)| of == holder) {
        let all: String = sizes.iter().map(|s| format!(" * (uint64_t){s}")).collect();
        let _ = writeln!(c, "    made->{field} = litmpi_take(net, 8{all});");
    }
    for ((_, field), _) in w.lasting.iter().filter(|((of, _), work)| of == holder && **work) {
        let _ = writeln!(c, "    litmpi_work_begin(net, &made->{field});");
    }
}
