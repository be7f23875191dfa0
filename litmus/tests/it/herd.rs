//! herd's X86 and X86_64 files: what they become, and what is said of those that are not supported. Instructions are
//! those of the shipped specification of TSO.

use litmpi_litmus::ast::Test;
use litmpi_litmus::{parse, parse_family, print};
use litmpi_spec::decl::Instructions;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use md5::{Digest, Md5};
use proptest::prelude::*;
use std::sync::LazyLock;

static X86: LazyLock<Instructions> = LazyLock::new(|| load_shipped("tso").expect("a shipped model").instructions);

fn try_read(text: &str) -> Result<Test, String> {
    parse(&Source::new("t.litmus", text), &X86).map_err(|r| r.to_string())
}

#[track_caller]
fn read(text: &str) -> Test {
    try_read(text).unwrap_or_else(|told| panic!("{told}"))
}

/// That a file is the same test as one in our own format, and that printing it gives that test.
#[track_caller]
fn same(herd: &str, own: &str) {
    let (herd, own) = (read(herd), read(own));
    assert_eq!(print(&herd, &X86), print(&own, &X86));
    let printed = read(&print(&herd, &X86));
    assert_eq!(herd.without_places(), own.without_places());
    assert_eq!(printed.without_places(), own.without_places());
}

/// One column of instructions as the body of one of our threads.
#[track_caller]
fn column(arch: &str, lines: &str, own: &str) {
    let rows: String = lines.lines().map(|l| format!(" {l} ;\n")).collect();
    same(
        &format!("{arch} t \"t\"\n{{ x=0; y=0; 0:ESI=y; }}\n P0 ;\n{rows}\nexists x=0"),
        &format!("litmus x86 t \"t\" node 1 {{ x = 0 y = 0 }} thread 0 on 1 {{ {own} }} exists x = 0"),
    );
}

#[test]
fn a_classic_test_becomes_one_of_our_own() {
    let herd = "X86 SB\n\"Fre PodWR Fre PodWR\"\nCycle=Fre PodWR Fre PodWR\nOrig=of old\n{ }\n\
         P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
        exists (0:EAX=0 /\\ 1:EAX=0)\n";
    assert_eq!(parse_family(&Source::new("t", herd)).expect("a family"), "x86");
    let own = "litmus x86 SB \"Fre PodWR Fre PodWR\" node 1 { x = 0 y = 0 }
        thread 0 on 1 { x := 1 EAX := y } thread 1 on 1 { y := 1 EAX := x } exists 0:EAX = 0 /\\ 1:EAX = 0";
    same(herd, own);
}

#[test]
fn comments_stand_wherever_white_space_may_and_hold_others() {
    let plain = "X86 t \"says (* nothing\"\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)";
    let commented = "(* é *) X86 (*a*)t(* of \"(* two *)\nlines *) \"says (* nothing\"\n{ x(**)=(*1*)0; }\n (*P9*)P0 | P1 ;\n \
                     MOV (*to*)[x],$1 | MOV EAX(* | NOP *),[x] ;\nexists (1:EAX(*=2*)=1) (* end *)";
    let (plain, commented) = (read(plain), read(commented.trim_start_matches("(* é *) ")));
    assert_eq!(plain.without_places(), commented.without_places());
    // Places are those of the text with its comments.
    let told = try_read("X86 t (* é *)\n{ }\n P0 ;\n (**) FROB ;\nexists true").expect_err("no instruction");
    assert!(told.contains("t.litmus:4:7"), "{told}");
    let told = try_read("X86 t\n{ }\n P0 ; (* no end\n NOP ;\nexists true").expect_err("a comment without an end");
    assert!(told.contains("t.litmus:3:8"), "{told}");
}

#[test]
fn both_languages_have_their_own_order_of_operands() {
    column("X86", "MOV [x],$1\nMOV EAX,[y]\nMOV EBX,EAX\nmov ecx, $-0x10", "x := 1 EAX := y EBX := EAX ECX := -16");
    column(
        "X86_64",
        "movq $1,(x)\nmovl y(%rip),%eax\nmovq %rax,%rbx\nmovq $3,(%rsi)\nmovl (%esi),%r8d",
        "x := 1 rax := y rbx := rax y := 3 r8 := y",
    );
}

