"""The page that checks evidence bundles: every answer, from the site and from disk, by keyboard, in both languages, and without a request."""

import base64
import json
import os
import pathlib
import random
import re
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import agreement
import axe
import bundles
import hostile
import layout
import world
from browser import open_browser
from dropping import DROP, another_gateway
from test_keyboard import FOCUS
from words import shown, words

PLACE = "0/statement.json"
MARK = "\u0301"


def saved(page, folder):
    """The page as a file, as a browser saves it."""
    file = pathlib.Path(folder) / "bundle.html"
    file.write_text(page)
    return file.as_uri()


@unittest.skipUnless(bundles.SAMPLES.exists(), "needs ../shared/data/tlog")
class BundleTest(unittest.TestCase):
    width, dark, language = 1280, False, "en"

    @classmethod
    def setUpClass(cls):
        cls.world = world.World()
        held = tempfile.TemporaryDirectory(prefix="rial-bundles-")
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        cls.page = cls.world.get("/bundle", Accept_Language=cls.language)[2].decode()
        cls.addresses = {"site": "/bundle", "disk": saved(cls.page, cls.folder)}
        cls.maker = bundles.Maker()
        cls.browser = open_browser(cls.width, 900, dark=cls.dark, language=cls.language)
        cls.addClassCleanup(cls.browser.close)

    def tearDown(self):
        self.browser.check()

    def open(self, address="/bundle", policy=None):
        """Opens the page, with the samples' policy unless another is given."""
        self.browser.go(address)
        self.browser.wait(lambda: self.browser.js("return document.readyState") == "complete", what="the page is there")
        self.trust(bundles.sample("policy").decode() if policy is None else policy)

    def trust(self, policy):
        self.browser.js("const own = document.getElementById('policy-own'); own.value = arguments[0]; "
                        "own.dispatchEvent(new Event('input', { bubbles: true }))", policy)

    def choose(self, *files, field="bundle-file"):
        self.browser.js("document.getElementById('outcome').textContent = ''")
        self.browser.one(f"#{field}").send_keys("\n".join(str(each) for each in files))
        return self.told()

    def told(self):
        return shown(self.browser.wait(
            lambda: self.browser.all("#outcome h2") and self.browser.text("#outcome"), what="an answer"))

    def file(self, content, name="made.rial"):
        file = self.folder / name
        file.write_bytes(content)
        return file

    def check(self, content, *keys, policy=None, **values):
        """Opens the page with this bundle, and expects these strings, and that the command line finds the same. Returns all that it says."""
        policy, file = policy or self.maker.policy, self.file(content)
        self.open(policy=policy)
        said = self.choose(file)
        for key in keys:
            self.assertIn(shown(words(key, self.language, **values)), said)
        self.assertEqual(agreement.of_page(said), agreement.of_command(file, policy).without(agreement.UNCHECKED), said)
        return said


class Samples(BundleTest):
    """The same answers as the command line gives to the same files."""

    EXPECTED = {
        "example": ["proved", "not.later", "not.media", "not.credentials", "not.raw"],
        "revoked": ["revoked", "reason.device", "history", "kind.revocation", "level.before", "not.later"],
        "stamped": ["proved", "not.tokens", "not.later"],
        "owner": ["proved", "not.attestation", "not.later"],
        "owner-joined": ["proved", "not.attestation", "not.depth", "not.later"],
    }

    def test_each_sample_is_judged_the_same_on_the_site_and_from_disk_without_a_request(self):
        for address in self.addresses.values():
            for name, keys in self.EXPECTED.items():
                with self.subTest(name, address=address):
                    self.open(address)
                    before = len(self.browser.requests())
                    said = self.choose(bundles.SAMPLES / f"{name}.rial")
                    for key in keys:
                        self.assertIn(shown(words(f"bundle.{key}").split("{")[0]), said)
                    self.assertIn("HIGH confidence", said)
                    self.assertIn("1 November 2026, 12:00:02 UTC", said)
                    self.assertIn(shown(words("bundle.place", n=300, size=500, origin=bundles.ORIGIN)), said)
                    self.assertIn("witness.example/w1 and witness.example/w2" if "owner" not in name else "and witness.example/w3", said)
                    self.assertEqual(len(self.browser.requests()), before)
                    self.assertTrue(self.browser.js("return document.activeElement === document.querySelector('#outcome h2')"))
                    self.browser.shot(f"bundle-{name}")

    def test_the_earliest_time_by_which_enough_had_cosigned_counts(self):
        self.open()
        said = self.choose(bundles.SAMPLES / "example.rial")
        self.assertIn(shown(words("bundle.proved", t="1 November 2026, 12:00:05 UTC")), said)

    def test_without_a_policy_nothing_is_proved(self):
        self.open(policy="")
        said = self.choose(bundles.SAMPLES / "example.rial")
        for key in ["sound", "sound.none", "done.none"]:
            self.assertIn(words(f"bundle.{key}"), said)
        self.assertNotIn(words("bundle.done.signed"), said)

    def test_policies_that_do_not_do(self):
        policy = bundles.sample("policy").decode()
        for text, key in [
            ("quorum none\n", "sound.log"), (policy.replace("ours 2", "ours 3"), "sound.quorum"), (self.maker.policy, "sound.log"),
            (policy.replace("quorum ours", "quorum w3"), "sound.quorum"),
        ]:
            self.open(policy=text)
            said = self.choose(bundles.SAMPLES / "example.rial")
            self.assertIn(words("bundle.sound"), said)
            self.assertIn(shown(words(f"bundle.{key}", origin=bundles.ORIGIN)), said)
        self.open(policy=policy.replace("quorum ours", "quorum none"))
        said = self.choose(bundles.SAMPLES / "example.rial")
        self.assertIn(words("bundle.not.witnesses"), said)
        for key in ["alone", "alone.more"]:
            self.assertIn(words(f"bundle.{key}"), said)
        self.assertNotIn("12:00:05", said, "no time by which it was seen")
        for key in ["proved", "proved.more"]:
            self.assertNotIn(words(f"bundle.{key}").split("{")[0], said)

    def test_policies_of_the_specification_are_told_apart(self):
        policies = json.loads((bundles.SAMPLES.parent / "policies.json").read_text())
        log, zero = self.maker.log, base64.b64encode(b"\1" + b"\0" * 32).decode()
        small = f"log small+{bundles.sha256(b'small' + bytes([10, 1]) + bytes(32))[:4].hex()}+{zero}\nquorum none\n"
        bad = [*policies["bad"], small, f"log {log.text}\nlog {log.text}\nquorum none\n", "quorum none\n\x01"]
        for text, is_good in [*((each, True) for each in policies["good"]), *((each, False) for each in bad)]:
            self.open(policy=text)
            said = self.choose(bundles.SAMPLES / "example.rial")
            self.assertEqual(words("bundle.text") not in said, is_good, text)
            self.assertEqual(words("bundle.bad.policy") not in said, is_good, text)

    def test_a_policy_is_taken_from_a_file_too_and_judges_at_once(self):
        self.open(policy="")
        self.choose(bundles.SAMPLES / "example.rial")
        said = self.choose(bundles.SAMPLES / "policy", field="policy-file")
        self.assertIn(words("bundle.proved").split("{")[0], said)
        self.trust("bogus\n")
        self.browser.wait(lambda: words("bundle.text") in self.browser.text("#outcome"), what="another policy")

    def test_the_reader_keeps_the_place_while_writing_a_policy(self):
        self.open(policy="quorum none")
        self.choose(bundles.SAMPLES / "example.rial")
        self.browser.one("#policy-own").send_keys(Keys.CONTROL, Keys.END)
        ActionChains(self.browser.driver, duration=0).send_keys("\n# mine").perform()
        self.assertEqual(self.browser.js("return document.activeElement.id"), "policy-own")


