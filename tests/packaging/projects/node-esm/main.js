import { createRequire } from "node:module";
import * as rootwise from "rootwise";
import * as native from "rootwise/native";
import * as wasm from "rootwise/wasm";
import { converse } from "./converse.js";

const required = createRequire(import.meta.url)("rootwise");
console.log(
  JSON.stringify({
    ...converse(rootwise),
    native: converse(native).backend,
    wasm: converse(wasm).backend,
    same: required.Resolver === rootwise.Resolver && native.RootwiseError === rootwise.RootwiseError,
  }),
);
