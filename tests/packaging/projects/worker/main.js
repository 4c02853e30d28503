import module from "rootwise.wasm";
import * as rootwise from "rootwise/web/index.js";
import { converse } from "converse.js";

let early;
try {
  new rootwise.Resolver({ host: { style: "posix" } });
} catch (error) {
  early = error.code;
}
rootwise.initSync(module);

export default {
  fetch() {
    return Response.json({ ...converse(rootwise), early, process: typeof process });
  },
};
