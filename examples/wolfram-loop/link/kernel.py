"""Runs Rootwise.wl in Mathics3, with the functions of the Wolfram Language that it needs and Mathics3 lacks.

`python kernel.py <library> <policy>` is the server of Rootwise.wl, on standard input and output, as a kernel would run
it: the functions of the library are loaded and called as LibraryLink does. `--evaluate <code>` prints a value as JSON
instead.
"""

from __future__ import annotations

import ctypes
import json
import math
import sys
from pathlib import Path
from typing import Any

from mathics.core.atoms import Integer, MachineReal, String
from mathics.core.builtin import Builtin
from mathics.core.expression import Expression
from mathics.core.list import ListExpression
from mathics.core.load_builtin import import_and_load_builtins
from mathics.core.symbols import Symbol, SymbolFalse, SymbolNull, SymbolTrue
from mathics.session import MathicsSession

HERE = Path(__file__).resolve().parent

#: What the kernel has and Mathics3 lacks. A byte array is the text that it encodes.
MISSING = """
System`StringToByteArray[ text_String ] := Rootwise`Test`Bytes[ text ];
System`ByteArrayToString[ Rootwise`Test`Bytes[ text_ ] ] := text;
System`ImportByteArray[ Rootwise`Test`Bytes[ text_ ], "RawJSON" ] := RootwiseReadJSON[ text ];
System`ExportByteArray[ value_, "RawJSON", "Compact" -> True ] := Rootwise`Test`Bytes[ RootwiseWriteJSON[ value ] ];
System`LibraryFunctionLoad[ _, name_, types_, result_ ] := RootwiseCallLibrary[ name, types, result, { ## } ] &;
"""


class MArgument(ctypes.Union):
    _fields_ = [
        ("integer", ctypes.POINTER(ctypes.c_int64)),
        ("real", ctypes.POINTER(ctypes.c_double)),
        ("utf8string", ctypes.POINTER(ctypes.c_char_p)),
    ]


class LibraryData(ctypes.Structure):
    _fields_ = [("UTF8String_disown", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


#: The texts belong to Python.
DATA = LibraryData(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda text: None))
KINDS = {
    "Integer": ("integer", ctypes.c_int64),
    "Real": ("real", ctypes.c_double),
    "UTF8String": ("utf8string", ctypes.c_char_p),
}


class RootwiseCallLibrary(Builtin):
    """RootwiseCallLibrary[name, types, result, arguments] calls a function as LibraryLink does."""

    library: ctypes.CDLL

    def eval(self, name: Any, types: Any, result: Any, arguments: Any, evaluation: Any) -> Any:
        "RootwiseCallLibrary[name_String, types_List, result_, arguments_List]"
        function = getattr(self.library, name.value)
        given, kept = (MArgument * max(1, len(types.elements)))(), []
        for at, (kind, value) in enumerate(zip(types.elements, arguments.elements, strict=True)):
            field, of = KINDS[name_of(kind)]
            plain = to_python(value)
            # The kernel accepts an integer for a real number, but no other kind for another.
            assert isinstance(plain, {"integer": int, "real": (int, float), "utf8string": str}[field]), (name, plain)
            kept.append(of(plain.encode() if isinstance(plain, str) else plain))
            setattr(given[at], field, ctypes.pointer(kept[-1]))
        field, of = KINDS[name_of(result)]
        place, returned = of(), MArgument()
        setattr(returned, field, ctypes.pointer(place))
        status = function(ctypes.byref(DATA), ctypes.c_int64(len(types.elements)), given, returned)
        assert status == 0, (name, status)
        return to_expression(place.value.decode() if field == "utf8string" else place.value)


class RootwiseReadJSON(Builtin):
    """RootwiseReadJSON[text] reads JSON as "RawJSON" does."""

    def eval(self, text: Any, evaluation: Any) -> Any:
        "RootwiseReadJSON[text_String]"
        return to_expression(json.loads(text.value))


class RootwiseWriteJSON(Builtin):
    """RootwiseWriteJSON[value] writes JSON as "RawJSON" does."""

    def eval(self, value: Any, evaluation: Any) -> Any:
        "RootwiseWriteJSON[value_]"
        return String(json.dumps(to_python(value), ensure_ascii=False, separators=(",", ":")))


def name_of(expression: Any) -> str:
    return expression.value if isinstance(expression, String) else expression.get_name().split("`")[-1]


def to_expression(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return {None: SymbolNull, True: SymbolTrue, False: SymbolFalse}[value]
    if isinstance(value, int):
        return Integer(value)
    if isinstance(value, float):
        return MachineReal(value)
    if isinstance(value, str):
        return String(value)
    if isinstance(value, list):
        return ListExpression(*map(to_expression, value))
    rules = [Expression(Symbol("System`Rule"), String(key), to_expression(part)) for key, part in value.items()]
    return Expression(Symbol("System`Association"), *rules)


def to_python(value: Any) -> Any:
    constants = {"System`Null": None, "System`True": True, "System`False": False}
    if isinstance(value, Symbol) and value.name in constants:
        return constants[value.name]
    if isinstance(value, String):
        return value.value
    if isinstance(value, Integer):
        return value.value
    if isinstance(value, MachineReal):
        return float(value.value) if math.modf(value.value)[0] else int(value.value)
    if value.has_form("List", None):
        return [to_python(part) for part in value.elements]
    if value.has_form("Association", None):
        return {to_python(rule.elements[0]): to_python(rule.elements[1]) for rule in value.elements}
    raise TypeError(f"no JSON: {value}")


def main(library: str, *arguments: str) -> None:
    import_and_load_builtins()
    session = MathicsSession(add_builtin=True, catch_interrupt=False)
    RootwiseCallLibrary.library = ctypes.CDLL(library)
    for builtin in (RootwiseCallLibrary, RootwiseReadJSON, RootwiseWriteJSON):
        builtin(expression=False).contribute(session.definitions)
    for line in MISSING.strip().splitlines():
        session.evaluate(line)
    session.evaluate(f"Get[{json.dumps(str(HERE / 'Rootwise.wl'))}]")
    if arguments[0] == "--evaluate":
        print(json.dumps(to_python(session.evaluate(arguments[1]))))
        return
    tools = '<| "directory" -> <| "description" -> "The directory", "run" -> (Directory[ ] &) |> |>'
    text = json.dumps(Path(arguments[0]).read_text("utf-8"))
    served = session.evaluate(f"RootwiseServe[ {tools}, RootwiseReadJSON[ {text} ] ]")
    if served != SymbolNull:
        sys.exit(str(served))


if __name__ == "__main__":
    main(*sys.argv[1:])
