//! Pictures of one known execution.

use litmpi_graph::{Act, Band, Column, Event, Graph, Link, Named, Sequence, Where, drawn};

fn event(place: Option<(usize, usize)>, label: &str, source: &str) -> Event {
    Event { place, label: label.into(), source: source.into() }
}

fn named(name: &str, pairs: &[(usize, usize)]) -> Named {
    Named { name: name.into(), pairs: pairs.to_vec(), reduce: ["po", "mo"].contains(&name) }
}

/// A put whose source is overwritten behind it, and a reader at the other node.
fn late_fetch() -> Graph {
    Graph {
        title: "ST2: z=1".into(),
        notes: vec!["allowed by rdma-tso.cat".into()],
        columns: vec![
            Column { title: "thread 1 on node 1".into(), lanes: vec!["CPU".into(), "to node 2".into()] },
            Column { title: "thread 2 on node 2".into(), lanes: vec!["CPU".into()] },
        ],
        events: vec![
            event(None, "x=0", ""),
            event(None, "z=0", ""),
            event(Some((0, 1)), "nlR x=1", "z@2 := x"),
            event(Some((0, 1)), "nrW z=1", "z@2 := x"),
            event(Some((0, 0)), "lW x=1", "x := 1"),
            event(Some((0, 0)), "P", "poll(2)"),
            event(Some((1, 0)), "lR z=1", "a := z"),
            event(Some((1, 0)), "lR z=0", "b := z"),
        ],
        relations: vec![
            named("po", &[(2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5), (6, 7)]),
            named("rf", &[(4, 2), (3, 6), (1, 7)]),
            named("mo", &[(0, 4), (1, 3)]),
            named("rb", &[(7, 3)]),
            named("pf", &[(3, 5)]),
        ],
        cycle: vec![],
        marked: vec![],
    }
}

fn all() -> Vec<String> {
    ["po", "rf", "mo", "rb", "pf"].map(str::to_owned).to_vec()
}

fn with_cycle() -> Graph {
    let link = |from, to, name: &str| Link { from, to, names: vec![name.into()] };
    Graph { cycle: vec![link(3, 6, "rf"), link(6, 7, "oppo"), link(7, 3, "rb")], ..late_fetch() }
}

