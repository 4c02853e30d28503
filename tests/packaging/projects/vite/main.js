import * as rootwise from "rootwise";
import { converse } from "./converse.js";

let early;
try {
  new rootwise.Resolver({ host: { style: "posix" } });
} catch (error) {
  early = error.code;
}
try {
  await rootwise.init();
  document.title = JSON.stringify({ ...converse(rootwise), early });
} catch (error) {
  document.title = JSON.stringify(String(error));
}
