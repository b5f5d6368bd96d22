"""Alarms of signing: deploy/prometheus/rules.yml, group rial.signing."""

import contextlib
import unittest

from faults import STACK, AlarmTests, sql, stack
from keys import HAS_TOKENS, TimestampAuthority, Token, certified


class Signing(AlarmTests):
    @unittest.skipUnless(HAS_TOKENS, "softhsm2 is missing: scripts/setup.sh --tests")
    def test_the_token_with_the_key_is_taken_out(self):
        token = Token(STACK / "token", STACK / "keys/c2pa/private-key.pem")
        self.running(self.enterContext(contextlib.ExitStack()), "evidence-assembler", **token.settings)
        with self.fault("RialCapturesUnsigned") as ends:
            ends.callback(token.put_back)
            token.take_out()
            self.send()

    def test_the_time_stamp_authority_is_away(self):
        authority = self.enterContext(TimestampAuthority(STACK / "authority"))
        self.running(
            self.enterContext(contextlib.ExitStack()), "evidence-assembler", RIAL_C2PA_TIMESTAMP_AUTHORITY=authority.url)
        with self.fault("RialCredentialsWaiting", over=150) as ends:
            ends.callback(authority.open)
            authority.close()
            self.send()

    def test_a_capture_of_before_there_were_statements_cannot_be_read(self):
        capture = self.completed()

        def change(evidence):
            """Captures of before are stated as evidence-assembler starts."""
            sql(f"UPDATE captures SET evidence = {evidence}, stated_at = NULL WHERE id = '{capture}'")
            stack("restart", "evidence-assembler")

        with self.fault("RialCapturesUnstated") as ends:
            sql(f"DELETE FROM statements WHERE capture_id = '{capture}'")
            ends.callback(change, "evidence -> 'unread'")
            change("jsonb_build_object('unread', evidence)")

    def test_the_certificate_ends_in_twenty_days(self):
        with self.fault("RialSigningCertificateExpires") as ends:
            self.running(ends, "evidence-assembler", **certified(STACK / "signer", 20))
