import * as rootwise from "rootwise";
import { converse } from "converse.js";
import { early } from "early.js";

export default {
  fetch() {
    return Response.json({
      ...converse(rootwise),
      early,
      process: typeof process,
      same: Resolver === rootwise.Resolver,
    });
  },
};
