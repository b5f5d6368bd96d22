"""The part of a Kafka broker that clients meet first, and requests that the broker of the local stack does not know.

Implements the part of Kafka's protocol that clients need to connect: ApiVersions, SaslHandshake and SaslAuthenticate (PLAIN, SCRAM-SHA-256
and SCRAM-SHA-512 by RFC 5802), Metadata and CreateAcls; CreateTopics and CreatePartitions; and of consumer groups FindCoordinator,
ListOffsets and OffsetFetch. Prints `port N` once it listens, then a JSON line for each login, list entry and topic that grows. Reads JSON
lines: `{"end": [TOPIC, N]}` for N records in a topic's first partition, `{"committed": [GROUP, TOPIC, N]}` for what a group has handled of
them. Ends with its standard input.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import socket
import ssl
import struct
import sys
import threading

API_VERSIONS, METADATA, HANDSHAKE, AUTHENTICATE, CREATE_ACLS = 18, 3, 17, 36, 30
CREATE_TOPICS, CREATE_PARTITIONS, FIND_COORDINATOR, LIST_OFFSETS, OFFSET_FETCH = 19, 37, 10, 2, 9
# The supported versions of each request, all older than the compact encoding.
SPOKEN = {API_VERSIONS: (0, 0), METADATA: (0, 4), HANDSHAKE: (0, 1), AUTHENTICATE: (0, 1), CREATE_ACLS: (1, 1),
          CREATE_TOPICS: (4, 4), CREATE_PARTITIONS: (0, 0), FIND_COORDINATOR: (0, 0), LIST_OFFSETS: (1, 1), OFFSET_FETCH: (1, 1)}
UNSUPPORTED_VERSION, UNSUPPORTED_MECHANISM, AUTHENTICATION_FAILED = 35, 33, 58
TOPIC_ALREADY_EXISTS, INVALID_PARTITIONS, UNKNOWN_TOPIC = 36, 37, 3


def text(value):
    if value is None:
        return struct.pack(">h", -1)
    data = value.encode()
    return struct.pack(">h", len(data)) + data


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def bytes(self, form):
        count = self.number(form)
        if count < 0:
            return None
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        value = self.bytes(">h")
        return None if value is None else value.decode()

    def list(self, item):
        """Of a null list, too, nothing."""
        return [item() for _ in range(max(0, self.number(">i")))]


def listed(items):
    return struct.pack(">i", len(items)) + b"".join(items)


class Login:
    """One SASL exchange; `answer` returns the server's next message, or None to refuse."""

    def __init__(self, mechanism, user, password):
        self.mechanism, self.user, self.password = mechanism, user, password
        self.done = False
        self.first = None

    def answer(self, message):
        if self.mechanism == "PLAIN":
            self.done = message.split(b"\0")[1:] == [self.user.encode(), self.password.encode()]
            return b"" if self.done else None
        return self.scram(message)

    def scram(self, message):
        name = self.mechanism.removeprefix("SCRAM-").replace("-", "").lower()
        if self.first is None:
            self.bare = message.split(b",", 2)[2]
            fields = dict(part.split(b"=", 1) for part in self.bare.split(b","))
            self.salt = os.urandom(16)
            nonce = fields[b"r"] + base64.b64encode(os.urandom(12))
            self.first = b"r=" + nonce + b",s=" + base64.b64encode(self.salt) + b",i=4096"
            self.known = fields[b"n"] == self.user.encode()
            return self.first
        unsigned, _, proof = message.rpartition(b",p=")
        salted = hashlib.pbkdf2_hmac(name, self.password.encode(), self.salt, 4096)
        transcript = self.bare + b"," + self.first + b"," + unsigned
        client_key = hmac.digest(salted, b"Client Key", name)
        signature = hmac.digest(hashlib.new(name, client_key).digest(), transcript, name)
        expected = bytes(left ^ right for left, right in zip(client_key, signature))
        self.done = self.known and hmac.compare_digest(expected, base64.b64decode(proof))
        server_key = hmac.digest(salted, b"Server Key", name)
        return b"v=" + base64.b64encode(hmac.digest(server_key, transcript, name)) if self.done else None


