"""All scenarios in their order; those that stop parts of the stack come last."""

import unittest

from scenario_captures import Captures
from scenario_devices import Devices
from scenario_faults import Faults
from scenario_limits import Limits
from scenario_reads import Health, Media, PublicLog, Reads, Withdrawal
from scenario_routing import Routing
from scenario_uploads import Uploads
from scenario_verification import Verification
from scenario_videos import Videos
from world import ABLE, LOG, server


def is_unknown(target):
    """Whether the address is unknown to the gateway: for a known one, it would reject the method."""
    return server().send("TRACE", target).code == "NOT_FOUND"


CASES: list[type[unittest.TestCase]] = [Devices, Captures, Videos, Uploads, Reads, PublicLog, Withdrawal, Media, Health, Verification, Routing, Limits, Faults]
__all__ = ["ABLE", "CASES", "LOG", "is_unknown"]
