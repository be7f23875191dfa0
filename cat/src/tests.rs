//! The language by itself, on four events in a row: `po` is 0 → 1 → 2 → 3 closed, `next` its immediate edges.

use super::{CatModel, Frame, Given, Kind, Relation, load_text};
use litmpi_spec::source::Source;

fn given() -> Vec<Given> {
    let of = |name: &str, kind, open| Given { name: name.into(), kind, open };
    vec![
        of("po", Kind::Relation, false),
        of("next", Kind::Relation, false),
        of("Even", Kind::Set, false),
        of("rf", Kind::Relation, true),
        of("R", Kind::Set, false),
        of("W", Kind::Set, false),
        of("M", Kind::Set, false),
        of("IW", Kind::Set, false),
        of("id", Kind::Relation, false),
        of("loc", Kind::Relation, false),
        of("int", Kind::Relation, false),
        of("ext", Kind::Relation, false),
    ]
}

fn load(text: &str) -> Result<CatModel, String> {
    load_text(&Source::new("test.cat", text), &given()).map_err(|r| r.to_string())
}

fn frame(model: &CatModel) -> Frame {
    let mut frame = model.frame(4);
    frame.fix(0, Relation::of(4, |a, b| a < b));
    frame.fix(1, Relation::of(4, |a, b| b == a + 1));
    frame.fix(2, Relation::set(4, |a| a % 2 == 0));
    frame.high[3] = Relation::full(4);
    model.settle(&mut frame);
    model.evaluate(&mut frame);
    frame
}

/// Whether `left` and `right` are the same.
fn same(left: &str, right: &str) -> bool {
    let model = load(&format!("let l = {left} let r = {right} empty l \\ r as less empty r \\ l as more"))
        .unwrap_or_else(|e| panic!("{e}"));
    let frame = frame(&model);
    model.failed_at_once(&frame).is_none() && model.failed(&frame).is_none() && model.failed_at_last(&frame).is_none()
}

#[test]
fn operators_mean_what_herd_says() {
    assert!(same("next^+", "po") && same("next+", "po"));
    assert!(same("next^*", "po | [_]") && same("po?", "next^*"));
    assert!(same("next;next", "(po;next) \\ (po;po;po)") && !same("next;next", "po;next"));
    assert!(same("[Even];po;[Even]", "po & (Even * Even)"));
    assert!(same("~Even", "_ \\ Even") && same("~~po", "po") && same("~po", "_ * _ \\ po"));
    assert!(same("po^-1", "~po \\ [_]"));
    assert!(same("domain(next;next;next)", "_ \\ range(next)") && same("po & 0", "0"));
}

#[test]
fn operators_bind_as_in_herd() {
    assert!(same("next | po ; next", "next | (po ; next)"));
    assert!(same("po ; po \\ next", "po ; (po \\ next)"));
    assert!(same("po \\ next & po^-1", "po \\ (next & po^-1)"));
    assert!(same("po & Even * Even", "po & (Even * Even)"));
    assert!(same("po \\ next \\ po", "(po \\ next) \\ po"));
}

#[test]
fn a_star_before_another_definition_is_its_own_and_before_an_operand_a_product() {
    assert!(same("next* let m = po", "next^*") && same("Even * (let m = Even in m)", "Even * Even"));
    assert!(same("Even * (Even)", "Even * Even") && same("Even * ~~Even", "Even * Even"));
}

#[test]
fn products_are_read_once() {
    // Found by fuzzing: each definition with a product, and each product within another one, doubled the time.
    let many: String = (0..200).map(|i| format!("let d{i}(r) = r & R * W\n")).collect();
    drop(load(&format!("{many}empty d0(po)")));
    let nested = |end: &str| format!("let l = {}Even{} empty po as x", "Even * domain(".repeat(25), end.repeat(25));
    // A product of three is none; nor does that take long to be told.
    drop((load(&nested(")")), load(&nested(" * Even)"))));
}

