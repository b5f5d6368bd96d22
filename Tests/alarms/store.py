"""The objects in the stack's bucket, as the operator reaches them."""

import datetime
import hashlib
import hmac
import os
import re
import urllib.parse
import urllib.request


class Bucket:
    def __init__(self):
        names = ("ENDPOINT", "BUCKET", "REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY")
        self.endpoint, self.bucket, self.region, self.identity, self.secret = (os.environ[f"RIAL_S3_{name}"] for name in names)

    def request(self, method, key="", query="", content=b""):
        """Sends a request, signed by AWS Signature Version 4. Returns the answer's body."""
        path, digest = urllib.parse.quote(f"/{self.bucket}/{key}"), hashlib.sha256(content).hexdigest()
        time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        signed = {"host": urllib.parse.urlsplit(self.endpoint).netloc, "x-amz-content-sha256": digest, "x-amz-date": time}
        lines = [method, path, query, *(f"{name}:{value}" for name, value in signed.items()), "", ";".join(signed), digest]
        scope = [time[:8], self.region, "s3", "aws4_request"]
        text = ["AWS4-HMAC-SHA256", time, "/".join(scope), hashlib.sha256("\n".join(lines).encode()).hexdigest()]
        secret = f"AWS4{self.secret}".encode()
        for part in [*scope, "\n".join(text)]:
            secret = hmac.digest(secret, part.encode(), "sha256")
        credential = f"Credential={self.identity}/{'/'.join(scope)}"
        signed["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={';'.join(signed)}, Signature={secret.hex()}"
        signed["content-type"] = "application/octet-stream"
        request = urllib.request.Request(f"{self.endpoint}{path}?{query}", content or None, signed, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def keys(self, prefix):
        text = self.request("GET", query=f"list-type=2&prefix={urllib.parse.quote(prefix, safe='')}").decode()
        return re.findall(r"<Key>([^<]*)</Key>", text)

    def put(self, key, content):
        self.request("PUT", key, content=content)

    def delete(self, key):
        self.request("DELETE", key)

    def damage(self, key):
        """Changes a byte of an object. Returns the content that it had."""
        content = self.request("GET", key)
        middle = len(content) // 2
        self.put(key, content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:])
        return content
