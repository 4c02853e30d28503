"""Writes what the package takes from elsewhere: the wire types, the presets and the schema of policy files.

    python3 adapters/python/test.py --only generate    write
    generate.py --check                                only say whether they are up to date

datamodel-code-generator makes the types from the JSON Schema of the Rust types. The schema has no name for the
variants of a union, and a reader needs one; so every variant becomes a definition here, named after its tag.
"""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
from pathlib import Path
from typing import Any

from datamodel_code_generator import Formatter, InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = HERE / "src" / "rootwise"
SCHEMA = ROOT / "core" / "policy.schema.json"

#: What the package uses; the definitions that only these contain stay as well.
USED = (
    *("Event", "Action", "EndpointEvent", "EndpointAction"),
    *("HostFacts", "Policy", "SessionRecord", "Recovery", "NameForm"),
)

#: Names that mean the frozen classes in the rest of the package.
RENAMED = {"Project": "ProjectDict", "RootRef": "RootRefDict"}

HEADER = '''"""Everything that crosses the wire.

Generated from the Rust types by `python3 adapters/python/test.py --only generate`. Change those and run it again.
"""
'''

#: Python 3.11 has it. Every framework brings the other package along; without one, nothing evaluates these types.
IMPORT = """if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    try:
        from typing_extensions import NotRequired
    except ImportError:
        from typing import Optional as NotRequired
"""

Schema = dict[str, Any]


def output(*command: str) -> bytes:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def wire_types() -> str:
    # The selection of scripts/build-package.mjs, so that cargo compiles nothing again.
    examples = ["--workspace", "--example", "types", "--example", "schema"]
    features = ["--features", "rootwise-bindings/ts,rootwise-bindings/schema"]
    subprocess.run(["cargo", "build", "--quiet", *examples, *features], cwd=ROOT, check=True)
    metadata = output("cargo", "metadata", "--format-version", "1", "--no-deps")
    program = Path(json.loads(metadata)["target_directory"]) / "debug" / "examples" / "schema"
    printed = output(str(program), "wire")
    made = generate(
        json.dumps(named(json.loads(printed)["$defs"])),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.TypingTypedDict,
        target_python_version=PythonVersion.PY_310,
        enum_field_as_literal=LiteralType.All,
        use_union_operator=True,
        use_schema_description=True,
        use_field_description=True,
        custom_file_header=HEADER,
        additional_imports=["sys"],
        formatters=[Formatter.BUILTIN],
    )
    return str(made).replace("from typing_extensions import NotRequired\n", IMPORT)


def named(definitions: dict[str, Schema]) -> Schema:
    """The definitions with a name for every variant, and without those that nothing uses."""

    def objects(schema: Schema) -> list[Schema]:
        """What an object can be, each form with all its properties."""
        base = objects(definitions[schema["$ref"].split("/")[-1]]) if "$ref" in schema else [{}]
        variants = [one for variant in schema["oneOf"] for one in objects(variant)] if "oneOf" in schema else [{}]
        return [
            {
                **schema_of(schema, variant),
                "properties": {
                    **schema.get("properties", {}),
                    **part.get("properties", {}),
                    **variant.get("properties", {}),
                },
                "required": [
                    *schema.get("required", []),
                    *part.get("required", []),
                    *variant.get("required", []),
                ],
            }
            for part in base
            for variant in variants
        ]

    def schema_of(schema: Schema, variant: Schema) -> Schema:
        return {"type": "object", "description": variant.get("description", schema.get("description", ""))}

    made = dict(definitions)
    variants: dict[str, Schema] = {}
    for union in ("Event", "Action", "SelectBy", "EndpointEvent", "EndpointAction"):
        names = []
        for variant in definitions[union]["oneOf"]:
            forms = objects(variant)
            several = len(forms) > 1
            tag = capital(variant["properties"]["type"]["const"]) if "type" in variant["properties"] else ""
            for form in forms:
                detail = form["properties"].get("outcome", {}).get("const", "") if several else ""
                name = tag + capital(detail) if tag else union + capital(next(iter(form["properties"])))
                if variants.get(name, form)["properties"] != form["properties"]:
                    # Both machines have one of this name.
                    name = f"Endpoint{name}"
                made[name] = variants.setdefault(name, form)
                names.append(name)
            if several:
                made[tag] = {"description": definitions[tag]["description"], "oneOf": [ref(one) for one in names]}
                names = [tag]
        made[union] = {"description": definitions[union]["description"], "oneOf": [ref(name) for name in names]}

    kept: dict[str, Schema] = {}

    def keep(schema: Any) -> Any:
        if isinstance(schema, list):
            return [keep(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        # A checker of types needs no closed dictionaries, and few of them know any.
        cut = {key: value for key, value in schema.items() if (key, value) != ("additionalProperties", False)}
        if "$ref" in cut:
            name = cut["$ref"].split("/")[-1]
            shown = RENAMED.get(name, name)
            if shown not in kept:
                kept[shown] = {}
                kept[shown] = keep(made[name])
            cut["$ref"] = f"#/$defs/{shown}"
        return {key: keep(value) for key, value in cut.items()}

    for name in USED:
        keep(ref(name))
    return {"$ref": "#/$defs/Action", "$defs": dict(pair for one in sorted(kept.items()) for pair in classes(*one))}


def classes(name: str, schema: Schema) -> list[tuple[str, Schema]]:
    """A class shows a text for every member; members that cannot be written in one come from a base class."""
    properties = schema.get("properties", {})
    odd = {key: value for key, value in properties.items() if not key.isidentifier() or keyword.iskeyword(key)}
    if not odd:
        return [(name, schema)]
    rest = {key: value for key, value in properties.items() if key not in odd}
    required = schema.get("required", [])
    base = {"type": "object", "properties": odd, "required": [key for key in required if key in odd]}
    own = {"type": "object", "properties": rest, "required": [key for key in required if key in rest]}
    return [(f"{name}Base", base), (name, {"description": schema["description"], "allOf": [ref(f"{name}Base"), own]})]


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def main() -> None:
    check = "--check" in sys.argv[1:]
    presets = {
        file.stem: json.loads(file.read_text("utf-8")) for file in sorted((ROOT / "core" / "presets").glob("*.json"))
    }
    wanted = {
        PACKAGE / "types.py": wire_types(),
        PACKAGE / "presets.json": json.dumps(presets, ensure_ascii=False, indent=1) + "\n",
        PACKAGE / "policy.schema.json": SCHEMA.read_text("utf-8"),
    }
    stale = [file for file, content in wanted.items() if not file.exists() or file.read_text("utf-8") != content]
    if check and stale:
        names = ", ".join(str(file.relative_to(ROOT)) for file in stale)
        raise SystemExit(f"out of date: {names}. Make them again: python3 adapters/python/test.py --only generate")
    for file in stale:
        file.write_text(wanted[file], "utf-8")
        print(f"written: {file.relative_to(ROOT)}")
    if not stale:
        print("the wire types, the presets and the schema are up to date")


if __name__ == "__main__":
    main()