#[test]
fn what_is_locked_is_one_instruction_and_the_rest_are_its_parts() {
    column(
        "X86",
        "XCHG [x],EAX\nXCHG EAX,[x]",
        "EAX := 0 EAX := EXCHANGE(x, EAX) EAX := EXCHANGE(x, EAX)".trim_start_matches("EAX := 0 "),
    );
    column("X86", "LOCK XADD [x],EAX\nXADD [x],EAX", "EAX := FETCH_ADD(x, EAX) $1 := x x := $1 + EAX EAX := $1");
    column(
        "X86",
        "LOCK INC [x]\nLOCK SUB [x],$2\nDEC [x]",
        "$1 := FETCH_ADD(x, 1) $1 := FETCH_ADD(x, -2) $1 := x x := $1 - 1",
    );
    column(
        "X86",
        "LOCK AND [x],$6\nLOCK OR [x],$1\nLOCK XOR [x],$3",
        "$1 := FETCH_AND(x, 6) $1 := FETCH_OR(x, 1) $1 := FETCH_XOR(x, 3)",
    );
    column("X86", "LOCK CMPXCHG [x],EBX", "EAX := 0 EBX := 0 EAX := CAS(x, EAX, EBX)".trim_start_matches("EAX := 0 "));
    column(
        "X86",
        "ADD EAX,[x]\nXOR EAX,EAX\nMFENCE\nLFENCE\nSFENCE\nNOP",
        "$1 := x EAX := EAX + $1 EAX := EAX ^ EAX mfence lfence sfence",
    );
}

#[test]
fn jumps_become_branches_and_loops() {
    column(
        "X86",
        "MOV EAX,[x]\nCMP EAX,$1\nJNE L\nMOV [y],$2\nL: MFENCE",
        "EAX := x $2 := EAX $3 := 1 if $2 = $3 { y := 2 } mfence",
    );
    // One way or the other, then on.
    column(
        "X86",
        "MOV EAX,[x]\nCMP EAX,$0\nJE L\nMOV [y],$2\nJMP M\nL: MOV [y],$3\nM: MFENCE",
        "EAX := x $2 := EAX $3 := 0 if $2 = $3 { y := 3 mfence } else { y := 2 mfence }",
    );
    column(
        "X86",
        "L: MOV EAX,[x]\nTEST EAX,EAX\nJE L",
        "EAX := x $2 := EAX & EAX $3 := 0 while $2 = $3 { EAX := x $2 := EAX & EAX $3 := 0 }",
    );
    column(
        "X86",
        "LOCK DEC [x]\nJNS L\nMOV [y],$1\nL:",
        "$1 := FETCH_ADD(x, -1) $2 := $1 $3 := 1 if $2 < $3 { y := 1 }",
    );
    column(
        "X86",
        "MOV EBX,$1\nLOCK CMPXCHG [x],EBX\nJNE L\nMOV [y],$1\nL:",
        "EAX := 0 EBX := 1 $2 := EAX EAX := CAS(x, EAX, EBX) $3 := EAX if $2 = $3 { y := 1 }"
            .trim_start_matches("EAX := 0 "),
    );
}

#[test]
fn a_thread_may_end_before_its_column_does() {
    column("X86", "MOV [x],$1\nRET\nMOV [x],$2", "x := 1");
    column(
        "X86",
        "MOV EAX,[x]\nCMP EAX,$1\nJE L\nMOV [y],$1\nRET\nL: MOV [y],$2",
        "EAX := x $2 := EAX $3 := 1 if $2 = $3 { y := 2 } else { y := 1 }",
    );
    // As compilers share an ending: what is jumped back to runs to the end.
    column(
        "X86",
        "MOV EAX,[x]\nCMP EAX,$1\nJE L\nM: MOV [y],EAX\nRET\nL: MOV [x],$2\nJMP M",
        "EAX := x $2 := EAX $3 := 1 if $2 = $3 { x := 2 y := EAX } else { y := EAX }",
    );
    same(
        "X86_64 t \"t\"\n{ 0:cs = 0; }\n P0 ;\n NOP ;\nforall 0:cs = 0",
        "litmus x86 t \"t\" node 1 { } thread 0 on 1 { cs := 0 } forall 0:cs = 0",
    );
}

#[test]
fn initial_values_come_in_all_forms() {
    let herd = "X86_64 t \"t\"\n{ x=1; [y]=2; uint64_t z; int w=3; volatile int v = 4; 0:rax=5; P0:rbx=0x6;\n\
        uint64_t 1:rcx; 1:rdx=x; int* 1:rsi=&y; 0:r9=0; }\n\
        P0 | P1 ;\n movq %rax,(w) | movq $1,(%rdx) ;\n | movq $2,(%rsi) ;\nlocations [0:rbx; 1:rcx; v;]\nexists (z=0)";
    let own = "litmus x86 t \"t\" node 1 { x = 1 y = 2 z = 0 w = 3 v = 4 }
        thread 0 on 1 { r9 := 0 rax := 5 rbx := 6 w := rax } thread 1 on 1 { rcx := 0 x := 1 y := 2 }
        locations 0:rbx 1:rcx v exists z = 0";
    same(herd, own);
}

