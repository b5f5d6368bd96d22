"""The output of a measurement: tables, and each target (of the specification, §13, and of the device library) with the measured value."""

from stack import SERVICES

# Targets in milliseconds, p50 and p99: for a page as its reader sees it, and from accepted to complete.
PAGE = (5, 20)
COMPLETE = {2: (120, 300), 4: (130, 350), 6: (250, 1000)}
FLOOD = 6
# From complete to a published tree of the public log, at so many captures a second, and the log's CPU time beside that of the five services.
LOGGED, LOGGED_RATE, LOG_RATIO = (1500, 5000), 2, 0.1
SERVICES_RATIO, STACK_RATIO = 1.5, 3
# Components in relation to the bare cost of their parts, by the beginnings of their lines.
CHECK_RATIOS = {"assertion check": 1.2, "Content Credentials, sign and read": 1.2, "sealing": 2}
# Of a large log: entries that one round takes, and milliseconds for a bundle, p99.
ROUND, PROOF = 4096, 50
# Milliseconds of one core in which a device makes a capture of a frame.
FRAME = 50
# The same in privacy mode, where the device measures the depth map too.
PRIVATE_FRAME = 500
FILLED_RATIO = 1.1
# The intake of a resumable upload through one request, in relation to a plain one.
RESUMABLE_RATIO = 2


# Of a video of 15 s at 1080p: seconds of CPU of the five services, and milliseconds from accepted to complete, p50 (SPEC §10.12).
VIDEO_CPU = {"h264": 6, "hevc": 12}
VIDEO_COMPLETE = {"h264": 10_000, "hevc": 20_000}
# Milliseconds of one core for the chain of a video of 100 MB.
CHAIN = 300


def say(text):
    print(f"\033[1m== {text}\033[0m", flush=True)


def number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}"


