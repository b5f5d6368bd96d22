import CaptureKit
import CaptureProtocol
import Foundation
import TestSupport
import Testing

extension SystemTests.PhonePrivacy {
    @Test("keeps the original until its person has exported and deleted it, and its hash finds the record")
    func original() async throws {
        let phone = try await Phone()
        let id = try await phone.add("--private")
        try await phone.run()
        let capture = try #require(try await phone.captures().first?.capture_id)
        let client = TestClient(url: phone.stack.url)
        _ = try await client.settled(capture)
        let out = phone.folder.appendingPathComponent("out")
        try await phone.rial("queue", "export", id, "--out", out.path)
        let photo = Array(try Data(contentsOf: out.appendingPathComponent("photo.jpg")))
        let payload = Array(try Data(contentsOf: out.appendingPathComponent("payload.json")))
        #expect(try HashOnlyPayload.parse(payload).mediaHash == ContentDigest(of: photo))
        #expect(try Data(contentsOf: out.appendingPathComponent("depth.f32.gz")).count > 1000)
        let found = try await client.send("GET", "/api/v1/verify-hash/\(ContentDigest(of: photo).hex)")
        #expect(found.captureID == capture && found.matched == "original", "\(found.text)")
        #expect(found.data["capture_mode"] as? String == "hash_only" && found.data["media_stored"] as? Bool == false)
        let other = try await client.send("GET", "/api/v1/verify-hash/\(ContentDigest(of: photo + [0]).hex)")
        #expect(other.status == 404)
        try await phone.rial("queue", "delete", id)
        #expect(try phone.content() == [])
    }

    @Test("ends HIGH for a room and MEDIUM for a screen, with the very numbers of the same captures in full")
    func sameNumbers() async throws {
        let phone = try await Phone()
        for kind in ["room", "screen"] {
            let scene = try await phone.render(kind, seed: 5)
            for mode in [["--private"], []] { try await phone.add(photo: scene.photo, depth: scene.depth, mode) }
        }
        try await phone.expectSameNumbers(levels: ["high", "high", "medium", "medium"])
    }

    @Test(
        "has the very numbers of the same captures in full for what a LiDAR sensor saw",
        .enabled(if: SharedData.isPresent, "needs ../shared/data/rgbd"))
    func realSamples() async throws {
        let phone = try await Phone()
        let names = try FileManager.default.contentsOfDirectory(atPath: SharedData.folder.path + "/rgbd").filter { $0.hasSuffix(".f32.gz") }
        #expect(names.count >= 6)
        for name in names.sorted().map({ $0.dropLast(7) }) {
            let file = SharedData.folder.path + "/rgbd/\(name)"
            for mode in [["--private"], []] { try await phone.add(photo: file + ".jpg", depth: file + ".f32.gz", mode) }
        }
        try await phone.expectSameNumbers()
    }

    @Test(
        "loses and doubles nothing, and leaves no part of a photo, wherever the process that adds is killed",
        arguments: ["seal.renamed", "store.original-sealed", "store.sealed", "store.row"])
    func addKilled(at point: String) async throws {
        let phone = try await Phone()
        try phone.arm(point)
        await #expect(throws: LocalStack.CommandFailed.self) { try await phone.add("--private") }
        let before = try await phone.captures()
        #expect(before.count == (point == "store.row" ? 1 : 0))
        #expect(try phone.content().count == before.count * 3, "nothing is left of a capture without a row")
        _ = try await phone.add("--private")
        try await phone.run()
        #expect(try await phone.captures().map(\.state) == Array(repeating: "uploaded", count: before.count + 1))
        try await phone.expectOnceEach()
    }

    @Test("captures nothing while its settings are damaged, until they are set again as a whole")
    func damagedSettings() async throws {
        let phone = try await Phone()
        try await phone.rial("settings", "privacy", "set", "--on", "--location", "none")
        #expect(try await phone.rial("settings", "privacy", "show").contains("exact"))
        try phone.keychain.save(Array("{}".utf8), as: .privacySettings)
        for arguments in [["settings", "privacy", "show"], ["settings", "privacy", "set"]] {
            let failure = await TestSupport.error(LocalStack.CommandFailed.self) {
                try await phone.rial(arguments[0], arguments[1], arguments[2], "--json")
            }
            #expect(failure?.output.contains("privacy_settings_unknown") == true, "\(arguments)")
        }
        let refused = await TestSupport.error(LocalStack.CommandFailed.self) { _ = try await phone.add() }
        #expect(refused?.output.contains("privacy_settings_unknown") == true)
        #expect(try await phone.captures().isEmpty)
        try await phone.rial(
            "settings", "privacy", "set", "--on", "--location", "none", "--timestamp", "day", "--device", "none")
        _ = try await phone.add()
        #expect(try await phone.rial("queue", "list").contains("hash_only"))
    }
}

extension Phone {
    /// Sends what was added, each capture first in privacy mode and then in full, and compares what the server says of their depth.
    fileprivate func expectSameNumbers(levels: [String]? = nil) async throws {
        try await run()
        var depths: [[String: Any]] = []
        var found: [String] = []
        for capture in try await captures() {
            let answer = try await TestClient(url: stack.url).settled(try #require(capture.capture_id), within: .seconds(120))
            found.append(answer.data["confidence_level"] as? String ?? "")
            let evidence = try #require(answer.data["evidence"] as? [String: Any])
            depths.append(try #require(evidence["depth_analysis"] as? [String: Any]))
        }
        if let levels { #expect(found == levels) }
        for pair in stride(from: 0, to: depths.count - 1, by: 2) {
            let (here, there) = (depths[pair], depths[pair + 1])
            #expect(here["source"] as? String == "device" && there["source"] as? String == "server")
            for name in [
                "depth_variance", "depth_layers", "edge_coherence", "min_depth", "max_depth", "relief", "relief_front", "relief_behind",
                "photo_edges_on_surface", "coverage", "verdict", "is_likely_real_scene", "specified_rule", "method", "reason",
            ] {
                let (one, other) = (here[name] as? NSObject, there[name] as? NSObject)
                #expect(one == other, "\(name) of capture \(pair): \(String(describing: one)), \(String(describing: other))")
            }
        }
    }
}