#[test]
fn conditions_bind_as_herd_s_do() {
    let test = |condition: &str| format!("X86 t \"t\"\n{{ x; y; z }}\n P0 ;\n MOV [x],$1 ;\n{condition}");
    let own =
        |claim: &str| format!("litmus x86 t \"t\" node 1 {{ x = 0 y = 0 z = 0 }} thread 0 on 1 {{ x := 1 }} {claim}");
    for (herd, mine) in [
        ("exists x=1 \\/ y=1 /\\ z=0x1", "exists x = 1 \\/ y = 1 /\\ z = 1"),
        ("~exists ([x]=1 /\\ not (y=0))", "~exists x = 1 /\\ ~(y = 0)"),
        ("forall x=1 => y=0 /\\ z!=2", "forall (~(x = 1) \\/ y = 0) /\\ z != 2"),
        ("filter x=1\nexists (y=0);", "exists x = 1 /\\ y = 0"),
        ("filter x=1\nforall y=0", "forall ~(x = 1) \\/ y = 0"),
        ("(false)", "exists ~true"),
        ("", "forall true"),
    ] {
        same(&test(herd), &own(mine));
    }
}

#[test]
fn a_line_of_the_head_may_hold_a_verdict() {
    let herd = "X86 t \"t\"\nVerdict-tso=allowed cite x86-TSO \"SB\"\nVerdict-sc=forbidden because \"of order\"\n{ }\n P0 ;\n MOV [x],$1 ;\nexists x=1";
    let own = "litmus x86 t \"t\" node 1 { x = 0 } thread 0 on 1 { x := 1 } exists x = 1
        verdict tso allowed cite x86-TSO \"SB\" verdict sc forbidden because \"of order\"";
    same(herd, own);
    // The older form, of which herd takes one line a file.
    same(&herd.replace("-tso=", "=tso ").replace("-sc=", "=sc "), own);
    let told = try_read(&herd.replace("sc=forbidden", "sc=perhaps")).expect_err("no verdict");
    assert!(told.starts_with("t.litmus:3:12: "), "{told}");
    assert!(told.contains("`forbidden`"), "{told}");
}

#[test]
fn what_other_tools_and_typesetters_read_is_passed_over() {
    let plain = "X86 t \"t\"\n{ }\n P0 ;\n MOV [x],$1 ;\nlocations [x; y;]\nexists x=1";
    let full = "X86 t.litmus (T-x) \"t\";\nOrig=#1 //\n{ };\n P0 ; # a comment\n MOV [x],$1 ; // another\n\
                locations [x; y;]\nexists x=1;\nwith tso: exists; sc: ~exists;\n<<\n show all { of it";
    let own = "litmus x86 t \"t\" node 1 { x = 0 y = 0 } thread 0 on 1 { x := 1 } locations y exists x = 1";
    same(plain, own);
    same(full, own);
}

#[test]
fn a_name_is_kept_as_it_is_written_beside_one_that_we_can_write() {
    let test = read("X86 iwp2.3/a[1]--b\n{ }\n P0 ;\n MOV [x],$1 ;\nexists x=1");
    assert_eq!(test.name, "iwp2.3_a_1_-_b");
    assert_eq!(test.herd.expect("one of herd's").name, "iwp2.3/a[1]--b");
}

#[test]
fn narrow_locations_are_accessed_in_their_width() {
    same(
        "X86_64 t \"t\"\n{ uint8_t x=257; int8_t y; }\n P0 ;\n movb $-1,(x) ;\n movb $255,(y) ;\n movb (x),%al ;\n \
         movb %al,(x) ;\n movb %al,(y) ;\nexists x=1",
        "litmus x86 t \"t\" node 1 { x = 1 y = 0 } thread 0 on 1 { rax := 0 x := 255 y := -1 $1 := x
         rax := rax & -256 | $1 & 255 x := rax & 255 y := (rax & 255 ^ 128) - 128 } exists x = 1"
            .replace("rax := 0 ", "")
            .as_str(),
    );
    for (line, message) in [
        ("movl $1,(x)", "4:2: `movl` accesses more than `x`"),
        ("movw $1,(x)", "4:2: `movw` accesses more than `x`"),
        ("movb $1,(z)", "4:2: `movb` accesses part of a location"),
        ("movb (x),%eax", "4:2: an operand of `movb` has another width"),
        ("addb $1,(x)", "4:2: `addb` accesses part of a location"),
        ("mov %al,(z)", "4:6: `%al` is a part of a register"),
    ] {
        let told = try_read(&format!("X86_64 t\n{{ uint8_t x; }}\n P0 ;\n {line} ;\nexists x=0")).expect_err(line);
        assert!(told.contains(message), "{line}:\n{told}");
    }
}

