(() => {
  "use strict";
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const make = (name, kind, text) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const count = (value) => value.toLocaleString("en-US");
  const percent = (part, whole) => {
    if (!whole) return "–";
    const share = part / whole;
    if (share > 0 && share < 1e-5) return "< 0.001 %";
    if (share >= 0.9995 && share < 1) return `${Math.trunc(share * 10000) / 100} %`;
    return `${Number((share * 100).toPrecision(3))} %`;
  };

  // --- Words: every message stands in the page with its key and its arguments --------------------------------------
  const language = () => (root.lang === "zh" ? 1 : 0);
  const say = (key, args = []) =>
    (data.messages[key] || ["", ""])[language()].replace(/\{(\d+)\}/g, (whole, place) => {
      const value = String(args[place] ?? "");
      return value[0] === "@" && data.messages[value.slice(1)] ? say(value.slice(1)) : value;
    });
  const given = (text) => (text ? JSON.parse(text) : []);
  const show = (element, key, args) => {
    element.dataset.m = key;
    element.dataset.a = JSON.stringify(args);
    element.textContent = say(key, args);
  };
  const speak = (lang) => {
    root.lang = lang;
    for (const each of all("[data-m]")) each.textContent = say(each.dataset.m, given(each.dataset.a));
    for (const each of all("[data-label]")) each.setAttribute("aria-label", say(each.dataset.label, given(each.dataset.la)));
    for (const each of all("input[data-label]")) each.placeholder = each.getAttribute("aria-label");
    for (const each of all("[data-svg]")) {
      const args = given(each.dataset.la);
      each.querySelector("title").textContent = say(`${each.dataset.svg}.title`, args);
      each.querySelector("desc").textContent = say(`${each.dataset.svg}.text`, args);
    }
    for (const each of all("[data-lang]")) each.setAttribute("aria-pressed", String(each.dataset.lang === lang));
    for (const move of moves) move();
  };
  const moves = [];

  // --- Theme --------------------------------------------------------------------------------------------------------
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  document.querySelector(".theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
  });

  // --- Copying: RUN stands for the folder of this file ------------------------------------------------------------------
  const folder = () => {
    if (location.protocol !== "file:") return "RUN";
    const path = decodeURIComponent(location.pathname.replace(/\/[^/]*$/, "")) || "/";
    return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  };
  const put = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.body.appendChild(make("textarea"));
      area.value = text;
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const code = button.parentElement.querySelector("code");
    await put("asIs" in code.dataset ? code.textContent : code.textContent.replace(/\bRUN\b/, folder));
    button.classList.add("done");
    button.setAttribute("aria-label", say("page.copied"));
    setTimeout(() => {
      button.classList.remove("done");
      button.setAttribute("aria-label", say("page.copy"));
    }, 1500);
  });

  // --- Filtering findings -------------------------------------------------------------------------------------------
  const form = document.querySelector(".filter");
  if (form) {
    const cards = all(".card");
    const search = form.querySelector("input");
    let group = "";
    const filter = () => {
      const wanted = search.value.trim().toLowerCase();
      const active = Boolean(wanted || group);
      let found = 0;
      for (const card of cards) {
        const fits = (!group || card.dataset.group === group) && card.textContent.toLowerCase().includes(wanted);
        card.hidden = !fits;
        found += fits;
      }
      for (const fold of all("#findings .cards > .fold")) {
        const some = all(".card", fold).some((card) => !card.hidden);
        fold.hidden = !some;
        fold.open = active && some;
      }
      document.querySelector(".nothing").hidden = found > 0;
    };
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    search.addEventListener("input", filter);
    for (const button of all("[data-group]", form)) {
      button.addEventListener("click", () => {
        group = button.dataset.group;
        for (const each of all("[data-group]", form)) each.setAttribute("aria-pressed", String(each === button));
        filter();
      });
    }
  }

  // --- Sorting tables -----------------------------------------------------------------------------------------------
  const value = (row, column) => {
    const text = row.cells[column]?.textContent.trim() ?? "";
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? text : number;
  };
  for (const table of all("table.sortable")) {
    all("thead th", table).forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = make("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const each of all("th[aria-sort]", table)) each.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((one, other) => {
          const [a, b] = [value(one, column), value(other, column)];
          const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
          return down ? -order : order;
        });
        table.tBodies[0].append(...rows);
      });
    });
  }

  // --- Documents of a bar or a shard ------------------------------------------------------------------------------------
  const originals = all(".excerpt");
  const copies = (fits) => {
    const seen = new Set();
    const found = originals.filter((each) => fits(each) && !seen.has(each.dataset.doc) && seen.add(each.dataset.doc));
    if (!found.length) return null;
    const box = make("div", "excerpts");
    box.append(...found.slice(0, 3).map((each) => each.cloneNode(true)));
    return box;
  };
  const command = (doc) => {
    const line = make("span", "command");
    line.append(make("code", "", `dataaudit show RUN --doc ${doc}`));
    const button = document.querySelector(".copy")?.cloneNode(true);
    if (button) line.append(button);
    return line;
  };
  const explore = (plot, names, tell) => {
    const bins = Number(plot.dataset.bins);
    const cursor = plot.appendChild(make("div", "cursor"));
    cursor.hidden = true;
    let at = -1;
    const go = (place, wanted) => {
      at = Math.max(0, Math.min(bins - 1, place));
      cursor.hidden = false;
      cursor.style.left = `${(100 * at) / bins}%`;
      cursor.style.width = `${100 / bins}%`;
      tell(at, wanted);
    };
    const place = (event) => {
      const box = plot.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left) / box.width) * bins);
    };
    plot.addEventListener("click", (event) => {
      if (!event.target.closest(".handle")) go(place(event), true);
    });
    plot.addEventListener("keydown", (event) => {
      if (event.target !== plot) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) go(names(at, step), false);
      else if (event.key === "Home") go(names(-1, 1), false);
      else if (event.key === "End") go(names(bins, -1), false);
      else if (event.key === "Enter" || event.key === " ") go(at, true);
      else return;
      event.preventDefault();
    });
  };
  for (const figure of all(".histogram")) {
    const rows = new Map(all("tr[data-b]", figure).map((row) => [Number(row.dataset.b), row]));
    const places = [...rows.keys()];
    const readout = figure.querySelector(".readout");
    const next = (at, step) =>
      (step > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at)) ?? at;
    explore(figure.querySelector(".plot"), next, (at, wanted) => {
      const row = rows.get(at);
      readout.replaceChildren();
      if (!row) return;
      const cells = [...row.cells].map((cell) => cell.textContent);
      show(readout.appendChild(make("span")), figure.dataset.says || "chart.bin", cells);
      if (!wanted) return;
      if (row.dataset.doc) {
        const line = make("p");
        show(line.appendChild(make("span")), "chart.one", []);
        line.append(" ", command(row.dataset.doc));
        readout.append(line);
      }
      const [low, high] = cells.slice(0, 2).map((cell) => Number.parseFloat(cell.replaceAll(",", "")));
      const found = copies((each) => {
        const its = Number(each.dataset.value);
        return each.dataset.signal === figure.dataset.signal && each.dataset.value !== undefined && its >= low && its < high;
      });
      if (found) readout.append(found);
    });
  }
  for (const figure of all(".heatmap")) {
    const names = JSON.parse(figure.dataset.names);
    const readout = figure.querySelector(".readout");
    const next = (at, step) => Math.max(0, Math.min(names.length - 1, at + step));
    explore(figure.querySelector(".plot"), next, (at, wanted) => {
      const name = names[at];
      const row = all("tr[data-name]", figure).find((each) => each.dataset.name === name);
      readout.replaceChildren(make("b", "", name));
      if (row) {
        const heads = all("thead th", figure).map((head) => head.textContent);
        const cells = [...row.cells].slice(1, -1).map((cell, place) => `${heads[place + 1]} ${cell.textContent}`);
        readout.append(" ", cells.join(" · "), " ", row.cells[row.cells.length - 1].firstElementChild?.cloneNode(true) ?? "");
      }
      if (!wanted) return;
      const found = copies((each) => each.dataset.file === name);
      if (found) readout.append(found);
    });
  }

  // --- Limits that can be moved -----------------------------------------------------------------------------------------
  for (const line of all("li[data-curve]")) {
    const curve = data.curves[Number(line.dataset.curve)];
    const plot = line.closest(".histogram").querySelector(".plot");
    const handle = plot.appendChild(make("div", "handle"));
    const cut = plot.appendChild(make("div", "cut"));
    const reset = line.querySelector(".reset");
    let at = curve.at;
    plot.classList.add("live-limits");
    handle.tabIndex = 0;
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-valuemin", "0");
    handle.setAttribute("aria-valuemax", String(curve.limits.length - 1));
    const move = () => {
      const x = curve.x[at] * 100;
      handle.style.left = `${x}%`;
      cut.style.left = curve.side === "min" ? "0" : `${x}%`;
      cut.style.width = curve.side === "min" ? `${x}%` : `${100 - x}%`;
      const limit = [curve.limits[at]];
      const out = [
        count(curve.documents[at]), percent(curve.documents[at], data.documents),
        count(curve.tokens[at]), percent(curve.tokens[at], data.tokens),
      ];
      const effect = curve.side === "context" ? "limit.cut" : "limit.out";
      show(line.querySelector(".at > span"), `limit.${curve.side}`, limit);
      show(line.querySelector(".effect > span"), effect, out);
      handle.setAttribute("aria-label", say("limit.slider", [curve.name]));
      handle.setAttribute("aria-valuenow", String(at));
      handle.setAttribute("aria-valuetext", `${say(`limit.${curve.side}`, limit)}: ${say(effect, out)}`);
      reset.hidden = at === curve.at;
    };
    const to = (place) => {
      at = Math.max(0, Math.min(curve.limits.length - 1, place));
      move();
    };
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
      if (step) to(at + step);
      else if (event.key === "Home") to(0);
      else if (event.key === "End") to(curve.limits.length - 1);
      else if (event.key === "Escape") to(curve.at);
      else return;
      event.preventDefault();
    });
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("held");
      line.classList.add("held");
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = plot.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      let best = 0;
      curve.x.forEach((each, place) => {
        if (Math.abs(each - x) < Math.abs(curve.x[best] - x)) best = place;
      });
      to(best);
    });
    handle.addEventListener("lostpointercapture", () => {
      handle.classList.remove("held");
      line.classList.remove("held");
    });
    reset.addEventListener("click", () => {
      to(curve.at);
      handle.focus();
    });
    moves.push(move);
  }

  // --- Going from one finding, signal, rule or document to the next by key ------------------------------------------------
  const stops = () =>
    all(".card > summary, .signal, .rule > summary, .excerpt").filter((each) => each.checkVisibility());
  const walk = (step) => {
    const places = stops();
    let at = places.indexOf(document.activeElement?.closest(".card > summary, .excerpt, .signal, .rule > summary"));
    if (at < 0) {
      // Nothing of them has the focus: start from what is looked at.
      const below = places.findIndex((each) => each.getBoundingClientRect().top > 60);
      at = (below < 0 ? places.length : below) - (step > 0 ? 1 : 0);
    }
    const next = places[at + step];
    if (!next) return;
    if (!next.matches("summary")) next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest", behavior: "instant" });
  };
  document.addEventListener("keydown", (event) => {
    const step = { j: 1, n: 1, k: -1, p: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    walk(step);
    event.preventDefault();
  });

  // --- Start ----------------------------------------------------------------------------------------------------------
  for (const each of all(".tools, .copy, .live")) each.hidden = false;
  for (const button of all("[data-lang]")) button.addEventListener("click", () => speak(button.dataset.lang));
  speak(root.lang);
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  for (const id of links.keys()) seen.observe(document.getElementById(id));
})();
