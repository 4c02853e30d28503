// The rows of the table, in the order of the page.
import bindings from "./rows/bindings.mjs";
import cold from "./rows/cold.mjs";
import core from "./rows/core.mjs";
import growth from "./rows/growth.mjs";
import memory from "./rows/memory.mjs";
import modern from "./rows/modern.mjs";
import python from "./rows/python.mjs";
import rmcp from "./rows/rmcp.mjs";
import run from "./rows/run.mjs";
import size from "./rows/size.mjs";
import tests from "./rows/tests.mjs";
import typescript from "./rows/typescript.mjs";

export const rows = [typescript, python, rmcp, modern, core, bindings, cold, memory, run, size, growth, tests];
export const names = rows.map(({ name }) => name);