#[test]
fn shifts_markers_and_segments_that_begin_at_0_are_read() {
    column(
        "X86_64",
        "endbr64\nmovl %ds:(x),%eax\nshl $3,%rax\nshll $1,(y)\nnopl %cs:0(%rax,%eax,0)\nnopw 4(%rax)",
        "rax := x rax := rax * 8 $1 := y y := $1 * 2",
    );
    let told = try_read("X86_64 t\n{ }\n P0 ;\n movl %fs:(x),%eax ;\nexists x=0").expect_err("a segment");
    assert!(told.contains("4:7: the segment `fs` is not supported"), "{told}");
}

#[test]
fn arrays_are_accessed_by_their_elements() {
    same(
        "X86 t \"t\"\n{ int t[3]={1,2,3}; int64_t u[2]; z; 0:ESI=t; 0:EDI=&t[1]; }\n P0 ;\n MOV EAX,[t+8] ;\n MOV [ESI+4],$7 ;\n \
         MOV -4(EDI),$8 ;\n MOV [u+8],EAX ;\n LOCK INC [ESI] ;\nlocations [u;]\nexists (t={1,7,9} /\\ z=0)",
        "litmus x86 t \"t\" node 1 { t[3] = {1, 2, 3} u[2] = 0 z = 0 }
         thread 0 on 1 { EAX := t[2] t[1] := 7 t[0] := 8 u[1] := EAX $1 := FETCH_ADD(t[0], 1) }
         locations u[0] u[1] exists t[0] = 1 /\\ t[1] = 7 /\\ t[2] = 9 /\\ z = 0",
    );
    // As many as are chosen among at most.
    let test = read("X86 t\n{ int t[64]; }\n P0 ;\n MOV EAX,$63 ;\n MOV [t+EAX*4],$1 ;\nexists t[63]=1");
    assert_eq!(read(&print(&test, &X86)).without_places(), test.without_places());
    // What a register's value leads to is looked up; an address that leads nowhere is a fault.
    same(
        "X86_64 t \"t\"\n{ int t[2]; 0:rax=t; }\n P0 ;\n movl $1,(%rax,%rbx,4) ;\nexists t[1]=1",
        "litmus x86 t \"t\" node 1 { t[2] = 0 } thread 0 on 1 { rbx := 0 $4 := rbx * 4 + 268435456
         if $4 = 268435456 { t[0] := 1 } else { if $4 = 268435460 { t[1] := 1 } else { fault } } } exists t[1] = 1",
    );
}

#[test]
fn addresses_are_kept_in_memory_and_reckoned_with() {
    let (first, second) = (1 << 28, (1 << 28) + (1 << 14));
    let through = |register: &str, access: &dyn Fn(&str) -> String| {
        format!(
            "$4 := {register} if $4 = {first} {{ {} }} else {{ if $4 = {second} {{ {} }} else {{ fault }} }}",
            access("x"),
            access("y")
        )
    };
    same(
        "X86_64 t \"t\"\n{ int *p=&x; x=1; 0:rax=y; }\n P0 | P1 ;\n movq %rax,(p) | movq (p),%rbx ;\n | movl (%rbx),%ecx ;\n \
         | movl $2,(%rbx) ;\nexists (p=y /\\ 1:rbx=x)",
        &format!(
            "litmus x86 t \"t\" node 1 {{ p = {first} x = 1 y = 0 }} thread 0 on 1 {{ p := {second} }}
             thread 1 on 1 {{ rbx := p {} {} }} exists p = {second} /\\ 1:rbx = {first}",
            through("rbx", &|x| format!("ecx := {x}").replace("ecx", "rcx")),
            through("rbx", &|x| format!("{x} := 2")),
        ),
    );
    let test =
        read("X86_64 t\n{ int t[2]; p=t; 0:rax=&t[1]; }\n P0 ;\n movq %rax,(p) ;\nlocations [0:rax;]\nexists p=t[1]");
    let outcome = litmpi_litmus::ast::Outcome::Values(vec![first, first + 4]);
    assert_eq!(test.show(&outcome), "p=t; 0:rax=t[1];");
    assert_eq!((test.number("t[1]"), test.number("7"), test.number("u")), (Some(first + 4), Some(7), None));
    // A register that may change on some way holds its address as a number from the beginning on.
    same(
        "X86 t \"t\"\n{ 0:ESI=x; y; }\n P0 ;\n MOV EAX,[y] ;\n CMP EAX,$0 ;\n JE L ;\n XOR ESI,ESI ;\n L: MOV [ESI],$1 ;\nexists x=1",
        &format!(
            "litmus x86 t \"t\" node 1 {{ x = 0 y = 0 }} thread 0 on 1 {{ ESI := {first} EAX := y $2 := EAX $3 := 0
             if $2 != $3 {{ ESI := ESI ^ ESI $2 := ESI $3 := 0 }} $4 := ESI if $4 = {first} {{ x := 1 }} else {{ fault }} }} exists x = 1"
        ),
    );
}

