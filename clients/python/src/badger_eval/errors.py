"""The exception of every failed call."""

from __future__ import annotations


class BadgerError(Exception):
    """A call that failed as a whole, with badger's code and message.

    Codes have gRPC's names: invalid_argument, not_found, permission_denied, unauthenticated, resource_exhausted,
    unavailable, deadline_exceeded, failed_precondition, unimplemented, data_loss, internal, cancelled, unknown.
    A row that cannot be scored is no error: it is null, and NAME_json has its reason.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[BadgerError], tuple[str, str]]:
        return type(self), (self.code, self.message)
