"""Test results that say how long each test took, in lines that scripts/test.sh collects."""

import time
import unittest


class TimedResult(unittest.TextTestResult):
    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f"took {time.monotonic() - self.started:.3f} s: {test.id()}")
