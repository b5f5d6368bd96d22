"""What every scenario can do."""

import unittest

import world


class Scenario(unittest.TestCase):
    """Expectations are of statuses and codes only; whether the answers are as the file says is judged at the end, over all of them."""

    @property
    def server(self):
        return world.server()

    def expect(self, exchange, status, code=None):
        self.assertEqual((exchange.status, exchange.code), (status, code), str(exchange))
        return exchange
