// The table of situations: the page has it as table.mjs makes it, and every test that a cell names is there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REPOSITORY } from "./support.mjs";
import { HOSTS, markdown, NOTES, SITUATIONS, tests } from "./table.mjs";

/** The names that a file gives its tests, as expressions: what a template fills in may be anything. */
function named(file) {
  const text = readFileSync(join(REPOSITORY, "tests/hosts", file), "utf8");
  const titles = [...text.matchAll(/\b(?:test|situation)\(\s*(["`])(.*?)\1,/g)].map(([, , title]) => title);
  const escaped = titles.map((title) => title.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*"));
  return escaped.map((title) => new RegExp(`^(?:\\w+: )?${title}$`));
}

test("every cell names a test that is there", () => {
  for (const situation of SITUATIONS)
    for (const host of Object.keys(HOSTS)) {
      const names = tests(situation, host);
      assert.ok(names.length > 0, `${situation.title}, ${host}`);
      for (const it of names) {
        const [, file, name] = /^(\S+\.mjs): (.*)$/.exec(it);
        assert.ok(named(file).some((title) => title.test(name)), `${situation.title}, ${host}: ${it}`);
      }
    }
});

test("a cell that is not yes has a reason that the host gives", () => {
  const used = new Set(SITUATIONS.flatMap(({ notes }) => Object.values(notes)));
  assert.deepEqual([...used].sort(), Object.keys(NOTES).sort());
});

test("the page has the table", () => {
  const page = readFileSync(join(REPOSITORY, "docs/hosts/README.md"), "utf8");
  assert.ok(page.includes(markdown()), `put this into docs/hosts/README.md:\n\n${markdown()}`);
});
