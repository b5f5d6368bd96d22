"""Alarms of stored objects: deploy/prometheus/rules.yml, group rial.storage."""

import os

from faults import AlarmTests, rial, sql, stack
from prometheus import eventually
from proxies import StoreProxy


class Storage(AlarmTests):
    def test_objects_of_a_withdrawn_capture_cannot_be_deleted(self):
        capture = self.completed()
        row = f"withdrawals WHERE capture_id = '{capture}'"

        def erase():
            """Lets the store delete again, and the hour pass after the last object was found."""
            store.pass_all()
            sql(f"UPDATE withdrawals SET erase_next_at = now() WHERE capture_id = '{capture}'")
            eventually("the objects are deleted", lambda: sql(f"SELECT found_at IS NOT NULL FROM {row}") == "t")
            self.assertEqual(self.bucket.keys(f"captures/{capture}/"), [])
            sql(f"""
                UPDATE withdrawals SET found_at = now() - interval '61 minutes', erase_next_at = now() WHERE capture_id = '{capture}'
                """)

        with StoreProxy(os.environ["RIAL_S3_ENDPOINT"]) as store:
            with self.fault("RialCleanupsFailing", "RialWithdrawalStuck") as ends:
                self.running(ends, "upload-sync", RIAL_S3_ENDPOINT=store.url)
                store.refuse("DELETE", "/rial/captures/")
                ends.callback(erase)
                rial("capture", "withdraw", capture, "--yes")
                # Two hours ago.
                past = "now() - interval '121 minutes'"
                sql(f"UPDATE withdrawals SET withdrawn_at = {past}, opened_at = {past} WHERE capture_id = '{capture}'")

    def thumbnail(self, capture):
        return sql(f"SELECT object_key FROM media_objects WHERE capture_id = '{capture}' AND name = 'thumbnail.jpg'")

    def read_again(self, capture, **settings):
        """It is due, and upload-sync looks as it starts."""
        past = "now() - interval '31 days'"
        sql(f"UPDATE sync_jobs SET synced_at = {past}, scrubbed_at = {past} WHERE capture_id = '{capture}'")
        stack("restart", "upload-sync", **settings)

    def test_a_stored_photo_has_other_bytes(self):
        capture = self.completed()
        key = self.thumbnail(capture)
        with self.fault("RialMediaDamaged") as ends:
            content = self.bucket.damage(key)
            ends.callback(self.read_again, capture)
            ends.callback(self.bucket.put, key, content)
            self.read_again(capture)

    def test_the_store_does_not_give_a_stored_photo(self):
        capture = self.completed()
        with StoreProxy(os.environ["RIAL_S3_ENDPOINT"]) as store, self.fault("RialMediaDamaged") as ends:
            store.refuse("GET", f"/rial/{self.thumbnail(capture)}")
            # Of the store itself.
            ends.callback(self.read_again, capture)
            self.read_again(capture, RIAL_S3_ENDPOINT=store.url)
