// The page of `goal report` in a real browser.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { after, before } from "node:test";
import puppeteer from "puppeteer-core";
import { HOSTILE, night, page as made, young } from "./project.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = process.env.PAGE_SHOTS;
const WIDE = { width: 1300, height: 900 }, PHONE = { width: 390, height: 844, isMobile: true };
/** A4 without the margins. */
const PAPER = { width: 718, height: 1000 };
const PAGES = {};
let browser, html;

before(async () => {
  Object.assign(PAGES, { hostile: made(), night: night(), young: young() });
  html = PAGES.hostile.html;
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"], headless: true });
});
after(() => browser?.close());

/** The page in a tab of its own, with what it asked for and complained about. */
async function open({ of = "hostile", scheme = "light", size = WIDE, script = true, hash = "" } = {}) {
  const tab = await browser.newPage(), seen = [], { file } = PAGES[of];
  tab.on("console", (message) => seen.push(message.text()));
  tab.on("pageerror", (error) => seen.push(String(error)));
  tab.on("request", (request) => { if (request.url().split("#")[0] !== `file://${file}`) seen.push(`asked for ${request.url()}`); });
  await tab.setViewport(size);
  await tab.setJavaScriptEnabled(script);
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  await tab.goto(`file://${file}${hash}`);
  return { tab, seen };
}

