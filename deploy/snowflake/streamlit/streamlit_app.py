"""The scores of badger in Snowflake: overview, changes, a case, failures, trend, and runs.

The app reads badger's tables and views in the schema badger of its database, and starts runs with the procedure
badger.evaluate. It computes nothing that a view has: shares come from badger.coverage. The test of a change is
McNemar's exact test on the questions of both batches.
"""

import math

import streamlit as st

# Reasons of scores that count as a missing answer, as in the view badger.coverage.
NO_ANSWER = (
    "no SQL of the agent given",
    "no result of the agent given",
    "no query and no result of the agent given",
    "the agent gave no answer",
)
PRIMARY = "hybrid_ex"
MAX_ROWS = 500


def rows(sql, *params):
    """Returns the rows of a query as dictionaries with lower-case names."""
    frame = st.connection("snowflake").query(sql, params=list(params) or None, ttl=0, show_spinner=False)
    frame.columns = [str(c).lower() for c in frame.columns]
    frame = frame.astype(object).where(frame.notna(), None)
    return frame.to_dict("records")


def percent(share):
    return "–" if share is None else f"{round(100 * share)} %"


def batch_name(b):
    return " · ".join(filter(None, [b["agent_version"] or "no version", b["batch_id"] or "no batch"]))


def batches(metric):
    """Returns the batches with scores of a metric, the oldest first, with the time of their first answer."""
    return rows(
        """SELECT c.agent_name, c.agent_version, c.batch_id, c.asked, c.scored, c.abstained, c.not_applicable, c.failed,
       c.unanswered, c.passed, c.rate_of_all, COALESCE(a.ran_at, r.run_date) AS at, r.run_status
FROM badger.coverage c
LEFT JOIN badger.latest_run r
  ON r.agent_name = c.agent_name AND r.agent_version = c.agent_version AND r.batch_id = c.batch_id
LEFT JOIN (SELECT agent_name, agent_version, batch_id, MIN(ran_at) AS ran_at FROM badger.agent_runs
           GROUP BY agent_name, agent_version, batch_id) a
  ON a.agent_name = c.agent_name AND a.agent_version = c.agent_version AND a.batch_id = c.batch_id
WHERE c.metric = %s
ORDER BY c.agent_name, COALESCE(a.ran_at, r.run_date), c.agent_version, c.batch_id""",
        metric,
    )


def baseline_of(all_batches, now):
    """Returns the baseline of a batch and its kind: the last accepted batch before it, or the first of its version, or
    the first of the version before. It returns (None, "") if there is no earlier batch."""
    before = []
    for b in all_batches:
        if b is now:
            break
        before.append(b)
    latest = {}
    for a in rows(
        """SELECT agent_version, batch_id, withdrawn FROM badger.accepted WHERE agent_name = %s ORDER BY accepted_at""",
        now["agent_name"],
    ):
        latest[(a["agent_version"], a["batch_id"])] = not a["withdrawn"]
    for b in reversed(before):
        if latest.get((b["agent_version"], b["batch_id"])):
            return b, "the last accepted batch"
    same = [b for b in before if b["agent_version"] == now["agent_version"]]
    if same:
        return same[0], "the first batch of this version; no batch is accepted"
    if before:
        version = before[-1]["agent_version"]
        first = next(b for b in before if b["agent_version"] == version)
        return first, "the first batch of the version before; no batch is accepted"
    return None, ""


def outcomes(batch, metric):
    """Returns whether the answer to each question that the metric applies to passed. A missing answer did not."""
    out = {}
    for s in rows(
        """SELECT case_id, status, passed, reason FROM badger.latest_scores
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND metric = %s""",
        batch["agent_name"], batch["agent_version"], batch["batch_id"], metric,
    ):
        if s["status"] != "not_applicable" or s["reason"] in NO_ANSWER:
            out[s["case_id"]] = bool(s["passed"])
    return out


def changes(now, before):
    """Returns the questions of both batches by what became of them."""
    out = {"broke": [], "fixed": [], "still wrong": [], "still right": []}
    for case in sorted(now.keys() & before.keys()):
        kind = {(True, False): "broke", (False, True): "fixed", (False, False): "still wrong"}.get((before[case], now[case]))
        out[kind or "still right"].append(case)
    return out


def mcnemar(broke, fixed):
    """Returns the p-value of the exact test that as many answers broke as were fixed, by chance."""
    n = broke + fixed
    tail = sum(math.comb(n, k) for k in range(min(broke, fixed) + 1))
    return min(1.0, 2 * tail / 2**n)