class Files(BundleTest):
    def test_the_original_is_recognised_and_another_photo_refused(self):
        self.open()
        self.choose(bundles.SAMPLES / "example.rial")
        said = self.choose(bundles.SAMPLES / "photo", field="media-files")
        self.assertIn(shown(words("bundle.done.original", name="photo")), said)
        self.assertNotIn(words("bundle.not.media"), said)
        said = self.choose(self.file(bundles.sample("photo") + b"x", "other.jpg"), field="media-files")
        self.assertIn(words("bundle.file"), said)
        self.assertIn(shown(words("bundle.bad.file", place="other.jpg")), said)
        self.assertNotIn("HIGH", said)

    def test_a_published_copy_is_named(self):
        copy = b"the copy"
        made = self.maker.bundle(bundles.assessment(files={"c2pa.jpg": bundles.sha256(copy).hex()}))
        self.check(made, "bundle.proved", t="1 November 2026, 12:00:04 UTC")
        said = self.choose(self.file(copy, "copy.jpg"), field="media-files")
        self.assertIn(shown(words("bundle.done.file", name="copy.jpg", **{"as": "c2pa.jpg"})), said)

    def test_files_in_the_bundle_are_compared_too(self):
        copy = b"the copy"
        statement = bundles.assessment(files={"c2pa.jpg": bundles.sha256(copy).hex()})
        self.check(self.maker.bundle(statement, extra=[("media/c2pa.jpg", copy)]), "bundle.done.file", name="media/c2pa.jpg", **{"as": "c2pa.jpg"})
        self.check(self.maker.bundle(statement, extra=[("media/c2pa.jpg", b"other")]), "bundle.wrong", "bundle.bad.media", place="media/c2pa.jpg")
        self.check(self.maker.bundle(statement, extra=[("media/public.jpg", copy)]), "bundle.bad.media", place="media/public.jpg")
        self.check(self.maker.bundle(statement, extra=[("manifest.c2pa", b"m")]), "bundle.bad.media", place="manifest.c2pa")

    def test_bundle_and_photo_may_be_dropped_together(self):
        for address in self.addresses.values():
            self.open(address)
            drop = DROP + """
                carried.items.add(new File([Uint8Array.from(atob(arguments[3]), (each) => each.charCodeAt(0))], arguments[4]));
                for (const kind of ['dragenter', 'dragover', 'drop']) {
                  document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
                }"""
            photo, bundle = (base64.b64encode(bundles.sample(name)).decode() for name in ["photo", "example.rial"])
            self.browser.js(drop, photo, "IMG.jpg", "image/jpeg", bundle, "example.rial")
            self.assertIn(shown(words("bundle.done.original", name="IMG.jpg")), self.told())


