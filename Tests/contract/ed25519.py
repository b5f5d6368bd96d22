"""Ed25519 signatures (RFC 8032 §5.1), slow and not in constant time: for the keys of simulated devices only."""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def _add(first, second):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = first, second
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _base():
    y = 4 * pow(5, -1, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    x = P - x if x & 1 else x
    return x, y, 1, x * y % P


def _bytes(point):
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return ((y * inverse % P) | ((x * inverse % P & 1) << 255)).to_bytes(32, "little")


def _number(*pieces):
    return int.from_bytes(hashlib.sha512(b"".join(pieces)).digest(), "little")


def _expand(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def public_key(seed):
    return _bytes(_times(_expand(seed)[0], _base()))


def sign(seed, message):
    scalar, prefix = _expand(seed)
    nonce = _number(prefix, message) % L
    point = _bytes(_times(nonce, _base()))
    return point + ((nonce + _number(point, public_key(seed), message) * scalar) % L).to_bytes(32, "little")
