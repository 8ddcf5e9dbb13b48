"""Random tokens and passwords, and their hashes, which are all that is stored."""

import base64
import hashlib
import hmac
import secrets

# scrypt at one of OWASP's equivalent settings: 16 MB and about 0.2 s per guess.
_LOG2_N, _R, _P = 14, 8, 5


def new_token() -> str:
    """Return at least 255 random bits as 43 characters, safe in an address and on a command line.

    None begins with "-", which a command line would read as an option.
    """
    while (token := secrets.token_urlsafe(32)).startswith("-"):
        pass
    return token


def digest(token: str) -> bytes:
    """Return the SHA-256 of a random token; 256 random bits do not need a slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def pkce_challenge(verifier: str) -> str:
    """Return the S256 code challenge of a verifier (RFC 7636, section 4.2)."""
    hashed = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode("ascii")


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=1 << _LOG2_N,
        r=_R,
        p=_P,
        maxmem=64 * 1024 * 1024,
    )


def hash_password(password: str) -> bytes:
    """Return salt and scrypt hash of a password, for storage."""
    salt = secrets.token_bytes(16)
    return salt + _scrypt(password, salt)


def check_password(password: str, stored: bytes | None) -> bool:
    """Return whether `password` has the stored hash; takes equally long if none is stored."""
    salt, hashed = (stored[:16], stored[16:]) if stored else (bytes(16), bytes(64))
    return hmac.compare_digest(_scrypt(password, salt), hashed) and stored is not None
