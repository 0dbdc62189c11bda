"use strict";
/* What the pages do beyond links and forms: keys, labels that are saved in the background, the next
   case fetched early, themes, copies, tables that scroll together, pages that go on by themselves.
   Every page works without this script. Storage holds the theme, the keys and labels that were not
   sent yet, and nothing else. */
{
  // --- Pure parts, which have tests of their own.

  /* Actions with their keys, in the order in which the sheet shows them. None is a key that browsers or
     screen readers take by themselves while a page has the focus. */
  const ACTIONS = [
    ...["pass", "fail", "unsure"].map((v, i) => ["option" + (i + 1), String(i + 1), "verdict " + v]), ...[4, 5, 6, 7, 8, 9].map((n) => ["option" + n, String(n), "verdict " + n]),
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

  /* wait is how long to wait before trying again, in milliseconds: 1, 2, 4 … at most 60 seconds, with
     up to a quarter more by lot. */
  const wait = (failures, lot) => Math.round(Math.min(60000, 1000 * 2 ** Math.min(failures, 10)) * (1 + lot / 4));

  /* queued puts a label behind those that are not sent. One of the same answer by the same person that
     nobody has begun to send is replaced: it is the same change of mind. */
  const queued = (list, label, sending) => {
    const same = (l) => l.id !== sending && !l.refused && ["queue", "case", "agent", "version", "batch", "as", "decides"].every((k) => (l[k] || "") === (label[k] || ""));
    return list.filter((l) => !same(l)).concat([label]);
  };

  /* outcome is what a reply means for a label: saved, again (later) or refused, with why. */
  const outcome = (status, body) => {
    if (status === 200 && body && body.id) return { is: "saved" };
    if (body && body.error && !body.again && status < 500) return { is: "refused", why: String(body.error) };
    return { is: "again", why: body && body.error ? String(body.error) : "the server does not answer" };
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
    const store = {
      get(key, or) { try { return JSON.parse(localStorage.getItem("badger." + key)) ?? or; } catch { return or; } },
      set(key, value) { try { localStorage.setItem("badger." + key, JSON.stringify(value)); return true; } catch { return false; } },
    };
    const said = $("#said");
    const say = (text) => { if (said) said.textContent = text; };
    const tools = $("header .tools");

    /* Theme: that of the system, light or dark. */
    const themes = ["system", "light", "dark"];
    const wear = (theme) => { if (theme === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme; };
    let theme = store.get("theme", "system");
    if (!themes.includes(theme)) theme = "system";
    wear(theme);
    if (tools) {
      const b = make("button", "Theme: " + theme, { type: "button" });
      b.addEventListener("click", () => {
        theme = themes[(themes.indexOf(theme) + 1) % themes.length];
        b.textContent = "Theme: " + theme;
        wear(theme);
        store.set("theme", theme);
      });
      tools.append(b);
    }

    /* Pages whose figures go on are loaded again, at most every five seconds and only while they are
       looked at. */
    if ("poll" in document.body.dataset) {
      const again = async () => {
        if (!document.hidden && !document.activeElement?.matches("input, select, textarea")) {
          try {
            const r = await fetch(location.href);
            if (r.ok) {
              const page = new DOMParser().parseFromString(await r.text(), "text/html");
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
        const b = make("button", "copy", { type: "button", class: "copy noprint" });
        b.addEventListener("click", async () => {
          try { await navigator.clipboard.writeText(pre.textContent); say("copied"); } catch { say("copying is not allowed here"); }
        });
        pre.before(b);
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
      list: () => $("a.listlink, nav.beside a")?.click(),
      differences: () => $("[data-only]")?.click(),
      gold: () => $('button[data-alone="g"]')?.click(),
      agent: () => $('button[data-alone="a"]')?.click(),
      skip: () => $('form[data-keys] button[data-key="s"]')?.click(),
      sheet: () => sheet(),
    };
    document.addEventListener("keydown", (press) => {
      if (off() || press.defaultPrevented || $("dialog[open]")) return;
      const field = press.target.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
      const action = actionOf(press, map, Boolean(field));
      // Enter on a link or a button is theirs, and so are the arrows in a table that scrolls.
      if (!action || (press.key === "Enter" && !press.ctrlKey && !press.metaKey && press.target.closest("a, button, summary, input")) || (ALSO[press.key] && press.target.closest(".wide"))) return;
      const option = action.startsWith("option") ? $(`form[data-keys] button[data-key="${action.slice(6)}"]`) : null;
      if (action.startsWith("option") ? !option : !acts[action]) return;
      if (action === "save" && !$("form[data-keys]")) return;
      press.preventDefault();
      if (option) option.click(); else acts[action]();
    });

    /* sheet shows the keys, and lets people change them or switch them off. */
    function sheet() {
      const d = make("dialog", "", { "aria-labelledby": "keys" });
      d.append(make("h2", "Keys", { id: "keys" }));
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
        table.append(row);
      }
      const buttons = [["Keep", "keep"], ["Defaults", "reset"], ["Close", ""]].map(([text, value]) => make("button", text, { value }));
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
    if (tools) {
      const b = make("button", "Keys", { type: "button" });
      b.addEventListener("click", sheet);
      tools.append(b);
    }

    // --- Labels. One that is not acknowledged is kept over a reload, and sent until it is.

    let unsent = store.get("unsent", []), failures = 0, sending = "", timer = 0;
    if (!Array.isArray(unsent)) unsent = [];
    const keep = () => store.set("unsent", unsent);
    const newID = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
    const stateOf = (label, text) => {
      for (const form of $$("form[data-label]")) if (form.elements.case.value === label.case && form.elements.queue.value === label.queue) $(".saved", form).textContent = text;
      say(text);
    };

    // Other tabs send, too.
    const merge = () => {
      const there = store.get("unsent", []);
      if (Array.isArray(there)) unsent = there;
    };

    function put(label) {
      merge();
      unsent = queued(unsent, label, sending);
      stateOf(label, keep() ? "saving …" : "saving … (this browser keeps nothing, stay on the page)");
      failures = 0;
      send();
    }

    async function send() {
      clearTimeout(timer);
      if (sending) return;
      const me = $('form[data-label] input[name="as"]')?.value;
      const label = unsent.find((l) => !l.refused && l.as === me);
      if (!label) return;
      sending = label.id;
      let is;
      try {
        const r = await fetch(label.to, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(label.fields) });
        is = outcome(r.status, await r.json().catch(() => null));
      } catch { is = { is: "again", why: "the server cannot be reached" }; }
      sending = "";
      const latest = !unsent.some((l) => l.id !== label.id && l.case === label.case && l.queue === label.queue);
      merge();
      if (is.is === "again") {
        stateOf(label, `not saved yet: ${is.why}; it is kept here and sent again`);
        timer = setTimeout(send, wait(failures++, Math.random()));
        return;
      }
      failures = 0;
      unsent = unsent.filter((l) => l.id !== label.id);
      if (is.is === "refused") unsent.push({ ...label, refused: is.why });
      keep();
      if (latest) stateOf(label, is.is === "saved" ? "saved" : "not saved: " + is.why);
      trouble();
      waiters.splice(0).forEach((f) => f());
      send();
    }
    const waiters = [];

    /* trouble shows the labels that the server refused. */
    function trouble() {
      $("#refused")?.remove();
      const bad = unsent.filter((l) => l.refused);
      if (!bad.length) return;
      const box = make("div", "", { id: "refused", class: "notice warning", role: "alert" });
      for (const l of bad) {
        const p = make("p", `The label ${l.fields.verdict} of ${l.case} by ${l.as} was not saved: ${l.refused} `);
        const again = make("button", "send again", { type: "button" }), drop = make("button", "drop it", { type: "button" });
        again.addEventListener("click", () => { merge(); unsent = unsent.map((x) => (x.id === l.id ? { ...x, refused: undefined } : x)); keep(); trouble(); send(); });
        drop.addEventListener("click", () => { merge(); unsent = unsent.filter((x) => x.id !== l.id); keep(); trouble(); });
        p.append(again, " ", drop);
        box.append(p);
      }
      $("main").prepend(box);
    }
    addEventListener("online", () => { failures = 0; send(); });

    function dressLabel(form) {
      let typing = 0;
      const chosen = () => $('button[aria-pressed="true"]', form);
      const unexplained = () => "reason" in form.dataset && chosen()?.value === "fail" && !form.elements.note.value.trim();
      const save = () => {
        clearTimeout(typing);
        typing = 0;
        const b = chosen();
        if (!b) return;
        if (unexplained()) {
          $(".saved", form).textContent = "fail needs a note";
          form.elements.note.focus();
          return;
        }
        const fields = Object.fromEntries(new FormData(form));
        fields.verdict = b.value;
        fields.id = newID();
        delete fields.back;
        const { queue, agent, version, batch, as, decides } = fields;
        put({ id: fields.id, to: form.action, case: fields.case, queue, agent, version, batch, as, decides, fields });
      };
      /* ready saves what is being typed, and tells whether people may go on. */
      form.ready = () => {
        if (!chosen()) say("choose a verdict first");
        else if (typing || unexplained()) save();
        return chosen() && !unexplained();
      };
      form.addEventListener("click", (e) => {
        const b = e.target.closest("button[name=verdict]");
        if (!b) return;
        e.preventDefault();
        for (const o of $$("button[name=verdict]", form)) o.setAttribute("aria-pressed", String(o === b));
        save();
        if (b.value === "skip" && "keys" in form.dataset) next();
      });
      form.addEventListener("submit", (e) => { e.preventDefault(); save(); });
      form.addEventListener("change", (e) => { if (e.target.type === "checkbox") save(); });
      form.addEventListener("input", (e) => {
        if (e.target.name !== "note") return;
        clearTimeout(typing);
        typing = setTimeout(save, 800);
      });
      if (!("keys" in form.dataset)) return;
      const at = $("[data-labelling]");
      if (at) {
        const b = make("button", "Save and next", { type: "button", class: "main", "data-save": "" });
        b.addEventListener("click", next);
        at.prepend(b);
      }
      $("[data-undo]")?.addEventListener("submit", async (e) => { // after what is on its way
        const undo = e.target;
        if (undo.dataset.ready) return;
        e.preventDefault();
        if (typing) save();
        await settled();
        undo.dataset.ready = "1";
        undo.submit();
      });
      const differing = $("[data-differences]");
      if (differing) {
        const b = make("button", "only what differs", { type: "button", "aria-pressed": "false", "data-only": "" });
        b.addEventListener("click", () => {
          const only = b.getAttribute("aria-pressed") !== "true";
          b.setAttribute("aria-pressed", String(only));
          for (const row of $$("tbody tr", differing)) row.hidden = only && row.className === "matched" && !$(".differs", row);
        });
        differing.before(b);
      }
      for (const side of $$("[data-side]")) {
        const b = make("button", "this alone", { type: "button", "aria-pressed": "false", "data-alone": side.dataset.side });
        b.addEventListener("click", () => {
          const alone = b.getAttribute("aria-pressed") !== "true";
          b.setAttribute("aria-pressed", String(alone));
          for (const other of $$("[data-side]")) if (other !== side) other.hidden = alone;
        });
        $("h3", side).after(b);
      }
    }

    /* settled waits until nothing is under way, at most ten seconds. */
    const settled = () => new Promise((done) => {
      if (!sending && !unsent.some((l) => !l.refused)) return done();
      waiters.push(done);
      setTimeout(done, 10000);
    });

    /* The next case is fetched while this one is looked at, and painted when it is asked for. It is
       neither this one nor one whose label is on its way. */
    let coming = null;
    function ahead() {
      const at = $("[data-labelling]");
      const not = at ? unsent.filter((l) => l.queue === $("form[data-keys]").elements.queue.value).map((l) => "&not=" + encodeURIComponent(l.case)).join("") : "";
      coming = at ? fetch(at.dataset.ahead + not).then(async (r) => (r.ok ? { url: r.url, text: await r.text() } : null)).catch(() => null) : null;
    }
    async function next() {
      const form = $("form[data-keys]"), at = $("[data-labelling]");
      if (!form || !at || !form.ready()) return;
      const page = await coming;
      if (page && new URL(page.url).pathname.endsWith("/label")) {
        history.pushState(null, "", page.url);
        show(new DOMParser().parseFromString(page.text, "text/html"));
        scrollTo(0, 0);
        $("main").focus({ preventScroll: true });
        send();
        trouble();
        return;
      }
      await settled();
      location.href = at.dataset.next;
    }
    addEventListener("popstate", () => location.reload());
    addEventListener("beforeprint", () => { for (const d of $$("details")) d.open = true; });

    /* A case is kept for who has it before them. */
    setInterval(() => {
      const form = $("form[data-keys]"), at = $("[data-labelling]");
      if (!form || !at || document.hidden) return;
      const f = form.elements;
      fetch(at.dataset.renew, { method: "POST", body: new URLSearchParams({ queue: f.queue.value, case: f.case.value, as: f.as.value }) }).catch(() => {});
    }, 240000);

    dress();
    trouble();
    send();
  }
}
