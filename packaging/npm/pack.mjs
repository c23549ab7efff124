#!/usr/bin/env node
// Makes npm's tarballs: one of each platform's programs, and the one that people install, which has the
// extension, the skills, the plugins and a launcher, and asks for the platforms' at the same version.
//
//   pack.mjs DIR PLATFORM=PROGRAMS…      for example: pack.mjs out linux-x64=target/staged/bin
//
// PROGRAMS is a directory that has the programs and nothing else. The JSON schemas lie beside it.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

const [out, ...programs] = process.argv.slice(2);
if (!out || programs.length === 0) {
  process.stderr.write("usage: pack.mjs DIR PLATFORM=PROGRAMS…\n");
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const main = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const cargo = readFileSync(join(ROOT, "Cargo.toml"), "utf8");
const version = /^version = "(.+)"$/m.exec(cargo)[1];
// npm's page resolves the links of the README with it.
const repository = /^repository = "(.+)"$/m.exec(cargo)?.[1];
const nameOf = (platform) => `${main.name}-${platform}`;

/** Packs a directory that `fill` fills, and prints the tarball's path. */
function pack(manifest, fill) {
  const stage = mkdtempSync(join(tmpdir(), "goal-pack-"));
  const take = (from, to = from) => {
    mkdirSync(dirname(join(stage, to)), { recursive: true });
    cpSync(resolve(ROOT, from), join(stage, to), { recursive: true, dereference: true });
  };
  try {
    take("LICENSE");
    fill(take, stage);
    writeFileSync(join(stage, "package.json"), `${JSON.stringify({ ...manifest, version, repository }, null, 2)}\n`);
    const [{ filename }] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", resolve(out)], { cwd: stage, encoding: "utf8" }),
    );
    process.stdout.write(`${join(out, filename)}\n`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

for (const pair of programs) {
  const [platform, directory] = pair.split("=");
  if (!PLATFORMS.includes(platform) || !directory) {
    process.stderr.write(`${pair}: expected PLATFORM=PROGRAMS, with a platform of ${PLATFORMS.join(", ")}\n`);
    process.exit(2);
  }
  const [os, cpu] = platform.split("-");
  const { license } = main;
  const description = `The programs of ${main.name} for ${platform}; install ${main.name}, which asks for it.`;
  pack({ name: nameOf(platform), description, license, os: [os], cpu: [cpu], files: ["bin"] }, (take, stage) => {
    take(resolve(directory), "bin");
  });
}

const { private: _unpublished, ...published } = main;
const optionalDependencies = Object.fromEntries(PLATFORMS.map((platform) => [nameOf(platform), version]));
pack({ ...published, files: [...main.files, "plugins", "schemas"], optionalDependencies }, (take, stage) => {
  for (const path of ["README.md", ...main.files]) take(path);
  take(resolve(programs[0].split("=")[1], "../schemas"), "schemas");
  execFileSync(join(ROOT, "packaging/plugins/assemble"), [join(stage, "plugins")]);
});
