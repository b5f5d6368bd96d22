"""What signing stands on, made with openssl and SoftHSM: a certificate, a token, a time-stamp authority."""

import http.server
import pathlib
import shutil
import subprocess

from prometheus import free_port
from proxies import Served

SOFTHSM = pathlib.Path("/usr/lib/softhsm/libsofthsm2.so")
HAS_TOKENS = SOFTHSM.exists() and shutil.which("softhsm2-util") is not None


def run(folder, *command, **settings):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def certified(folder, days):
    """Makes a signer's key and a certificate of so many days, with an authority of its own. Returns the settings that name them."""
    folder.mkdir(exist_ok=True)
    (folder / "leaf.cnf").write_text("""\
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,nonRepudiation
extendedKeyUsage = 1.3.6.1.4.1.62558.2.1,emailProtection
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
""")
    for name in ("root", "signer"):
        run(folder, "openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.key")
    run(folder, "openssl", "req", "-new", "-x509", "-key", "root.key", "-days", "3650", "-subj", "/O=Test/CN=root", "-addext",
        "keyUsage=critical,keyCertSign,cRLSign", "-out", "root.pem")
    run(folder, "openssl", "req", "-new", "-key", "signer.key", "-subj", "/O=Test/CN=signer", "-out", "signer.csr")
    run(folder, "openssl", "x509", "-req", "-in", "signer.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "78", "-days",
        str(days), "-extfile", "leaf.cnf", "-out", "signer.pem")
    return {"RIAL_C2PA_CERTIFICATES": str(folder / "signer.pem"), "RIAL_C2PA_PRIVATE_KEY": str(folder / "signer.key")}


class Token:
    """A token in software with a signer's key, in a folder."""

    def __init__(self, folder, key):
        self.tokens = folder / "tokens"
        shutil.rmtree(folder, ignore_errors=True)
        self.tokens.mkdir(parents=True)
        configuration = folder / "softhsm2.conf"
        configuration.write_text(f"directories.tokendir = {self.tokens}\nobjectstore.backend = file\nlog.level = ERROR\n")
        environment = {"SOFTHSM2_CONF": str(configuration)}
        run(folder, "softhsm2-util", "--init-token", "--free", "--label", "rial", "--so-pin", "officer-1", "--pin", "user-1",
            env=environment)
        run(folder, "softhsm2-util", "--import", str(key), "--token", "rial", "--label", "signer", "--id", "01", "--pin", "user-1",
            env=environment)
        self.settings = environment | {
            "RIAL_C2PA_PKCS11_MODULE": str(SOFTHSM), "RIAL_C2PA_PKCS11_TOKEN": "rial", "RIAL_C2PA_PKCS11_KEY": "signer",
            "RIAL_C2PA_PKCS11_PIN": "user-1"}

    def take_out(self):
        self.tokens.rename(self.tokens.with_name("away"))

    def put_back(self):
        self.tokens.with_name("away").rename(self.tokens)


class TimestampAuthority:
    """A time-stamp authority (RFC 3161) that runs `openssl ts`, with keys in a folder. It keeps its port while it is away."""

    CONFIGURATION = pathlib.Path(__file__).parents[1] / "timestamp-authority.cnf"

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        shutil.copy(self.CONFIGURATION, folder / "tsa.cnf")
        (folder / "serial").write_text("01\n")
        new = ("openssl", "req", "-config", "tsa.cnf", "-newkey", "rsa:2048", "-nodes", "-sha256")
        run(folder, *new, "-x509", "-days", "30", "-subj", "/O=Test/CN=time root", "-extensions", "root", "-keyout", "root.key", "-out",
            "root.pem")
        run(folder, *new, "-subj", "/O=Test/CN=time", "-keyout", "time.key", "-out", "time.csr")
        run(folder, "openssl", "x509", "-req", "-in", "time.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "77", "-days",
            "20", "-sha256", "-extfile", "tsa.cnf", "-extensions", "time", "-out", "time.pem")
        self.root, self.port, self.server = folder / "root.pem", free_port(), None
        self.url = f"http://127.0.0.1:{self.port}/"

    def open(self):
        self.server = TimestampServer(self.port, self.folder)
        self.server.__enter__()

    def close(self):
        if self.server:
            self.server.__exit__()
            self.server = None

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()


class TimestampRequest(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        folder = self.server.folder
        (folder / "query").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        run(folder, "openssl", "ts", "-reply", "-config", "tsa.cnf", "-section", "authority", "-queryfile", "query", "-out", "reply")
        answer = (folder / "reply").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class TimestampServer(Served, http.server.HTTPServer):
    """One request at a time: the serial number and the files are shared."""

    def __init__(self, port, folder):
        super().__init__(("127.0.0.1", port), TimestampRequest)
        self.folder = folder
