"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.documentElement, drawer = one("#drawer"), body = one("#drawer-body"), filter = one("#filter"), saying = one("#say");
  root.classList.add("js");
  let opener = null, hush = 0;

  const say = (text) => {
    saying.textContent = text;
    clearTimeout(hush);
    hush = setTimeout(() => { saying.textContent = ""; }, 4000);
  };

  const current = (id) => {
    all("[aria-current]").forEach((it) => it.removeAttribute("aria-current"));
    if (id) all(".label").filter((it) => it.dataset.goal === id).forEach((it) => it.setAttribute("aria-current", "true"));
  };

  const open = (id) => {
    const goal = document.getElementById(id);
    if (!goal || !goal.classList.contains("goal")) return;
    const copy = goal.cloneNode(true);
    copy.removeAttribute("id");
    one("h3", copy).id = "drawer-title";
    body.replaceChildren(copy);
    if (!drawer.open) {
      opener = document.activeElement;
      drawer.show();
    }
    drawer.scrollTop = 0;
    one("#close").focus({ preventScroll: true });
    history.replaceState(null, "", "#" + id);
    current(id);
  };

  const close = () => {
    if (!drawer.open) return;
    drawer.close();
    body.replaceChildren();
    history.replaceState(null, "", location.pathname + location.search);
    current(null);
    if (opener) opener.focus();
  };

  const theme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };

  const copy = async (button) => {
    const command = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(command);
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 1500);
      say("Copied: " + command);
    } catch {
      say("Run this: " + command);
    }
  };

  const find = () => {
    const wanted = filter.value.trim().toLowerCase();
    let found = 0;
    for (const it of all("[data-find]")) {
      it.hidden = wanted !== "" && !it.dataset.find.includes(wanted);
      if (!it.hidden && it.classList.contains("lane")) found += 1;
    }
    saying.textContent = wanted === "" ? "" : found + (found === 1 ? " goal fits" : " goals fit");
  };

  const sort = (head) => {
    const table = head.closest("table"), column = [...head.parentNode.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    all("th", head.parentNode).forEach((it) => it.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[column].dataset.by ?? row.cells[column].textContent.trim().toLowerCase();
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)], numbers = Number(x) - Number(y);
      const order = Number.isNaN(numbers) ? (x < y ? -1 : x > y ? 1 : 0) : numbers;
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  };

  const move = (step) => {
    const lanes = all(".lane:not([hidden]) .label");
    if (lanes.length === 0) return;
    const at = lanes.findIndex((it) => it === document.activeElement || it.hasAttribute("aria-current"));
    const next = lanes[Math.max(0, Math.min(lanes.length - 1, at < 0 ? 0 : at + step))];
    if (drawer.open) open(next.dataset.goal);
    next.scrollIntoView({ block: "nearest" });
    if (drawer.open) opener = next;
    else next.focus();
  };

  const go = (section, first) => {
    one(section).scrollIntoView();
    one(first)?.focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    const goal = event.target.closest("[data-goal]"), command = event.target.closest("[data-copy]");
    if (goal && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(goal.dataset.goal);
    } else if (command) copy(command);
    else if (event.target.id === "close") close();
    else if (event.target.id === "theme") theme();
    else if (event.target.closest(".sortable th button")) sort(event.target.closest("th"));
  });

  filter.addEventListener("input", find);

  document.addEventListener("keydown", (event) => {
    if (event.target === filter) {
      if (event.key === "Escape") {
        filter.value = "";
        find();
        filter.blur();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      j: () => move(1), k: () => move(-1), Escape: close, t: theme,
      "/": () => filter.focus(), n: () => go("#needs", "#needs button"), g: () => go("#lanes", ".lane:not([hidden]) .label"),
    }[event.key];
    if (!act) return;
    if (event.key !== "Escape") event.preventDefault();
    act();
  });

  if (location.hash.length > 1) open(decodeURIComponent(location.hash.slice(1)));
})();
