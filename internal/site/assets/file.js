"use strict";
/* A report in one file: pages that are text until they are opened, and lists that are sorted, filtered and searched. */
if (typeof document === "object") {
	const $ = (q, of = document) => of.querySelector(q);
	const $$ = (q, of = document) => [...of.querySelectorAll(q)];
	const make = (tag, text, attributes = {}) => {
		const e = document.createElement(tag);
		e.textContent = text;
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		return e;
	};
	const button = (text, click) => {
		const b = make("button", text, { type: "button" });
		b.addEventListener("click", click);
		return b;
	};

	/* open turns the page that the address names from text into a section. */
	function open() {
		let id = "";
		try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
		const text = id && document.getElementById(id);
		if (!text || text.tagName !== "SCRIPT" || !text.matches(".later")) return;
		const section = make("section", "", { class: "page", id });
		section.innerHTML = text.textContent; // badger wrote it, as it wrote the other sections
		text.replaceWith(section);
		location.replace(location.hash); // the section is the target now
		scrollTo(0, 0);
	}
	addEventListener("hashchange", open);

	for (const e of $$("script[data-list]")) {
		const section = document.getElementById(e.dataset.list), table = section && $("table.cases", section);
		if (!table) continue;
		const body = $("tbody", table), heads = $$("thead th", table), data = JSON.parse(e.textContent);
		e.remove();
		sortable(section, table, body, heads, data);
	}

	/* sortable gives a table of cases a search, a choice of status, an order and pages. */
	function sortable(section, table, body, heads, data) {
		const state = { text: "", status: "", by: 0, down: false, page: 0 };
		const box = make("div", "", { class: "listtools noprint", role: "search", "aria-label": "Search and filter" });
		const search = make("input", "", { type: "search", size: "30" }), status = make("select", "");
		status.append(make("option", "any", { value: "" }), ...[...new Set(data.rows.map((r) => r[1]))].filter(Boolean).sort().map((v) => make("option", v.replaceAll("_", " "), { value: v })));
		const label = (text, field) => { const l = make("label", text); l.append(field); return l; };
		const said = make("span", "", { role: "status", class: "quiet" });
		const by = make("select", "");
		const names = ["case", "status", heads[2]?.textContent.trim() || "value", "relation", "people", "latency", "question", "reason", "tags"];
		by.append(...["", ", descending"].flatMap((way) => names.map((n, i) => make("option", n + way, { value: (way ? "-" : "") + i }))));
		const turn = (text, d) => button(text, () => { state.page += d; draw(); });
		const before = turn("← before", -1), more = turn("more →", 1);
		box.append(label("Search ", search), label("Status ", status), label("Order ", by), said, before, more);
		(table.closest(".wide") || table).before(box);
		$$("p.row a", section).filter((a) => /→|←/.test(a.textContent)).forEach((a) => a.remove());
		const low = data.rows.map((r) => r.slice(0, 9).join("\n").toLowerCase());
		const order = new Intl.Collator("en", { numeric: true });
		function draw() {
			let at = data.rows.map((_, i) => i);
			if (state.text) at = at.filter((i) => low[i].includes(state.text));
			if (state.status) at = at.filter((i) => data.rows[i][1] === state.status);
			if (state.by || state.down) {
				const n = state.by, sign = state.down ? -1 : 1;
				const number = n === 2 || n === 5;
				at.sort((a, b) => {
					const x = data.rows[a][n], y = data.rows[b][n];
					if (!x || !y) return (x ? -1 : 0) + (y ? 1 : 0) || a - b;
					return sign * (number ? x - y : order.compare(x, y)) || a - b;
				});
			}
			const pages = Math.max(1, Math.ceil(at.length / data.page));
			state.page = Math.min(Math.max(0, state.page), pages - 1);
			const from = state.page * data.page;
			body.replaceChildren(...at.slice(from, from + data.page).map((i) => rowOf(data.rows[i], heads)));
			said.textContent = at.length ? `${from + 1}–${Math.min(from + data.page, at.length)} of ${at.length}` : "No case matches.";
			before.hidden = state.page === 0;
			more.hidden = state.page === pages - 1;
			const caption = $("caption", table);
			if (caption) caption.textContent = said.textContent;
		}
		const changed = (key, value) => { state[key] = value; state.page = 0; draw(); };
		let typing = 0;
		search.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => changed("text", search.value.trim().toLowerCase()), 150); });
		status.addEventListener("change", () => changed("status", status.value));
		by.addEventListener("change", () => { state.down = by.value.startsWith("-"); changed("by", Math.abs(Number(by.value))); });
		before.hidden = true;
		more.hidden = data.rows.length <= data.page;
	}

	const SIGNS = { passed: ["pass", "✓ passed"], failed: ["fail", "✗ failed"], error: ["error", "! error"], abstained: ["unsure", "? abstained"], unanswered: ["none", "– no answer"], not_applicable: ["none", "– not applicable"] };
	/* rowOf is a case of a list under the heads of its table. */
	function rowOf(r, heads) {
		const row = make("tr", "");
		const n = heads.length;
		heads.forEach((_, i) => { // the last six are the same in every list
			const cell = make(i ? "td" : "th", "", i ? {} : { scope: "row" }), field = i < 3 ? i : i >= n - 6 ? 9 - n + i : -1;
			if (!i) cell.append(r[9] ? make("a", r[0], { href: "#" + r[9] }) : r[0]);
			else if (i === 1) {
				const [kind, text] = SIGNS[r[1]] || ["none", r[1] || "–"];
				cell.append(make("span", text, { class: "status " + kind }));
			} else cell.textContent = r[field] || "–";
			if (field === 2 || field === 5) cell.className = "number";
			if (field > 5) cell.className = "cut";
			row.append(cell);
		});
		return row;
	}

	open();
}