class Broker:
    def __init__(self, arguments):
        self.arguments = arguments
        self.context = None
        if arguments.certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(arguments.certificate, arguments.key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.printing = threading.Lock()
        self.topics = {}
        self.ends, self.committed = {}, {}

    def tell(self, line):
        with self.printing:
            print(line, flush=True)

    def run(self):
        self.tell(f"port {self.port}")
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                connection.settimeout(30)
                plain = connection
                if self.context:
                    plain = self.context.wrap_socket(connection, server_side=True)
                self.converse(plain)
        except (OSError, struct.error, KeyError, IndexError):
            pass

    def receive(self, connection, count):
        data = b""
        while len(data) < count:
            more = connection.recv(count - len(data))
            if not more:
                raise OSError("closed")
            data += more
        return data

    def converse(self, connection):
        login = None
        while True:
            size = struct.unpack(">i", self.receive(connection, 4))[0]
            request = Reader(self.receive(connection, min(size, 1 << 20)))
            key, version, correlation = request.number(">h"), request.number(">h"), request.number(">i")
            request.text()
            if key not in SPOKEN or (self.arguments.user and key not in (API_VERSIONS, HANDSHAKE, AUTHENTICATE) and not (login and login.done)):
                return
            if key == HANDSHAKE:
                mechanism = request.text()
                known = mechanism == self.arguments.mechanism
                login = Login(mechanism, self.arguments.user, self.arguments.password) if known else None
                body = struct.pack(">hi", 0 if known else UNSUPPORTED_MECHANISM, 1) + text(self.arguments.mechanism)
            elif key == AUTHENTICATE:
                answer = login.answer(request.bytes(">i")) if login else None
                if login and login.done:
                    self.tell(json.dumps({"login": login.user, "mechanism": login.mechanism, "tls": self.context is not None}))
                if answer is None:
                    body = struct.pack(">h", AUTHENTICATION_FAILED) + text("no such login") + struct.pack(">i", 0)
                else:
                    body = struct.pack(">h", 0) + text(None) + struct.pack(">i", len(answer)) + answer
                if version > 0:
                    body += struct.pack(">q", 0)
            else:
                body = self.answers[key](self, request, version)
            answer = struct.pack(">i", correlation) + body
            connection.sendall(struct.pack(">i", len(answer)) + answer)

    def versions(self, request, version):
        error = 0 if version == 0 else UNSUPPORTED_VERSION
        spoken = b"".join(struct.pack(">hhh", key, low, high) for key, (low, high) in SPOKEN.items())
        return struct.pack(">hi", error, len(SPOKEN)) + spoken

    def metadata(self, request, version):
        body = struct.pack(">i", 0) if version >= 3 else b""
        body += struct.pack(">ii", 1, 1) + text("localhost") + struct.pack(">i", self.port)
        if version >= 1:
            body += text(None)
        if version >= 2:
            body += text("secure")
        if version >= 1:
            body += struct.pack(">i", 1)
        # librdkafka asks for all topics by a null list, in version 0 by an empty one.
        count = request.number(">i")
        names = [request.text() for _ in range(max(0, count))]
        if count < 0 or (version == 0 and not names):
            names = list(self.topics)
        return body + listed([self.topic(name, version) for name in names])

    def topic(self, name, version):
        partitions = [
            struct.pack(">hii", 0, index, 1) + listed([struct.pack(">i", 1)]) * 2 for index in range(self.topics.get(name, 0))]
        internal = b"\0" if version >= 1 else b""
        return struct.pack(">h", 0 if partitions else UNKNOWN_TOPIC) + text(name) + internal + listed(partitions)

    def create_topics(self, request, version):
        def created():
            name, partitions, _ = request.text(), request.number(">i"), request.number(">h")
            request.list(lambda: (request.number(">i"), request.list(lambda: request.number(">i"))))
            request.list(lambda: (request.text(), request.text()))
            known = name in self.topics
            self.topics.setdefault(name, partitions)
            return text(name) + struct.pack(">h", TOPIC_ALREADY_EXISTS if known else 0) + text(None)
        return struct.pack(">i", 0) + listed(request.list(created))

    def create_partitions(self, request, version):
        def grown():
            name, partitions = request.text(), request.number(">i")
            request.list(lambda: request.list(lambda: request.number(">i")))
            if name not in self.topics:
                return text(name) + struct.pack(">h", UNKNOWN_TOPIC) + text(None)
            if partitions <= self.topics[name]:
                return text(name) + struct.pack(">h", INVALID_PARTITIONS) + text("not more than there are")
            self.topics[name] = partitions
            self.tell(json.dumps({"grown": [name, partitions]}))
            return text(name) + struct.pack(">h", 0) + text(None)
        return struct.pack(">i", 0) + listed(request.list(grown))

    def find_coordinator(self, request, version):
        return struct.pack(">hi", 0, 1) + text("localhost") + struct.pack(">i", self.port)

    def list_offsets(self, request, version):
        request.number(">i")

        def topic():
            name = request.text()

            def partition():
                index, time = request.number(">i"), request.number(">q")
                # -2 asks for the first offset, -1 for the end.
                return struct.pack(">ihqq", index, 0, -1, 0 if time == -2 or index else self.ends.get(name, 0))
            return text(name) + listed(request.list(partition))
        return listed(request.list(topic))

    def offset_fetch(self, request, version):
        group = request.text()

        def topic():
            name = request.text()

            def partition():
                index = request.number(">i")
                offset = -1 if index else self.committed.get((group, name), -1)
                return struct.pack(">iq", index, offset) + text("") + struct.pack(">h", 0)
            return text(name) + listed(request.list(partition))
        return listed(request.list(topic))

    def create_acls(self, request, version):
        count = request.number(">i")
        for _ in range(count):
            kind, name, pattern = request.number(">b"), request.text(), request.number(">b")
            principal, host = request.text(), request.text()
            operation, permission = request.number(">b"), request.number(">b")
            self.tell(json.dumps({"acl": [kind, name, pattern, principal, host, operation, permission]}))
        return struct.pack(">ii", 0, count) + (struct.pack(">h", 0) + text(None)) * count

    answers = {
        API_VERSIONS: versions, METADATA: metadata, CREATE_ACLS: create_acls, CREATE_TOPICS: create_topics,
        CREATE_PARTITIONS: create_partitions, FIND_COORDINATOR: find_coordinator, LIST_OFFSETS: list_offsets, OFFSET_FETCH: offset_fetch}

    def change(self, end=None, committed=None):
        if end:
            self.ends[end[0]] = end[1]
        if committed:
            self.committed[tuple(committed[:2])] = committed[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--mechanism")
    parser.add_argument("--user")
    parser.add_argument("--password")
    broker = Broker(parser.parse_args())
    threading.Thread(target=broker.run, daemon=True).start()
    for line in sys.stdin:
        broker.change(**json.loads(line))


main()
