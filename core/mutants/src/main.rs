//! Writes every mutant of a list into the sources at once, each behind a switch, so that all of them share one build.
//!
//! The arguments are a copy of the repository, the list that `cargo mutants --list --json` prints, and a JSON file with the
//! numbers of the mutants to leave out. The number of a mutant is its place in the list, from 1. Prints the numbers of the
//! mutants that were written. `scripts/mutants.mjs` calls it; the environment variable `MUTANT` switches one of them on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{LineColumn, Span};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The switch, appended to the crate's root.
const SWITCH: &str = r#"
extern crate std as __std;
static __ACTIVE: __std::sync::LazyLock<u32> =
    __std::sync::LazyLock::new(|| __std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
static __REACHED: __std::sync::LazyLock<Option<__std::sync::Mutex<(__std::collections::BTreeSet<u32>, __std::fs::File)>>> =
    __std::sync::LazyLock::new(|| {
        let file = __std::fs::OpenOptions::new().append(true).create(true).open(__std::env::var_os("MUTANTS_REACHED")?).ok()?;
        Some(__std::sync::Mutex::new((__std::collections::BTreeSet::new(), file)))
    });
/// Whether a mutant is switched on.
pub fn __m(id: u32) -> bool {
    if let Some(reached) = &*__REACHED {
        if let Ok(mut reached) = reached.lock() {
            if reached.0.insert(id) {
                let _ = __std::io::Write::write_all(&mut reached.1, __std::format!("{id}\n").as_bytes());
            }
        }
    }
    *__ACTIVE == id
}
"#;

#[derive(Clone, Debug)]
struct Mutant {
    id: usize,
    genre: String,
    replacement: String,
    start: (usize, usize),
}

fn main() {
    let mut args = std::env::args().skip(1);
    let root = args.next().expect("a folder");
    let read = |path: String| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
    };
    let list = read(args.next().expect("a list"));
    let left_out: BTreeSet<u64> = args
        .next()
        .map(read)
        .iter()
        .flat_map(|v| v.as_array().cloned().unwrap_or_default())
        .filter_map(|v| v.as_u64())
        .collect();
    let mut files: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (at, mutant) in list.as_array().expect("a list").iter().enumerate() {
        let id = at + 1;
        if left_out.contains(&(id as u64)) {
            continue;
        }
        let start = &mutant["span"]["start"];
        files.entry(mutant["file"].as_str().unwrap().into()).or_default().push(Mutant {
            id,
            genre: mutant["genre"].as_str().unwrap().into(),
            replacement: mutant["replacement"].as_str().unwrap().into(),
            start: (start["line"].as_u64().unwrap() as usize, start["column"].as_u64().unwrap() as usize),
        });
    }
    let mut written = Vec::new();
    for (file, mutants) in files {
        let path = Path::new(&root).join(&file);
        let text = std::fs::read_to_string(&path).expect("a source file");
        let parsed = syn::parse_file(&text).expect("a source file that parses");
        let mut writer = Writer {
            lines: lines(&text),
            text: &text,
            mutants: &mutants,
            opens: vec![],
            closes: vec![],
            blanks: vec![],
            written: vec![],
        };
        writer.visit_file(&parsed);
        let (text, ids) = writer.finish();
        written.extend(ids);
        std::fs::write(&path, text).expect("a file that can be written");
    }
    let lib = Path::new(&root).join("core/src/lib.rs");
    let text = std::fs::read_to_string(&lib).expect("the crate's root");
    std::fs::write(&lib, text + SWITCH).expect("a file that can be written");
    written.sort_unstable();
    println!("{}", serde_json::to_string(&written).unwrap());
}