class Wrong(BundleTest):
    """Each thing that can be wrong is named."""

    def test_what_statements_say(self):
        first = bundles.assessment()
        other = "0f0e0d0c-0b0a-4908-8706-050403020101"
        for statements, key, place in [
            ([bundles.assessment(confidence="medium")], "confidence", PLACE),
            ([bundles.assessment(bundles.evidence(depth="inconclusive"))], "confidence", PLACE),
            ([bundles.assessment(bundles.evidence(location="fail"), confidence="high")], "confidence", PLACE),
            ([bundles.assessment(algorithms={"confidence": "2", "depth": "relief-1", "metadata": "1"})], "algorithms", "0/evidence.json"),
            ([bundles.assessment(algorithms={"confidence": "1"})], "algorithms", "0/evidence.json"),
            ([bundles.assessment(evidence="00" * 32)], "evidence", "0/evidence.json"),
            ([bundles.assessment(b"[]")], "evidence", "0/evidence.json"), ([bundles.assessment(b"\xff")], "evidence", "0/evidence.json"),
            ([bundles.assessment(bundles.evidence(depth="excellent"))], "evidence", "0/evidence.json"),
            ([bundles.assessment(bundles.evidence("video"))], "evidence", "0/evidence.json"),
            ([bundles.assessment(mode="hash_only")], "evidence", "0/evidence.json"),
            ([bundles.assessment(bundles.evidence()[:-1] + b',"depth_analysis":{"status":"pass"}}')], "evidence", "0/evidence.json"),
            ([bundles.assessment(bundles.evidence()[:-1] + f',"a{MARK * 31}":1}}'.encode())], "evidence", "0/evidence.json"),
            ([bundles.assessment(bundles.evidence()[:-1] + rb',"a":["' + rb"\u0301" * 31 + b'"]}')], "evidence", "0/evidence.json"),
            ([bundles.assessment(time=bundles.TIME + 303)], "time", PLACE),
            ([first, bundles.revocation(sequence=2)], "sequence", "1/statement.json"),
            ([first, bundles.revocation(previous="00" * 32)], "sequence", "1/statement.json"),
            ([first, bundles.revocation(subject="00" * 16)], "subject", "1/statement.json"),
            ([first, bundles.revocation(capture=other)], "subject", "1/statement.json"),
        ]:
            with self.subTest(key, place=place):
                said = self.check(self.maker.bundle(*statements), "bundle.wrong", f"bundle.bad.{key}", place=place)
                self.assertNotIn("confidence", said.replace(words("bundle.bad.confidence"), ""))

    def test_thirty_combining_marks_in_a_row_are_text(self):
        content = bundles.evidence()[:-1] + f',"a{MARK * 30}":"{MARK * 30}"}}'.encode()
        self.check(self.maker.bundle(bundles.assessment(content)), "bundle.done.evidence")

    def test_signatures_and_proofs(self):
        made = self.maker.bundle(bundles.assessment())
        swapped = lambda proof: re.sub(rb"(\S{8})(==?)?\n$", lambda last: b"AAAAAAAA" + (last[2] or b"") + b"\n", proof)
        self.check(bundles.changed(made, proof=swapped), "bundle.wrong", "bundle.bad.signature", place="0/proof.tlog-proof")
        self.check(bundles.changed(made, proof=lambda proof: proof.replace(b"index 1", b"index 0")), "bundle.bad.inclusion", place="0/proof.tlog-proof")
        salt = re.search(rb"extra (\S+)", dict(bundles.entries(made))["0/proof.tlog-proof"])[1]
        short = lambda proof: proof.replace(salt, base64.b64encode(base64.b64decode(salt)[:31]))
        self.check(bundles.changed(made, proof=short), "bundle.unreadable", "bundle.bad.form", place="0/proof.tlog-proof")
        # Nobody whom the policy knows signed it: sound, but not by this policy.
        unknown = lambda proof: proof.replace(b"\xe2\x80\x94 rial.example", b"\xe2\x80\x94 rial.examples")
        self.check(bundles.changed(made, proof=unknown), "bundle.sound", "bundle.sound.log", origin=bundles.ORIGIN)
        self.check(self.maker.bundle(bundles.assessment(), cosigners=[2]), "bundle.sound.quorum", origin=bundles.ORIGIN)
        self.check(self.maker.bundle(bundles.assessment(), seconds=bundles.TIME - 300), "bundle.done.signed")
        self.check(self.maker.bundle(bundles.assessment(), seconds=bundles.TIME - 301), "bundle.wrong", "bundle.bad.time", place=PLACE)

    def test_groups_are_counted_as_the_policy_says(self):
        for cosigners, end, is_enough in [
            ((0,), "quorum w0\n", True), ((1,), "quorum w0\n", False), ((0, 2), "group a any w0 w1\ngroup b all a w2\nquorum b\n", True),
            ((0, 1), "group a any w0 w1\ngroup b all a w2\nquorum b\n", False), ((0, 1, 2), "group all3 3 w0 w1 w2\nquorum all3\n", True),
        ]:
            said = self.check(self.maker.bundle(bundles.assessment(), cosigners=cosigners), policy=self.maker.policy_text(end))
            self.assertEqual(words("bundle.sound") not in said, is_enough, end)

    def test_what_the_owner_adds(self):
        joined = bundles.sample("owner-joined.rial")
        policy = bundles.sample("policy").decode()
        for part in ["assertion.cbor", "attestation.cbor", "metadata.json", "photo.jpg", "depth"]:
            self.check(bundles.changed(joined, **{f"owner/{part}": b"other"}), "bundle.wrong", "bundle.bad.part", place=f"owner/{part}", policy=policy)
        raw = lambda content: content.replace(b'"salt":"ea', b'"salt":"eb')
        self.check(bundles.changed(joined, raw=raw), "bundle.bad.raw", place="owner/raw.json", policy=policy)

    def test_a_payload_names_the_original_in_either_case(self):
        media = bundles.assessment()[0]["media"]
        for spelt, is_right in [(media, True), (media.upper(), True), (media[::-1], False)]:
            flags = {"location": "none", "timestamp": "none", "device": "none"}
            payload = bundles.canonical({
                "version": 1, "media_type": "photo", "media_hash": spelt, "metadata_flags": flags, "metadata": {}, "depth_analysis": None})
            digest, salt = bundles.sha256(payload).hex(), bytes([3] * 32)
            raw = bundles.sha256(b"rial.raw/1\n", salt, f"payload {digest}\n".encode()).hex()
            made = self.maker.bundle(
                bundles.assessment(bundles.evidence(mode="hash_only"), mode="hash_only", raw=raw),
                extra=[("owner/raw.json", bundles.canonical({"digests": {"payload": digest}, "salt": salt.hex()})), ("owner/payload.json", payload)])
            if is_right:
                self.check(made, "bundle.done.evidence")
            else:
                self.check(made, "bundle.wrong", "bundle.bad.part", place="owner/raw.json")

    def test_what_cannot_be_read(self):
        example = bundles.sample("example.rial")
        found = bundles.entries(example)
        statement = dict(found)[PLACE]
        renamed = lambda old, new: bundles.archive([(name.replace(old, new), content) for name, content in found])
        spelt = [
            statement.replace(b'"sequence":0', b'"sequence":0.0'), statement.replace(b",", b", ", 1), statement + b"\n",
            statement.replace(b'"kind":"assessment",', b'"kind":"assessment","kind":"assessment",'),
            statement.replace(b'"mode"', b'"m\\u006fde"'),
        ]
        other = [
            statement.replace(b'"sequence":0', b'"sequence":1'), statement.replace(b'"time":', b'"time2":'),
            statement.replace(b'"mode":"full"', b'"mode":"half"'), statement.replace(b"2026-11-01T12:00:02.000Z", b"2026-02-30T12:00:02.000Z"),
            statement.replace(b'"type":"rial.statement/1"', b'"type":"rial.statement/1","zzz":"1"'),
        ]
        for content, key, place in [
            (b"", "archive", ""), (example[:-1], "archive", ""), (example + b"\0", "archive", ""), (b"\0" + example, "archive", ""),
            (bundles.archive([("mimetype", b"application/zip")]), "mimetype", ""), (renamed("mimetype", "type"), "names", "mimetype"),
            (bundles.archive([found[0], *found[2:]]), "names", PLACE), (bundles.archive([*found, ("extra", b"")]), "names", "extra"),
            (bundles.archive([*found[:1], ("policy", b""), ("readme.txt", b""), *found[1:]]), "names", PLACE),
            (bundles.archive([*found[:1], ("readme.txt", b"r" * 65537), *found[1:]]), "large", "readme.txt"),
            (bundles.archive([*found, ("media/../x", b"")]), "names", "media/../x"),
            (bundles.archive([*found, ("owner/depth", b"")]), "names", "owner/depth"),
            *((bundles.changed(example, **{PLACE: each}), "form", PLACE) for each in spelt + other),
            (bundles.changed(example, proof=lambda proof: proof.replace(b"index 300", b"index 0300")), "form", "0/proof.tlog-proof"),
            (bundles.changed(example, proof=lambda proof: proof.replace(b"\n", b"\r\n")), "form", "0/proof.tlog-proof"),
        ]:
            with self.subTest(key, place=place):
                said = self.check(content, "bundle.unreadable", f"bundle.bad.{key}", place=place)
                self.assertNotIn("HIGH", said)

    def test_a_reason_is_a_word(self):
        for reason in [None, True, ["device_revoked"], {"match": "device_revoked"}, "", "a" * 65, "Device revoked"]:
            with self.subTest(reason=reason):
                made = self.maker.bundle(bundles.assessment(), bundles.revocation(reason=reason))
                self.check(made, "bundle.unreadable", "bundle.bad.form", place="1/statement.json")
        self.check(self.maker.bundle(bundles.assessment(), bundles.revocation(reason="a" * 64)), "bundle.revoked")

    def test_levels_follow_from_the_checks(self):
        video = {"media_type": "video", "mode": "full"}
        for statuses, members, level in [
            ({"depth": "unavailable"}, {}, "medium"), ({"hardware": "unavailable"}, {}, "medium"),
            ({"hardware": "unavailable", "depth": "inconclusive"}, {}, "low"), ({"time": "fail"}, {}, "suspicious"),
            ({"chain": "pass"}, video, "high"), ({"chain": "inconclusive"}, video, "medium"), ({"chain": "fail"}, video, "suspicious"),
            ({"chain": "unavailable"}, {**video, "mode": "hash_only"}, "high"),
        ]:
            content = bundles.evidence(members.get("media_type", "photo"), members.get("mode", "full"), **statuses)
            statement = bundles.assessment(content, confidence=level, **members)
            self.check(self.maker.bundle(statement), f"badge.{level}", "bundle.done.evidence")

    def test_the_last_verdict_counts_and_what_was_taken_back_before_it_does_not(self):
        again, content = bundles.assessment(bundles.evidence(depth="unavailable"), confidence="medium", kind="reassessment")
        said = self.check(self.maker.bundle(bundles.assessment(), bundles.revocation(), (again, content)), "badge.medium", "bundle.kind.reassessment")
        self.assertNotIn(words("bundle.revoked"), said)
        self.assertIn(words("bundle.proved").split("{")[0], said)

    def strangers(self):
        """Logs of the same origin that the policy does not know, or that none of its witnesses saw, by what is missing."""
        unseen = bundles.Maker()
        unseen.log = self.maker.log
        return {"log": bundles.Maker(), "quorum": unseen}

    def test_what_nobody_of_the_policy_vouches_for_takes_nothing_back(self):
        for missing, stranger in self.strangers().items():
            with self.subTest(missing):
                made = self.maker.bundle(bundles.assessment(), bundles.revocation(), others={1: stranger})
                said = self.check(made, "bundle.sound", f"bundle.sound.{missing}", "bundle.sound.claim", "bundle.level", "badge.high", origin=bundles.ORIGIN)
                for key in ["revoked", "level.before"]:
                    self.assertNotIn(words(f"bundle.{key}"), said)

    def test_what_nobody_of_the_policy_vouches_for_ends_no_revocation(self):
        again, content = bundles.assessment(bundles.evidence(depth="unavailable"), confidence="medium", kind="reassessment")
        for missing, stranger in self.strangers().items():
            with self.subTest(missing):
                made = self.maker.bundle(bundles.assessment(), bundles.revocation(), (again, content), others={2: stranger})
                said = self.check(made, "bundle.revoked", f"bundle.sound.{missing}", "bundle.level.before", "badge.high", origin=bundles.ORIGIN)
                for key in ["bundle.sound.claim", "badge.medium"]:
                    self.assertNotIn(words(key), said)

    def test_a_time_that_no_signature_covers_is_marked(self):
        mark, captured = shown(words("fact.unsigned")), "1 November 2026, 11:59:58 UTC"
        for binding, is_signed in [
            (b'"photo+depth+metadata"', True), (b'"payload"', True), (b'"checkpoint"', False), (b'"photo+depth"', False), (b'"photo"', False),
            (b"null", False),
        ]:
            content = bundles.evidence().replace(b'"binding":"photo+depth+metadata"', b'"binding":' + binding)
            said = self.check(self.maker.bundle(bundles.assessment(content)), "bundle.captured")
            self.assertEqual(f"{captured} · {mark}" in said, not is_signed, binding)
            self.assertIn(captured, said)
        # A checkpoint signs hashes that the sender states: those of the recording only if its chain is intact.
        for status, is_intact, level in [("inconclusive", b"true", "medium"), ("fail", b"false", "suspicious")]:
            content = bundles.evidence("video", chain=status).replace(b'"binding":"photo+depth+metadata"', b'"binding":"checkpoint"')
            content = content.replace(b'"hash_chain":{', b'"hash_chain":{"chain_intact":' + is_intact + b",")
            statement = bundles.assessment(content, confidence=level, media_type="video")
            said = self.check(self.maker.bundle(statement), "bundle.captured", f"badge.{level}")
            self.assertEqual(f"{captured} · {mark}" in said, level == "suspicious", status)
        content = bundles.evidence(hardware="unavailable")
        said = self.check(self.maker.bundle(bundles.assessment(content, confidence="medium")), "bundle.captured")
        self.assertIn(f"{captured} · {mark}", said)

    def test_a_test_device_is_never_passed_over(self):
        content = bundles.evidence().replace(b'"development_attestation":false', b'"development_attestation":true')
        self.check(self.maker.bundle(bundles.assessment(content)), "dev.band")


