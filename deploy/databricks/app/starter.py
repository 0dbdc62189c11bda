"""Starts badger in Databricks Apps, whose files may have 10 MB at most.

The binary is in a volume of Unity Catalog. This program fetches it with the app's own identity, checks its SHA-256, and
becomes it; its own arguments are those of badger. It needs Python 3.9 and nothing else.

    STARTER_BINARY   path in the volume: /Volumes/CATALOG/SCHEMA/VOLUME/badger-linux-amd64-v1.2.3
    STARTER_SHA256   64 hexadecimal digits, from the release's file SHA256SUMS
    STARTER_FOLDER   where the binary is kept (a folder of its own below that for temporary files)

The platform sets DATABRICKS_HOST, DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET. The app's service principal needs
READ VOLUME on the volume, USE SCHEMA and USE CATALOG.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 4  # of the token and of the download
TIMEOUT = 60  # seconds without a byte


class Failure(Exception):
    """What is wrong, in words for the app's log."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another host."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        return None


# Proxies of the environment are not used: nothing but the workspace is contacted.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)


def setting(name, pattern, expected):
    value = os.environ.get(name, "")
    if not re.fullmatch(pattern, value):
        raise Failure(f"{name} is {'not set' if not value else 'wrong'}, expected {expected}")
    return value


def workspace():
    host = os.environ.get("DATABRICKS_HOST", "").rstrip("/")
    if "://" not in host:
        host = "https://" + host
    parts = urllib.parse.urlsplit(host)
    if not parts.hostname or parts.path or not (parts.scheme == "https" or parts.scheme == "http" and parts.hostname == "127.0.0.1"):
        raise Failure("DATABRICKS_HOST is not set or wrong, expected the workspace's host")
    return host


def attempts(what, act):
    """Returns what act returns. It tries again where another attempt may help."""
    for n in range(ATTEMPTS):
        try:
            return act()
        except urllib.error.HTTPError as e:
            e.close()
            if e.code < 500 and e.code != 429:
                raise Failure(f"{what}: the workspace answers {e.code}") from None
            why = f"the workspace answers {e.code}"
        except (OSError, http.client.HTTPException) as e:  # URLError among them, and connections that end too early
            why = str(getattr(e, "reason", "") or e) or type(e).__name__
        if n + 1 < ATTEMPTS:
            time.sleep(2**n / 2)
    raise Failure(f"{what}: {why}")


def sign_in(host):
    client = setting("DATABRICKS_CLIENT_ID", r"[^:\s]+", "the app's client id")
    secret = setting("DATABRICKS_CLIENT_SECRET", r"\S+", "the app's secret")
    request = urllib.request.Request(
        host + "/oidc/v1/token",
        data=b"grant_type=client_credentials&scope=all-apis",
        headers={"Authorization": "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()},
    )

    def ask():
        with opener.open(request, timeout=TIMEOUT) as reply:
            return reply.read(1 << 20)

    try:
        token = json.loads(attempts("signing in", ask))["access_token"]
    except (ValueError, KeyError, TypeError):
        raise Failure("signing in: the reply holds no access_token") from None
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise Failure("signing in: the reply holds no access_token")
    return token


def sha256(file):
    digest = hashlib.sha256()
    with open(file, "rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fetch(host, token, path, want, folder):
    """Writes the file to the folder under its hash. A file that is there under that name is whole."""
    request = urllib.request.Request(host + "/api/2.0/fs/files" + urllib.parse.quote(path), headers={"Authorization": "Bearer " + token})
    kept = os.path.join(folder, "badger-" + want)

    def download():
        digest = hashlib.sha256()
        with opener.open(request, timeout=TIMEOUT) as reply, tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
            try:
                size, length = 0, reply.headers.get("Content-Length")
                while block := reply.read(1 << 20):
                    digest.update(block)
                    part.write(block)
                    size += len(block)
                if length is not None and size != int(length):
                    raise OSError(f"the download ended after {size} of {length} bytes")
                part.flush()
                if not hmac.compare_digest(digest.hexdigest(), want):
                    raise Failure(f"{path} has the SHA-256 {digest.hexdigest()}, expected {want}: it is not run")
                os.fchmod(part.fileno(), 0o500)
                os.rename(part.name, kept)
            except BaseException:
                os.unlink(part.name)
                raise

    attempts("fetching " + path, download)
    return kept


def main():
    path = setting("STARTER_BINARY", r"/Volumes/[^/]+/[^/]+/.*[^/]", "a path such as /Volumes/CATALOG/SCHEMA/VOLUME/badger")
    want = setting("STARTER_SHA256", r"[0-9a-fA-F]{64}", "64 hexadecimal digits").lower()
    if "/../" in path or "/./" in path:
        raise Failure("STARTER_BINARY is wrong, expected a path without . and ..")
    host = workspace()
    folder = os.environ.get("STARTER_FOLDER") or os.path.join(tempfile.gettempdir(), f"badger-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if (info := os.stat(folder)).st_uid != os.getuid() or info.st_mode & 0o022:
        raise Failure(f"{folder} can be written by others, expected a folder of this user alone")
    kept = os.path.join(folder, "badger-" + want)
    if not os.path.isfile(kept) or sha256(kept) != want:
        kept = fetch(host, sign_in(host), path, want, folder)
    # What follows needs no setting of this program.
    for name in ("STARTER_BINARY", "STARTER_SHA256", "STARTER_FOLDER"):
        os.environ.pop(name, None)
    os.execv(kept, ["badger"] + sys.argv[1:])


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"starter: {failure}")