def headline(now, before, p):
    """Returns the sentence that the overview begins with, and the one after it."""
    applies = now["asked"] - now["not_applicable"]
    rate = now["rate_of_all"]
    if rate is None:
        return "No answer has a verdict.", ""
    text = f"{percent(rate)} of the answers are right"
    counts = f"{now['passed']} of {applies} questions that expect a result."
    if now["unanswered"]:
        counts += f" {now['unanswered']} have no answer, and count as wrong."
    if before is None or before["rate_of_all"] is None:
        return text + ".", counts
    was = before["rate_of_all"]
    if p >= 0.05:
        return f"{text}; {percent(was)} before.", counts + " The change could be chance."
    word = "down" if rate < was else "up"
    return f"{text}, {word} from {percent(was)}.", counts + f" The {'drop' if rate < was else 'rise'} is more than chance."


def overview(all_batches, now, metric):
    before, kind = baseline_of(all_batches, now)
    moved, p = None, 1.0
    if before:
        moved = changes(outcomes(now, metric), outcomes(before, metric))
        p = mcnemar(len(moved["broke"]), len(moved["fixed"]))
    title, text = headline(now, before, p)
    st.header(title)
    st.write(text)
    if now["run_status"] not in ("done", None):
        st.warning(f"The run of this batch is {now['run_status']}: more scores may follow.")
    if before:
        st.caption(f"Baseline: {batch_name(before)}, {kind}.")
        for column, (name, cases) in zip(st.columns(4), moved.items()):
            column.metric(name, len(cases))
    else:
        st.info("There is no earlier batch to compare with.")
    st.subheader("By difficulty")
    st.dataframe(
        rows(
            """SELECT tier, answers, passed, pass_rate FROM badger.trend
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND metric = %s AND judged > 0 ORDER BY tier""",
            now["agent_name"], now["agent_version"], now["batch_id"], metric,
        ),
        hide_index=True,
    )
    st.subheader("Measures")
    st.dataframe(
        rows(
            """SELECT metric, asked, scored, passed, pass_rate, rate_of_all, failed, unanswered FROM badger.coverage
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s ORDER BY metric""",
            now["agent_name"], now["agent_version"], now["batch_id"],
        ),
        hide_index=True,
    )


def changed(all_batches, now, metric):
    before, kind = baseline_of(all_batches, now)
    if before is None:
        st.info("There is no earlier batch to compare with.")
        return
    moved = changes(outcomes(now, metric), outcomes(before, metric))
    st.header(f"{len(moved['broke'])} broke and {len(moved['fixed'])} were fixed.")
    st.caption(f"Against {batch_name(before)}, {kind}.")
    for name in ("broke", "fixed", "still wrong"):
        st.subheader(f"{name.capitalize()} ({len(moved[name])})")
        if not moved[name]:
            st.write("None.")
            continue
        reasons = {
            s["case_id"]: s["reason"]
            for s in rows(
                """SELECT case_id, reason FROM badger.latest_scores
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND metric = %s""",
                now["agent_name"], now["agent_version"], now["batch_id"], metric,
            )
        }
        st.dataframe([{"case": c, "reason": reasons.get(c)} for c in moved[name][:MAX_ROWS]], hide_index=True)


def one_case(now):
    of = (now["agent_name"], now["agent_version"], now["batch_id"])
    ids = [
        r["case_id"]
        for r in rows(
            """SELECT DISTINCT case_id FROM badger.latest_scores
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s ORDER BY case_id""",
            *of,
        )
    ]
    case = st.selectbox("Case", ids, key="case")
    if case is None:
        return
    for g in rows("SELECT question, gold_sql FROM badger.golden_set WHERE case_id = %s ORDER BY set_version DESC LIMIT 1", case):
        st.subheader("Question")
        st.text(g["question"] or "–")
        left, right = st.columns(2)
        left.caption("Gold query")
        left.code(g["gold_sql"] or "–", language="sql")
        for a in rows(
            """SELECT sql, sql_error, response FROM badger.agent_runs
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND case_id = %s""",
            *of, case,
        ):
            right.caption("Query of the agent")
            right.code(a["sql"] or "–", language="sql")
            for key, text in (("sql_error", "The query failed"), ("response", "Response")):
                if a[key]:
                    st.caption(text)
                    st.text(a[key])
    st.subheader("Scores")
    st.dataframe(
        rows(
            """SELECT metric, status, value, passed, label, reason FROM badger.latest_scores
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND case_id = %s ORDER BY metric""",
            *of, case,
        ),
        hide_index=True,
    )


