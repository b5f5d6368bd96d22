import CaptureKit
import CaptureProtocol
import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// Privacy mode, from the phone to the readers of its captures.
    @Suite("Privacy mode, from the phone to the readers", .timeLimit(.minutes(8)))
    struct PhonePrivacy {
        static let place = "45.764043,4.835659"

        @Test("shows nobody more than its settings share, each of the 27 of them")
        func everySetting() async throws {
            let phone = try await Phone()
            let proxy = try CapturingProxy(to: Int(try TestClient(url: phone.stack.url).port))
            let capturedAt = PrivacyReaders.timeOfCapture()
            try await phone.rial("settings", "privacy", "set", "--on")
            for flags in MetadataFlags.all {
                try phone.set(PrivacySettings(isOn: true, flags: flags))
                _ = try await phone.add("--location", Self.place, "--captured-at", Timestamp.format(capturedAt))
            }
            try phone.set(.standard)
            try await phone.run(through: proxy)

            let sent = try await phone.captures()
            #expect(sent.map(\.state) == Array(repeating: "uploaded", count: 27))
            let bodies = proxy.requests.filter { $0.method == "POST" && $0.target == "/api/v1/captures" }
            try #require(bodies.count == 27)
            let store = try await phone.store()
            // Everything that passed, as it was and decoded.
            var told = proxy.sent.reduce(into: Pieces.none) { $0.formUnion(Pieces.of($1)) }
            var photos: [[UInt8]] = []
            for (flags, (capture, request)) in zip(MetadataFlags.all, zip(try await store.captures(), bodies)) {
                #expect(request.headers["content-type"] == "application/json" && request.body.count < 14_000)
                let body = try HashOnlyBody.parse(request.body)
                #expect(body.payload.count <= 10_000)
                let payload = try HashOnlyPayload.parse(body.payload)
                let photo = try store.content(.original, of: capture.id).read(count: .max, at: 0)
                #expect(payload.flags == flags && payload.mediaHash == ContentDigest(of: photo))
                #expect(try Self.members(body.payload) == Self.shared(flags))
                told.formUnion(Pieces.of(body.payload + body.assertion))
                // The EXIF; the picture is the same in all.
                photos.append(photos.isEmpty ? photo : Array(photo.prefix(4096)))
            }
            let first = try #require(try await store.captures().first)
            for secret in photos + [try store.content(.originalDepth, of: first.id).read(count: .max, at: 0)] {
                #expect(Pieces.of(secret).isDisjoint(with: told))
            }
            try store.close()

            for (flags, capture) in zip(MetadataFlags.all, sent) {
                let readers = try await PrivacyReaders(id: try #require(capture.capture_id), flags: flags, capturedAt: capturedAt)
                try await readers.expectOnlyShared()
            }
        }

        /// The names of what the metadata of a payload of these flags have.
        private static func shared(_ flags: MetadataFlags) -> Set<String> {
            var names: Set<String> = []
            if flags.location != .none { names.insert("location") }
            if flags.timestamp != .none { names.insert("captured_at") }
            if flags.device != .none { names.insert("device_model") }
            if flags.device == .full { names.formUnion(["os_version", "app_version"]) }
            return names
        }

        private static func members(_ payload: [UInt8]) throws -> Set<String> {
            guard case .object(let members) = try StrictJSON(payload), case .object(let metadata)? = members["metadata"] else {
                throw CocoaError(.coderInvalidValue)
            }
            return Set(metadata.keys)
        }
    }
}

extension Phone {
    func set(_ settings: PrivacySettings) throws { try PrivacySettingsStore(keychain).save(settings) }

    func run(through proxy: CapturingProxy) async throws {
        try await rial("queue", "run", "--until-empty", "--url", "http://127.0.0.1:\(proxy.port)")
    }
}
