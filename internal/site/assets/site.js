"use strict";
/* What the pages do beyond links and forms: keys, labels saved in the background, the next case
   fetched early, copies, tables that scroll together, pages that go on by themselves.
   Pages work without it. Storage holds the keys and labels that were not sent yet, and nothing else. */

// --- Pure parts, which have tests of their own.

/* Actions with their keys, in the order in which the sheet shows them. None is a key that browsers or
   screen readers take by themselves while a page has the focus. */
const ACTIONS = [
	...["right", "wrong", "unsure"].map((v, i) => ["option" + (i + 1), String(i + 1), "verdict " + v]), ...[4, 5, 6, 7, 8, 9].map((n) => ["option" + n, String(n), "verdict " + n]),
	["skip", "s", "skip"], ["note", "n", "write a note"], ["save", "Enter", "save and go to the next case"], ["undo", "u", "undo my last"],
	["next", "j", "next case"], ["previous", "k", "previous case"], ["differences", "d", "only what differs"], ["gold", "g", "the accepted result alone"], ["agent", "a", "the agent's result alone"],
	["list", "l", "back to the list"], ["sheet", "?", "show the keys"],
];
const ALSO = { ArrowRight: "next", ArrowLeft: "previous" };

/* keyMap is the action of each key: the defaults with the user's own in place of them. A key of the
   user's takes away what had it. */
const keyMap = (own) => {
	const map = new Map();
	for (const [action, key] of ACTIONS) if (!own || typeof own[action] !== "string") map.set(key, action);
	if (own) for (const [action] of ACTIONS) if (typeof own[action] === "string" && own[action] !== "") map.set(own[action], action);
	return map;
};

/* actionOf is the action of a key press, or "". Keys are off in fields and dialogs, but for Ctrl+Enter,
   which saves from the note; with Alt, Ctrl or Meta they are the browser's. */
const actionOf = (press, map, inField) => {
	if (press.isComposing || press.altKey) return "";
	if (press.key === "Enter" && (press.ctrlKey || press.metaKey)) return "save";
	if (press.ctrlKey || press.metaKey || inField) return "";
	return map.get(press.key) || (press.shiftKey ? "" : ALSO[press.key]) || "";
};

/* wait is how many ms to wait before trying again: 1, 2, 4 … 60 s, and up to a quarter more by lot. */
const wait = (failures, lot) => Math.round(Math.min(60000, 1000 * 2 ** Math.min(failures, 10)) * (1 + lot / 4));

/* alike tells whether two labels are of the same answer by the same person. */
const alike = (a, b) => ["queue", "case", "agent", "version", "batch", "as", "decides"].every((k) => (a[k] || "") === (b[k] || ""));

/* queued puts a label behind those that are not sent. One alike that nobody has begun to send is
   replaced: it is the same change of mind. */
const queued = (list, label, sending) => list.filter((l) => l.id === sending || l.refused || !alike(l, label)).concat([label]);

/* outcome is what a reply means for a label: saved, again (later) or refused, with why. */
const outcome = (status, body) => {
	if (status === 200 && body?.id) return { is: "saved" };
	const again = status < 400 || status >= 500 || status === 408 || status === 429 || body?.again;
	const why = typeof body?.error === "string" ? body.error : status === 401 ? "you are signed out: sign in in another tab" : status === 403 ? "the server was restarted; open its new link, your label is kept" : again ? "the server does not answer" : "the server says " + status;
	return { is: again ? "again" : "refused", why };
};

if (typeof module === "object") module.exports = { ACTIONS, keyMap, actionOf, wait, queued, outcome };
if (typeof document === "object") begin();

// --- The page.

