"""One record of every state of a verification page."""

import concurrent.futures
import json
import os
import pathlib
import uuid

from world import Record

PLACE = ("--location", "45.764043,4.835659")
LARGE = "4032x3024"
NOTHING_BUT_THE_DAY = ("--share-location", "none", "--share-time", "day", "--share-device", "none")


def fill(world):
    """Creates the records, or uses those of an earlier run in a stack that was kept."""
    file = world.folder / "records.json"
    if file.exists():
        for name, fields in json.loads(file.read_text()).items():
            fields["photo_path"] = fields["photo_path"] and pathlib.Path(fields["photo_path"])
            world.records[name] = Record(**fields)
        return
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(world.scene, "room", LARGE), pool.submit(world.scene, "screen")]:
            done.result()
    make(world, world.records)
    file.write_text(json.dumps({name: vars(record) for name, record in world.records.items()}, default=str))


def make(world, made):
    room = {"scene": "room", "size": LARGE}
    small = {"scene": "screen"}
    # Sent without waiting, so that the services process them concurrently.
    made["high"] = world.send(*PLACE, **room, wait=False)
    made["development"] = world.send(*PLACE, **room, device="test", wait=False)
    made["without_location"] = world.send(**room, wait=False)
    made["portrait"] = world.send(*PLACE, **room, photo=on_its_side(world, world.scene(**room_of(room)) / "photo.jpg"), wait=False)
    made["medium"] = world.send(*PLACE, **small, wait=False)
    made["low"] = world.send("--no-assertion", **small, wait=False)
    made["unverified"] = world.send(**small, device="unverified", wait=False)
    made["suspicious"] = world.send("--model", "iPhone 8", *PLACE, **small, wait=False)
    made["unreadable"] = world.send(*PLACE, **small, photo=cut_short(world, world.scene("screen") / "photo.jpg"), wait=False)
    photo = world.another_photo(world.scene(**room_of(room)) / "photo.jpg")
    for name, device in [("similar", "genuine"), ("similar_second", "genuine-second"), ("similar_test", "test")]:
        made[name] = world.send(*PLACE, **room, device=device, photo=photo, wait=False)
    # Only the photo's hash is sent; the file stays here for comparison.
    made["hash_only"] = world.send("--hash-only", *PLACE, **room, wait=False)
    made["hash_only_day"] = world.send("--hash-only", *NOTHING_BUT_THE_DAY, *PLACE, **room, wait=False)
    for record in list(made.values()):
        world.settle(record)
    assert_states(world, made)
    made["processing"] = copied(world, made["high"], "processing")
    made["failed"] = copied(world, made["medium"], "failed")


def room_of(options):
    return {"kind": options["scene"], "size": options["size"]}


def on_its_side(world, photo):
    """Stored as by a phone held upright: the same pixels, to be rotated by a quarter (EXIF 2.32 §4.6.4, orientation 6)."""
    file = world.another_photo(photo)
    content = file.read_bytes()
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01\x00"
    at = content.find(entry)
    little = at < 0
    if little:
        entry = b"\x12\x01\x03\x00\x01\x00\x00\x00"
        at = content.find(entry) - 1
    if at < 0:
        raise RuntimeError(f"{photo} has no orientation")
    at += len(entry) + (1 if little else 0)
    file.write_bytes(content[:at] + b"\x06" + content[at + 1:])
    return file


def cut_short(world, photo):
    """A truncated photo whose second half is missing."""
    file = world.another_photo(photo)
    content = file.read_bytes()
    file.write_bytes(content[:len(content) // 2])
    return file


def copied(world, record, status):
    """A capture in a transient state: a copy of another capture's rows."""
    identifier, short, digest = str(uuid.uuid4()), os.urandom(4).hex(), os.urandom(32).hex()
    failure = "'no_answer'" if status == "failed" else "NULL"
    parts = "('attestation', 'media')" if status == "processing" else "('attestation')"
    world.sql(f"""
        INSERT INTO captures (id, short_id, device_id, type, capture_mode, status, failure, media_sha256, captured_at, uploaded_at,
            announcement, location)
        SELECT '{identifier}', '{short}', device_id, type, capture_mode, '{status}', {failure}, '\\x{digest}', captured_at, uploaded_at,
            announcement, location FROM captures WHERE id = '{record.id}';
        INSERT INTO evidence_parts SELECT '{identifier}', part, outcome, reason, result FROM evidence_parts
            WHERE capture_id = '{record.id}' AND part IN {parts};
        """)
    if status == "processing":
        # Keeps it for an hour from being announced again, which would change its state.
        world.sql(f"INSERT INTO sync_jobs (capture_id, announcements, announce_next_at) VALUES ('{identifier}', 0, now() + interval '1 hour')")
    return world.record(identifier)


def assert_states(world, made):
    """The records must be in the expected states, or tests would check the wrong pages."""
    expected = {
        "high": "high", "development": "high", "without_location": "high", "portrait": "high", "medium": "medium", "low": "low",
        "unverified": "low", "suspicious": "suspicious", "similar": "high", "similar_second": "high", "similar_test": "high",
        "hash_only": "high", "hash_only_day": "high",
    }
    found = {name: world.sql(f"SELECT confidence_level FROM captures WHERE id = '{made[name].id}'")[0][0] for name in expected}
    if found != expected:
        raise AssertionError(f"the records are {found}, not {expected}")