def table(rows):
    """Prints rows of texts; the first column left-aligned, the others right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]).rstrip())


def percentiles(found):
    return "–" if not found else f"p50 {found['p50']:.1f}  p99 {found['p99']:.1f}  max {found['max']:.1f} ms"


def errors(run):
    """What went wrong in a run, each kind with its number."""
    return "".join(f", {word}: {count}" for word, count in sorted(run["errors"].items()))


def print_run(report, costs, added, memory):
    """Prints the measurements and costs of a run of captures."""
    print(
        f"accepted {report['accepted']}, complete {report['complete']}, failed {report['failed']}, not sent {report['skipped']}"
        + errors(report))
    print(f"upload to 201:        {percentiles(report.get('accepted_ms'))}")
    print(f"accepted to complete: {percentiles(report.get('complete_ms'))}")
    print(f"taken by the host: {added['stolen'] * 100:.1f} % of the processors")
    rows = [("", "CPU ms", "statements", "to store MB", "from store MB", "now MB", "peak MB")]
    for part in [*SERVICES, *(part for part in costs.seconds if part not in SERVICES)]:
        own = part in SERVICES
        now, peak = memory.get(part, (None, None))
        rows.append((
            part, number(costs.cpu(part)), number(costs.sent(part) if own else None),
            number(costs.bytes("sent", part) if own else None, 2), number(costs.bytes("received", part) if own else None, 2),
            number(now, 0), number(peak, 0)))
    traffic = number(costs.bytes("sent"), 2), number(costs.bytes("received"), 2)
    rows.append(("the five services", number(costs.services()), number(costs.sent()), *traffic, "", ""))
    rows.append(("the whole stack", number(costs.cpu()), "", "", "", "", ""))
    print("a capture costs")
    table(rows)


def print_pages(report, costs, added):
    print(
        f"pages {report['pages']}, failed {report['failed']}, not asked for {report['skipped']}: {percentiles(report.get('page_ms'))}"
        f"; gateway {number(costs.cpu('gateway'), 2)} ms of CPU, PostgreSQL {number(costs.cpu('postgres'), 2)} ms a page")
    print(f"taken by the host: {added['stolen'] * 100:.1f} % of the processors")


def verdicts(figures, components):
    """(what, target, measured, met) of everything that one database's measurement has to show.

    `figures`: {"complete": {rate: (p50, p99)}, "services": {rate: ms}, "stack": {rate: ms}, "page": (p50, p99), "flood": a second,
    "intake": (plain ms, resumable ms), "logged": (p50, p99), "log": {rate: ms}}; what
    could not be measured is `None` and not met.
    """
    unavoidable = components["unavoidable"]
    found = []

    def below(what, target, unit, measured, digits=0):
        met = measured is not None and measured < target
        found.append((what, f"< {target} {unit}", f"{number(measured, max(digits, 1))} {unit}", met))

    def ratio(what, target, measured):
        measured = None if measured is None or not unavoidable else measured / unavoidable
        met = measured is not None and measured <= target
        found.append((what, f"≤ {target} ×", f"{number(measured, 2)} ×", met))

    for rate, targets in COMPLETE.items():
        for name, target, measured in zip(("p50", "p99"), targets, figures["complete"].get(rate) or (None, None)):
            below(f"accepted to complete, {rate} a second, {name}", target, "ms", measured)
    for rate in COMPLETE:
        ratio(f"CPU of the five services, {rate} a second", SERVICES_RATIO, figures["services"].get(rate))
        ratio(f"CPU of the whole stack, {rate} a second", STACK_RATIO, figures["stack"].get(rate))
    for name, target, measured in zip(("p50", "p99"), LOGGED, figures["logged"] or (None, None)):
        below(f"complete to in the public log, {LOGGED_RATE} a second, {name}", target, "ms", measured)
    log, services = figures["log"].get(LOGGED_RATE), figures["services"].get(LOGGED_RATE)
    share = log / services if log is not None and services else None
    found.append((
        f"CPU of the public log to the five services, {LOGGED_RATE} a second", f"≤ {LOG_RATIO} ×", f"{number(share, 3)} ×",
        share is not None and share <= LOG_RATIO))
    flood = figures["flood"]
    found.append(("a flood completes", f"≥ {FLOOD} a second", f"{number(flood, 2)} a second", flood is not None and flood >= FLOOD))
    plain, resumable = figures.get("intake") or (None, None)
    intake = resumable / plain if plain else None
    found.append((
        "intake of a resumable upload to a plain one", f"≤ {RESUMABLE_RATIO} ×", f"{number(intake, 2)} ×",
        intake is not None and intake <= RESUMABLE_RATIO))
    for name, target, measured in zip(("p50", "p99"), PAGE, figures["page"] or (None, None)):
        below(f"a page at 50 a second, {name}", target, "ms", measured)
    for what, measured in components["ratios"].items():
        target = CHECK_RATIOS[what]
        found.append((what, f"≤ {target} ×", f"{number(measured, 2)} ×", measured is not None and measured <= target))
    below("frame processing", FRAME, "ms", components["frame"])
    below("frame processing in privacy mode", PRIVATE_FRAME, "ms", components["private"])
    return found


def video_verdicts(figures, components):
    """As `verdicts`, of videos. `figures`: {"cpu": {codec: s}, "complete": {codec: ms}, "beside": (p50, p99) of photos}."""
    found = []

    def below(what, target, unit, measured):
        met = measured is not None and measured < target
        found.append((what, f"< {target:g} {unit}", f"{number(measured)} {unit}", met))

    for codec, target in VIDEO_CPU.items():
        below(f"CPU of the five services, a video in {codec}", target, "s", figures["cpu"].get(codec))
    for codec, target in VIDEO_COMPLETE.items():
        below(f"a video in {codec}, accepted to complete, p50", target, "ms", figures["complete"].get(codec))
    below("chain of a video of 100 MB", CHAIN, "ms", components["chain"])
    for name, target, measured in zip(("p50", "p99"), COMPLETE[2], figures["beside"] or (None, None)):
        below(f"photos beside videos, 2 a second, {name}", target, "ms", measured)
    return found


def log_verdicts(figures):
    """As `verdicts`, of a large log. `figures`: {"round": entries, "proof": (p50, p99)}."""
    proof = (figures["proof"] or (None, None))[1]
    return [
        ("entries of one round of the public log", f"≥ {ROUND}", str(figures["round"]), figures["round"] >= ROUND),
        ("a bundle from a large log, p99", f"< {PROOF} ms", f"{number(proof)} ms", proof is not None and proof < PROOF),
    ]


def compared(filled, empty, rows):
    """The verdicts on a filled database: each time compared with that of the empty database."""
    found = []

    def ratio(what, now, before):
        both = now is not None and before
        value = now / before if both else None
        found.append((what, f"≤ {FILLED_RATIO} ×", f"{number(value, 2)} ×", both and value <= FILLED_RATIO))

    label = f"{rows} captures to none: "
    for rate in COMPLETE:
        for index, name in enumerate(("p50", "p99")):
            pair = [(figures["complete"].get(rate) or (None, None))[index] for figures in (filled, empty)]
            ratio(f"{label}accepted to complete, {rate} a second, {name}", *pair)
        ratio(f"{label}CPU of the five services, {rate} a second", filled["services"].get(rate), empty["services"].get(rate))
    for index, name in enumerate(("p50", "p99")):
        ratio(f"{label}a page, {name}", *((figures["page"] or (None, None))[index] for figures in (filled, empty)))
    # Inverted, since more captures a second are better.
    ratio(f"{label}seconds for a capture of a flood", *(figures["flood"] and 1 / figures["flood"] for figures in (filled, empty)))
    return found


def print_verdicts(found):
    """Prints the verdicts; returns the number of missed targets."""
    table([("", "target", "measured", "")] + [
        (what, target, measured, "met" if met else "MISSED") for what, target, measured, met in found])
    missed = sum(not met for *_, met in found)
    print(f"{len(found) - missed} met, {missed} missed")
    return missed


def components(text):
    """Parses the output of ComponentBench: milliseconds of the unavoidable work, of frames and of a chain, and the ratios that
    have a target."""
    found = {"unavoidable": None, "frame": None, "private": None, "chain": None, "ratios": dict.fromkeys(CHECK_RATIOS)}
    for line in text.splitlines():
        if line.startswith("unavoidable work of one capture:"):
            found["unavoidable"] = float(line.split()[-2])
        if line.startswith("frame processing"):
            found["frame"] = float(line.split()[-1]) / 1000
        if line.startswith("privacy mode"):
            found["private"] = float(line.split()[-1]) / 1000
        if line.startswith("chain of 100 MB"):
            found["chain"] = float(line.split()[-2]) / 1000
        for name in found["ratios"]:
            if line.startswith(name) and line.endswith("×"):
                found["ratios"][name] = float(line.split()[-1].rstrip("×"))
    return found