async function violations(tab) {
  await tab.evaluate(AXE);
  return tab.evaluate(async () => (await window.axe.run()).violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`));
}

async function shot(tab, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await tab.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: !name.includes("drawer") });
}

const focused = (tab) => tab.evaluate(() => document.activeElement.dataset.goal ?? document.activeElement.id);
const isOpen = (tab) => tab.evaluate(() => document.querySelector("#drawer").open);

for (const scheme of ["light", "dark"]) {
  test(`${scheme}: nothing is asked for, and axe-core finds nothing, on the page and in the drawer`, async () => {
    const { tab, seen } = await open({ scheme });
    await shot(tab, scheme);
    assert.deepEqual(await violations(tab), []);
    await tab.click("#completed a.open");
    assert.equal(await isOpen(tab), true);
    assert.deepEqual(await violations(tab), []);
    await shot(tab, `${scheme}-drawer`);
    assert.deepEqual(seen, []);
  });
}

test("a phone shows all of it without scrolling sideways", async () => {
  const { tab, seen } = await open({ size: PHONE });
  await shot(tab, "phone");
  const width = await tab.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `${width}`);
  assert.deepEqual(await violations(tab), []);
  assert.deepEqual(seen, []);
});

/** Texts that stand over each other, in pairs; what only a screen reader is told has no place. */
const overlaps = (tab) => tab.evaluate(() => {
  const boxes = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (text.data.trim() === "" || parent.closest("script, style, title, .sr, .skip") || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    // What is cut off is not seen: a box ends where its line does.
    const cut = parent.matches(".title") ? parent.getBoundingClientRect().right : Infinity;
    for (const { left, right, top, bottom } of range.getClientRects()) boxes.push({ node: text, text: text.data.trim(), left, right: Math.min(right, cut), top, bottom });
  }
  const found = [];
  for (const [at, a] of boxes.entries()) {
    for (const b of boxes.slice(at + 1)) {
      // Lines of one text keep apart; and a pixel is no overlap, as boxes of lines have room around their letters.
      if (a.node !== b.node && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) found.push(`${a.text} / ${b.text}`);
    }
  }
  return found;
});

for (const of of ["hostile", "night", "young"]) {
  test(`no text stands over another one: ${of}`, async () => {
    for (const [name, size] of Object.entries({ phone: PHONE, tablet: { width: 800, height: 900 }, wide: WIDE })) {
      const { tab } = await open({ of, size });
      assert.deepEqual(await overlaps(tab), [], name);
      await shot(tab, `${of}-${name}`);
      if (of !== "hostile") assert.deepEqual(await violations(tab), []);
      await tab.close();
    }
  });
}

/** The times at the axis that are shown. */
const ticks = (tab) => tab.$$eval(".axis text", (all) => all.filter((it) => it.checkVisibility()).map((it) => it.textContent));

test("a project of minutes fills its axis", async () => {
  const { tab } = await open({ of: "young" });
  assert.deepEqual(await ticks(tab), ["09:00", "09:05", "09:10", "09:15", "09:20"]);
  const first = await tab.$$eval(".track rect", (all) => Math.min(...all.map((it) => parseFloat(it.getAttribute("x")))));
  assert.ok(first < 5, `${first}`);
  const phone = await open({ of: "young", size: PHONE });
  assert.deepEqual(await ticks(phone.tab), ["09:00", "09:05", "09:10", "09:15", "09:20"]);
});

test("the axis of a night has no time twice, and a phone has fewer of them", async () => {
  const shown = {};
  for (const [name, size] of Object.entries({ phone: PHONE, wide: WIDE })) {
    const { tab } = await open({ of: "night", size });
    shown[name] = await ticks(tab);
    assert.equal(new Set(shown[name]).size, shown[name].length, `${shown[name]}`);
    assert.ok(shown[name].length >= 3, `${shown[name]}`);
  }
  assert.ok(shown.wide.includes("22 Nov"), `${shown.wide}`);
  assert.ok(shown.phone.length < shown.wide.length, `${shown.phone}`);
});

test("the keyboard goes through lanes, opens and closes a goal, filters, and comes to what needs the person", async () => {
  const { tab } = await open();
  await tab.keyboard.press("g");
  const first = await focused(tab);
  await tab.keyboard.press("j");
  const second = await focused(tab);
  assert.notEqual(first, second);
  await tab.keyboard.press("k");
  assert.equal(await focused(tab), first);
  await tab.keyboard.press("Enter");
  assert.equal(await isOpen(tab), true);
  assert.equal(await focused(tab), "close");
  assert.equal(await tab.evaluate(() => location.hash), `#${first}`);
  await tab.keyboard.press("j");
  assert.equal(await tab.evaluate(() => location.hash), `#${second}`);
  await tab.keyboard.press("Escape");
  assert.equal(await isOpen(tab), false);
  assert.equal(await focused(tab), second);
  await tab.keyboard.press("/");
  await tab.keyboard.type("rate lim");
  const lanes = () => tab.evaluate(() => document.querySelectorAll(".lane:not([hidden])").length);
  assert.equal(await lanes(), 1);
  assert.equal(await tab.evaluate(() => document.querySelector("#say").textContent), "1 goal fits");
  await tab.keyboard.press("Escape");
  assert.equal(await lanes(), 4);
  await tab.keyboard.press("n");
  assert.ok(await tab.evaluate(() => document.activeElement.matches("#needs [data-copy]")));
  await tab.keyboard.press("t");
  assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("tables are sorted by a click, and by another one the other way", async () => {
  const { tab } = await open();
  const column = () => tab.evaluate(() => [...document.querySelectorAll(".sortable tbody tr")].map((row) => Number(row.cells[5].dataset.by)));
  await tab.click(".sortable th:nth-child(6) button");
  assert.deepEqual(await column(), [0, 0, 0, 3]);
  await tab.click(".sortable th:nth-child(6) button");
  assert.deepEqual(await column(), [3, 0, 0, 0]);
});

test("what is copied is a command of ids, whatever an agent suggested", async () => {
  const { tab } = await open();
  await browser.defaultBrowserContext().overridePermissions("file://", ["clipboard-read", "clipboard-write"]).catch(() => {});
  const commands = await tab.evaluate(() => [...document.querySelectorAll("[data-copy]")].map((it) => it.dataset.copy));
  assert.ok(commands.length >= 3, `${commands}`);
  for (const command of commands) assert.match(command, /^goal [A-Za-z0-9 _./=:@-]+$/);
  assert.ok(commands.some((command) => command.endsWith("--pick 1")), `${commands}`);
  await tab.click("#needs [data-copy$='--pick 1']");
  await tab.waitForFunction(() => document.querySelector("#say").textContent !== "");
  const said = await tab.evaluate(() => document.querySelector("#say").textContent);
  assert.match(said, /^(Copied|Run this): goal answer \S+ --pick 1$/);
});

test("words of agents are words", async () => {
  const { tab, seen } = await open();
  for (const goal of await tab.$$eval(".label", (all) => all.map((it) => it.dataset.goal))) {
    await tab.evaluate((id) => document.querySelector(`.label[data-goal="${id}"]`).click(), goal);
  }
  assert.equal(await tab.evaluate(() => window.broken), undefined);
  assert.equal(await tab.evaluate(() => document.querySelectorAll("img, iframe, object, link, form").length), 0);
  assert.equal(await tab.evaluate(() => document.scripts.length), 1);
  const said = await tab.evaluate(() => document.body.textContent);
  assert.ok(said.includes(HOSTILE.split(" ")[0]) && said.includes("{{ 7*7 }}"));
  assert.ok(!html.includes("\u001b") && !html.includes("\u202e"));
  assert.deepEqual(seen, []);
});

test("an address with a goal opens it", async () => {
  const id = /<article class="goal" id="(g-[^"]+)"/.exec(html)[1];
  const { tab } = await open({ hash: `#${id}` });
  assert.equal(await isOpen(tab), true);
});

