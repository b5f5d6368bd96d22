import CaptureKit
import CaptureProtocol
import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// The rows of the reaction table in CaptureKit's README, as the gateway itself gives cause.
    @Suite("The device library and the gateway's refusals", .timeLimit(.minutes(6)))
    struct QueueAnswers {
        @Test("uploads with a clock that is six minutes ahead, or behind")
        func timestampExpired() async throws {
            let phone = try await Phone()
            for secondsAhead in [360, -360] {
                _ = try await phone.add()
                try await phone.rial("queue", "run", "--until-empty", "--clock-offset=\(secondsAhead)")
            }
            let sent = try await phone.captures()
            #expect(sent.allSatisfy { $0.state == "uploaded" && $0.failure == nil }, "\(sent)")
            try await phone.expectOnceEach()
        }

        @Test("registers and asserts anew where the gateway does not know the device: one new device has all captures")
        func deviceNotRegistered() async throws {
            let phone = try await Phone()
            for _ in 1...2 { _ = try await phone.add() }
            // Registered and asserted, but not sent.
            try phone.arm("queue.uploading")
            await #expect(throws: LocalStack.CommandFailed.self) { try await phone.run() }
            let former = try await phone.device()
            for table in ["registrations", "devices"] {
                _ = try await phone.stack.sql("DELETE FROM \(table) WHERE \(table == "devices" ? "id" : "device_id") = '\(former)'")
            }
            let devices = try await phone.stack.sql("SELECT count(*) FROM devices")
            try await phone.run()
            let current = try await phone.device()
            #expect(current != former)
            let after = try await phone.stack.sql("SELECT count(*) - 1 FROM devices")
            #expect(after == devices)
            #expect(try await phone.stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(current)'") == ["2"])
            // A pass of the hardware check: each capture has an assertion by the new device.
            try await phone.expectResults()
        }

        @Test("stops the captures of a revoked device and says so, sends those of a later one, and all once it is restored")
        func deviceRevoked() async throws {
            let phone = try await Phone()
            _ = try await phone.add()
            try await phone.run()
            for _ in 1...2 { _ = try await phone.add() }
            let former = try await phone.device()
            _ = try await phone.stack.rial(["device", "revoke", former.description])
            // The hardware key is lost, so that the next capture is by a new device.
            try FileManager.default.removeItem(atPath: phone.folder.path + "/phone/app-attest")
            _ = try await phone.add()
            try await phone.run()
            let captures = try await phone.captures()
            #expect(captures.map(\.state) == ["uploaded", "pending", "pending", "uploaded"])
            #expect(captures.map(\.failure?.code) == [nil, "DEVICE_REVOKED", "DEVICE_REVOKED", nil])
            #expect(try await phone.device() != former)
            _ = try await phone.stack.rial(["device", "restore", former.description])
            try await phone.run()
            #expect(try await phone.captures().allSatisfy { $0.state == "uploaded" && $0.failure == nil })
            try await phone.expectResults()
        }

        @Test("stops the captures without assertion of a device that is revoked")
        func unverifiedRevoked() async throws {
            let phone = try await Phone()
            let root = ["--root", phone.folder.path + "/unknown-root"]
            _ = try await phone.add()
            try await phone.rial("queue", "run", "--until-empty", root[0], root[1])
            _ = try await phone.stack.rial(["device", "revoke", try await phone.device().description])
            _ = try await phone.add()
            try await phone.rial("queue", "run", "--until-empty", root[0], root[1])
            let captures = try await phone.captures()
            #expect(captures.map(\.has_assertion) == [false, false])
            #expect(captures.map(\.state) == ["uploaded", "pending"])
            #expect(captures.map(\.failure?.code) == [nil, "DEVICE_REVOKED"])
        }

        @Test("takes a new key where another device has registered its key, as after a restored backup")
        func deviceAlreadyRegistered() async throws {
            let (first, second) = (try await Phone(), try await Phone())
            _ = try await first.add()
            try first.arm("registration.key")
            await #expect(throws: LocalStack.CommandFailed.self) { try await first.run() }
            try FileManager.default.copyItem(atPath: first.folder.path + "/phone", toPath: second.folder.path + "/phone")
            try await first.run()
            try await second.run()
            for phone in [first, second] {
                #expect(try await phone.captures().map(\.state) == ["uploaded"])
                try await phone.expectResults()
            }
            #expect(try await first.device() != second.device())
        }

        @Test("gives up at once what is not acceptable, with code and details, and sends what is")
        func unacceptable() async throws {
            let phone = try await Phone()
            _ = try await phone.add()
            let store = try await phone.store()
            let good = Content(photo: try phone.scenePhoto(), depth: try phone.sceneDepth())
            var (noPhoto, noJPEG, noMetadata, noDepth) = (good, good, good, good)
            noPhoto.photo = []
            noJPEG.photo = Array("a photo".utf8)
            noMetadata.fields = "{}"
            noDepth.depth = Array("a depth map".utf8)
            for content in [noPhoto, noJPEG, noMetadata, noDepth] { _ = try await store.add(content) { _ in .later } }
            try store.close()
            _ = try await phone.add()
            try await phone.run()
            let captures = try await phone.captures()
            #expect(captures.map(\.state) == ["uploaded", "failed", "failed", "failed", "failed", "uploaded"])
            #expect(
                captures.map(\.failure?.code) == [
                    nil, "VALIDATION_ERROR", "UNSUPPORTED_MEDIA_TYPE", "INVALID_METADATA", "INVALID_DEPTH_FORMAT", nil,
                ])
            let fields = captures.map { $0.failure?.details?.map(\.field) }
            #expect(fields == [nil, ["photo"], ["photo"], ["depth_map_dimensions"], ["depth_map"], nil])
        }

        @Test("waits as long as the gateway asks when it limits the rate, then goes on")
        func rateLimited() async throws {
            let phone = try await Phone()
            for _ in 1...2 { _ = try await phone.add() }
            // A capture in five seconds.
            let limited = try await phone.stack.startGateway(
                4,
                settings: [
                    "RIAL_LIMIT_CAPTURES_PER_HOUR": "720", "RIAL_LIMIT_CAPTURES_BURST": "1", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "0",
                ])
            async let running = phone.rial("queue", "run", "--until-empty", "--url", limited.url)
            try await eventually("the second capture waits") {
                let captures = try await phone.captures()
                return captures.map(\.state) == ["uploaded", "pending"] && captures[1].failure?.code == "RATE_LIMITED"
            }
            _ = try await running
            let captures = try await phone.captures()
            #expect(captures.allSatisfy { $0.state == "uploaded" && $0.failure == nil }, "\(captures)")
            try await phone.expectOnceEach()
            let apart = try await phone.stack.sql(
                """
                SELECT extract(epoch FROM max(uploaded_at) - min(uploaded_at)) FROM captures
                WHERE id IN ('\(captures.compactMap(\.capture_id).joined(separator: "', '"))')
                """)
            #expect((4.5..<30).contains(try #require(Double(apart.first ?? ""))), "\(apart)")
            try await phone.stack.control("stop", "gateway", 4)
        }
    }
}

/// A capture that no camera makes.
private struct Content: CapturedPhoto {
    var photo: [UInt8]
    var depth: [UInt8]
    /// JSON in the place of the metadata.
    var fields: String?
    let thumbnail: [UInt8]? = nil
    let capturedAt = Date()

    func metadata(photoHash: ContentDigest) throws -> [UInt8] {
        if let fields { return Array(fields.utf8) }
        let metadata = CaptureMetadata(
            capturedAt: capturedAt, deviceModel: "iPhone 15 Pro", photoHash: photoHash, depthWidth: 256, depthHeight: 192, location: nil)
        return Array(try JSONEncoder().encode(metadata))
    }
}
