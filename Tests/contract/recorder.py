"""A proxy between `rial` and the gateway that records exchanges, so that the program's requests are validated like the tests' own."""

import http.server
import threading


class Recorder:
    """`with Recorder(server) as url:`"""

    def __init__(self, server):
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _body(self):
                if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                pieces = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(pieces)

            def _pass(self):
                body = self._body()
                headers = {
                    name: value for name, value in self.headers.items()
                    if name.lower() not in ("host", "connection", "content-length", "transfer-encoding")
                }
                answer = server.send(self.command, self.path, headers, body)
                self.send_response_only(answer.status)
                for name, value in answer.headers.items():
                    if name not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = _pass

            def log_message(self, *_):
                pass

        self._listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._listener.serve_forever, daemon=True)
        recorder.url = f"http://127.0.0.1:{self._listener.server_address[1]}"

    def __enter__(self):
        self._thread.start()
        return self.url

    def __exit__(self, *_):
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()
