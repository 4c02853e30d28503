import * as rootwise from "rootwise";
import * as native from "rootwise/native";
import { converse } from "./converse.js";

let code;
try {
  native.fileUriToPath("file:///a", "posix");
} catch (error) {
  ({ code } = error);
}
console.log(JSON.stringify({ ...converse(rootwise), reason: rootwise.backend.reason, native: code }));
