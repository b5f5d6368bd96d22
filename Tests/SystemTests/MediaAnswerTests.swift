import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ObjectStorage
import Testing

extension SystemTests {
    @Suite("Responses to media links")
    struct MediaAnswers {
        @Test("have the content type of the name and a strict policy, whatever a row says", .timeLimit(.minutes(4)))
        func types() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let capture = try await SignedCapture.make()
            // A value that an attacker with access to the row could store.
            _ = try await stack.sql("UPDATE media_objects SET content_type = 'text/html' WHERE capture_id = '\(capture.id)'")
            let types = [
                "c2pa.jpg": "image/jpeg", "depth-preview.png": "image/png", "manifest.c2pa": "application/c2pa", "og.jpg": "image/jpeg",
            ]
            for (name, type) in types {
                let link = try stack.link(capture.id, name, expires: Date() + 600)
                let whole = try await client.send("GET", link)
                let answers = [
                    (200, whole), (200, try await client.send("HEAD", link)),
                    (206, try await client.send("GET", link, headers: [("Range", "bytes=0-9")])),
                    (304, try await client.send("GET", link, headers: [("If-None-Match", whole.headers["etag"] ?? "")])),
                ]
                for (status, answer) in answers {
                    #expect(answer.status == status, "\(name)")
                    #expect(answer.headers["content-type"] == type, "\(name) \(status)")
                    #expect(
                        answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox",
                        "\(name) \(status)")
                    #expect(answer.headers["x-content-type-options"] == "nosniff", "\(name) \(status)")
                }
                #expect(answers[1].1.headers["content-length"] == "\(whole.body.count)" && answers[1].1.body.isEmpty)
            }
        }

        @Test("redirects to the store have it too: the type is part of the signed link", .timeLimit(.minutes(4)))
        func redirected() async throws {
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            let gateway = try await stack.startGateway(4, settings: ["RIAL_S3_PUBLIC_ENDPOINT": stack.addresses["RIAL_S3_ENDPOINT"] ?? ""])
            let key = try #require(
                try await stack.sql("SELECT object_key FROM media_objects WHERE capture_id = '\(capture.id)' AND name = 'c2pa.jpg'").first)
            try await stack.storage().put(key, bytes: Array("<script>alert(1)</script>".utf8), contentType: "text/html")
            // Redirects are not followed automatically, unlike with the tests' shared client.
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let link = try stack.link(capture.id, "c2pa.jpg", expires: Date() + 600)
            let answer = try? await http.execute(HTTPClientRequest(url: gateway.url + link), timeout: .seconds(10))
            try await http.shutdown()
            let location = try #require(answer?.headers.first(name: "location"))
            let stored = try await HTTPClient.shared.execute(HTTPClientRequest(url: location), timeout: .seconds(10))
            #expect(stored.status == .ok && stored.headers.first(name: "content-type") == "image/jpeg")
            let changed = location.replacing("image%2Fjpeg", with: "text%2Fhtml")
            #expect(changed != location)
            #expect(try await HTTPClient.shared.execute(HTTPClientRequest(url: changed), timeout: .seconds(10)).status == .forbidden)
            try await stack.control("stop", "gateway", 4)
        }
    }
}
