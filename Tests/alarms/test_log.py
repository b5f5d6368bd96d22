"""Alarms of the public log: deploy/prometheus/rules.yml, group rial.log."""

import contextlib
import os
import re

from faults import STACK, AlarmTests, metrics, rial, sql, stack
from keys import TimestampAuthority
from prometheus import eventually
from proxies import StoreProxy


class PublicLog(AlarmTests):
    def test_the_log_has_no_sequencer(self):
        with self.fault("RialLogSequencers") as ends:
            self.away(ends, "transparency-log")

    def test_no_witness_answers(self):
        with self.fault("RialLogWitnessFailing", "RialLogNoQuorum", over=120) as ends:
            for witness in ("witness-1", "witness-2"):
                self.away(ends, witness)
            self.send()

    def test_a_witness_is_away_for_long(self):
        self.enterContext(self.captures_coming())
        self.expect('rial_log_witness_age_seconds{witness="witness-1.local"} < 5', 120)
        with self.fault("RialLogWitnessAway", witness="witness-1.local", seconds=120, over=120) as ends:
            self.away(ends, "witness-1")

    def test_the_store_refuses_what_the_log_publishes(self):
        store = self.through_proxy()
        self.enterContext(self.captures_coming())
        with self.fault("RialLogNotPublished", "RialLogStandsStill", "RialLogCheckpointOld", seconds=90) as ends:
            ends.callback(store.pass_all)
            store.refuse("PUT", "/rial/log/")

    def test_the_store_is_slow(self):
        store = self.through_proxy()
        self.enterContext(self.captures_coming())
        eventually("a round has ended", lambda: re.search(r"\nrial_log_round_seconds_count [1-9]", metrics("transparency-log")))
        with self.fault("RialLogRoundsSlow", seconds=90) as ends:
            ends.callback(store.pass_all)
            store.delay = 0.5

    def through_proxy(self):
        """Lets the log reach its store through a proxy until the test's end."""
        store = self.enterContext(StoreProxy(os.environ["RIAL_S3_ENDPOINT"]))
        self.running(self.enterContext(contextlib.ExitStack()), "transparency-log", RIAL_S3_ENDPOINT=store.url)
        return store

    def test_the_time_stamp_authority_is_away(self):
        authority = self.enterContext(TimestampAuthority(STACK / "authority"))
        test = self.enterContext(contextlib.ExitStack())
        self.running(
            test, "transparency-log", RIAL_LOG_TIMESTAMP_AUTHORITY=authority.url, RIAL_LOG_TIMESTAMP_ANCHORS=str(authority.root),
            RIAL_LOG_TIMESTAMP_SECONDS="1")

        @test.callback
        def forget():
            """Without an authority, no checkpoint has a time stamp that could grow old."""
            stack("stop", "transparency-log")
            sql("UPDATE log_checkpoints SET token = NULL, token_at = NULL WHERE token IS NOT NULL")

        self.enterContext(self.captures_coming())
        self.expect("rial_log_timestamp_age_seconds < 15")
        with self.fault("RialLogTimestampOld", seconds=120) as ends:
            ends.callback(authority.open)
            authority.close()

    def test_entries_in_the_store_are_damaged(self):
        key = self.edge("entries")
        # Within a minute everything is hashed again.
        with self.fault("RialLogDamaged", seconds=120):
            self.bucket.put(key, b"damaged")

    def test_what_is_stored_contradicts_what_was_signed(self):
        with self.fault("RialLogFrozen") as ends:
            self.away(ends, "monitor")
            ends.callback(rial, "log", "recover")
            self.bucket.damage(self.edge("0"))
            # With it the log is to grow.
            self.send()

    def edge(self, kind):
        """The key of the published tree's last tile of a kind, which is not full."""
        capture = self.completed()
        eventually(
            "its statement is in the log",
            lambda: sql(f"SELECT bool_and(leaf_index IS NOT NULL) FROM statements WHERE capture_id = '{capture}'") == "t")
        self.expect("rial_log_pending == 0 and rial_log_published_size == rial_log_size")
        shard, size = sql("SELECT shard, published_size FROM log_shards").split("|")
        index, width = divmod(int(size), 256)
        if not width:
            return self.edge(kind)
        return f"log/{shard}/tile/{kind}/{index:03}.p/{width}"
