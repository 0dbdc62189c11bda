"use strict";
/* Rows of a list that open, with the old answer, the new one and gold beside each other: these are taken from the page of
   the case. Keys: those for the next and the previous case move, o opens the case of a row. */
if (typeof document === "object" && document.querySelector("[data-rows]")) {
	const $ = (q, of = document) => of.querySelector(q);
	const $$ = (q, of = document) => [...of.querySelectorAll(q)];
	const parse = (text) => new DOMParser().parseFromString(text, "text/html");
	/* shown is a page of a report in one file, which may still be text. */
	const shown = (id) => {
		const e = document.getElementById(id);
		return e?.tagName === "SCRIPT" ? parse(e.textContent) : e;
	};

	const rows = () => $$("[data-rows] > details.change").filter((r) => r.offsetParent);
	function step(by) {
		const all = rows(), here = all.findIndex((r) => r.classList.contains("at")), to = all[here + by];
		if (!to) return;
		const was = all[here];
		was?.classList.remove("at");
		to.classList.add("at");
		if (was?.open) { was.open = false; to.open = true; }
		$("summary", to).focus({ preventScroll: true });
		to.scrollIntoView({ block: "nearest" });
	}
	document.addEventListener("toggle", async (e) => {
		const row = e.target, box = row.matches?.("details.change") && row.open ? $("[data-case]", row) : null;
		if (!row.matches?.("details.change")) return;
		for (const r of rows()) r.classList.toggle("at", r === row);
		if (!box || "filled" in box.dataset) return;
		box.dataset.filled = "";
		const at = box.dataset.case;
		let page = null;
		try { page = at.startsWith("#") ? shown(at.slice(1)) : parse(await (await fetch(at)).text()); } catch { return; } // the link stays
		const parts = page ? [$(".sides", page), $('[id$="cells"] ~ .wide', page)].filter(Boolean) : []; // the queries, and the results
		for (const part of parts.reverse()) {
			const copy = document.importNode(part, true);
			for (const named of $$("[id]", copy)) named.removeAttribute("id");
			box.prepend(copy);
		}
	}, true);
	for (const [name, by] of [["next", 1], ["previous", -1]]) { // the keys of these links move
		const a = document.createElement("a");
		a.className = name;
		a.hidden = true;
		a.addEventListener("click", () => step(by));
		$("[data-rows]").append(a);
	}
	document.addEventListener("keydown", (e) => {
		if (e.key === "o" && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.closest("input, textarea, select")) $("details.change.at .row a")?.click();
	});
}
