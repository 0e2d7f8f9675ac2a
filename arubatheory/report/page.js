"use strict";
(() => {
  const number = cell => parseFloat(cell.dataset.v ?? cell.textContent.replaceAll(",", ""));
  const compareNumbers = (a, b) =>
    Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : (a > b) - (b > a);

  const table = document.getElementById("table");
  const form = document.getElementById("filter");
  const body = table ? table.tBodies[0] : null;
  const rows = body ? [...body.rows] : [];
  const original = [...rows];
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

  const sort = (head, column, numeric) => {
    const before = head.getAttribute("aria-sort");
    const next = before === "ascending" ? "descending" : before === "descending" ? null : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    let sorted = [...original];
    if (next) {
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      sorted.sort((a, b) => {
        const [x, y] = [a.cells[column], b.cells[column]];
        if (!numeric) return sign * x.textContent.localeCompare(y.textContent, "en", {numeric: true});
        const [u, v] = [number(x), number(y)];
        return [u, v].some(Number.isNaN) ? compareNumbers(u, v) : sign * compareNumbers(u, v);
      });
    }
    body.append(...sorted);
  };

  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const checks = [
        ...[["role", 2], ["status", 3]].map(([key, column]) =>
          ["", row.cells[column].textContent].includes(form.elements[key].value)),
        ...words.map(word => texts.get(row).includes(word)),
      ];
      row.hidden = !checks.every(Boolean);
      shown += row.hidden ? 0 : 1;
    }
    form.elements.count.value = `${shown} of ${rows.length} statement${rows.length === 1 ? "" : "s"}`;
  };

  if (table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(head, column, head.classList.contains("n")));
      head.append(button);
    });
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", event => event.preventDefault());
    filter();
  }

  const graph = document.getElementById("graph");
  const light = (target, on) => {
    const node = target.closest ? target.closest("[data-i]") : null;
    graph.classList.toggle("lit", on ? node !== null : false);
    for (const edge of graph.querySelectorAll(".edges path")) {
      edge.classList.toggle("lit", on ? (node ? edge.dataset.e.includes(` ${node.dataset.i} `) : false) : false);
    }
  };
  if (graph) {
    for (const name of ["mouseover", "focusin"]) graph.addEventListener(name, event => light(event.target, true));
    for (const name of ["mouseleave", "focusout"]) graph.addEventListener(name, event => light(event.target, false));
  }

  document.documentElement.classList.add("script");
  const copy = line => {
    const copied = () => {
      line.classList.add("copied");
      setTimeout(() => line.classList.remove("copied"), 1500);
    };
    const selected = () => {
      getSelection().selectAllChildren(line);
      if (document.execCommand("copy")) copied();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(line.textContent).then(copied, selected);
    else selected();
  };
  for (const line of document.querySelectorAll("article section > code")) {
    line.tabIndex = 0;
    line.setAttribute("role", "button");
    line.title = "copy";
    line.addEventListener("click", () => copy(line));
    line.addEventListener("keydown", event => {
      if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      copy(line);
    });
  }
})();
