// Builds C programs with the C library in the debug profile, which compiles faster and checks more.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { at, read, targetFolder } from "../../scripts/tools.mjs";

/** Compiles `c/<name>.c` with the library and returns the path of the program. */
export function program(name, { features = [] } = {}) {
  read("cargo", ["build", "--quiet", "-p", "rootwise-c", ...features.flatMap((feature) => ["--features", feature])]);
  const folder = join(targetFolder(), "c-programs");
  mkdirSync(folder, { recursive: true });
  const strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g"];
  const library = join(targetFolder(), "debug", "librootwise_c.a");
  const made = join(folder, name);
  read("cc", [...strict, "-I", at("bindings-c/include"), at("tests/faces/c", `${name}.c`), library, "-o", made, "-ljansson", "-lm", "-lpthread", "-ldl"]);
  return made;
}