#[test]
fn a_graph_in_a_terminal_has_a_column_a_lane_and_a_line_a_relation() {
    let expected = [
        "  initially x=0, z=0",
        "  thread 1 on node 1                thread 2 on node 2",
        "  CPU                  to node 2",
        "                       a: nlR x=1   e: lR z=1",
        "                       b: nrW z=1   f: lR z=0",
        "  c: lW x=1",
        "  d: P",
        "  po   a → b → c → d,  e → f",
        "  rf   init z=0 → f,  b → e,  c → a",
        "  mo   init x=0 → c,  init z=0 → b",
        "  rb   f → b",
        "  pf   b → d",
    ];
    assert_eq!(late_fetch().text(&all()).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_cycle_is_told_edge_by_edge() {
    let g = with_cycle();
    let lines: Vec<String> = g.cycle_text(&g.cycle).lines().map(str::to_owned).collect();
    let told = ["  b: nrW z=1 ─rf──→ e: lR z=1", "  e: lR z=1  ─oppo→ f: lR z=0", "  f: lR z=0  ─rb──→ b: nrW z=1"];
    assert_eq!(lines, told);
}

#[test]
fn edges_that_follow_from_others_are_not_drawn() {
    let lines = drawn(&late_fetch(), &["po".into()]);
    let pairs: Vec<(usize, usize)> = lines.iter().map(|l| (l.from, l.to)).collect();
    assert_eq!(pairs, [(2, 3), (3, 4), (4, 5), (6, 7)], "not 2 → 4");
    let cyclic = Named { name: "ob".into(), pairs: vec![(0, 1), (1, 2), (2, 0), (0, 2)], reduce: true };
    assert_eq!(cyclic.drawn_pairs().len(), 4, "a relation with a cycle has no least form");
}

#[test]
fn one_line_stands_for_all_relations_between_two_events_and_a_cycle_is_drawn_whole() {
    let lines = drawn(&with_cycle(), &["po".into()]);
    let on: Vec<_> = lines.iter().filter(|l| l.in_cycle).map(|l| (l.from, l.to, l.names.join(" "))).collect();
    assert_eq!(on, [(3, 6, "rf".to_owned()), (6, 7, "po oppo".into()), (7, 3, "rb".into())]);
}

#[test]
fn events_are_named_as_herd_names_them() {
    let mut g = late_fetch();
    for _ in 0..30 {
        g.events.push(event(Some((1, 0)), "lR z=1", ""));
    }
    assert_eq!(g.caption(2), "a: nlR x=1");
    assert_eq!((g.name(27), g.name(28)), ("z".into(), "aa".into()));
    assert_eq!(g.caption(0), "init x=0");
}

/// Numbers of the attributes `name="…"` of elements that begin with `element`.
fn numbers(svg: &str, element: &str, name: &str) -> Vec<f64> {
    let attribute = format!(" {name}=\"");
    svg.lines()
        .filter(|l| l.starts_with(element))
        .map(|l| l.split(&attribute).nth(1).and_then(|r| r.split('"').next()).expect(name).parse().expect("a number"))
        .collect()
}

#[test]
fn a_picture_has_every_event_apart_from_the_others_and_program_order_goes_down() {
    let svg = late_fetch().svg(&all());
    for e in 0..8 {
        assert!(svg.contains(&format!(">{}</text>", late_fetch().caption(e))), "{e}: {svg}");
    }
    let boxes = |name| numbers(&svg, "<rect class=\"event\"", name);
    let (x, y, width) = (boxes("x"), boxes("y"), boxes("width"));
    assert_eq!(y.len(), 6);
    assert!(y[..4].windows(2).all(|p| p[0] < p[1]), "{y:?}");
    for i in 0..6 {
        for j in 0..i {
            let apart = (y[i] - y[j]).abs() >= 40.0 || x[i] + width[i] < x[j] || x[j] + width[j] < x[i];
            assert!(apart, "{i} and {j}");
        }
    }
    let size = numbers(&svg, "<svg", "width")[0];
    assert!(x.iter().zip(&width).all(|(x, w)| *x > 0.0 && x + w < size));
}

#[test]
fn a_picture_is_the_same_every_time_marks_the_cycle_and_knows_dark_ground() {
    let svg = with_cycle().svg(&all());
    assert_eq!(svg, with_cycle().svg(&all()));
    assert_eq!(svg.matches("class=\"marked\"").count(), 3);
    assert_eq!(svg.matches("class=\"glow\"").count(), 3);
    assert!(svg.contains("prefers-color-scheme:dark"));
    assert!(!svg.contains("href"), "nothing is loaded from elsewhere");
    let odd = Graph { title: "a < b & \"c\"".into(), ..late_fetch() }.svg(&all());
    assert!(odd.contains("a &lt; b &amp; &quot;c&quot;"));
}

#[test]
fn dot_has_a_cluster_a_thread_and_all_edges() {
    let dot = late_fetch().dot(&all());
    assert_eq!(dot.matches("subgraph cluster_").count(), 2);
    assert!(dot.contains("e3 -> e6 [label=<<font color=\"#c62828\">rf</font>>"), "{dot}");
    assert_eq!(dot.matches("style=invis").count(), 4, "lanes are straight, and threads in order");
    assert!(dot.contains("{ rank=same; e2 -> e6 [style=invis]; }"), "{dot}");
}

fn causal() -> Sequence {
    let act = |place, name: &str, source: &str| Act { place, name: name.into(), source: source.into() };
    Sequence {
        title: "order-causal: s.source=1".into(),
        notes: vec!["allowed by mpi".into()],
        lanes: vec!["rank 0".into(), "rank 1".into(), "rank 2".into()],
        acts: vec![
            act(Where::At(2), "isend", "MPI_Send(7, dest: 0)"),
            act(Where::At(0), "barrier_init", "MPI_Barrier()"),
            act(Where::Between(2, 0), "transfer", ""),
            act(Where::At(2), "barrier_wait", "MPI_Barrier()"),
            act(Where::Between(1, 2), "transfer", ""),
            act(Where::At(1), "wait", "MPI_Wait(r)"),
        ],
        bands: vec![Band { first: 1, last: 3, name: "MPI_Barrier".into() }],
    }
}

#[test]
fn a_sequence_in_a_terminal_has_lifelines_messages_and_the_stretch_of_a_collective() {
    let text = causal().text();
    let expected = [
        "         rank 0       rank 1        rank 2",
        " 1.         │            │           isend",
        " 2. ║ barrier_init       │             │",
        " 3. ║       │◀────── transfer ─────────│",
        " 4. ║       │            │       barrier_wait",
        " 5.         │            │─ transfer ─▶│",
        " 6.         │          wait            │",
        "    ║ 2-4: MPI_Barrier",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_sequence_as_a_picture_has_a_box_an_act_an_arrow_a_message_and_a_band_a_collective() {
    let svg = causal().svg();
    assert_eq!(svg.matches("class=\"event\"").count(), 4);
    assert_eq!(svg.matches("<polygon").count(), 2);
    assert_eq!(svg.matches("class=\"marked\"").count(), 1);
    assert!(svg.contains(">MPI_Send(7, dest: 0)</text>"));
}
