"""Proxies between a service and what it stands on, for faults of the connection."""

import contextlib
import http.client
import http.server
import socket
import socketserver
import sys
import threading
import time
import urllib.parse


class Served:
    """A server of socketserver that runs within a `with` block."""

    daemon_threads = True

    @property
    def port(self):
        return self.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *arguments):
        # A service that is restarted ends its connections.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*arguments)


class PassedRequest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.refuses(self.command, self.path):
            return self.answer(403, {"Content-Type": "application/xml"}, b"<Error><Code>AccessDenied</Code></Error>")
        time.sleep(self.server.delay)
        with contextlib.closing(http.client.HTTPConnection(self.server.store)) as store:
            store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                store.putheader(name, value)
            store.endheaders(body)
            answer = store.getresponse()
            self.answer(answer.status, dict(answer.getheaders()), answer.read())

    def answer(self, status, headers, body):
        self.send_response_only(status)
        length = next((value for name, value in headers.items() if name.lower() == "content-length"), str(len(body)))
        for name, value in headers.items():
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = pass_on

    def log_message(self, *_):
        pass


class StoreProxy(Served, http.server.ThreadingHTTPServer):
    """Passes requests on to the object store: those that it does not refuse, as late as it says."""

    def __init__(self, endpoint):
        super().__init__(("127.0.0.1", 0), PassedRequest)
        self.store = urllib.parse.urlsplit(endpoint).netloc
        self.url = f"http://127.0.0.1:{self.port}"
        self.pass_all()

    def refuse(self, method, path):
        """Refuses requests by this method whose path begins so."""
        self.refuses = lambda one, target: one == method and target.startswith(path)

    def pass_all(self):
        self.refuses, self.delay = lambda *_: False, 0


class PassedSession(socketserver.BaseRequestHandler):
    is_lost = False

    def handle(self):
        with socket.create_connection(self.server.database) as database:
            threading.Thread(target=self.pass_answers, args=(database,), daemon=True).start()
            said = b""
            # The service ends sessions of its own, or is restarted.
            with contextlib.suppress(OSError):
                while chunk := self.request.recv(65536):
                    said = (said + chunk)[-1_000_000:]
                    if self.server.text in said and b"COMMIT\0" in chunk and not self.server.is_done:
                        self.is_lost = self.server.is_done = True
                    database.sendall(chunk)

    def pass_answers(self, database):
        with contextlib.suppress(OSError):
            while (answer := database.recv(65536)) and not self.is_lost:
                self.request.sendall(answer)
            self.request.shutdown(socket.SHUT_RDWR)


class LostCommit(Served, socketserver.ThreadingTCPServer):
    """Passes sessions on to PostgreSQL, and ends one instead of the answer to COMMIT: that after the first statement with this text."""

    def __init__(self, port, text):
        super().__init__(("127.0.0.1", 0), PassedSession)
        self.database, self.text, self.is_done = ("127.0.0.1", port), text.encode(), False
