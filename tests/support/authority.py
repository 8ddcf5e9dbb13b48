"""A small OAuth service as a script for `faulty.server`: it issues, counts and rotates tokens."""

import threading
import time
from dataclasses import dataclass, field

from support import faulty

CLIENT_ID = "client-of-tests"
CLIENT_SECRET = "s3cret-of-the-tests"
REDIRECT_URI = "http://127.0.0.1:9/callback"
CODE = "grant-code-of-tests"
DATA = "/v2/users/me/official/computed_data"


@dataclass
class Authority:
    """Answers the two OAuth endpoints of the contract, and data to whoever holds a live token.

    `rotate` gives a new refresh token each time and refuses the old one; `delay` makes a refresh
    slow enough for others to come meanwhile; `whole_grant` ends the access tokens of a
    refresh token that is revoked.
    """

    rotate: bool = False
    delay: float = 0.0
    expires_in: object = 2_592_000
    with_refresh_token: bool = True
    whole_grant: bool = True
    live: set[str] = field(default_factory=set)
    refresh_token: str = "refresh-token-0"
    issued: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: faulty.Request) -> faulty.Answer:
        if request.path == "/v1/oauth/token":
            return self._token(request)
        if request.path == "/v1/oauth/revoke":
            if request.bearer not in self.live:
                return faulty.error(401, "invalid_token", "not live")
            token = request.form["token"]
            if token == self.refresh_token:
                self.refresh_token = "none: revoked"
                self.live = set() if self.whole_grant else self.live
            self.live.discard(token)
            return faulty.answer({})
        if request.bearer not in self.live:
            return faulty.error(401, "invalid_token", f"the token {request.bearer} has ended")
        return faulty.answer({"computed_data": {}, "cursor": None})

    def _token(self, request: faulty.Request) -> faulty.Answer:
        form = request.form
        time.sleep(self.delay)
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return faulty.error(401, "invalid_client", "unknown application")
        with self.guard:
            known = {"refresh_token": self.refresh_token, "authorization_code": CODE}
            given = form.get("refresh_token") or form.get("code")
            if given != known.get(form["grant_type"]):
                return faulty.error(400, "invalid_grant", f"{given} is not known")
            self.issued += 1
            self.live = {f"access-token-{self.issued}"}
            if self.rotate:
                self.refresh_token = f"refresh-token-{self.issued}"
            token = {
                "access_token": f"access-token-{self.issued}",
                "token_type": "bearer",
                "expires_in": self.expires_in,
                "scope": "all",
            }
            if self.with_refresh_token:
                token["refresh_token"] = self.refresh_token
            return faulty.answer(token, headers={"Cache-Control": "no-store"})