#[test]
fn numbers_of_x86_64_have_64_bits() {
    let test =
        read("X86_64 t\n{ uint64_t x; 0:rbx=0x202020202020202; }\n P0 ;\n movq %rbx,(x) ;\nforall x=0x202020202020202");
    assert!(test.is_wide());
    assert_eq!(test.claims[0].prop, litmpi_litmus::ast::Prop::Eq(0, 0x0202_0202_0202_0202));
    let test = read("X86_64 t\n{ x=0xffffffffffffffff; }\n P0 ;\n nop ;\nforall x=-1");
    assert_eq!((test.locs[0].initial, test.is_wide()), (-1, false));
    assert!(read("X86_64 t\n{ int64_t x; }\n P0 ;\n movq $1,(x) ;\nforall x=1").is_wide());
    assert!(!read("X86_64 t\n{ int x; }\n P0 ;\n movl $1,(x) ;\nforall x=1").is_wide());
    let told = try_read("X86_64 t\n{ x=0x10000000000000000; }\n P0 ;\n nop ;\nforall x=1").expect_err("65 bits");
    assert!(told.contains("2:5: the number does not fit"), "{told}");
}

/// Hashes that herd7 prints in its own tests (herdtools7, `herd/tests/instructions/X86_64`, A000, A010, A012 and A013), of programs
/// that are the same.
#[test]
fn a_hash_is_the_one_that_herd_prints() {
    let hash = |text: &str| read(text).herd.and_then(|h| h.hash);
    for (text, known) in [
        ("X86_64 none\n{ }\n P0 ;\n nop ;\nforall (0:rax=0)", "e7aa09c554ad7af2223102c50db5f77a"),
        (
            "X86_64 ten\n{ uint64_t x; 0:RBX=0x202020202020202; }\n P0 ;\n MOVQ %RBX,(x) ;\nlocations [x;]\nforall [x] = 0x202020202020202",
            "a4f2c7b46c9fe04acb695c7d4ca4630b",
        ),
        ("X86_64 one\n{}\n P0 ;\n movl $0x1,[x] ;\n~exists [x]=2", "3b021e40517dcff1f1cb8894d645b677"),
        (
            "X86_64 two\n{ int8_t y=0; int8_t x=0; }\n P0 | P1 ;\n movb $2,(x) | movb $2,(y) ;\n movb $1,(y) | \
             movb $1,(x) ;\nexists (y=2 /\\ x=2)",
            "f312850a77fb8e88a342221481d0a7a7",
        ),
    ] {
        assert_eq!(hash(text).as_deref(), Some(known), "{text}");
    }
    // As `lib/testHash.ml` makes them of arrays: type and length, not values; elements that are observed; offsets of addresses.
    let array = |init: &str, seen: &str| {
        hash(&format!("X86_64 t\n{{ int t[2]{init}; 0:rax=t; }}\n P0 ;\n movl $1,4(%rax) ;\n{seen}"))
    };
    let parts = ["0:rax=t; int t[2]", " movl $1,4(%rax) ;\n", "t[0]; t[1]"];
    let all: Vec<u8> = parts.iter().flat_map(|part| Md5::digest(part).to_vec()).collect();
    let made: String = Md5::digest(all).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(array("={1,2}", "exists (t[1]=1 /\\ t[0]=1)"), Some(made));
    assert_eq!(array("", "forall t[0]=0 \\/ t[1]=0"), array("={1,2}", "exists (t[1]=1 /\\ t[0]=1)"));
    // How elements stand among registers there is not known, nor how arrays as a whole are printed.
    assert_eq!(array("", "exists (t[1]=1 /\\ 0:rbx=0)"), None);
    assert_eq!(array("", "exists (t={0,1})"), None);
    // Names, titles, layout and what is asked count for nothing; code, initial values and what is observed do.
    let test = |head: &str, rest: &str| hash(&format!("X86 {head}\n{{ {rest}"));
    let one =
        test("a", "x=0; }\n P0 | P1 ;\n MOV [x],$1 | A: MOV EAX,[x] ;\n | CMP EAX,$0 ;\n | JE A ;\nexists 1:EAX=1");
    let same =
        test("b \"c\"\nd=e", "x=0; }\n P0|P1;\n|Z1:;\nMOV [x],1|MOV EAX,[x];\n|CMP EAX,$0;\n|JE Z1;\nforall 1:EAX=2");
    assert!(one.is_some() && one == same, "{one:?} {same:?}");
    assert_ne!(
        one,
        test("a", "x=1; }\n P0 | P1 ;\n MOV [x],$1 | A: MOV EAX,[x] ;\n | CMP EAX,$0 ;\n | JE A ;\nexists 1:EAX=1")
    );
    // It is not known how herd prints this.
    assert_eq!(test("a", "}\n P0 ;\n XADD [x],EAX ;\nexists x=1"), None);
    // A file that names its own has that.
    assert_eq!(test("a\nHash=0123", "}\n P0 ;\n XADD [x],EAX ;\nexists x=1").as_deref(), Some("0123"));
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    let with = |line: &str| format!("X86 t\n{{ 0:EDI=x; }}\n P0 ;\n {line} ;\n L: ;\nexists x=0");
    for (line, place, message) in [
        ("MOVNTI [x],EAX", "4:2", "the instruction `movnti` is not supported"),
        ("CMOVE [x],EAX", "4:2", "`cmove` writes to a register"),
        ("SETE $1 ;\n CMP EAX,$0", "4:2", "no instruction before this one sets flags"),
        ("CMP EAX,$0 ;\n ADD EAX,$1 ;\n SETNB EAX", "6:2", "the carry of `add` is not supported"),
        ("LEA EAX,$1", "4:2", "`lea` has an address and a register"),
        ("MOVB [x],$1", "4:2", "`movb` accesses part of a location"),
        ("MOV AX,$1", "4:6", "`AX` is a part of a register"),
        ("MOV [x+4],$1", "4:6", "no element of `x` begins there"),
        ("MOV [x*2],$1", "4:6", "`[x*2]` is not a supported address"),
        ("MOV 8(EDI),$1", "4:6", "no element of `x` begins there"),
        ("MOV [EDI-EAX],$1", "4:6", "`[EDI-EAX]` is not a supported address"),
        ("MOV [EAX+EBX+ECX],$1", "4:6", "`[EAX+EBX+ECX]` is not a supported address"),
        ("MOV $1,[x]", "4:2", "a number cannot be written to"),
        ("MOV [x],[y]", "4:2", "both operands are in memory"),
        ("MOV [x]", "4:2", "`mov` has 2 operands"),
        ("MOV [x],$99999999999", "4:10", "the number does not fit"),
        ("LOCK MOV [x],$1", "4:2", "`mov` cannot be locked"),
        ("LOCK INC EAX", "4:2", "`inc` cannot be locked"),
        ("CMPXCHG EAX,EBX", "4:2", "`cmpxchg` of these is not supported"),
        ("CMP EAX,$1 ;\n JNE M", "5:6", "there is no label `M` in this thread"),
        ("JNE L", "4:2", "no instruction before this one sets flags"),
        ("L: NOP", "5:2", "the label `L` stands twice"),
        ("M: JMP M", "4:5", "this jump back is always taken"),
        ("MOV [exists],$1", "4:6", "`exists` cannot be a location's name"),
        ("NOP | NOP", "4:2", "the test has 1 processes"),
        ("MOVV [x],$1", "4:2", "did you mean `mov`?"),
    ] {
        let told = try_read(&with(line)).expect_err(line);
        assert!(told.contains(&format!("t.litmus:{place}: ")) && told.contains(message), "{line}:\n{told}");
    }
}

