/* Castboard's own script. Pages are replaced as a whole, so everything listens on the document. */
(() => {
  "use strict";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);

  /* Keep the page's state in its address, so that a link carries it. */
  function setQuery(changes) {
    const url = new URL(window.location.href);
    for (const [key, value] of Object.entries(changes)) {
      if (value) url.searchParams.set(key, value);
      else url.searchParams.delete(key);
    }
    window.history.replaceState(window.history.state, "", url);
    updateExports();
  }

  /* In another page's frame only what is shown is left; its links open the site itself. */
  if (new URL(window.location.href).searchParams.get("embed") === "1") document.documentElement.classList.add("cb-embedded");

  /* Files of the board follow its filters and its order. */
  function updateExports() {
    const asked = new URL(window.location.href).searchParams;
    if (!one("#board-table")) return;
    for (const link of all("[data-export='/leaderboard']")) {
      const url = new URL(link.href);
      for (const key of ["q", "org", "open", "newest", "sort"]) {
        if (asked.get(key)) url.searchParams.set(key, asked.get(key));
        else url.searchParams.delete(key);
      }
      link.href = url;
    }
  }

  /* Sorting: a click sorts by one column, with Shift it adds one. Rows without a value stay last. */
  const FIRST_DESCENDING = new Set(["score", "gate", "naturalness", "gender", "age", "pace", "pitch", "loudness", "emotion", "accent", "tone", "coverage", "date"]);

  function sortKeys(table) {
    const text = new URL(window.location.href).searchParams.get("sort") || "";
    const known = new Set(all("[data-sort]", table).map((button) => button.dataset.sort));
    return text.split(",").map((part) => ({ column: part.replace(/^-/, ""), down: part.startsWith("-") })).filter((key) => known.has(key.column));
  }

  function nextKeys(keys, column, adds) {
    const old = keys.find((key) => key.column === column);
    const startsDown = FIRST_DESCENDING.has(column);
    if (!old) return [...(adds ? keys : []), { column, down: startsDown }];
    const turned = old.down === startsDown ? { column, down: !startsDown } : null;
    if (adds) return keys.map((key) => (key === old ? turned : key)).filter(Boolean);
    return turned ? [turned] : [];
  }

  function compare(a, b, index, key, isNumber) {
    const left = a.cells[index].dataset.v, right = b.cells[index].dataset.v;
    if (left === right) return 0;
    if (left === "") return 1;
    if (right === "") return -1;
    const order = isNumber ? Number(left) - Number(right) : left.localeCompare(right);
    return key.down ? -order : order;
  }

  function sortTable(table, keys) {
    const heads = all("thead th", table);
    const columns = keys.map((key) => heads.findIndex((head) => one(`[data-sort="${key.column}"]`, head)));
    const rows = all("tbody tr", table);
    rows.sort((a, b) => {
      for (let at = 0; at < keys.length; at += 1) {
        const order = compare(a, b, columns[at], keys[at], heads[columns[at]].dataset.kind === "number");
        if (order) return order;
      }
      return Number(a.dataset.place) - Number(b.dataset.place);
    });
    table.tBodies[0].append(...rows);
    heads.forEach((head, at) => {
      const key = keys[columns.indexOf(at)];
      if (one("[data-sort]", head)) head.setAttribute("aria-sort", key ? (key.down ? "descending" : "ascending") : "none");
    });
    setQuery({ sort: keys.map((key) => (key.down ? "-" : "") + key.column).join(",") });
  }

  /* Search and filters hide rows; the rank comes from the data, so it never changes with them. */
  function filterBoard() {
    const table = one("#board-table");
    if (!table) return;
    const text = one("#board-search").value.trim();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const organisation = one("#board-organisation").value;
    const onlyOpen = one("#board-open").checked;
    const newest = one("#board-newest");
    const onlyNewest = Boolean(newest && newest.checked);
    let shown = 0;
    const rows = all("tbody tr", table);
    for (const row of rows) {
      const fits = words.every((word) => row.dataset.text.includes(word)) && (!onlyOpen || row.dataset.open === "1") && (!onlyNewest || row.dataset.newest === "1") && (!organisation || (row.dataset.org || "") === organisation);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    one("#board-count").textContent = `${shown} of ${rows.length} shown`;
    setQuery({ q: text, org: organisation, open: onlyOpen ? "1" : "", newest: onlyNewest ? "1" : "" });
  }

  function updateCompare() {
    const link = one("#board-compare");
    if (!link) return;
    const picked = all("[data-pick]:checked").map((box) => box.value);
    const protocol = one("#board-table").dataset.protocol;
    link.href = `/listen?protocol=${encodeURIComponent(protocol)}&systems=${picked.map(encodeURIComponent).join(",")}`;
    link.setAttribute("aria-disabled", picked.length ? "false" : "true");
    link.textContent = picked.length ? `Listen to ${picked.length} side by side` : "Listen side by side";
  }

  /* A form with the state of its fields as the address, empty ones left out. */
  function goTo(form) {
    const query = new URLSearchParams();
    const boxes = all("[data-system]", form);
    for (const [key, value] of new FormData(form)) if (value) query.set(key, value);
    if (boxes.length) query.set("systems", boxes.filter((box) => box.checked).map((box) => box.value).join(","));
    if (!query.get("systems")) query.delete("systems");
    window.location.href = `${form.getAttribute("action")}?${query.toString().replaceAll("%2C", ",")}`;
  }

  async function copyLink(button, text, otherwise) {
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      said = otherwise;
    }
    const before = button.dataset.label || button.textContent;
    button.dataset.label = before;
    button.textContent = said;
    window.setTimeout(() => { button.textContent = before; }, 1800);
  }

  /* A frame for another page that shows this one as it is now. */
  function frame() {
    const url = new URL(window.location.href);
    url.searchParams.set("embed", "1");
    url.hash = "";
    const source = url.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    return `<iframe src="${source}" title="Castboard" width="100%" height="640" style="border:0" loading="lazy"></iframe>`;
  }

  /* One tip for all: shown on hover and on focus, gone on Escape. */
  let tip = null;
  function showTip(target) {
    hideTip();
    tip = document.createElement("div");
    tip.className = "cb-tip";
    tip.setAttribute("role", "tooltip");
    tip.textContent = target.dataset.tip;
    (one(".gradio-container") || document.body).append(tip);
    const place = target.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, place.left + place.width / 2 - size.width / 2), window.innerWidth - size.width - 8);
    const above = place.top - size.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : place.bottom + 8}px`;
  }
  function hideTip() {
    if (tip) tip.remove();
    tip = null;
  }

  /* Times are shown as ages that keep growing. */
  function ago(seconds) {
    if (seconds < 5) return "just now";
    if (seconds < 90) return `${Math.round(seconds)} s ago`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
    if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
    return `${Math.round(seconds / 86400)} d ago`;
  }
  function showAges() {
    for (const time of all("time[data-age]")) {
      const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
      if (Number.isFinite(seconds)) {
        const text = ago(Math.max(0, seconds));
        if (time.textContent !== text) time.textContent = text;
      }
    }
  }

  /* A button of the operator's page fills the form below, and leaves the reason and the doing to the operator. */
  function fill(selector, text) {
    const box = one(`${selector} textarea, ${selector} input`);
    if (!box) return;
    const kind = box instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(box, text || "");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function prepareAct(button) {
    const choice = one(`#operator-act input[value="${button.dataset.operate}"]`);
    if (choice) choice.click();
    fill("#operator-target", button.dataset.target);
    fill("#operator-system", button.dataset.system);
    fill("#operator-organisation", button.dataset.organisation);
    const sure = one("#operator-sure input");
    if (sure && sure.checked) sure.click();
    const reason = one("#operator-reason textarea, #operator-reason input");
    if (reason) { reason.scrollIntoView({ block: "center" }); reason.focus({ preventScroll: true }); }
  }

  document.addEventListener("click", (event) => {
    const operate = event.target.closest("[data-operate]");
    if (operate) { prepareAct(operate); return; }
    const sort = event.target.closest("[data-sort]");
    if (sort) {
      const table = sort.closest("table");
      sortTable(table, nextKeys(sortKeys(table), sort.dataset.sort, event.shiftKey));
      return;
    }
    const copy = event.target.closest("[data-copy-link]");
    if (copy) copyLink(copy, window.location.href, "Copy it from the address bar");
    const embed = event.target.closest("[data-copy-embed]");
    if (embed) copyLink(embed, frame(), "Copying is not allowed here");
    const away = event.target.closest(".cb-embedded .cb a[href]");
    if (away) away.target = "_blank";
    const off = event.target.closest("[aria-disabled='true']");
    if (off && off.closest(".cb")) event.preventDefault();
  });
  document.addEventListener("input", (event) => {
    if (event.target.closest("#board-controls")) filterBoard();
    if (event.target.matches("[data-pick]")) updateCompare();
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest(".cb")) return;
    event.preventDefault();
    if (event.target.matches("#listen-form")) goTo(event.target);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("#listen-form select, #listen-form [name='blind']")) goTo(event.target.form);
  });
  document.addEventListener("play", (event) => {
    for (const other of all("audio")) if (other !== event.target) other.pause();
  }, true);
  document.addEventListener("pointerover", (event) => {
    const target = event.target.closest ? event.target.closest("[data-tip]") : null;
    if (target && event.pointerType !== "touch") showTip(target);
    else hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const target = event.target.closest("[data-tip]");
    if (target && target.matches(":focus-visible")) showTip(target);
    else hideTip();
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("scroll", hideTip, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
    const cell = event.target.closest ? event.target.closest(".cb-matrix a.cb-cell") : null;
    if (cell) moveInMatrix(event, cell);
  });

  /* Arrow keys walk the matrix; the diagonal, which leads nowhere, is stepped over. */
  function moveInMatrix(event, cell) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = Array.from(cell.closest("tbody").rows);
    const place = cell.closest("td");
    let row = rows.indexOf(place.parentElement) + step[0], column = place.cellIndex + step[1];
    while (rows[row] && rows[row].cells[column]) {
      const next = one("a.cb-cell", rows[row].cells[column]);
      if (next) {
        next.focus();
        return;
      }
      row += step[0];
      column += step[1];
    }
  }

  /* A refreshed page folds everything again; what a reader has unfolded is remembered here. */
  const unfolded = new Set();
  document.addEventListener("click", (event) => {
    const summary = event.target.closest("summary");
    const details = summary && summary.parentElement;
    if (!details || !details.id) return;
    if (details.open) unfolded.delete(details.id);
    else unfolded.add(details.id);
  });

  let isPlaced = false;
  function settle() {
    for (const name of unfolded) {
      const details = document.getElementById(name);
      if (details && !details.open) details.open = true;
    }
    for (const code of all("[data-site-address]")) {
      code.textContent = code.textContent.replaceAll(code.dataset.siteAddress, window.location.origin);
      code.removeAttribute("data-site-address");
    }
    showAges();
    const title = one(".cb-ready h1");
    if (title) {
      const wanted = window.location.pathname === "/" ? "Castboard" : `${title.textContent} · Castboard`;
      if (document.title !== wanted) document.title = wanted;
      const target = window.location.hash.length > 1 && document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
      if (!isPlaced && target) target.scrollIntoView();
      if (!isPlaced) isPlaced = Boolean(target) || !window.location.hash;
    }
  }
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    window.requestAnimationFrame(() => { isDue = false; settle(); });
  }).observe(document.documentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["open"] });
  window.setInterval(showAges, 1000);
})();