fn lines(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct Writer<'a> {
    text: &'a str,
    lines: Vec<usize>,
    mutants: &'a [Mutant],
    /// Where, the length of what is wrapped, the order of adding, the text.
    opens: Vec<(usize, usize, usize, String)>,
    closes: Vec<(usize, usize, usize, String)>,
    blanks: Vec<(usize, usize)>,
    written: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn offset(&self, at: LineColumn) -> usize {
        let line = self.lines[at.line - 1];
        line + self.text[line..].chars().take(at.column).map(char::len_utf8).sum::<usize>()
    }

    fn range(&self, span: Span) -> (usize, usize) {
        (self.offset(span.start()), self.offset(span.end()))
    }

    fn at(&self, span: Span, genre: &str) -> Vec<Mutant> {
        let start = span.start();
        let start = (start.line, start.column + 1);
        self.mutants.iter().filter(|m| m.genre == genre && m.start == start).cloned().collect()
    }

    /// Later wraps of the same range are outside of earlier ones.
    fn wrap(&mut self, (start, end): (usize, usize), open: impl Into<String>, close: impl Into<String>) {
        let order = self.opens.len();
        self.opens.push((start, end - start, order, open.into()));
        self.closes.push((end, end - start, order, close.into()));
    }

    fn done(&mut self, mutant: &Mutant) {
        self.written.push(mutant.id);
    }

    fn finish(mut self) -> (String, Vec<usize>) {
        let mut inserts: Vec<(usize, u8, isize, isize, String)> = Vec::new();
        for (at, len, order, text) in self.opens.drain(..) {
            inserts.push((at, 1, -(len as isize), -(order as isize), text));
        }
        for (at, len, order, text) in self.closes.drain(..) {
            inserts.push((at, if len == 0 { 2 } else { 0 }, len as isize, order as isize, text));
        }
        inserts.sort();
        let mut text: Vec<u8> = self.text.as_bytes().to_vec();
        for (start, end) in &self.blanks {
            text[*start..*end].fill(b' ');
        }
        let text = String::from_utf8(text).unwrap();
        let mut out = String::new();
        let mut last = 0;
        for (at, _, _, _, insert) in inserts {
            out.push_str(&text[last..at]);
            out.push_str(&insert);
            last = at;
        }
        out.push_str(&text[last..]);
        (out, self.written)
    }

    fn function(&mut self, sig: &syn::Signature, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        // An early return of another type does not compile.
        if matches!(&sig.output, syn::ReturnType::Type(_, output) if matches!(**output, syn::Type::ImplTrait(_))) {
            return;
        }
        for mutant in self.at(first.span(), "FnValue") {
            let id = mutant.id;
            let at = self.range(block.brace_token.span.open()).1;
            let text = format!("/*<{id}*/ if crate::__m({id}) {{ return {}; }} /*{id}>*/", mutant.replacement);
            self.wrap((at, at), text, "");
            self.done(&mutant);
            if let Some(token) = sig.constness {
                let range = self.range(token.span);
                if !self.blanks.contains(&range) {
                    self.blanks.push(range);
                }
            }
        }
    }
}

fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}

fn on(id: usize) -> String {
    format!("crate::__m({id})")
}