#[test]
fn files_that_are_not_read_are_refused_with_the_reason() {
    let body = "{ }\n P0 ;\n MOV [x],$1 ;\n";
    for (text, message) in [
        (format!("AArch64 t\n{body}exists x=1"), "1:1: tests for AArch64 are not read"),
        (format!("X86 a (b\n{body}exists x=1"), "1:7: "),
        (
            "X86 t\n{ int t[2]={1,2,3}; }\n P0 ;\n NOP ;\nexists t[0]=1".into(),
            "`t` has 2 elements, but 3 values are given",
        ),
        ("X86 t\n{ int t[2]; }\n P0 ;\n MOV [t+6],$1 ;\nexists t[0]=1".into(), "4:6: no element of `t` begins there"),
        ("X86 t\n{ int t[2]; }\n P0 ;\n MOV [t+8],$1 ;\nexists t[0]=1".into(), "4:6: no element of `t` begins there"),
        (
            "X86_64 t\n{ int t[9223372036854775807]; }\n P0 ;\n nop ;\nexists t[0]=1".into(),
            "2:9: an array cannot have 9223372036854775807 elements",
        ),
        (
            "X86_64 t\n{ 0:rax=&t[0x7fffffffffffffff]; int t[2]; }\n P0 ;\n movl $1,8(%rax) ;\nexists t[0]=1".into(),
            "2:9: `t` has no element 9223372036854775807",
        ),
        ("X86 t\n{ int t[2]; p=&t[2]; }\n P0 ;\n NOP ;\nexists p=1".into(), "2:15: `t` has no element 2"),
        ("X86 t\n{ p=x; }\n P0 ;\n NOP ;\nexists p=x[1]".into(), "`x` has no element 1"),
        (
            "X86 t\n{ int t[65]; }\n P0 ;\n MOV [t+EAX*4],$1 ;\nexists t[0]=1".into(),
            "4:6: too many locations may be meant",
        ),
        ("X86 t\n{ int t[2]; }\n P0 ;\n NOP ;\nexists t[2]=1".into(), "5:8: `t` is not in the program"),
        (
            "X86 t\n{ int t[2]; }\n P0 ;\n NOP ;\nexists t={1,2,3}".into(),
            "5:8: the right side has another number of values",
        ),
        ("X86 t\n{ 0:EAX={1,2}; }\n P0 ;\n NOP ;\nexists x=1".into(), "2:9: a register holds one value"),
        (
            "X86 t\n{ p=x; }\n P0 ;\n MOV [p],$268435456 ;\nexists p=x".into(),
            "4:10: 268435456 may be the number of an address",
        ),
        ("X86 t\n{ }\n P0 ;\n MOV EAX,[p] ;\n MOV EBX,[EAX] ;\nexists 0:EBX=1".into(), "`EAX` holds no address here"),
        ("X86 t\n{ 3:EAX=1; }\n P0 ;\n NOP ;\nexists x=1".into(), "2:5: there is no process 3"),
        (format!("X86 t\n{body}exists x=0:EAX"), "the right side is a register"),
        (format!("X86 t\n{body}exists q=1"), "`q` is not in the program"),
        ("X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists 0:EBX=0".into(), "5:10: no instruction of P0 assigns `EBX`"),
        (
            "X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nlocations [ 0:EBX; ]\nexists x=1".into(),
            "5:15: no instruction of P0 assigns `EBX`",
        ),
        (format!("X86 t\n{body}exists {}x=1{}", "(".repeat(40), ")".repeat(40)), "nested more than 32 deep"),
        (format!("X86 t\n{body}exists {}", vec!["x=1"; 1200].join(" /\\ ")), "the condition is too long"),
        (
            "X86 t\n{ }\n P0 ;\n MOV [x],$1".into(),
            "t.litmus:4:12: the end of the file does not fit here (expected one of: `;`, `|`",
        ),
    ] {
        let told = try_read(&text).expect_err(&text);
        assert!(told.contains(message), "{text}\n{told}");
    }
}

