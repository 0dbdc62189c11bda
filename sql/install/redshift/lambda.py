# Passes the batches of Redshift's external functions on to badger serve. Handler: lambda.handler; environment: BADGER_ENDPOINT, BADGER_TOKEN.
import json, os, ssl, urllib.error, urllib.request

CA = ""  # certificates in PEM of the authorities of the server; "": those of the system
BYTES = 8 << 20  # of a request at most; the server takes 10 MiB
PAYLOAD = 6 * 1024 * 1024 - 1024  # bytes that Lambda passes on

class Refused(Exception):
    pass

def failed(message, *args):
    return json.dumps({"success": False, "error_msg": message % args})

def too_large(name, row, fault):
    # The result of a row that is too large: that row's failure where the result has a place for it, and else NULL.
    if name in ("score_row", "score_case"):
        metrics = (row[1] if len(row) > 1 else None) or ""
        return json.dumps([dict(metric=m.strip(), status="failed", code=fault["code"], reason=fault["reason"]) for m in metrics.split(",")])
    return json.dumps(fault) if name.endswith("_json") else None

def call(name, rows):
    request = urllib.request.Request(os.environ["BADGER_ENDPOINT"].rstrip("/") + "/v1/functions/" + name,
        ('{"rows":[' + ",".join(rows) + "]}").encode(), {"Content-Type": "application/json"})
    if os.environ.get("BADGER_TOKEN"):
        request.add_header("Authorization", "Bearer " + os.environ["BADGER_TOKEN"])
    tls = ssl.create_default_context(cadata=CA) if CA else None
    try:
        with urllib.request.urlopen(request, timeout=870, context=tls) as reply:
            text = reply.read().decode()
    except urllib.error.HTTPError as e:
        if e.code in (429, 503):
            raise  # Redshift calls again where Lambda fails
        text = e.read(3000).decode(errors="replace")
        if e.code == 400 and '"code":"resource_exhausted"' in text:
            if len(rows) > 1:  # too large together
                half = len(rows) // 2
                return call(name, rows[:half]) + call(name, rows[half:])
            return [too_large(name, json.loads(rows[0]), json.loads(text))]
        raise Refused("badger serve answered with HTTP status %d: %s" % (e.code, text[:300])) from None
    # A JSON result becomes the text that the server wrote, digit for digit.
    results, at, decode = [], text.index("[") + 1, json.JSONDecoder().raw_decode
    for _ in rows:
        value, end = decode(text, at)
        results.append(text[at:end] if isinstance(value, (dict, list)) else value)
        at = end + 1
    return results

def parts(rows):
    part, size = [], 0
    for row in rows:
        if part and size + len(row) > BYTES:
            yield part
            part, size = [], 0
        part.append(row)
        size += len(row) + 1
    if part:
        yield part

def handler(event, context):
    arguments = event["arguments"]
    if event["num_records"] != len(arguments):
        return failed("num_records is %s, but there are arguments for %d rows", event["num_records"], len(arguments))
    name = event["external_function"].rsplit(".", 1)[-1].strip('"').lower()
    arguments = [{} if row is None else row for row in arguments]
    results = []
    try:
        for part in parts([json.dumps(row) for row in arguments]):
            results += call(name, part)
    except Refused as e:
        return failed("%s", e)
    sizes = [len(json.dumps(json.dumps(r))) + 2 for r in results]
    fault = {"status": "failed", "value": None, "code": "resource_exhausted", "reason": "the results of this batch are longer than the 6 MB of a Lambda function"}
    for i in sorted(range(len(results)), key=lambda i: -sizes[i]):
        if sum(sizes) <= PAYLOAD - 200:
            break
        results[i] = too_large(name, arguments[i], fault)
        sizes[i] = len(json.dumps(json.dumps(results[i]))) + 2
    return json.dumps({"success": True, "num_records": len(results), "results": results})
