import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import TransparencyLog

/// A device that sent captures of every kind, each of which stands in the log.
struct LoggedDevice {
    /// A public bundle, and what its capture shares.
    struct Told {
        let id: String
        let flags: MetadataFlags
        let bundle: EvidenceBundle
        /// Everything in it but the log's part of the proofs, which is the same for all who were entered then.
        let content: [UInt8]
        /// As text, what is about the capture: statements and evidence.
        let text: String

        init(_ id: String, _ flags: MetadataFlags, _ bundle: EvidenceBundle) throws {
            (self.id, self.flags, self.bundle) = (id, flags, bundle)
            var content: [UInt8] = []
            for logged in bundle.statements { content += logged.statement.bytes + (logged.evidence ?? []) }
            text = String(decoding: content, as: UTF8.self)
            for logged in bundle.statements { content += try TransparencyProof(logged.proof).extra }
            for other in [bundle.readme, bundle.manifest] { content += other ?? [] }
            self.content = content
        }
    }

    /// When all were captured: another minute than that of their receipt.
    static let capturedAt = Date().addingTimeInterval(-300)
    /// What all photos show. Rendered anew for the second device, it would have another time in it, which each device's photos share.
    private static let room = CaptureParts.room
    var device: SimulatedDevice
    private(set) var sent: [(id: String, flags: MetadataFlags)] = []

    var rows: String { "capture_id IN (SELECT id FROM captures WHERE device_id = '\(device.deviceID ?? "")')" }

    /// Sends photos of one scene with all settings of privacy mode, and photos, videos and hash-only videos.
    init() async throws {
        let client = try TestClient.current()
        device = try await client.device()
        let scene = try PrivateCapture(CaptureParts(Self.room), capturedAt: Self.capturedAt)
        for flags in MetadataFlags.all {
            let capture = try PrivateCapture(CaptureParts(Self.room), scene.depth, sharing: flags, capturedAt: Self.capturedAt)
            try await note(try await client.capture(&device, capture), flags)
        }
        for flags in [MetadataFlags.everything, MetadataFlags(location: .none, timestamp: .none, device: .none)] {
            let payload = try Self.video(sharing: flags)
            let assertion = try device.assertion(clientDataHash: HashOnlyClientData.hash(payload: payload).bytes)
            let answer = try await client.submitPrivate(&device, HashOnlyBody(payload: payload, assertion: assertion).bytes())
            try await note(try #require(answer.data["capture_id"] as? String, "\(answer.text)"), flags)
        }
        for _ in 0..<2 {
            let parts = try CaptureParts(Self.room, extra: ["captured_at": Timestamp.format(Self.capturedAt)])
            let id = try await client.capture(&device, parts)
            try await note(id, .everything)
            // Manifests have digests of assertions with times in them: no two of a device are of one second.
            _ = try await client.settled(id)
            let ended = Int(Date().timeIntervalSince1970)
            try await eventually("another second") { Int(Date().timeIntervalSince1970) > ended }
        }
        let recording = try SignedRecording(try await VideoCamera.shortRecording(), by: &device)
        try await note(try await recording.accepted().value.id, .everything)
        for (id, _) in sent { _ = try await client.settled(id, within: .seconds(120)) }
    }

    /// Waits until it is appraised. Evidence says of a capture that it came out of order, which some of one device would share by chance.
    private mutating func note(_ id: String, _ flags: MetadataFlags) async throws {
        sent.append((id, flags))
        let stack = try LocalStack.required()
        try await eventually("its counter is taken") {
            try await stack.sql("SELECT count(*) FROM assertion_counters WHERE capture_id = '\(id)'") == ["1"]
        }
    }

    private static func video(sharing flags: MetadataFlags) throws -> [UInt8] {
        try HashOnlyPayload(
            mediaHash: ContentDigest(of: Array(UUID().uuidString.utf8)),
            facts: HashOnlyPayload.Facts(
                capturedAt: capturedAt, location: PreciseLocation(latitude: 45.764043, longitude: 4.835659),
                deviceModel: "iPhone 15 Pro", osVersion: "26.1", appVersion: "1.0.0"),
            sharing: flags,
            video: SignedVideo(
                durationMilliseconds: 2000, frameCount: 60, finalHash: ContentDigest(of: Array(UUID().uuidString.utf8)),
                depth: HashOnlySamples.videoDepth)
        ).bytes()
    }

    /// The public bundles of its captures.
    func told() async throws -> [Told] {
        let client = try TestClient.current()
        var told: [Told] = []
        for (id, flags) in sent { told.append(try Told(id, flags, try await client.bundle(of: id))) }
        return told
    }

    /// What is this device's alone and links what it sent: id, keys, attestation and receipt, and of each capture assertion and digests of
    /// what it sent, but for the original's.
    func secrets(in stack: LocalStack) async throws -> [[UInt8]] {
        let id = try #require(device.deviceID)
        return try await stack.bytes(
            """
            SELECT encode(secret, 'hex') FROM devices, unnest(ARRAY[
                uuid_send(id), key_id, public_key, request_key, attestation_object, receipt, client_data_hash]) AS secret
            WHERE id = '\(id)' AND secret IS NOT NULL
            UNION ALL SELECT encode(decode(announcement ->> 'assertion', 'base64'), 'hex') FROM captures WHERE device_id = '\(id)'
            UNION ALL SELECT value FROM statements, jsonb_each_text(raw) WHERE \(rows) AND key NOT IN ('photo', 'video')
            UNION ALL SELECT encode(raw_salt, 'hex') FROM statements WHERE \(rows)
            """)
    }
}

extension Pieces {
    /// Those of the bytes, and of everything in them that is hex, a UUID or base64.
    static func told(by bytes: [UInt8]) -> Set<UInt128> {
        var pieces = of(bytes)
        for run in runs(in: bytes, of: "0123456789abcdefABCDEF-") where run.count >= 32 {
            if let decoded = Hex.decode(String(decoding: run.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)) {
                pieces.formUnion(of(decoded))
            }
        }
        for run in runs(in: bytes, of: base64) where run.count >= 22 {
            if let decoded = Base64.decode(String(decoding: run, as: UTF8.self)) { pieces.formUnion(of(decoded)) }
        }
        return pieces
    }

