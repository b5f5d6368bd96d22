import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

extension SystemTests {
    /// What `rial bundle` fetches and `rial verify --bundle` says of it.
    @Suite("Evidence bundles", .timeLimit(.minutes(6)))
    struct Bundles {
        @Test("a public bundle is proved without a network, and a changed file, policy or bundle is told apart by the exit code")
        func published() async throws {
            let desk = try await BundleDesk()
            let id = try await desk.send()
            let bundle = try await desk.fetch(id, "--media")
            let proved = try await desk.verify(bundle, desk.photo)
            #expect(proved.code == 0, "\(proved.text)")
            #expect(proved.json["outcome"] as? String == "proved" && proved.json["confidence"] as? String == "high")
            #expect((proved.json["not_checked"] as? [String])?.contains { $0.contains("later than this bundle") } == true)
            #expect(proved.finding("content_credentials") == "passed" && proved.finding("confidence") == "passed")
            #expect(try await desk.verify(bundle, desk.depth).code == 1, "the depth map is no published file")
            let strange = desk.folder.appendingPathComponent("strange").path
            try "log other.example/log/1+0f3fa2c7+AeaO7vcYFIQTpZFTkkSsHTl5q3JaVSqhqcQDeJvNZa2D\nquorum none\n".write(
                toFile: strange, atomically: true, encoding: .utf8)
            #expect([2, 3].contains(try await desk.verify(bundle, policy: strange).code))
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bundle)))
            let marker = Array(#""confidence":"high""#.utf8)
            let at = try #require(bytes.indices.first { bytes[$0...].starts(with: marker) })
            bytes[at + 14] ^= 1
            let changed = desk.folder.appendingPathComponent("changed.rial").path
            try Data(bytes).write(to: URL(fileURLWithPath: changed))
            #expect(try await desk.verify(changed).code == 2)
            #expect(try await desk.run("verify", "--bundle", bundle).code == 2, "no policy")
            for misuse in ["--policy", "--no-such-option"] {
                let refused = try await desk.run("verify", "--bundle", bundle, misuse)
                #expect(refused.code == 2 && refused.text.contains("Usage:"), "\(refused.text)")
            }
        }

        @Test("an owner's bundle takes the photo and the depth that were sent, and is trusted with the roots that vouch for its device")
        func owned() async throws {
            let desk = try await BundleDesk()
            let id = try await desk.send()
            let bundle = try await desk.fetch(id, "--owner", "--state", desk.state)
            #expect(try await desk.run("bundle", "join", bundle, "--photo", desk.depth).code == 1)
            #expect(try await desk.run("bundle", "join", try await desk.fetch(id), "--photo", desk.photo).code == 1, "it is public")
            #expect(try await desk.run("bundle", "join", bundle, "--photo", desk.photo, "--depth", desk.depth).code == 0)
            #expect(try await desk.verify(bundle, "--attest-roots", desk.root).code == 0)
            // Apple vouches for no simulated device.
            let strict = try await desk.verify(bundle)
            #expect(strict.code == 3 && strict.finding("attestation") == "untrusted", "\(strict.text)")
        }

        @Test("the record says where it stands, the events end with it, and its page offers the bundle")
        func record() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let id = try await client.capture(&device, parts)
            let stream = try await client.send("GET", "\(TestClient.captures)/\(id)/events").text
            #expect(stream.contains("\nevent: log\n"))
            let shown = try #require(try await client.show(id).data["log"] as? [String: Any])
            #expect(shown["standing"] as? String == "stands" && shown["index"] is Int && shown["origin"] is String)
            let page = try await client.send("GET", "/verify/\(id)").text
            #expect(page.contains("href=\"/api/v1/captures/\(id)/bundle\" download"))
            let hash = ContentDigest(of: parts.photo).hex
            let answer = try await client.send("GET", "/api/v1/verify-hash/\(hash)")
            #expect((answer.data["log"] as? [String: Any])?["standing"] as? String == "stands")
        }

        @Test("a bundle of a capture that was withdrawn is gone")
        func withdrawn() async throws {
            let desk = try await BundleDesk()
            let id = try await desk.send()
            _ = try await desk.fetch(id)
            #expect(try await desk.run("capture", "withdraw", id, "--yes", "--state", desk.state).code == 0)
            #expect(try await TestClient.current().send("GET", "\(TestClient.captures)/\(id)/bundle").status == 410)
        }
    }
}