#[test]
fn a_recursive_definition_is_the_least_solution() {
    assert!(same("po", "po"));
    let model = load("let rec a = next | (b; next) and b = a | (a; a) empty a \\ po empty po \\ b (* (* nested *) *)");
    let model = model.unwrap_or_else(|e| panic!("{e}"));
    assert!(model.failed_at_once(&frame(&model)).is_none());
}

#[test]
fn an_order_keeps_the_edges_that_have_no_opposite() {
    let model = load("with mo from orders(next | (Even * Even)) acyclic mo").unwrap_or_else(|e| panic!("{e}"));
    let frame = frame(&model);
    let slot = model.choices[0].slot;
    assert_eq!(frame.low[slot], Relation::of(4, |a, b| b == a + 1));
    assert!(frame.high[slot].contains(2, 0) && frame.high[slot].contains(0, 2) && !frame.high[slot].contains(0, 0));
}

#[test]
fn a_check_fails_early_only_if_it_fails_for_sure() {
    // `rf` may still become anything, so only what holds of every `rf` is told.
    let first = |text: &str| {
        let model = load(text).unwrap_or_else(|e| panic!("{e}"));
        model.failed(&frame(&model)).map(|c| c.name.clone())
    };
    assert_eq!(first("acyclic rf | po as a"), None);
    assert_eq!(first("empty po \\ rf as a"), None);
    assert_eq!(first("let u = ~rf empty po & ~u as a"), None);
    assert_eq!(first("acyclic rf | po | po^-1"), Some("rf | po | po^-1".into()));
    assert_eq!(first("~empty rf as a"), None);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let complaint = |text: &str| load(text).expect_err("a mistake");
    assert_eq!(complaint("acyclic poo | po; poo").lines().count(), 1, "a name is told once");
    assert_eq!(complaint("acyclic poo"), "test.cat:1:9: `poo` is not defined (did you mean `pco`?)");
    assert!(complaint("let x = po | Even").starts_with("test.cat:1:14: a relation is wanted here"));
    assert!(complaint("let x = [po]").starts_with("test.cat:1:10: a set of events is wanted here"));
    assert!(complaint("let rec x = po \\ x").contains("`x` has no least solution"));
    assert!(complaint("with x from orders(rf)").contains("must be fixed before the search"));
    assert!(complaint("let f(x) = x empty f(po, po) & po").contains("is a tuple"));
    assert!(complaint("let f(x, y) = x empty f(po)").contains("`f` takes 2, not 1"));
    assert!(complaint("let rec f x = f x empty f po").contains("functions call each other too deep"));
    assert!(complaint("call nothing(po)").contains("there is no procedure `nothing`"));
    assert!(complaint("let (a, b) = po").contains("not taken apart into 2"));
    assert!(complaint("include \"nowhere.cat\"").contains("cannot find `nowhere.cat`"));
    assert!(complaint("let x = ").contains("the end of the file does not fit here"));
    let deep = format!("let x = {}po{}", "(".repeat(1000), ")".repeat(1000));
    assert!(complaint(&deep).contains("inside of each other"), "{}", complaint(&deep));
}

#[test]
fn checks_for_each_class_are_asked_of_one_class_at_a_time() {
    // Classes of `eo`: the even events, the odd ones.
    let eo = "let eo = Even * Even | ~Even * ~Even ";
    let failed = |text: &str| {
        let model = load(&format!("{eo}{text}")).unwrap_or_else(|e| panic!("{e}"));
        model.failed_at_once(&frame(&model)).map(|c| c.against(&frame(&model)))
    };
    assert_eq!(failed("forall S in classes(eo) do empty [S]; next; [S] end"), None);
    assert_eq!(failed("forall S in classes(eo) do empty [S]; po; [S] as x end"), Some(vec![(0, 2), (1, 3)]));
    // What is cyclic only across classes is not cyclic.
    assert_eq!(failed("acyclic next | (next; next)^-1").map(|a| a.len()), Some(4));
    let across = "forall S in classes(eo) do let r = [S]; next | next^-1; [~S] acyclic r end";
    assert_eq!(failed(across), None);
    assert_eq!(failed("forall S in classes(eo) do acyclic [S]; (po | po^-1); [S] end").map(|a| a.len()), Some(4));
    // A class within a class, a function of one, and events that are in no class.
    assert_eq!(
        failed(
            "let f(T) = next; [T] forall S in classes(eo) do forall T in classes([_]) do empty [S]; f(T) as x end end"
        ),
        Some(vec![(0, 1), (1, 2), (2, 3)])
    );
    assert_eq!(failed("forall S in classes(next & 0) do empty po end"), None);
    assert_eq!(failed("forall S in classes(next) do empty _ \\ S end"), None);
}

