// What happens before the module is there; imports run before what imports them.
import { Resolver } from "rootwise";

export let early;
try {
  new Resolver({ host: { style: "posix" } });
} catch (error) {
  early = error.code;
}
