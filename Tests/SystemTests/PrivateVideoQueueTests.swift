import CaptureKit
import CaptureProtocol
import Foundation
import ObjectStorage
import TestSupport
import Testing

extension SystemTests.VideoQueue {
    @Test("stays on the phone in privacy mode: its hash verifies, its numbers make it HIGH, and no byte of it is sent or stored")
    func hashOnly() async throws {
        let phone = try await Phone()
        let proxy = try CapturingProxy(to: Int(try TestClient(url: phone.stack.url).port))
        try await phone.rial("settings", "privacy", "set", "--on", "--location", "coarse", "--timestamp", "day", "--device", "model")
        try await phone.record("--seconds", "3", "--size", "160x120", "--location", SystemTests.PhonePrivacy.place)
        // It is as when the recording began.
        try phone.set(.standard)
        try await phone.run(through: proxy)
        let sent = try #require(try await phone.videos().first)
        let id = try #require(sent.capture_id)
        #expect(sent.state == "uploaded" && sent.mode == "hash_only" && sent.has_assertion && sent.is_partial == false)

        let (client, out) = (TestClient(url: phone.stack.url), phone.folder.path + "/out")
        let shown = try await client.settled(id, within: .seconds(120))
        #expect(shown.data["confidence_level"] as? String == "high" && shown.data["capture_mode"] as? String == "hash_only")
        #expect(shown.evidence("hardware_attestation.binding") == "payload" && shown.evidence("depth_analysis.source") == "device")
        #expect(shown.evidence("depth_analysis.verdict") == "real" && shown.evidence("depth_analysis.method") == "relief-video-1")
        #expect(shown.evidence("hash_chain.status") == "unavailable" && shown.evidence("hash_chain.reason") == "media_not_stored")
        let page = try await client.send("GET", "/verify/\(id)", headers: [("Accept-Language", "en")]).text
        #expect(page.contains("Video Hash Verified") && page.contains("90 frames, 3") && page.contains("as reported by the device"))
        #expect(!page.contains("<video"))

        try await phone.rial("queue", "export", sent.id, "--out", out)
        let names = ["depth.gz", "hash-chain.json", "metadata.json", "payload.cbor", "payload.json", "video.mp4"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: out).sorted() == names)
        func exported(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(out)/\(name)"))) }
        let file = try exported("video.mp4")
        for answer in [
            try await client.send("GET", "/api/v1/verify-hash/\(ContentDigest(of: file).hex)"),
            try await client.verify([FormPart("file", file, filename: "video.mp4")]),
        ] {
            #expect(answer.captureID == id && answer.matched == "original", "\(answer.text)")
            #expect(answer.data["capture_mode"] as? String == "hash_only" && answer.data["media_stored"] as? Bool == false)
        }
        try await Self.expectNothingLeft(
            id, phone.stack, proxy, kept: [file, exported("depth.gz")])
        try await phone.expectOnceEach()
        try await phone.rial("queue", "delete", sent.id)
        #expect(try phone.content() == [])
    }

    /// The store has payload and share card alone, and what the phone said has nothing of the parts.
    private static func expectNothingLeft(_ id: String, _ stack: LocalStack, _ proxy: CapturingProxy, kept: [[UInt8]]) async throws {
        let objects = try await stack.storage().list(prefix: "captures/\(id)/").objects.map { $0.key.dropFirst("captures/\(id)/".count) }
        #expect(objects.count == 2 && objects.contains("metadata.json") && objects.contains { $0.hasPrefix("og-") }, "\(objects)")
        let posts = proxy.requests.filter { $0.method == "POST" && $0.target.hasPrefix("/api/v1/captures") }
        #expect(posts.map(\.target) == ["/api/v1/captures"] && posts.first?.headers["content-type"] == "application/json")
        let body = try HashOnlyBody.parse(try #require(posts.first).body)
        let told = proxy.sent.reduce(into: Pieces.of(body.payload + body.assertion)) { $0.formUnion(Pieces.of($1)) }
        for (number, part) in kept.enumerated() { #expect(Pieces.of(part).isDisjoint(with: told), "part \(number)") }
        let stored = try await stack.sql(
            "SELECT encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(id)' AND name = 'metadata.json'")
        #expect(stored == [ContentDigest(of: body.payload).hex])
    }

    @Test("tells of a recording that was cut off in privacy mode as far as it came, and is MEDIUM without numbers of its depth")
    func hashOnlyCutOff() async throws {
        let phone = try await Phone()
        try await phone.rial("settings", "privacy", "set", "--on", "--location", "none", "--timestamp", "none", "--device", "none")
        try await phone.record("--seconds", "3", "--kill-at", "2", "--location", SystemTests.PhonePrivacy.place)
        let command = MortalCommand(
            program: Phone.program, arguments: Phone.recording + ["--seconds", "15", "--store", phone.folder.path + "/phone"],
            settings: phone.stack.addresses)
        _ = try await command.run(killedAfter: .seconds(2))
        try phone.set(.standard)
        try await phone.run()
        let listed = try await phone.videos()
        #expect(listed.allSatisfy { $0.state == "uploaded" && $0.mode == "hash_only" && $0.has_assertion })
        // The first was cut off after two seconds; of the second there may be no picture.
        #expect(listed.contains { $0.is_partial == true })
        for video in listed {
            let shown = try await TestClient(url: phone.stack.url).settled(try #require(video.capture_id), within: .seconds(120))
            #expect(shown.data["metadata_flags"] as? [String: String] == ["location": "none", "timestamp": "none", "device": "none"])
            guard video.is_partial == true else { continue }
            #expect(shown.data["confidence_level"] as? String == "medium", "\(shown.text)")
            #expect(shown.evidence("depth_analysis.status") == "unavailable")
        }
        try await phone.expectOnceEach()
    }
}
