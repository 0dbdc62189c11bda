# Passes the batches of Redshift's external functions on to badger serve. Handler: lambda.handler; environment: BADGER_ENDPOINT, BADGER_TOKEN.
import json, os, urllib.error, urllib.request

PAYLOAD = 6 * 1024 * 1024 - 1024  # bytes that Lambda passes on

def failed(message, *args):
    return json.dumps({"success": False, "error_msg": message % args})

def handler(event, context):
    if event["num_records"] != len(event["arguments"]):
        return failed("num_records is %s, but there are arguments for %d rows", event["num_records"], len(event["arguments"]))
    name = event["external_function"].rsplit(".", 1)[-1].strip('"').lower()
    request = urllib.request.Request(os.environ["BADGER_ENDPOINT"].rstrip("/") + "/v1/functions/" + name,
        json.dumps({"rows": [{} if row is None else row for row in event["arguments"]]}).encode(), {"Content-Type": "application/json"})
    if os.environ.get("BADGER_TOKEN"):
        request.add_header("Authorization", "Bearer " + os.environ["BADGER_TOKEN"])
    try:
        with urllib.request.urlopen(request, timeout=870) as reply:
            text = reply.read().decode()
    except urllib.error.HTTPError as e:
        if e.code in (429, 503):
            raise  # Redshift calls again where Lambda fails
        return failed("badger serve answered with HTTP status %d: %s", e.code, e.read(300).decode(errors="replace"))
    # A JSON result becomes the text that the server wrote, digit for digit.
    results, at, decode = [], text.index("[") + 1, json.JSONDecoder().raw_decode
    for _ in event["arguments"]:
        value, end = decode(text, at)
        results.append(text[at:end] if isinstance(value, (dict, list)) else value)
        at = end + 1
    reply = json.dumps({"success": True, "num_records": len(results), "results": results})
    if len(json.dumps(reply)) > PAYLOAD:
        return failed("the results of %d rows are longer than the 6 MB of a Lambda function; lower MAX_BATCH_ROWS", len(results))
    return reply
