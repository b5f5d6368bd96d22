"""The documented statuses and codes that no test produced, and those of them that cannot be produced from outside."""

import checker

RACE = ({"a race"}, "another request has to complete the upload while the last bytes of this one are being stored")
# {status, or path and status, or these and a code: (all conditions for it, why it cannot be produced without them)}
EXCUSES = {
    500: ({"a defect"}, "an INTERNAL_ERROR is a defect: nobody knows how to ask for one"),
    ("/media/{id}/{name}", 302): ({"limits"}, "RIAL_CONTRACT_LIMITS is not set: no gateway whose store is public"),
    409: ({"database"}, "RIAL_DATABASE_URL or psql is missing: no challenge can be given back"),
    ("/api/v1/uploads/{token}", 413): (
        {"a large video"}, "only at its end a video of more than 100 MB is too large: the tests of the whole system send one"),
    ("/api/v1/captures", 400, "UPLOAD_COMPLETED"): RACE,
    ("/api/v1/captures/video", 400, "UPLOAD_COMPLETED"): RACE,
    410: ({"link key"}, "RIAL_LINK_KEY is not known: no link can be made that has expired"),
    429: ({"limits"}, "RIAL_CONTRACT_LIMITS is not set: the limits are far away"),
    ("/api/v1/captures/{id}/events", 429): (
        {"limits", "faults"}, "RIAL_CONTRACT_LIMITS or RIAL_CONTRACT_FAULTS is not set: no stream stays open"),
    ("/media/{id}/{name}", 429): (
        {"slow readers"}, "an address has sixteen readers that take their time: the tests of the whole system have them"),
    ("/log/{shard}/checkpoint", 429): (
        {"slow readers"}, "downloads are counted together with those of media, and a file of the log is sent at once"),
    ("/log/{shard}/tile/{path}", 429): (
        {"slow readers"}, "downloads are counted together with those of media, and a file of the log is sent at once"),
    ("/log/policy", 404): ({"no policy"}, "the stack has a policy: only a gateway without one has none to serve"),
    503: ({"faults"}, "RIAL_CONTRACT_FAULTS is not set: everything the gateway needs is there"),
}


def missing(document, log, able):
    """([missing statuses and codes], [those that could not be produced, with the reason]). `able`: the available conditions of EXCUSES"""
    produced = set()
    for exchange in log:
        path, method, _ = checker.operation_of(document, exchange)
        # HEAD is GET without a body, unless the file documents it.
        if method is not None and (method != "HEAD" or "head" in document.paths[path]):
            produced.add((path, method, exchange.status, None))
            produced.add((path, method, exchange.status, exchange.code))
    wanting, excused = [], []
    for path, method in document.operations():
        for status, response in document.responses(path, method).items():
            for code in sorted(document.codes(response)) or [None]:
                if (path, method, status, code) in produced:
                    continue
                needs, reason = (
                    EXCUSES.get((path, status, code)) or EXCUSES.get((path, status)) or EXCUSES.get(status, (set(), "")))
                name = f"{method} {path} {status} {code or ''}".strip()
                if needs <= able:
                    wanting.append(name)
                else:
                    excused.append(f"{name}: {reason}")
    return wanting, excused