    static func told(by files: [[UInt8]]) -> Set<UInt128> { files.reduce(into: none) { $0.formUnion(told(by: $1)) } }

    static func of(_ values: [[UInt8]]) -> Set<UInt128> { values.reduce(into: none) { $0.formUnion(of($1)) } }

    private static let base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

    private static func runs(in bytes: [UInt8], of alphabet: String) -> [ArraySlice<UInt8>] {
        var isIn = [Bool](repeating: false, count: 256)
        for byte in alphabet.utf8 { isIn[Int(byte)] = true }
        return bytes.split { !isIn[Int($0)] }
    }

    /// Values of eight bytes and more that at least two of the texts share and none of the others has.
    ///
    /// A value is found by what stands before it as well, so that short ones that are the same by chance do not count.
    static func shared(by texts: [[UInt8]], butNot others: [[UInt8]]) -> [String] {
        let strange = of(others)
        var counts: [UInt128: Int] = [:]
        for text in texts { for piece in of(text) { counts[piece, default: 0] += 1 } }
        var found: Set<String> = []
        for text in texts {
            var (latest, run): (UInt128, Int) = (0, 0)
            for (index, byte) in text.enumerated() {
                latest = latest << 8 | UInt128(byte)
                run = index >= 15 && counts[latest, default: 0] > 1 && !strange.contains(latest) ? run + 1 : 0
                if run == 8 { found.insert(String(decoding: text[(index - 22)...index], as: UTF8.self)) }
            }
        }
        return found.sorted()
    }
}
