"""Runs badger from a volume: checks its SHA-256, copies it to the local disk and starts it.

The arguments behind -- are badger's. The secrets client_id and client_secret of the scope are what
badger signs in with; they are handed on in its environment and nowhere else.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile


def fetch(binary, sha256, folder):
    """Copies the program and returns where it is. Fails if it is another one than expected."""
    to, digest = os.path.join(folder, "badger"), hashlib.sha256()
    with open(binary, "rb") as source, open(to, "wb") as out:
        while block := source.read(1 << 20):
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != sha256:
        sys.exit(f"{binary} has the SHA-256 {digest.hexdigest()}, expected {sha256}")
    os.chmod(to, 0o700)
    return to


def secret(scope, key):
    from databricks.sdk.runtime import dbutils

    return dbutils.secrets.get(scope=scope, key=key)


def main(arguments):
    p = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("binary", "sha256", "host", "scope"):
        p.add_argument("--" + name, required=True)
    p.add_argument("command", nargs="+")
    a = p.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        program = fetch(a.binary, a.sha256, folder)
        # What the platform sets for its own use would confuse badger, which takes BADGER_… as its configuration.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BADGER_")}
        environment["DATABRICKS_HOST"] = a.host
        environment["DATABRICKS_CLIENT_ID"] = secret(a.scope, "client_id")
        environment["DATABRICKS_CLIENT_SECRET"] = secret(a.scope, "client_secret")
        environment.pop("DATABRICKS_TOKEN", None)
        return subprocess.run([program, *a.command], env=environment, cwd=folder).returncode


if __name__ == "__main__":
    # Databricks takes any SystemExit, also of 0, for a failure.
    if code := main(sys.argv[1:]):
        sys.exit(f"badger ended with exit code {code}")
