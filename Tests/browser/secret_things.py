"""Data that must never be public, planted in captures of every kind, and all forms in which they could appear."""

import base64
import functools
import gzip
import json
import os
import re
import shutil
import subprocess

import crawl
import sender

# South and east coordinates that appear nowhere else here; 151 degrees need three digits.
LATITUDE, LONGITUDE, ALTITUDE, ACCURACY = -33.868820, 151.209296, 3127.4375, 17.3125
MARK = "UNTOLD"
DETECTION = {
    "moire": {"score": 0.119, "note": f"{MARK}-note", "loc": [LATITUDE, LONGITUDE]}, "score": 0.25, "model": f"{MARK}-model", "latitude": LATITUDE, "gps": {"text": f"{MARK}-gps"}, "lat": LATITUDE, "Lng": LONGITUDE,
    "place_name": f"{MARK}-place", "home_address": f"{MARK}-address", "device_id": f"{MARK}-device", "deviceId": f"{MARK}-device-2",
    "serial_number": f"{MARK}-serial", "udid": f"{MARK}-udid",
    "found": [{"what": "window", "location": {"name": f"{MARK}-location"}, "deeper": [{"coordinates": [LATITUDE, LONGITUDE]}]}],
}
# The same data under alternative spellings and synonyms.
OTHER_NAMES = [
    "Device-Id", "device id", "DEVICE.ID", "key_id", "imei", "identifier_for_vendor", "altitude", "horizontal_accuracy", "geohash", "geo",
    "geotag", "city", "street", "postcode", "ssid", "loc", "coords", "point", "note", "idForThisPhone",
]
# In the formats in which cameras and people write them into files.
TAGS = {
    "EXIF:GPSLatitude": abs(LATITUDE), "EXIF:GPSLatitudeRef": "S", "EXIF:GPSLongitude": LONGITUDE, "EXIF:GPSLongitudeRef": "E",
    "EXIF:GPSAltitude": ALTITUDE, "EXIF:GPSImgDirection": 271.8125, "EXIF:GPSAreaInformation": f"{MARK}-area",
    "EXIF:SerialNumber": f"{MARK}-body", "EXIF:LensSerialNumber": f"{MARK}-lens", "EXIF:OwnerName": f"{MARK}-owner",
    "EXIF:ImageUniqueID": f"{MARK}-unique", "EXIF:UserComment": f"{MARK}-comment", "EXIF:ImageDescription": f"{MARK}-description",
    "EXIF:Artist": f"{MARK}-artist", "EXIF:Copyright": f"{MARK}-copyright", "XMP-exif:GPSLatitude": LATITUDE,
    "XMP-exif:GPSLongitude": LONGITUDE, "XMP-photoshop:City": f"{MARK}-city", "XMP-aux:SerialNumber": f"{MARK}-aux",
    "XMP-dc:Title": f"{MARK}-title", "IPTC:City": f"{MARK}-iptc", "IPTC:Sub-location": f"{MARK}-sublocation", "Comment": f"{MARK}-note",
}


def has_exiftool():
    return shutil.which("exiftool") is not None


def exiftool(*arguments):
    return subprocess.run(["exiftool", *map(str, arguments)], check=True, capture_output=True, timeout=60).stdout


def tagged(photo_file, target):
    """The photo with all tags that cameras and people might write into it, and bytes after its end."""
    shutil.copyfile(photo_file, target)
    if has_exiftool():
        exiftool("-q", "-overwrite_original", *(f"-{name}={value}" for name, value in TAGS.items()), target)
    with open(target, "ab") as file:
        file.write(f"{MARK}-trailer".encode() + os.urandom(64))
    return target