class Changes(BundleTest):
    """The page's own core, in a page of its own: what is tried here is tried thousands of times."""

    HARNESS = """
        window.done = (async () => {
          const policy = await readPolicy(bytesOf(atob(given[1]))), sample = bytesOf(atob(given[0])), found = {};
          const outcomeOf = async (bytes) => {
            try { return (await verifyBundle(bytes, policy)).outcome; } catch (error) {
              if (!(error instanceof Finding)) throw error;
              return `${error.kind} ${error.code}`;
            }
          };
          const count = (what) => { found[what] = (found[what] ?? 0) + 1; };
    """

    def run_core(self, body, *arguments):
        core = bundles.script_of(self.page).split("const lang =")[0]
        script = f"<!doctype html><title>core</title><script type=module>window.run = (...given) => {{{self.HARNESS}{body}"
        file = self.folder / "core.html"
        file.write_text(f"{script} return found; }})(); }};\n{core}</script>")
        self.browser.go(file.as_uri())
        self.browser.driver.set_script_timeout(120)
        self.browser.js("run(...arguments)", *(base64.b64encode(each).decode() for each in arguments))
        return self.browser.driver.execute_async_script("""
            const end = arguments[0];
            done.then((found) => end(found), (error) => end({error: String(error)}))""")

    def test_every_single_bit_of_the_example_counts(self):
        found = self.run_core("""
            count(`whole ${await outcomeOf(sample)}`);
            for (let bit = 0; bit < 8 * sample.length; bit++) {
              sample[bit >> 3] ^= 1 << (bit & 7);
              count(await outcomeOf(sample));
              sample[bit >> 3] ^= 1 << (bit & 7);
            }""", bundles.sample("example.rial"), bundles.sample("policy"))
        self.assertEqual(found, {"whole proved": 1, "unreadable archive": 8 * 3394})

    def test_changes_behind_a_right_checksum_are_refused_too(self):
        """One bit of each byte of each entry, in archives that are sound: only what the page says it does not check may change. Of all but the
        first sample, each seventh byte unless at full length."""
        unchecked = {"0/checkpoint.tsr", "owner/client-data-hash"}
        for name in ["example", "revoked", "stamped", "owner-joined"]:
            found = bundles.entries(bundles.sample(f"{name}.rial"))
            random.seed(name)
            outcomes = {}
            step = 1 if name == "example" or os.environ.get("RIAL_TEST_FAULTS") == "full" else 7
            for index, (entry, content) in enumerate(found):
                others = [bundles.archive([*found[:index], (entry, content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1:]),
                                           *found[index + 1:]]) for at in range(0, len(content), step)]
                outcomes[entry] = self.run_core("""
                    const size = sample.length / +atob(given[2]);
                    for (let at = 0; at < sample.length; at += size) count(await outcomeOf(sample.slice(at, at + size)));
                    """, b"".join(others), bundles.sample("policy"), str(len(others)).encode())
            for entry, counts in outcomes.items():
                self.assertNotIn("error", counts, entry)
                if entry in unchecked:
                    self.assertEqual(set(counts), {"proved"}, entry)
                elif name == "owner-joined" and entry == "0/proof.tlog-proof":
                    # Three witnesses cosigned and two are enough: a line that is nobody's any more changes nothing.
                    self.assertLess(counts.get("proved", 0), 80)
                else:
                    self.assertNotIn("proved", counts, entry)
            self.assertEqual(set(outcomes[PLACE]), {"unreadable form", "wrong inclusion"})
            self.assertEqual(set(outcomes["0/evidence.json"]), {"wrong evidence"})
            self.assertLessEqual({"wrong inclusion", "wrong signature", "unreadable form"}, set(outcomes["0/proof.tlog-proof"]))

    def test_a_bundle_takes_less_than_a_tenth_of_a_second(self):
        took = self.run_core("""
            await outcomeOf(sample);
            const start = performance.now();
            for (let turn = 0; turn < 20; turn++) await outcomeOf(sample);
            found.each = (performance.now() - start) / 20;""", bundles.sample("example.rial"), bundles.sample("policy"))
        print(f"\n  {took['each']:.1f} ms each", end="")
        self.assertLess(took["each"], 100)