def failures(now):
    of = (now["agent_name"], now["agent_version"], now["batch_id"])
    wrong = rows(
        """SELECT r.label, COUNT(*) AS answers, MIN(r.case_id) AS example FROM badger.latest_scores r
JOIN badger.latest_scores s ON s.agent_name = r.agent_name AND s.agent_version = r.agent_version
 AND s.batch_id = r.batch_id AND s.case_id = r.case_id AND s.metric = %s
WHERE r.agent_name = %s AND r.agent_version = %s AND r.batch_id = %s AND r.metric = 'relation'
  AND s.passed = FALSE AND r.label IS NOT NULL
GROUP BY r.label ORDER BY COUNT(*) DESC, r.label""",
        PRIMARY, *of,
    )
    st.header(f"{sum(w['answers'] for w in wrong)} wrong answers have a reason.")
    st.caption("Only wrong answers, each once, by the relation between its result and gold's.")
    st.dataframe([{"reason": w["label"].replace("_", " "), "answers": w["answers"], "example": w["example"]} for w in wrong], hide_index=True)
    st.subheader("Scores that failed")
    st.dataframe(
        rows(
            """SELECT metric, code, reason, answers, example FROM badger.failures_by_reason
WHERE agent_name = %s AND agent_version = %s AND batch_id = %s AND status = 'failed' ORDER BY answers DESC, metric, reason""",
            *of,
        ),
        hide_index=True,
    )


def trend(all_batches, metric):
    if not all_batches:
        return
    rates = [b["rate_of_all"] for b in all_batches if b["rate_of_all"] is not None]
    st.header(f"{len(all_batches)} batches, the latest {percent(rates[-1] if rates else None)} right.")
    st.caption(f"Right answers in percent by {metric}, by the date of the first answer.")
    st.line_chart(
        {
            "at": [b["at"] for b in all_batches],
            "right": [None if b["rate_of_all"] is None else 100 * b["rate_of_all"] for b in all_batches],
        },
        x="at", y="right",
    )
    st.dataframe([{k: b[k] for k in ("at", "agent_version", "batch_id", "passed", "asked", "unanswered", "rate_of_all")} for b in all_batches], hide_index=True)


def runs():
    waiting = rows(
        """SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers,
       COUNT(CASE WHEN s.case_id IS NULL THEN 1 END) AS without_scores
FROM badger.agent_runs a LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id, case_id FROM badger.latest_scores) s
  ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
GROUP BY a.agent_name, a.agent_version, a.batch_id ORDER BY a.agent_name, a.agent_version, a.batch_id"""
    )
    left = sum(w["without_scores"] for w in waiting)
    st.header(f"{left} answers have no score yet.")
    st.dataframe(waiting, hide_index=True)
    with st.form("evaluate"):
        batch = st.selectbox("Batch", ["the latest of each agent"] + sorted({w["batch_id"] for w in waiting if w["batch_id"]}), key="run_batch")
        metrics = st.text_input("Metrics, separated by commas", key="run_metrics", placeholder="those of the schedule")
        st.caption("The procedure badger.evaluate scores what has no score. A call that is interrupted is continued by the next one.")
        start = st.form_submit_button("Start the run")
    if start:
        names = [m.strip() for m in metrics.split(",") if m.strip()]
        if any(not m.replace("_", "").isalnum() for m in names):
            st.error("Metrics: expected names such as hybrid_ex, separated by commas.")
            return
        chosen = None if batch == "the latest of each agent" else batch
        try:
            with st.spinner("The run is at work. Its scores are stored as they are computed."):
                with st.connection("snowflake").cursor() as cursor:
                    cursor.execute("CALL badger.evaluate(%s, %s)", (chosen, ",".join(names) or None))
            st.success("The run has ended.")
        except Exception as e:  # the procedure fails if it skipped anything
            st.error(f"The run failed or skipped answers: {e}")
    st.subheader("Latest runs")
    st.dataframe(
        rows(
            f"""SELECT eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status, judge
FROM badger.eval_runs ORDER BY eval_run_date DESC, eval_run_id LIMIT {MAX_ROWS}"""
        ),
        hide_index=True,
    )


def main():
    st.set_page_config(page_title="badger", layout="wide")
    names = [r["metric"] for r in rows("SELECT DISTINCT metric FROM badger.coverage WHERE rate_of_all IS NOT NULL ORDER BY metric")]
    if not names:
        st.header("There are no scores yet.")
        runs()
        return
    with st.sidebar:
        metric = st.selectbox("Metric", names, index=names.index(PRIMARY) if PRIMARY in names else 0, key="metric")
        found = batches(metric)
        agent = st.selectbox("Agent", sorted({b["agent_name"] for b in found}), key="agent")
        of_agent = [b for b in found if b["agent_name"] == agent]
        named = {}
        for b in of_agent:
            name = batch_name(b)
            named[f"{name} ({len(named) + 1})" if name in named else name] = b
        now = named[st.selectbox("Batch", list(named)[::-1], key="batch")]
    tabs = st.tabs(["Overview", "Changes", "Case", "Failures", "Trend", "Runs"])
    with tabs[0]:
        overview(of_agent, now, metric)
    with tabs[1]:
        changed(of_agent, now, metric)
    with tabs[2]:
        one_case(now)
    with tabs[3]:
        failures(now)
    with tabs[4]:
        trend(of_agent, metric)
    with tabs[5]:
        runs()


main()