class Planted:
    """Captures that contain private data; `secrets` are the forms of these data."""

    def __init__(self, world, folder):
        self.world = world
        scene = world.scene("room")
        self.sender = sender.Sender(world.url, folder / "one", scene=scene)
        photo = tagged(self.sender.photo_file, folder / "tagged.jpg")
        self.original = photo.read_bytes()
        self.depth = self.sender.depth_file.read_bytes()
        place = f"--location={LATITUDE},{LONGITUDE}"
        self.bound = self.sender.send_bound(place, photo=photo)
        location = {"latitude": LATITUDE, "longitude": LONGITUDE, "altitude": ALTITUDE, "accuracy": ACCURACY}
        self.unbound = self.sender.send(
            self.original + b"2", DETECTION, location=location, note=f"{MARK}-metadata", os_version=f"{MARK}-system")
        other = sender.Sender(world.url, folder / "two", scene=scene)
        self.claimed = other.send_bound(place, photo=photo)
        self.captures = [self.bound, self.unbound, self.claimed]
        # Records of other states are crawled as well: the devices that sent them must not be revealed.
        self.states = [world.records[name].id for name in ("suspicious", "processing", "failed", "hash_only")]
        listed = ", ".join(f"'{each}'" for each in [*self.captures, *self.states])
        self.devices = [row[0] for row in world.sql(f"SELECT DISTINCT device_id FROM captures WHERE id IN ({listed})")]

    @functools.cached_property
    def secrets(self):
        found = [("a marked text", MARK.encode()), ("a marked text in UTF-16", MARK.encode("utf-16-le")),
                 ("a marked text in base64", base64.b64encode(MARK.encode())[:8])]
        for value, name in [(LATITUDE, "latitude"), (LONGITUDE, "longitude"), (ALTITUDE, "altitude"), (ACCURACY, "accuracy")]:
            found += crawl.number_forms(value, name)
        found += crawl.degree_forms(LATITUDE, "latitude") + crawl.degree_forms(LONGITUDE, "longitude")
        columns = ["id", "key_id", "public_key", "request_key", "attestation_object", "receipt"]
        chosen = ", ".join(f"encode({name if name != 'id' else 'uuid_send(id)'}, 'hex')" for name in columns)
        for identifier in self.devices:
            row, = self.world.sql(f"SELECT {chosen} FROM devices WHERE id = '{identifier}'")
            for name, text in zip(columns, row):
                if text:
                    value = bytes.fromhex(text)
                    found += crawl.bytes_forms(value, f"the device's {name}") if len(value) <= 100 else crawl.piece_forms(value, name)
        found += crawl.piece_forms(self.depth, "the depth file") + crawl.piece_forms(gzip.decompress(self.depth), "the depth map", 32)
        # The picture's data may be public unchanged; the bytes before and after them may not.
        start = self.original.index(b"Exif\0\0")
        found += [("the original's EXIF", self.original[start:start + 200]), ("the original's end", self.original[-60:])]
        kept = [f"captures/{self.bound}/{name}" for name in ("original", "depth", "metadata", "public", "thumbnail", "c2pa", "manifest", "og")]
        found += [(f"a key in the bucket: {name}", name.encode()) for name in [*kept, f"incoming/{self.bound}"]]
        found += [("the name of an original", b"original.jpg"), ("the name of a depth file", b"depth.gz")]
        found += [(f"a secret of the stack: {name}", value) for name, value in self._stack_secrets()]
        return found

    def _stack_secrets(self):
        keys = sender.ROOT / ".local" / os.environ["STACK"] / "keys"
        for name in ("link-key", "s3_access_key_id", "s3_secret_access_key", "s3_access_key_id_gateway", "s3_secret_access_key_gateway", "postgres-owner", "role-gateway"):
            if (keys / name).exists():
                yield name, (keys / name).read_text().strip().encode()


PRIVATE_MEMBERS = re.compile(r"^(counter|altitude|accuracy|device_?id|key_?id|public_?key|assertion|attestation_object|certificate_chain)$", re.I)


def private_members(answer):
    """Members of a JSON response that only the owning device may see, and coordinates that are too precise."""
    if not answer.kind.endswith("json"):
        return []
    found = []
    for path, value in crawl.values(json.loads(answer.body)):
        name = next((each for each in reversed(path) if isinstance(each, str)), "")
        if PRIVATE_MEMBERS.match(name):
            found.append((".".join(map(str, path)), answer.url))
        if name in ("latitude", "longitude") and isinstance(value, (int, float)) and round(value, 2) != value:
            found.append((f"{name} {value}", answer.url))
    return found