class Agreement(BundleTest):
    """The page and `rial verify --bundle` find the same in the same bundles, and name the same check; so do all tests that use `check`."""

    def agree(self, bundle, policy, *files, unchecked=frozenset()):
        self.open(policy=policy)
        said = self.choose(bundle)
        if files:
            said = self.choose(*files, field="media-files")
        found = agreement.of_page(said)
        self.assertEqual(found, agreement.of_command(bundle, policy, *files, roots=self.world).without(unchecked), said)
        return found

    def test_on_the_samples_and_on_files_that_belong_to_them_or_do_not(self):
        policy, photo = bundles.sample("policy").decode(), bundles.SAMPLES / "photo"
        strange = self.file(b"another photo", "strange.jpg")
        for name in Samples.EXPECTED:
            # What the samples have of devices and depth is made up.
            self.agree(bundles.SAMPLES / f"{name}.rial", policy, unchecked=agreement.UNCHECKED)
        example = bundles.SAMPLES / "example.rial"
        self.assertEqual(self.agree(example, policy, photo, unchecked=agreement.UNCHECKED), ("proved", None))
        self.assertEqual(self.agree(example, policy, photo, strange, unchecked=agreement.UNCHECKED), ("wrong", "file"))
        for end in ["quorum none\n", policy.split("group")[0] + "quorum none\n", policy.replace("ours 2", "ours 3"), self.maker.policy]:
            for name in ["example", "revoked"]:
                self.agree(bundles.SAMPLES / f"{name}.rial", end, unchecked=agreement.UNCHECKED)

    def test_on_each_part_of_the_samples_changed(self):
        policy = bundles.sample("policy").decode()
        for name in ["example", "revoked", "owner-joined"]:
            content = bundles.sample(f"{name}.rial")
            for entry, part in bundles.entries(content):
                middle = len(part) // 2
                other = part[:middle] + bytes([part[middle] ^ 1]) + part[middle + 1:]
                with self.subTest(name, entry=entry):
                    changed = self.file(bundles.changed(content, **{entry: other}))
                    found = self.agree(changed, policy, unchecked=agreement.UNCHECKED)
                    # The client data hash is looked at with the attestation alone.
                    self.assertEqual(found[0] == "proved", entry == "owner/client-data-hash", found)

    def test_on_bundles_of_the_real_services(self):
        policy = pathlib.Path(os.environ["RIAL_LOG_POLICY"]).read_text()
        record, hashed = self.world.send(device="genuine-bundles"), self.world.send("--hash-only", device="genuine-bundles")
        # Another one in each run: what is revoked sends nothing more.
        name = f"genuine-{os.urandom(4).hex()}"
        revoked, state = self.world.send(device=name), self.world.device(name)
        self.world.rial("device", "revoke", self.world.device_id(state), "--since", "2026-01-01T00:00:00Z")
        world.eventually(lambda: self.world.sql(
            f"SELECT count(*) FROM statements JOIN log_entries USING (commitment) WHERE capture_id = '{revoked.id}'") == [["2"]], "it is revoked")
        for each, expected in [(record, ("proved", None)), (hashed, ("proved", None)), (revoked, ("wrong", "standing"))]:
            bundle = self.folder / f"{each.id}.rial"
            self.world.rial("bundle", "get", each.id, "--output", bundle, "--media")
            self.assertEqual(self.agree(bundle, policy, each.photo_path), expected)
        owned = self.folder / "owned.rial"
        self.world.rial("bundle", "get", record.id, "--output", owned, "--owner", "--state", self.world.device("genuine-bundles"))
        depth = self.world.scene("room") / "depth.f32.gz"
        self.world.rial("bundle", "join", owned, "--photo", record.photo_path, "--depth", depth)
        self.assertEqual(self.agree(owned, policy), ("proved", None))
        content = owned.read_bytes()
        for part, expected in [
            ("evidence", "evidence"), ("photo", "raw"), ("depth", "raw"), ("metadata", "raw"), ("assertion", "raw"), ("attestation", "raw"),
        ]:
            with self.subTest(part):
                changed = bundles.changed(content, **{part: lambda each: each + b" "})
                self.assertEqual(self.agree(self.file(changed), policy), ("wrong", expected))

    def test_on_bundles_of_a_video(self):
        policy = pathlib.Path(os.environ["RIAL_LOG_POLICY"]).read_text()
        state, recording = self.world.device("genuine-bundles"), self.world.folder / "video-bundles"
        if not recording.exists():
            self.world.rial("video", "record", "--scene", "room", "--seconds", "2", "--size", "320x240", "--out", recording, "--state", state)
        answer = json.loads(self.world.rial("video", "send", recording, "--json", "--state", state))
        record = self.world.settle(self.world.record(answer["capture_id"]))
        public, owned = self.folder / "video.rial", self.folder / "video-owned.rial"
        self.world.rial("bundle", "get", record.id, "--output", public, "--media")
        self.world.rial("bundle", "get", record.id, "--output", owned, "--owner", "--state", state)
        video = recording / "video.mp4"
        strange = self.file(video.read_bytes()[:-1], "strange.mp4")
        for bundle in (public, owned):
            self.assertEqual(self.agree(bundle, policy), ("proved", None))
            self.assertEqual(self.agree(bundle, policy, video), ("proved", None))
            self.assertEqual(self.agree(bundle, policy, strange), ("wrong", "file"))
        for bundle, part, expected in [
            (public, "media", "media"), (public, "evidence", "evidence"), (owned, "assertion", "raw"), (owned, "metadata", "raw"),
        ]:
            with self.subTest(part):
                changed = bundles.changed(bundle.read_bytes(), **{part: lambda each: each + b" "})
                self.assertEqual(self.agree(self.file(changed), policy), ("wrong", agreement.CHECKS[expected]))


