"""Prints one PORT_NAME=number line per argument: ports that are free now and not in a file given by --taken.

They are below the kernel's range for source ports. In that range a client that keeps reconnecting while its server is down can connect to
itself and block the server's port.
"""

import argparse
import pathlib
import random
import re
import socket


def ephemeral_start():
    try:
        return int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError):
        return 32768


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="+")
    parser.add_argument("--taken", nargs="*", default=[])
    arguments = parser.parse_args()
    taken = set()
    for path in arguments.taken:
        try:
            text = pathlib.Path(path).read_text()
        except FileNotFoundError:
            # Another stack was deleted in the meantime: its ports are free.
            continue
        taken.update(int(number) for number in re.findall(r"=?(\d{2,5})\s*$", text, re.M))
    low, high = 10240, ephemeral_start()
    # An unusually wide range leaves no room below it, so any free port is used.
    candidates = list(range(low, high)) if high - low > 1000 else list(range(low, 65536))
    random.SystemRandom().shuffle(candidates)
    held = []
    for name in arguments.names:
        while True:
            port = candidates.pop()
            if port in taken:
                continue
            probe = socket.socket()
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                probe.close()
                continue
            held.append(probe)  # kept until all are chosen, so that none is chosen twice
            print(f"PORT_{name}={port}")
            break


main()