function begin() {
	const $ = (q, of = document) => of.querySelector(q);
	const $$ = (q, of = document) => [...of.querySelectorAll(q)];
	const make = (tag, text, attributes = {}) => {
		const e = document.createElement(tag);
		e.textContent = text;
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		return e;
	};
	const button = (text, click, attributes) => {
		const b = make("button", text, { type: "button", ...attributes });
		b.addEventListener("click", () => click(b));
		return b;
	};
	const store = {
		get(key, or) { try { return JSON.parse(localStorage.getItem("badger." + key)) ?? or; } catch { return or; } },
		set(key, value) { try { localStorage.setItem("badger." + key, JSON.stringify(value)); return true; } catch { return false; } },
	};
	const parse = (text) => new DOMParser().parseFromString(text, "text/html");
	const say = (text) => { $("#said").textContent = text; };
	const tools = $("header .tools");

	/* Pages whose figures go on are loaded again, at most every five seconds and only while they are
	   looked at. */
	if ("poll" in document.body.dataset) {
		const again = async () => {
			if (!document.hidden && !document.activeElement?.matches("input, select, textarea")) {
				try {
					const r = await fetch(location.href);
					if (r.ok) {
						const page = parse(await r.text());
						show(page);
						if (!("poll" in page.body.dataset)) return;
					}
				} catch { /* the next time */ }
			}
			setTimeout(again, 5000);
		};
		setTimeout(again, 5000);
	}

	/* show puts another page's content in place of this one's. */
	function show(page) {
		document.title = page.title;
		const open = $$("main details[open][id]").map((d) => d.id), top = [scrollX, scrollY];
		$("main").replaceWith(document.adoptNode($("main", page)));
		for (const id of open) document.getElementById(id)?.setAttribute("open", "");
		scrollTo(...top);
		dress();
	}

	/* dress gives the parts of a page what they do. */
	function dress() {
		for (const pre of $$("pre[data-copy]")) {
			pre.before(button("copy", async () => {
				try { await navigator.clipboard.writeText(pre.textContent); say("copied"); } catch { say("copying is not allowed here"); }
			}, { class: "copy noprint" }));
		}
		const sides = $$("[data-scroll]");
		let leader = null;
		for (const side of sides) {
			side.addEventListener("scroll", () => {
				if (leader && leader !== side) return;
				leader = side;
				for (const other of sides) if (other !== side) { other.scrollTop = side.scrollTop; other.scrollLeft = side.scrollLeft; }
				requestAnimationFrame(() => requestAnimationFrame(() => { leader = null; }));
			}, { passive: true });
		}
		for (const e of $$("[data-end]")) e.scrollLeft = e.scrollWidth; // the newest batch is at the right end
		for (const form of $$("form[data-label]")) dressLabel(form);
		showKeys();
		ahead();
	}

	// --- Keys.

	const keys = store.get("keys", {}) || {};
	let map = keyMap(keys.own);
	const off = () => keys.off === true;

	function showKeys() {
		for (const kbd of $$("kbd.key")) kbd.remove();
		if (off()) return;
		const keyOf = (action) => [...map].find(([, a]) => a === action)?.[0];
		const hint = (e, action) => {
			const key = e && keyOf(action);
			if (key) { e.append(make("kbd", key, { class: "key", "aria-hidden": "true" })); if (key.length === 1) e.setAttribute("aria-keyshortcuts", key); }
		};
		for (const b of $$("form[data-keys] button[data-key]")) hint(b, b.dataset.key === "s" ? "skip" : "option" + b.dataset.key);
		hint($("form[data-keys] .note span"), "note");
		hint($("[data-undo] button"), "undo");
		hint($("[data-save]"), "save");
		hint($("a.previous"), "previous");
		hint($("a.next"), "next");
		hint($("[data-only]"), "differences");
		for (const b of $$("button[data-alone]")) hint(b, b.dataset.alone === "g" ? "gold" : "agent");
	}

	const acts = {
		note: () => $("form[data-keys] textarea")?.focus(),
		save: () => next(),
		undo: () => $("[data-undo] button")?.click(),
		next: () => $("a.next")?.click(),
		previous: () => $("a.previous")?.click(),
		list: () => $("a.listlink, .beside a")?.click(),
		differences: () => $("[data-only], [data-choice] a:not([aria-current])")?.click(),
		gold: () => $('button[data-alone="g"]')?.click(),
		agent: () => $('button[data-alone="a"]')?.click(),
		skip: () => $('form[data-keys] button[data-key="s"]')?.click(),
		sheet: () => sheet(),
	};
	document.addEventListener("keydown", (press) => {
		if (off() || press.defaultPrevented || $("dialog[open]")) return;
		const field = press.target.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
		if (press.key === "Escape") field?.blur();
		const action = actionOf(press, map, Boolean(field));
		// Enter on a link or a button is theirs, and so are the arrows in a table that scrolls.
		if (!action || (press.key === "Enter" && !press.ctrlKey && !press.metaKey && press.target.closest("a, button, summary, input")) || (ALSO[press.key] && press.target.closest(".wide"))) return;
		const option = action.startsWith("option") ? $(`form[data-keys] button[data-key="${action.slice(6)}"]`) : null;
		if (action.startsWith("option") ? !option : !acts[action]) return;
		if (action === "save" && !$("form[data-keys]")) return;
		press.preventDefault();
		if (option) option.click(); else acts[action]();
	});

	document.addEventListener("click", (e) => { // the fold of the bar closes by a click elsewhere
		for (const d of $$(".tabs details[open]")) if (!d.contains(e.target)) d.open = false;
	});

	/* sheet shows the keys, and lets people change them or switch them off. */
	function sheet() {
		const d = make("dialog", "", { "aria-labelledby": "keys" });
		d.append(make("h2", "Keys", { id: "keys" }), button("×", () => d.close(), { "aria-label": "Close" }));
		const form = make("form", "", { method: "dialog" });
		const on = make("input", "", { type: "checkbox", id: "keyson" });
		on.checked = !off();
		const switched = make("label", " keys work", { class: "inline" });
		switched.prepend(on);
		const table = make("table", "");
		for (const [action, key, text] of ACTIONS) {
			const row = make("tr", ""), cell = make("td", "");
			const field = make("input", "", { size: "6", maxlength: "12", "aria-label": text, name: action });
			field.value = keys.own?.[action] ?? key;
			cell.append(field);
			row.append(make("th", text, { scope: "row" }), cell);
			row.hidden = /n[4-9]/.test(action) && !$(`form [data-key="${action.at(-1)}"]`);
			table.append(row);
		}
		const buttons = [["Keep", "keep"], ["Defaults", "reset"]].map(([text, value]) => make("button", text, { value }));
		form.append(switched, table, ...buttons);
		d.append(form);
		document.body.append(d);
		d.addEventListener("close", () => {
			if (d.returnValue === "keep") {
				keys.own = {};
				for (const [action, key] of ACTIONS) if (form.elements[action].value.trim() !== key) keys.own[action] = form.elements[action].value.trim();
				keys.off = !on.checked;
			} else if (d.returnValue === "reset") { delete keys.own; delete keys.off; }
			store.set("keys", keys);
			map = keyMap(keys.own);
			d.remove();
			showKeys();
		});
		d.showModal();
	}
	tools?.append(button("Keys", sheet));

	// --- Labels. One that is not acknowledged is kept over a reload, and sent until it is. One that
	// lacks a verdict or a reason is a draft: it is kept, and not sent.

	let unsent = store.get("unsent", []), kept = true, failures = 0, sending = "", timer = 0;
	if (!Array.isArray(unsent)) unsent = [];
	const keep = () => { kept = store.set("unsent", unsent); };
	const merge = () => { // other tabs send, too
		const there = kept ? store.get("unsent", unsent) : unsent;
		if (Array.isArray(there)) unsent = there;
	};
	const change = (f) => { merge(); unsent = f(unsent); keep(); trouble(); };
	const me = () => $("[data-as]")?.dataset.as;
	const waits = (l) => !l.refused && !l.draft && l.as === me();
	const forms = () => $$("form[data-label]");
	const fieldsOf = (form) => Object.fromEntries(new FormData(form));
	const newID = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
	const formOf = (label) => forms().find((f) => alike(label, fieldsOf(f)));
	const stateOf = (label, text) => {
		const form = formOf(label);
		if (form) $(".saved", form).textContent = text;
		say(text);
	};
	const stateText = (l) => (l.draft ? "not saved, " : "not saved yet, ") + (kept ? "kept in this browser" : "stay on this page") + (l.draft ? ": " + l.draft : "");
	const ask = (to, fields) => {
		const body = new URLSearchParams(fields); // browsers keep at most 64 KiB alive
		return fetch(to, { method: "POST", keepalive: String(body).length < 6e4, headers: { Accept: "application/json" }, body });
	};

	async function send() {
		clearTimeout(timer);
		const label = !sending && unsent.find(waits);
		if (!label) return;
		sending = label.id;
		let is;
		try {
			const r = await ask(label.to, label);
			is = outcome(r.status, await r.json().catch(() => null));
		} catch { is = { is: "again", why: "the server cannot be reached" }; }
		sending = "";
		if (is.is === "again") {
			stateOf(label, `${stateText(label)} and sent again: ${is.why}`);
			timer = setTimeout(send, wait(failures++, Math.random()));
			return;
		}
		failures = 0;
		change((list) => list.filter((l) => l.id !== label.id).concat(is.is === "refused" ? [{ ...label, refused: is.why }] : []));
		if (!unsent.some((l) => !l.refused && alike(l, label))) stateOf(label, is.is === "saved" ? "saved" : "not saved: " + is.why);
		send();
	}

	/* trouble shows what the server refused, and drafts of other pages. */
	function trouble() {
		$("#refused")?.remove();
		const bad = unsent.filter((l) => l.refused || (l.draft && l.as === me() && !formOf(l)));
		if (!bad.length) return;
		const box = make("div", "", { id: "refused", class: "notice warning", role: "alert" });
		for (const l of bad) {
			const p = make("p", l.refused ? `The label ${l.verdict} of ${l.case} by ${l.as} was not saved: ${l.refused} ` : `What you wrote of ${l.case} is not saved: ${l.draft} `);
			const again = () => { change((list) => list.map((x) => (x.id === l.id ? { ...x, refused: "" } : x))); send(); };
			p.append(l.refused ? button("send again", again) : make("a", "go there", { href: l.at }), " ", button("drop it", () => change((list) => list.filter((x) => x.id !== l.id))));
			box.append(p);
		}
		$("main").prepend(box);
	}
	addEventListener("online", () => { failures = 0; send(); });

	/* Who leaves loses nothing that they typed. */
	const flush = () => forms().forEach((f) => f.flush());
	addEventListener("pagehide", flush);
	addEventListener("beforeunload", (e) => { flush(); if (!kept && unsent.some((l) => waits(l) || l.draft)) e.preventDefault(); });
	document.addEventListener("click", async (e) => {
		const a = e.target.closest?.("a[href]");
		if (!a || e.defaultPrevented || e.ctrlKey || e.metaKey || e.shiftKey) return;
		flush();
		if (!unsent.some(waits)) return;
		e.preventDefault();
		await settled(3000);
		location.href = a.href;
	});

	function dressLabel(form) {
		let typing = 0;
		const note = form.elements.note, status = $(".saved", form);
		const press = (value) => { for (const o of $$("button[name=verdict]", form)) o.setAttribute("aria-pressed", String(o.value === value)); };
		const chosen = () => $('button[aria-pressed="true"]', form)?.value || "";
		const lacks = () => (!chosen() ? "choose a verdict" : "reason" in form.dataset && chosen() === "fail" && !note.value.trim() ? "wrong needs a note" : "");
		const save = () => {
			clearTimeout(typing);
			typing = 0;
			const draft = lacks(), label = { ...fieldsOf(form), verdict: chosen(), draft, to: form.action, at: location.pathname + location.search };
			label.id += "-" + newID(); // what is said on one visit of a page is taken back as one
			const empty = !label.verdict && !label.note.trim() && !label.gold_wrong && !label.ambiguous;
			change((list) => (empty ? list.filter((l) => !l.draft || !alike(l, label)) : queued(list, label, sending)));
			stateOf(label, empty ? draft : draft ? stateText(label) : "saving …");
			failures = 0;
			send();
		};
		const left = unsent.findLast((l) => !l.refused && alike(l, fieldsOf(form)));
		if (left) {
			press(left.verdict);
			note.value = left.note;
			for (const tick of ["gold_wrong", "ambiguous"]) form.elements[tick].checked = Boolean(left[tick]);
			status.textContent = stateText(left);
		}
		form.flush = () => { if (typing) save(); };
		/* ready saves what is being typed, and tells whether people may go on. */
		form.ready = () => {
			if (typing || lacks()) save();
			return !lacks();
		};
		form.addEventListener("click", (e) => {
			const b = e.target.closest("button[name=verdict]");
			if (!b) return;
			e.preventDefault();
			press(b.value);
			save();
			if (lacks() && e.detail > 0) note.focus(); // after a key, the key of the note goes there, and is no text
			if (b.value === "skip" && "keys" in form.dataset) next();
		});
		form.addEventListener("submit", (e) => { e.preventDefault(); save(); });
		form.addEventListener("change", (e) => { if (e.target.type === "checkbox") save(); });
		note.addEventListener("input", () => {
			clearTimeout(typing);
			typing = setTimeout(save, 800);
		});
		if (!("keys" in form.dataset)) return;
		if ($("[data-labelling]")) $(".after", form).prepend(button("Save and next", next, { class: "main", "data-save": "" }));
		$("[data-undo]")?.addEventListener("submit", async (e) => { // after what is on its way
			e.preventDefault();
			form.flush();
			if (!(await settled())) return;
			try {
				const body = await (await ask(e.target.action, fieldsOf(e.target))).json();
				if (body.to) location.href = body.to;
				else status.textContent = "not undone: " + body.error;
			} catch { status.textContent = "not undone: the server does not answer"; }
		});
		const differing = $("[data-differences]"), sides = $$("[data-side]");
		const hider = (text, attributes, what) => button(text, (b) => {
			const hide = b.getAttribute("aria-pressed") !== "true";
			b.setAttribute("aria-pressed", String(hide));
			for (const e of what) e.hidden = hide;
		}, { "aria-pressed": "false", ...attributes });
		// Rows that are the same: by their states, and by their texts where both sides are shown as they are.
		const rows = sides.map((side) => $$("tbody tr", side)), text = (row) => [...row.cells].map((c) => c.textContent.trim()).join("\t");
		const same = differing ? $$("tbody tr", differing).filter((r) => !$(".x, .missing", r)) : [];
		rows.forEach((list, i) => { const there = new Set(rows[1 - i]?.map(text)); same.push(...list.filter((r) => there.has(text(r)))); });
		(differing || $("[data-sides]"))?.before(hider("only what differs", { "data-only": "" }, same));
		for (const side of sides) $("h3", side).after(hider("this alone", { "data-alone": side.dataset.side }, sides.filter((o) => o !== side)));
	}

	/* settled waits until all is sent, and tells whether it is. */
	async function settled(most = 10000) {
		for (const end = Date.now() + most; unsent.some(waits); await new Promise((f) => setTimeout(f, 30))) if (Date.now() > end || failures > 1) return false;
		return true;
	}

	/* The next case is fetched while this one is looked at, and painted when it is asked for. It is
	   neither this one nor one whose label is on its way. */
	let coming = null;
	function ahead() {
		const at = $("[data-labelling]");
		const not = unsent.filter((l) => at && l.queue === $("form[data-keys]").elements.queue.value).map((l) => "&not=" + encodeURIComponent(l.case)).join("");
		coming = at ? fetch(at.dataset.ahead + not).then(async (r) => (r.status < 500 ? { ok: r.ok, url: r.url, text: await r.text() } : null)).catch(() => null) : null;
	}
	async function next() {
		const form = $("form[data-keys]"), at = $("[data-labelling]");
		if (!form?.ready() || !at) return;
		if (!(await coming)) ahead();
		const page = await coming;
		if (!form.isConnected) return;
		if (page?.ok && new URL(page.url).pathname.endsWith("/label")) {
			history.pushState(null, "", page.url);
			show(parse(page.text));
			scrollTo(0, 0);
			$("main").focus({ preventScroll: true });
			send();
			trouble();
		} else if (page && await settled()) location.href = at.dataset.next;
		else $(".saved", form).textContent += "; the next case is not available yet: the server does not answer";
	}
	addEventListener("popstate", () => location.reload());
	addEventListener("beforeprint", () => { for (const d of $$("details:not(.change, .long, .tabs details)")) d.open = true; });

	/* A case is kept for who has it before them. */
	setInterval(() => {
		const form = $("form[data-keys]"), at = $("[data-labelling]");
		if (!form || !at || document.hidden) return;
		ask(at.dataset.renew, fieldsOf(form)).catch(() => {});
	}, 240000);

	dress();
	trouble();
	send();
}