#[test]
fn mistakes_inside_of_forall_are_told() {
    let complaint = |text: &str| load(text).expect_err("a mistake");
    assert!(complaint("forall S in classes(rf) do empty S end").contains("must be fixed before the search"));
    assert!(complaint("forall S in classes(po) do ~empty S end").contains("inside `forall`, checks have no `~`"));
    assert!(complaint("forall S in classes(po) do flag empty S end").contains("flags have one"));
    assert!(
        complaint("forall S in classes(po) do let rec x = po | (x; x) end").contains("cannot stand inside `forall`")
    );
    assert!(complaint("forall S in classes(Even) do end").contains("a relation is wanted here"));
    assert!(complaint("forall S in classes(po) do end empty S").contains("`S` is not defined"));
    assert!(
        complaint("forall S in po do end").contains("`forall` over another set than `classes(…)` is not supported")
    );
    assert!(
        complaint("forall S in classes(po) do with x from orders(po) end")
            .contains("a choice cannot stand inside `forall`")
    );
}

#[test]
fn functions_tuples_and_procedures_are_put_in_where_they_are_used() {
    assert!(same("let f = fun (a, b) -> a;b in f(next, po)", "next;po"));
    assert!(same("let f a = fun b -> a;b in f next po", "next;po"));
    assert!(same("let (a, b) = (next, po) in a;b", "next;po"));
    assert!(same("let f p = let (a, b) = p in a;b in f (next, po)", "next;po"));
    assert!(same("let rec r = next | (r; r) in r", "po"));
    assert!(same("if \"cos-opt\" || ~\"b\" && (\"c\" | not \"d\") then po else next", "po"));
    assert!(same("if \"amo\" then po else next", "next"));
    assert!(same("match 'b with 'a -> po || 'b -> next || _ -> 0 end", "next"));
    // A function over a set that is written out, as herd's `map` is.
    let all =
        "let all f = let rec go s = match s with {} -> 0 || r ++ s -> f r | go s end in go in all (fun r -> r;next)";
    assert!(same(&format!("{all} ({{next, po}})"), "next;next | po;next"));
    assert!(same(&format!("{all} (po ++ {{next}})"), "next;next | po;next"));
    assert!(same("begin next end^ -1", "next^-1"));
    let model = load(
        "\"t\" withoutco enum e = 'a || 'b procedure none(r, s) = let t = r & s empty t as t end \
         call none(next, po^-1) call none(next, po) as both debug po show po as p unshow po \
         match 'a with || 'a -> empty next as a || _ -> empty po as other end \
         if \"v\" empty po as v else empty Even as even end undefined_unless acyclic po as u undefined_unless empty po as w",
    );
    let model = model.unwrap_or_else(|e| panic!("{e}"));
    let names = |of: &[crate::Check]| of.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&model.checks), ["t", "t", "a", "even"]);
    let frame = frame(&model);
    assert_eq!(model.raised(&frame, true).map(|f| f.name.clone()).collect::<Vec<_>>(), ["w"]);
}

