//! Printed tests read back as the same tests.

use crate::decls::{decls, read};
use litmpi_litmus::print;

/// Prints the test, reads it back, compares, and gives the print.
#[track_caller]
pub(crate) fn round_trip(text: &str) -> String {
    let test = read(text);
    let printed = print(&test, decls(text));
    let again = read(&printed);
    assert_eq!(test.without_places(), again.without_places(), "printed as:\n{printed}");
    assert_eq!(print(&again, decls(text)), printed, "printing is stable");
    printed
}

#[test]
fn a_plain_test_is_printed_as_it_is_written() {
    let text = "litmus rdma ST2 \"a put may \\\"fetch\\\" late\"
node 1 { x = 0  r[2] = {1, 2}  q[3] = -1 }
node 2 { z = 0 }
thread 1 on 1 {
  z@2 := x
  x := 1
  mfence
  if a.b = 1 { }
}
exists z = 1 /\\ (r[0] = 1 \\/ ~(q[2] = -1))
  verdict rdma-tso allowed  cite rdma-tso \"Fig. 2b\"  because \"of a\"
  verdict rdma-tso (inline) forbidden
  seen \"~2%\" on \"ConnectX-5\"  cite rdma-tso \"Fig. 18\"
  tells apart rdma-tso rdma-tso (inline)  cite rdma-tso \"App. A.11\"
  agree rdma-tso rdma-sc  because \"no store buffer is seen\"
~exists deadlock
"
    .replace("  if a.b = 1 { }\n", "");
    assert_eq!(round_trip(&text), text);
}

#[test]
fn ranks_and_calls_are_printed_without_defaults() {
    let text = "litmus mpi t \"t\"
rank 0 {
  int x = 5
  MPI_Send(x, dest: 1)
  MPI_Send(7, dest: 1, tag: 3)
  MPI_Send(7, 2, dest: 1)
  MPI_Recv(x, source: MPI_ANY_SOURCE, status: s)
  MPI_Barrier()
}
rank 1 { }
locations x
exists s.source = -1
";
    assert_eq!(round_trip(text), text);
}

#[test]
fn sugar_is_printed_in_its_plain_form() {
    let printed = round_trip(
        "litmus rdma t \"t\" node 1 { x = 0 y = 0 } node 2 { z = 0 }
         thread 1 on 1 {
           a := z@2
           x := y + 1
           if x + y = 2 { x := CAS(y, 0, 1) } else if x = 1 { }
           while x = 0 bound 2 { y := 3 }
           c := x
           z@2 := (c)
         }
         exists (x, y) = (1, 0)",
    );
    for part in [
        "node 1 { x = 0  y = 0  a = 0 }",
        "  $1 := y\n  x := $1 + 1\n",
        "  choose {\n    $1 := x\n    $2 := y\n  } or {\n    $2 := y\n    $1 := x\n  }\n  if $1 + $2 = 2 {\n",
        "    $1 := CAS(y, 0, 1)\n    x := $1\n",
        "  while $1 = 0 bound 2 {\n    y := 3\n    $1 := x\n  }\n",
        "  z@2 := (c)\n",
        "exists x = 1 /\\ y = 0\n",
    ] {
        assert!(printed.contains(part), "`{part}` is not in:\n{printed}");
    }
}

#[test]
fn brackets_keep_expressions_apart() {
    for e in [
        "1 - (2 - 3)",
        "(1 - 2) - 3",
        "1 - -2",
        "- 1",
        "-(1)",
        "-(-(1))",
        "!!a",
        "!(a = 1)",
        "not a = 1",
        "!a = 1",
        "(a = 1) = 0",
        "a = (1 = 0)",
        "(a or a) and a",
        "a or a and a",
        "a * (a + 1)",
        "-(a)",
        "- a * 2",
        "-(a * 2)",
    ] {
        round_trip(&format!("litmus rdma t \"t\" node 1 {{ }} thread 1 on 1 {{ a := {e} }} exists true"));
    }
}

#[test]
fn ranks_of_an_mpi_test_may_share_a_process() {
    round_trip(
        "litmus mpi t \"t\" node 0 { x = 1 } node 1 { } thread 0 on 0 { a := x } thread 1 on 0 { x := 2 }
         thread 2 on 1 { MPI_Recv(b, source: 0) } exists 0:a = 1",
    );
}

#[test]
fn conditions_are_printed_with_the_brackets_they_need() {
    for p in [
        "x = 1 /\\ y = 1 /\\ z = 1",
        "x = 1 /\\ (y = 1 /\\ z = 1)",
        "(x = 1 \\/ y = 1) /\\ z = 1",
        "~(x = 1 /\\ y = 1)",
        "~~x = 1",
        "~(~(x = 1))",
        "~deadlock /\\ ~erroneous \\/ true",
        "x != 1 \\/ (y = 1 \\/ z != -1)",
    ] {
        let text = format!("litmus rdma t \"t\" node 1 {{ x = 0 y = 0 z = 0 }} exists {p}");
        round_trip(&text);
    }
}
