"""Alarms of every service: deploy/prometheus/rules.yml, group rial.every-service."""

import json
import os
import threading
import urllib.request

from faults import DATABASE, AlarmTests, sql, stack


class Services(AlarmTests):
    def test_a_dead_letter_is_larger_than_any_broker_takes(self):
        with self.fault("RialEventsLost", job="upload-sync"):
            sql("""
                INSERT INTO upload_sync_outbox (topic, record_key, headers, value)
                VALUES ('rial.capture.received.v1.upload-sync.dlq', 'key', '[]', convert_to(repeat('x', 1100000), 'UTF8'))
                """)

    def test_a_photo_is_lost_before_it_is_analyzed(self):
        with self.fault("RialDeadLetters", "RialCapturesFailed") as ends:
            self.away(ends, "depth-analyzer")
            capture = self.send()
            [photo] = self.bucket.keys(f"captures/{capture}/original")
            self.bucket.delete(photo)
            stack("start", "depth-analyzer")

    def test_a_photo_is_read_again_and_again(self):
        capture = self.completed("2016x1512")
        with urllib.request.urlopen(f"{os.environ['RIAL_PUBLIC_URL']}/api/v1/captures/{capture}") as answer:
            address = json.load(answer)["data"]["c2pa_media_url"]
        # "The day before", in which little was read.
        before = "offset 30s"
        self.expect(
            f'sum(rate(rial_storage_bytes_total{{direction="received"}}[20s] {before})) < 1e5'
            f" and sum(rate(rial_captures_accepted_total[20s] {before})) == 0", 120)
        with self.fault("RialStorageTraffic", direction="received") as ends:
            is_over = threading.Event()

            def read():
                while not is_over.is_set():
                    with urllib.request.urlopen(address) as photo:
                        photo.read()

            reader = threading.Thread(target=read)
            ends.callback(reader.join)
            ends.callback(is_over.set)
            reader.start()

    def test_the_clock_of_the_database_is_ahead(self):
        # New connections find this one before PostgreSQL's own; nothing but the comparison of the clocks asks for the time by it.
        name = DATABASE.path[1:]
        with self.fault("RialClockWrong", job="upload-sync") as ends:
            ends.callback(stack, "restart", "upload-sync")
            ends.callback(sql, f"ALTER DATABASE {name} RESET search_path")
            ends.callback(sql, "DROP FUNCTION IF EXISTS public.clock_timestamp()")
            sql(f"""
                CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
                    $$ SELECT pg_catalog.clock_timestamp() + interval '3 minutes' $$;
                ALTER DATABASE {name} SET search_path = public, pg_catalog
                """)
            stack("restart", "upload-sync")

    def test_no_gateway_is_left(self):
        with self.fault("RialServiceGone", job="gateway") as ends:
            self.away(ends, "gateway")

    # By their names the next two come last. After them the local broker may need minutes to form its groups.

    def test_the_broker_takes_no_events(self):
        with self.fault("RialEventsNotPublished", job="gateway") as ends:
            self.away(ends, "broker")
            self.send()

    def test_what_all_stand_on_is_away(self):
        for part, dependency in (("s3", "storage"), ("postgres", "database"), ("broker", "broker")):
            with self.subTest(part), self.fault("RialDependencyAway", dependency=dependency) as ends:
                self.away(ends, part)
