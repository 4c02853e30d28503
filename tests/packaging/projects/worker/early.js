// Code that runs before the module is loaded; imports run before the importing module.
import { Resolver } from "rootwise";

export let early;
try {
  new Resolver({ host: { style: "posix" } });
} catch (error) {
  early = error.code;
}