#[test]
fn what_is_not_supported_is_told_where_it_is_asked_for() {
    let rec = "let rec go s = match s with {} -> {} || e ++ s -> e ++ go s end";
    // Defined, as in herd's library, and used by nothing.
    for unused in [
        &format!("{rec} let x = go po"),
        "let x = ctrl | addr",
        "let x = tag2events('a)",
        "let x = if po = next then po else 0",
        "let (x, y) = (ctrl, po)",
        "let x = try ctrl with po empty x \\ po",
        "let partition = classes-loc let f = fun s -> partition s",
    ] {
        load(unused).unwrap_or_else(|e| panic!("{unused}: {e}"));
    }
    for (used, place, what) in [
        (format!("{rec} empty go po"), "test.cat:1:22", "`match` on a set of events or relations"),
        ("let x = ctrl | addr let y = x;po acyclic y".into(), "test.cat:1:9", "herd's `ctrl`"),
        ("empty tag2events('a)".into(), "test.cat:1:7", "herd's function `tag2events`"),
        ("empty if po = next then po else 0".into(), "test.cat:1:10", "`if` on a comparison"),
        ("with x from cross(po)".into(), "test.cat:1:13", "`with … from` another set of relations"),
        ("instructions R[{'a}]".into(), "test.cat:1:1", "a declaration of a .bell file"),
    ] {
        let told = load(&used).expect_err(&used);
        assert!(told.starts_with(&format!("{place}: {what} is not supported")), "{used}: {told}");
    }
}

#[test]
fn an_order_extends_what_the_search_comes_to() {
    let model = load("with co from generate_orders(Even, rf) acyclic co").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.checks[0].name, "co extends rf");
    assert!(model.checks[0].open);
    let mut frame = frame(&model);
    let slot = model.choices[0].slot;
    // 2 is read from before 0 is, and the order has them the other way round.
    frame.fix(3, Relation::of(4, |a, b| (a, b) == (2, 0)));
    frame.fix(slot, Relation::of(4, |a, b| (a, b) == (0, 2)));
    model.evaluate(&mut frame);
    assert_eq!(model.failed(&frame).map(|c| c.name.as_str()), Some("co extends rf"));
}

#[test]
fn models_and_events_of_other_machines_are_told_as_such() {
    let told = |text: &str| {
        let source = Source::new("test.cat", text);
        load_text(&source, &given()).map(|_| ()).expect_err("refused").to_string()
    };
    for (title, machine) in
        [("MIPS", "MIPS"), ("RISCV \"with a title\"", "RISCV"), ("\"AArch64\"", "AArch64"), ("MIPS-TSO", "MIPS")]
    {
        let said = told(&format!("{title}\nacyclic po\n"));
        assert!(said.starts_with(&format!("test.cat:1:1: models for `{machine}` are not read")), "{said}");
    }
    // What is named before what is included: the machine says more than a file that is missing.
    assert!(told("PPC\ninclude \"nowhere.cat\"\n").contains("models for `PPC`"));
    for (name, of) in
        [("ISB", "Arm"), ("DMB.LD", "Arm"), ("Fence.w.w", "RISC-V"), ("ACQ", "C"), ("Rmb", "the Linux kernel")]
    {
        let said = told(&format!("X86 t\nempty {name}\n"));
        assert!(said.contains(&format!("`{name}` is of programs for {of}, which are not read")), "{said}");
    }
    // With another meaning where one is offered, and nothing where it is only shown.
    assert!(load_text(&Source::new("test.cat", "X86 t\nempty try ISB with 0\nshow data, ISB\n"), &given()).is_ok());
    // What herd gives programs for every machine, and these have none of.
    assert!(
        load_text(
            &Source::new("test.cat", "X86 t\nlet e = EXC-ENTRY | FAULT | AMO | T | TLBI | NExp\nempty e\n"),
            &given()
        )
        .is_ok()
    );
    // What a shipped file defines is told with the file.
    assert!(told("\"t\"\nacyclic po | fr\n").contains("include \"cos.cat\""));
}