class Page(BundleTest):
    def test_it_has_all_in_itself_and_may_ask_nobody(self):
        _, headers, _ = self.world.get("/bundle")
        policy = headers["Content-Security-Policy"]
        for part in ["default-src 'none'", "script-src 'sha256-", "connect-src 'none'", "form-action 'none'", "frame-ancestors 'none'"]:
            self.assertIn(part, policy)
        for address in self.addresses.values():
            self.open(address)
            loaded = {each.kind for each in self.browser.requests()[-10:]} - {"Document"}
            self.assertLessEqual(loaded, {"Other"}, "an icon at most")
            refused = self.browser.driver.execute_async_script("""
                const end = arguments[0];
                fetch('https://elsewhere.example/').then(() => end('sent'), () => end('refused'))""")
            self.browser.allow("elsewhere.example")
            self.assertEqual(refused, "refused")
        self.assertNotIn("elsewhere.example", " ".join(each.url for each in self.browser.requests() if each.status))

    def test_links_of_a_saved_page_lead_to_the_site(self):
        self.browser.go(self.addresses["disk"])
        links = self.browser.js("return [...document.querySelectorAll('a')].map((each) => each.href)")
        self.assertGreater(len(links), 5)
        self.assertEqual([each for each in links if not each.startswith(self.world.url) and "#main" not in each], [])

    def test_it_is_small(self):
        script = bundles.script_of(self.page).encode()
        print(f"\n  the script in the page: {len(script) / 1000:.1f} kB", end="")
        self.assertLess(len(script), 30_000)
        self.assertLess(len(self.page.encode()) - len(script), 40_000)
        self.assertLess(len(self.world.get("/bundle", Accept_Encoding="gzip")[2]), 22_000)
        for file in (world.ROOT / "Shared/Site/Resources/bundle").glob("*.js"):
            self.assertLess(file.stat().st_size, 8_000, file.name)

    def test_tab_goes_through_the_form(self):
        self.browser.go("/bundle")
        stops = []
        while len(stops) < 40:
            ActionChains(self.browser.driver, duration=0).send_keys(Keys.TAB).perform()
            focus = self.browser.js(FOCUS)
            if focus is None or stops and focus == stops[0]:
                break
            self.assertTrue(focus["visible"] and focus["inside"], focus)
            stops.append(focus)
        self.assertEqual([each["kind"] for each in stops if "#" in each["kind"]], [
            "input#bundle-file", "input#media-files", "textarea#policy-own", "input#policy-file"])

    def test_enter_and_space_ask_for_a_file(self):
        self.browser.go("/bundle")
        for field in ["bundle-file", "media-files", "policy-file"]:
            for key in [Keys.ENTER, Keys.SPACE]:
                self.browser.js("window.asked = 0; const input = document.getElementById(arguments[0]); "
                                "input.addEventListener('click', (event) => { window.asked++; event.preventDefault() }, { once: true }); "
                                "input.focus()", field)
                ActionChains(self.browser.driver, duration=0).send_keys(key).perform()
                self.assertEqual(self.browser.js("return window.asked"), 1, f"{field} {key!r}")

    def test_names_of_files_are_text_and_nothing_else(self):
        hostile.watched(self.browser.driver)
        for name, text in hostile.STRINGS.items():
            self.open()
            self.browser.js(DROP + """
                const bundle = new DataTransfer();
                bundle.items.add(new File([carried.files[0]], `${arguments[1]}.rial`));
                bundle.items.add(new File(['x'], arguments[1]));
                document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: bundle, bubbles: true, cancelable: true }));
                """, base64.b64encode(bundles.sample("example.rial")).decode(), text, "")
            said = self.told()
            self.assertIn(words("bundle.file"), said)
            self.assertTrue(hostile.holds(said, text), name)
            self.assertEqual(hostile.findings(self.browser.driver), [], name)

    def test_words_of_a_log_are_text_and_nothing_else(self):
        hostile.watched(self.browser.driver)
        self.check(self.maker.bundle(bundles.assessment(), bundles.revocation(reason="because_of_that")), "bundle.revoked")
        self.assertIn("because_of_that", self.browser.text("#outcome"))
        maker = bundles.Maker()
        maker.witnesses[0] = bundles.Key("<b/data-owned>\u202eevil\u05d0", 4)
        said = self.check(maker.bundle(bundles.assessment()), "bundle.done.signed", policy=maker.policy_text("quorum w0\n"))
        self.assertIn("<b/data-owned>evil", said)
        self.assertEqual(hostile.findings(self.browser.driver), [])

    def test_a_browser_without_these_signatures_says_so(self):
        self.open()
        self.browser.js("crypto.subtle.importKey = () => Promise.reject(new DOMException('', 'NotSupportedError'))")
        said = self.choose(bundles.SAMPLES / "example.rial")
        self.assertIn(words("bundle.browser"), said)
        self.assertIn(words("bundle.bad.browser"), said)

    def test_without_scripts_it_names_the_other_way(self):
        with open_browser(script=False) as browser:
            text = shown(browser.go("/bundle").text())
            self.assertIn(words("bundle.noscript"), text)
            self.assertFalse(browser.one("#bundle").is_displayed())