impl<'ast> Visit<'ast> for Writer<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, expr);
        let mutants = self.at(expr.op.span(), "BinaryOperator");
        if mutants.is_empty() {
            return;
        }
        let (whole, left, right) =
            (self.range(expr.span()), self.range(expr.left.span()), self.range(expr.right.span()));
        let first = mutants[0].id;
        match expr.op {
            syn::BinOp::And(_) | syn::BinOp::Or(_) => {
                if has_let(&expr.left) || has_let(&expr.right) {
                    return;
                }
                let m = on(first);
                self.wrap(left, "((", format!(") ^ {m})"));
                self.wrap(right, "((", format!(") ^ {m})"));
                self.wrap(whole, format!("(/*<{first}*/("), format!(") ^ {m}/*{first}>*/)"));
            }
            syn::BinOp::Eq(_) | syn::BinOp::Ne(_) => {
                self.wrap(whole, format!("(/*<{first}*/("), format!(") ^ {}/*{first}>*/)", on(first)));
            }
            syn::BinOp::BitOrAssign(_)
            | syn::BinOp::BitAndAssign(_)
            | syn::BinOp::BitXorAssign(_)
            | syn::BinOp::AddAssign(_) => {
                let place = &self.text[left.0..left.1];
                let op = &self.text[left.1..right.0];
                let mut choice = String::new();
                for mutant in &mutants {
                    choice += &format!("if {} {{ {place} {} __r }} else ", on(mutant.id), mutant.replacement);
                }
                let close = format!("; {choice} {{ {place} {op} __r }} /*{first}>*/}}");
                self.blanks.push((left.0, right.0));
                self.wrap((whole.0, whole.1), format!("{{/*<{first}*/ let __r = "), close);
            }
            _ => {
                let borrowed =
                    matches!(expr.op, syn::BinOp::Lt(_) | syn::BinOp::Le(_) | syn::BinOp::Gt(_) | syn::BinOp::Ge(_));
                let by = if borrowed { "&" } else { "" };
                let op_range = self.range(expr.op.span());
                let op = self.text[op_range.0..op_range.1].to_owned();
                let mut choice = String::new();
                for mutant in &mutants {
                    choice += &format!("if {} {{ __l {} __r }} else ", on(mutant.id), mutant.replacement);
                }
                self.blanks.push(op_range);
                self.wrap(left, format!("{by}("), "),");
                self.wrap(right, format!("{by}("), ")");
                self.wrap(
                    whole,
                    format!("(/*<{first}*/match ("),
                    format!(") {{ (__l, __r) => {choice} {{ __l {op} __r }} }}/*{first}>*/)"),
                );
            }
        }
        for mutant in &mutants {
            self.done(mutant);
        }
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        visit::visit_expr_unary(self, expr);
        if !matches!(expr.op, syn::UnOp::Not(_)) {
            return;
        }
        for mutant in self.at(expr.op.span(), "UnaryOperator") {
            let id = mutant.id;
            let whole = self.range(expr.span());
            self.wrap(whole, format!("(/*<{id}*/("), format!(") ^ {}/*{id}>*/)", on(id)));
            self.done(&mutant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        visit::visit_arm(self, arm);
        let deleted = self.at(arm.span(), "MatchArm");
        match &arm.guard {
            None => {
                for mutant in deleted {
                    let id = mutant.id;
                    let end = self.range(arm.pat.span()).1;
                    self.wrap((end, end), format!(" /*<{id}*/ if !{} /*{id}>*/", on(id)), "");
                    self.done(&mutant);
                }
            }
            Some((_, guard)) => {
                let range = self.range(guard.span());
                if has_let(guard) {
                    return;
                }
                for mutant in self.at(guard.span(), "MatchArmGuard") {
                    let id = mutant.id;
                    let close = if mutant.replacement == "true" {
                        format!(" || {}", on(id))
                    } else {
                        format!(" && !{}", on(id))
                    };
                    self.wrap(range, format!("(/*<{id}*/("), format!(") {close} /*{id}>*/)"));
                    self.done(&mutant);
                }
                for mutant in deleted {
                    let id = mutant.id;
                    self.wrap(range, format!("(/*<{id}*/("), format!(") && !{} /*{id}>*/)", on(id)));
                    self.done(&mutant);
                }
            }
        }
    }

    fn visit_expr_struct(&mut self, expr: &'ast syn::ExprStruct) {
        visit::visit_expr_struct(self, expr);
        let Some(rest) = &expr.rest else { return };
        let base = self.range(rest.span());
        let base = self.text[base.0..base.1].to_owned();
        for field in &expr.fields {
            for mutant in self.at(field.span(), "StructField") {
                let syn::Member::Named(name) = &field.member else { continue };
                let id = mutant.id;
                let colon = if field.colon_token.is_none() { format!("{name}: ") } else { String::new() };
                let value = self.range(field.expr.span());
                let open = format!("{colon}/*<{id}*/ if {} {{ ({base}).{name} }} else {{ ", on(id));
                self.wrap(value, open, format!(" }} /*{id}>*/"));
                self.done(&mutant);
            }
        }
    }
}