test("without a script all of it can be read, and the commands are text", async () => {
  const { tab, seen } = await open({ script: false });
  const height = (selector) => tab.$eval(selector, (it) => it.getBoundingClientRect().height);
  await shot(tab, "without-script");
  assert.ok(await height("#details article") > 50);
  assert.ok(await height(".choices .plain code") > 5);
  assert.match(await tab.$eval(".choices .plain", (it) => it.textContent), /^keep; touch PWNED: goal answer \S+ --pick 1$/);
  assert.equal(await height(".choices button"), 0);
  assert.equal(await height(".tools"), 0);
  assert.deepEqual(seen, []);
});

test("it prints with every goal, and without what a hand is needed for", async () => {
  const { tab } = await open();
  await tab.emulateMediaType("print");
  const height = (selector) => tab.$eval(selector, (it) => it.getBoundingClientRect().height);
  assert.ok(await height("#details article") > 50);
  assert.equal(await height(".tools"), 0);
  if (SHOTS) await tab.pdf({ path: join(SHOTS, "print.pdf"), format: "A4", printBackground: true });
});

test("forty goals print on ten pages of A4, with their names", async () => {
  const { tab } = await open({ of: "night", size: PAPER });
  await tab.emulateMediaType("print");
  const cut = await tab.$$eval(".lane .title", (all) => all.map((it) => {
    const text = document.createRange();
    text.selectNodeContents(it);
    const needed = text.getBoundingClientRect(), lane = it.closest(".lane").getBoundingClientRect(), track = it.closest(".lane").querySelector(".track").getBoundingClientRect();
    const fits = needed.right <= track.left + 1 && needed.top >= lane.top - 1 && needed.bottom <= lane.bottom + 1 && it.scrollWidth <= it.clientWidth + 1;
    return fits ? "" : it.textContent;
  }).filter(Boolean));
  assert.deepEqual(cut, []);
  assert.equal(await tab.$$eval(".lane .title", (all) => all.length), 40);
  assert.deepEqual(await overlaps(tab), []);
  const pdf = Buffer.from(await tab.pdf({ format: "A4", printBackground: true })).toString("latin1");
  const pages = pdf.match(/\/Type\s*\/Page\b(?!s)/g).length;
  assert.ok(pages <= 10, `${pages}`);
  if (SHOTS) await tab.pdf({ path: join(SHOTS, "night.pdf"), format: "A4", printBackground: true });
});