class Looks(BundleTest):
    def look(self, **options):
        with open_browser(**options) as browser:
            for name in ["example", "revoked", "owner-joined", "policy"]:
                browser.go("/bundle")
                browser.js("document.getElementById('policy-own').value = arguments[0]", bundles.sample("policy").decode())
                browser.one("#bundle-file").send_keys(str(bundles.SAMPLES / (name if name == "policy" else f"{name}.rial")))
                browser.wait(lambda: browser.all("#outcome h2"), what="an answer")
                with self.subTest(name, **options):
                    self.assertEqual(layout.flaws(browser), [])
                    self.assertEqual(axe.violations(browser), [])
                browser.shot(f"bundle-{name}-{options['width']}-{options.get('language', 'en')}{'-dark' if options.get('dark') else ''}")

    def test_answers_fit_a_phone_and_axe_finds_nothing(self):
        self.look(width=320, height=640)

    def test_answers_fit_a_large_screen_in_the_dark(self):
        self.look(width=1280, height=800, dark=True)

    def test_answers_fit_in_spanish(self):
        self.look(width=360, height=780, language="es")


class Spanish(BundleTest):
    language = "es"

    def test_answers_are_in_spanish_from_disk_too(self):
        for address in self.addresses.values():
            self.open(address)
            said = self.choose(bundles.SAMPLES / "revoked.rial")
            for key in ["revoked", "reason.device", "checks", "done", "not", "not.later", "history", "kind.assessment", "level.before"]:
                self.assertIn(words(f"bundle.{key}", "es"), said)
            self.assertIn("13 de noviembre de 2026", said)
            self.assertIn(words("badge.high", "es"), said)
            said = self.choose(bundles.SAMPLES / "policy")
            self.assertIn(words("bundle.unreadable", "es"), said)