proptest! {
    #[test]
    fn a_soup_of_words_is_refused_or_read_and_printed(words in prop::collection::vec(0..WORDS.len(), 0..24), arch in 0..2_usize) {
        let soup: Vec<&str> = words.iter().map(|i| WORDS[*i]).collect();
        let text = format!("{} t\n{{ 0:EDI=x; 1:EDI=t; int t[2]; p=x; }}\n P0 | P1 ;\n {}\nexists x=0", ["X86", "X86_64"][arch], soup.join(" "));
        if let Ok(test) = try_read(&text) {
            let printed = read(&print(&test, &X86));
            prop_assert_eq!(test.without_places(), printed.without_places(), "{}", text);
        }
    }

    #[test]
    fn a_program_of_supported_instructions_comes_back_from_its_text(lines in prop::collection::vec((0..LINES.len(), 0..LINES.len()), 0..10)) {
        let rows: String = lines.iter().map(|(a, b)| format!(" {} | {} ;\n", LINES[*a], LINES[*b])).collect();
        let test = read(&format!("X86 t\n{{ x; y; int t[2]; z=t; 0:ESI=x; 1:ESI=t }}\n P0 | P1 ;\n CMP EAX,$0 | CMP EAX,$0 ;\n{rows} E: | E: ;\nexists x=0"));
        let printed = read(&print(&test, &X86));
        prop_assert_eq!(test.without_places(), printed.without_places());
    }
}

