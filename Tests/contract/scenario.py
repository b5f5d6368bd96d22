"""The base class of all scenarios."""

import unittest

import world


class Scenario(unittest.TestCase):
    """Scenarios expect only statuses and codes; all responses are validated against the file at the end."""

    @property
    def server(self):
        return world.server()

    def expect(self, exchange, status, code=None):
        self.assertEqual((exchange.status, exchange.code), (status, code), str(exchange))
        return exchange