class Hint(BundleTest):
    """An installation with a policy offers it, as a hint."""

    def test_the_policy_of_the_site_may_be_taken_or_replaced(self):
        with another_gateway(self.world, "3", RIAL_LOG_POLICY=str(bundles.SAMPLES / "policy")) as address:
            with open_browser(base=address) as browser:
                browser.go("/bundle")
                self.assertIn(words("bundle.trust.site"), browser.text("fieldset"))
                self.assertEqual(browser.js("return document.getElementById('policy-site').value"), bundles.sample("policy").decode())
                page = browser.js("return document.documentElement.outerHTML")
                for place in ["/bundle", saved(f"<!doctype html>{page}", self.folder)]:
                    browser.go(place)
                    browser.one("#bundle-file").send_keys(str(bundles.SAMPLES / "example.rial"))
                    proved, sound = words("bundle.proved").split("{")[0], words("bundle.sound")
                    browser.wait(lambda: proved in browser.text("#outcome"), what="the site's policy is taken")
                    browser.js("document.querySelector('[name=policy][value=site]').focus()")
                    ActionChains(browser.driver, duration=0).send_keys(Keys.ARROW_DOWN).perform()
                    browser.wait(lambda: sound in browser.text("#outcome"), what="an empty policy of the reader's own")
                    self.assertEqual(browser.js("return document.activeElement.value"), "own")
                self.assertEqual(layout.flaws(browser), [])
                self.assertEqual(axe.violations(browser), [])


if __name__ == "__main__":
    unittest.main()