const WORDS: &[&str] = &[
    "MOV",
    "movq",
    "LOCK",
    "XCHG",
    "CMP",
    "JNE",
    "JMP",
    "INC",
    "MFENCE",
    "CMPXCHG",
    "[x]",
    "(y)",
    "[EDI]",
    "[t+4]",
    "[t+EAX*4]",
    "8(%rdi)",
    "(%rdi,%rax,4)",
    "%rdi",
    "EAX",
    "%rax",
    "$1",
    "$0x2",
    ",",
    ",",
    "|",
    "|",
    ";",
    ";",
    ";",
    "L:",
    "L",
    "M",
    "exists",
    "(*",
    "*)",
    "locations",
    "{",
    "}",
    "\"",
    "filter",
    "x=1",
];

const LINES: &[&str] = &[
    "MOV [x],$1",
    "MOV EAX,[x]",
    "MOV EBX,EAX",
    "MOV [y],EBX",
    "ADD EAX,[y]",
    "ADD [x],$1",
    "SUB EAX,$1",
    "INC [y]",
    "LOCK INC [x]",
    "LOCK XADD [x],EBX",
    "XADD [y],EAX",
    "XCHG [x],EAX",
    "XCHG EAX,EBX",
    "CMP EAX,$1",
    "TEST EAX,EBX",
    "LOCK CMPXCHG [x],EBX",
    "CMPXCHG [y],EBX",
    "JNE E",
    "JLE E",
    "MFENCE",
    "XOR EAX,EAX",
    "LOCK OR [y],EAX",
    "MOV [t+4],EAX",
    "MOV EAX,[ESI]",
    "MOV EBX,[ESI+EAX*4]",
    "ADD ESI,$4",
    "MOV [z],ESI",
    "MOV EDX,[z]",
    "LOCK INC [EDX]",
    "",
];

#[test]
fn conditions_move_and_set_as_jumps_ask() {
    for (cc, asks) in [("E", "="), ("NE", "!="), ("L", "<"), ("GE", ">="), ("G", ">"), ("NLE", ">"), ("S", "<")] {
        column(
            "X86",
            &format!("MOV EBX,[x]\nCMP EBX,$2\nCMOV{cc} EAX,ECX"),
            &format!("ECX := 0 EBX := x $2 := EBX $3 := 2 if $2 {asks} $3 {{ EAX := ECX }}"),
        );
    }
    // In AT&T's order, with a letter for the width, and from memory, which is read in any case.
    let printed =
        print(&read("X86_64 t\n{ x=1; }\n P0 ;\n testq %rbx,%rbx ;\n cmovel (x),%rax ;\nexists 0:rax=1"), &X86);
    assert!(printed.contains(":= x"), "{printed}");
    // Without signs: the highest bit stands the other way round.
    let printed =
        print(&read("X86 t\n{ }\n P0 ;\n CMP EAX,$2 ;\n SETB [x] ;\n JA L ;\n MOV [x],$2 ;\n L: ;\nexists x=1"), &X86);
    assert!(printed.contains("-2147483648") || printed.contains("2147483648"), "{printed}");
}

#[test]
fn what_speaks_of_the_cache_changes_nothing() {
    for word in ["CLFLUSH [x]", "CLFLUSHOPT [x]", "CLWB [x]", "PREFETCHT0 [x]"] {
        column("X86", &format!("MOV [x],$1\n{word}"), "x := 1");
    }
}

#[test]
fn addresses_are_computed_and_stand_as_operands() {
    let test = |code: &str| {
        print(
            &read(&format!("X86_64 t\n{{ int t[2]={{1,2}}; 0:rdx=t; y=5; }}\n P0 ;\n {code} ;\nexists 0:rax=1")),
            &X86,
        )
    };
    // The same three ways to the second element.
    let by = test("leaq 4(%rdx),%rbx ;\n movl (%rbx),%eax");
    assert_eq!(by, test("leaq 4(t),%rbx ;\n movl (%rbx),%eax"));
    assert!(by.contains("t[1]"), "{by}");
    let by = test("movq $y,%rbx ;\n movl (%rbx),%eax");
    assert!(by.contains("fault") && by.contains(":= y"), "{by}");
    // Sums of numbers, as compilers add with it.
    assert!(test("movl $3,%ecx ;\n leal 2(%rcx,%rcx,4),%eax").contains("* 4"), "a product");
}
