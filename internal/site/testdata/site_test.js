"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { ACTIONS, keyMap, actionOf, wait, queued, outcome } = require("../assets/site.js");

const press = (key, more = {}) => ({ key, ...more });

test("keys", () => {
  const map = keyMap();
  assert.equal(map.size, ACTIONS.length, "two actions have one key");
  for (const [key, want] of [["1", "option1"], ["3", "option3"], ["s", "skip"], ["n", "note"], ["Enter", "save"], ["j", "next"], ["k", "previous"], ["ArrowRight", "next"], ["ArrowLeft", "previous"],
    ["u", "undo"], ["d", "differences"], ["g", "gold"], ["a", "agent"], ["l", "list"], ["?", "sheet"], ["x", ""], ["Tab", ""], ["F5", ""]]) {
    assert.equal(actionOf(press(key), map, false), want, key);
  }
  // Off in fields, with the browser's keys, and while characters are composed.
  for (const key of ["1", "s", "Enter", "ArrowRight", "?"]) assert.equal(actionOf(press(key), map, true), "", key);
  assert.equal(actionOf(press("Enter", { ctrlKey: true }), map, true), "save");
  assert.equal(actionOf(press("Enter", { metaKey: true }), map, false), "save");
  for (const with_ of ["ctrlKey", "metaKey", "altKey", "isComposing"]) assert.equal(actionOf(press("a", { [with_]: true }), map, false), "", with_);
  assert.equal(actionOf(press("ArrowRight", { shiftKey: true }), map, false), "");
});

test("keys of one's own", () => {
  const map = keyMap({ skip: "x", note: "", next: "1", nonsense: "q", undo: 7 });
  assert.equal(map.get("x"), "skip");
  assert.equal(map.get("s"), undefined);
  assert.equal(map.get("n"), undefined, "switched off");
  assert.equal(map.get("1"), "next", "the user's key wins");
  assert.equal(map.get("u"), "undo", "what is no text is not theirs");
  assert.equal(map.get("q"), undefined);
});

test("waiting grows and ends growing", () => {
  assert.equal(wait(0, 0), 1000);
  assert.equal(wait(3, 0), 8000);
  assert.equal(wait(3, 1), 10000);
  assert.equal(wait(100, 0), 60000);
  for (let i = 1; i < 20; i++) assert.ok(wait(i, 0) >= wait(i - 1, 0));
});

test("labels that wait", () => {
  const a = { id: "1", queue: "q", case: "c", as: "kim" };
  const changed = { ...a, id: "2" };
  assert.deepEqual(queued([a], changed, ""), [changed], "the same change of mind");
  assert.deepEqual(queued([a], changed, "1"), [a, changed], "one that is on its way stays");
  assert.deepEqual(queued([{ ...a, refused: "no" }], changed, ""), [{ ...a, refused: "no" }, changed], "one that was refused stays");
  for (const other of [{ ...changed, case: "d" }, { ...changed, as: "lee" }, { ...changed, queue: "" }, { ...changed, version: "2" }, { ...changed, decides: "1" }]) {
    assert.deepEqual(queued([a], other, ""), [a, other]);
  }
});

test("what a reply means", () => {
  assert.equal(outcome(200, { id: "1" }).is, "saved");
  assert.deepEqual(outcome(409, { error: "no" }), { is: "refused", why: "no" });
  assert.equal(outcome(503, { error: "later", again: true }).is, "again");
  assert.equal(outcome(500, { error: "broken" }).is, "again");
  assert.equal(outcome(502, null).is, "again", "a proxy's page");
  assert.equal(outcome(200, null).is, "again", "a sign-in page is no acknowledgement");
  assert.deepEqual(outcome(401, { error: "open the link", again: true }), { is: "again", why: "open the link" }, "a server that was started again");
  assert.match(outcome(401, { error: { code: 16 } }).why, /signed out/);
  assert.deepEqual(outcome(403, { error: "the caller lacks the role label" }), { is: "refused", why: "the caller lacks the role label" });
  for (const status of [400, 401, 403, 404, 413]) assert.equal(outcome(status, null).is, "refused", `${status} is not sent for ever`);
  for (const status of [408, 429, 500, 503]) assert.equal(outcome(status, null).is, "again", status);
});
