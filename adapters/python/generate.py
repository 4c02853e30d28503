"""Writes what the package takes from elsewhere: the wire types and the presets.

    python3 adapters/python/generate.py            write
    python3 adapters/python/generate.py --check    only say whether they are up to date

The types come from the TypeScript declarations, which come from the Rust types: `npm run build -- --types`. The
declarations use few forms, and a form that is not known here stops the generator instead of being guessed at.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = HERE / "src" / "rootwise"
DECLARATIONS = ROOT / "adapters" / "typescript" / "src" / "generated" / "types.ts"

#: Names that mean the frozen classes in the rest of the package.
RENAMED = {"Project": "ProjectDict", "RootRef": "RootRefDict"}

TOKEN = re.compile(
    r'\s*(?:/\*\*(?P<doc>.*?)\*/|//[^\n]*|(?P<string>"[^"]*")|(?P<word>\w+)|(?P<mark>[{}\[\]()<>|&:;,?=]))', re.S
)


@dataclass
class Field:
    type: Type
    optional: bool
    doc: str


@dataclass
class Object:
    fields: dict[str, Field] = field(default_factory=dict)


@dataclass
class Union:
    parts: list[Type]


@dataclass
class Both:
    parts: list[Type]


@dataclass
class Literal:
    text: str


@dataclass
class Name:
    name: str
    arguments: list[Type]


@dataclass
class Table:
    keys: Type
    values: Type


Type = Object | Union | Both | Literal | Name | Table


class Parser:
    """Reads `export type Name = ...;` declarations."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None:
                raise SystemExit(f"unknown text in the declarations: {text[position : position + 60]!r}")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()
        self.at = 0

    def declarations(self) -> dict[str, tuple[Type, str]]:
        found: dict[str, tuple[Type, str]] = {}
        while self.at < len(self.tokens):
            doc = self.doc()
            self.expect("export")
            self.expect("type")
            name = self.take()
            self.expect("=")
            found[name] = (self.union(), doc)
            self.expect(";")
        return found

    def doc(self) -> str:
        text = ""
        while self.kind() == "doc":
            text = " ".join(line.strip().removeprefix("*").strip() for line in self.take().splitlines()).strip()
        return text.replace("[`", "`").replace("`]", "`")

    def union(self) -> Type:
        self.accept("|")
        parts = [self.both()]
        while self.accept("|"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Union(parts)

    def both(self) -> Type:
        parts = [self.one()]
        while self.accept("&"):
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else Both(parts)

    def one(self) -> Type:
        if self.accept("("):
            inner = self.union()
            self.expect(")")
            return inner
        if self.kind() == "string":
            return Literal(self.take())
        if self.accept("{"):
            return self.object()
        name = self.take()
        arguments: list[Type] = []
        if self.accept("<"):
            arguments.append(self.union())
            while self.accept(","):
                arguments.append(self.union())
            self.expect(">")
        return Name(name, arguments)

    def object(self) -> Type:
        made = Object()
        while True:
            doc = self.doc()
            if self.accept("}"):
                return made
            if self.accept("["):
                self.expect("key")
                self.expect("in")
                keys = self.union()
                self.expect("]")
                self.accept("?")
                self.expect(":")
                values = self.union()
                self.accept(",")
                self.expect("}")
                return Table(keys, values)
            key = self.take().strip('"')
            optional = self.accept("?")
            self.expect(":")
            made.fields[key] = Field(self.union(), optional, doc)
            self.accept(",")

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def accept(self, mark: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == ("mark", mark):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        got = self.take()
        if got != text:
            raise SystemExit(f"the declarations have {got!r} where {text!r} was expected")


class Writer:
    """Python from declarations: a TypedDict per object, a Union per tagged union, a Literal per list of words."""

    def __init__(self, declared: dict[str, tuple[Type, str]]) -> None:
        self.declared = declared
        self.written: dict[str, str] = {}

    def all(self) -> str:
        # Payloads of events and actions are part of the tagged forms and have no use of their own.
        payloads = {name for union in ("Event", "Action") for name in self.payloads(union)} | {
            "Outcome",
            "Refused",
            "Unresolved",
        }
        for name in self.declared:
            if name not in payloads and name != "Json":
                self.declare(name)
        answers = [name for name in self.written if name.startswith("Answer")]
        self.written["Answer"] = f"#: {self.declared['Answer'][1]}\nAnswer = Union[{', '.join(answers)}]"
        lines = [
            '"""Everything that crosses the wire.',
            "",
            "Generated from the Rust types by `python3 adapters/python/generate.py`. Change those and run it again.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "import sys",
            "from typing import Any, Literal, TypedDict, Union",
            "",
            "if sys.version_info >= (3, 11):",
            "    from typing import NotRequired",
            "else:",
            "    from typing_extensions import NotRequired",
            "",
            "#: Any JSON value, as a peer sent it.",
            "Json = Any",
            "",
        ]
        return "\n".join(lines) + "\n" + "\n\n".join(self.written.values()) + "\n"

    def payloads(self, union: str) -> list[str]:
        kind = self.declared[union][0]
        assert isinstance(kind, Union)
        return [
            part.name for both in kind.parts if isinstance(both, Both) for part in both.parts if isinstance(part, Name)
        ]

    def declare(self, name: str) -> None:
        kind, doc = self.declared[name]
        shown = RENAMED.get(name, name)
        variants = self.variants(kind)
        if variants is None:
            self.written[shown] = f"#: {doc}\n{shown} = {self.type(kind)}"
        elif len(variants) == 1:
            self.dictionary(shown, variants[0], doc)
        else:
            names = [self.variant(name, fields, doc) for fields in variants]
            self.written[shown] = f"#: {doc}\n{shown} = Union[{', '.join(names)}]"

    def variant(self, union: str, fields: dict[str, Field], doc: str) -> str:
        tags = [
            one.type.text.strip('"')
            for key, one in fields.items()
            if key in ("type", "outcome") and isinstance(one.type, Literal)
        ]
        if not tags:
            tags = [union, *fields]
        elif union == "Answer":
            tags = ["answer", *tags]
        name = "".join(tag[0].upper() + tag[1:] for tag in tags)
        if name not in self.written:
            source = self.declared.get(name)
            self.dictionary(name, fields, source[1] if source else doc)
        return name

    def dictionary(self, name: str, fields: dict[str, Field], doc: str) -> None:
        # The functional form, because some members have names that Python keeps for itself.
        lines = [f"{name} = TypedDict(", f'    "{name}",', "    {"]
        for key, one in fields.items():
            kind = self.type(one.type)
            if one.doc:
                lines.append(f"        # {one.doc}")
            shown = f"NotRequired[{kind}]" if one.optional else kind
            lines.append(f'        "{key}": "{shown}",')
        lines += ["    },", ")"]
        lines.append(f'"""{doc}"""')
        self.written[name] = "\n".join(lines)

    def variants(self, kind: Type) -> list[dict[str, Field]] | None:
        """The objects a type can be, each with all its members; none where it is something else."""
        if isinstance(kind, Object):
            return [dict(kind.fields)]
        if isinstance(kind, Name) and kind.name in self.declared and not kind.arguments:
            return self.variants(self.declared[kind.name][0])
        if isinstance(kind, Union):
            parts = [self.variants(part) for part in kind.parts]
            return None if any(part is None for part in parts) else [one for part in parts if part for one in part]
        if isinstance(kind, Both):
            combined: list[dict[str, Field]] = [{}]
            for part in kind.parts:
                own = self.variants(self.opened(part))
                if own is None:
                    return None
                combined = [{**left, **right} for left in combined for right in own]
            return combined
        return None

    def opened(self, kind: Type) -> Type:
        """A table with known keys is an object whose members may all be absent."""
        if isinstance(kind, Table) and isinstance(kind.keys, Union):
            keys = [part.text.strip('"') for part in kind.keys.parts if isinstance(part, Literal)]
            return Object({key: Field(kind.values, True, "") for key in keys})
        return kind

    def type(self, kind: Type) -> str:
        if isinstance(kind, Literal):
            return f"Literal[{kind.text}]".replace('"', "'")
        if isinstance(kind, Table):
            return f"dict[str, {self.type(kind.values)}]"
        if isinstance(kind, Union):
            words = [part.text.replace('"', "'") for part in kind.parts if isinstance(part, Literal)]
            if len(words) == len(kind.parts):
                return f"Literal[{', '.join(words)}]"
            return " | ".join(self.type(part) for part in kind.parts)
        if isinstance(kind, Name):
            return self.name(kind)
        raise SystemExit(f"this form has no Python counterpart yet: {kind}")

    def name(self, kind: Name) -> str:
        simple = {"string": "str", "number": "int", "boolean": "bool", "null": "None", "unknown": "Any"}
        if kind.name in simple:
            return simple[kind.name]
        if kind.name == "Array":
            return f"list[{self.type(kind.arguments[0])}]"
        if kind.name == "Partial":
            return self.partial(kind.arguments[0])
        if kind.name not in self.declared:
            raise SystemExit(f"the declarations name a type they do not declare: {kind.name}")
        return RENAMED.get(kind.name, kind.name)

    def partial(self, kind: Type) -> str:
        assert isinstance(kind, Name)
        declared, doc = self.declared[kind.name]
        assert isinstance(declared, Object)
        name = f"Partial{kind.name}"
        if name not in self.written:
            self.dictionary(name, {key: Field(one.type, True, one.doc) for key, one in declared.fields.items()}, doc)
        return name


def main() -> None:
    check = "--check" in sys.argv[1:]
    text = DECLARATIONS.read_text("utf-8")
    presets = {
        file.stem: json.loads(file.read_text("utf-8")) for file in sorted((ROOT / "core" / "presets").glob("*.json"))
    }
    wanted = {
        PACKAGE / "types.py": Writer(Parser(text).declarations()).all(),
        PACKAGE / "presets.json": json.dumps(presets, ensure_ascii=False, indent=1) + "\n",
    }
    stale = [file for file, content in wanted.items() if not file.exists() or file.read_text("utf-8") != content]
    if check and stale:
        names = ", ".join(str(file.relative_to(ROOT)) for file in stale)
        raise SystemExit(f"out of date: {names}. Make them again: python3 adapters/python/generate.py")
    for file in stale:
        file.write_text(wanted[file], "utf-8")
        print(f"written: {file.relative_to(ROOT)}")
    if not stale:
        print("the wire types and the presets are up to date")


if __name__ == "__main__":
    main()
