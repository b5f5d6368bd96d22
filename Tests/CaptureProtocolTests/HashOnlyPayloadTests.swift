import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Payload of a hash-only capture")
struct HashOnlyPayloadTests {
    static let facts = HashOnlyPayload.Facts(
        capturedAt: Date(timeIntervalSince1970: 1_795_244_400.25),
        location: PreciseLocation(latitude: 45.76404, longitude: -4.83566, altitude: 173.5, accuracy: 5), deviceModel: "iPhone 15 Pro",
        osVersion: "18.1", appVersion: "1.0.0")

    static func payload(_ flags: MetadataFlags, depth: SignedDepth? = SignedDepth.room()) -> HashOnlyPayload {
        HashOnlyPayload(mediaHash: ContentDigest(of: Array("photo".utf8)), facts: facts, sharing: flags, depth: depth)
    }

    @Test("is read as it was written, with all settings", arguments: MetadataFlags.all)
    func roundTrip(flags: MetadataFlags) throws {
        let payload = Self.payload(flags)
        let bytes = try payload.bytes()
        #expect(try HashOnlyPayload.parse(bytes) == payload)
        #expect(bytes.count <= SizeLimits.hashOnlyPayload)
    }

    @Test("has nothing that the settings keep back", arguments: MetadataFlags.all)
    func keptBack(flags: MetadataFlags) throws {
        let text = String(decoding: try Self.payload(flags).bytes(), as: UTF8.self)
        #expect(text.contains("iPhone") == (flags.device != .none))
        #expect((text.contains("18.1") && text.contains("1.0.0")) == (flags.device == .full))
        #expect(text.contains("2026-11-21") == (flags.timestamp != .none))
        #expect(text.contains("07:00:00.250Z") == (flags.timestamp == .exact))
        #expect(text.contains("45.76") == (flags.location != .none))
        #expect((text.contains("45.76404") && text.contains("173.5")) == (flags.location == .precise))
        #expect(text.contains("-4.84") == (flags.location == .coarse))
    }

    @Test("may be without a place and without depth")
    func least() throws {
        let flags = MetadataFlags(location: .coarse, timestamp: .none, device: .none)
        let facts = HashOnlyPayload.Facts(capturedAt: Self.facts.capturedAt, location: nil, deviceModel: "iPhone 15 Pro")
        let payload = HashOnlyPayload(mediaHash: ContentDigest(of: [1]), facts: facts, sharing: flags, depth: nil)
        let read = try HashOnlyPayload.parse(try payload.bytes())
        #expect(read.location == nil && read.depth == nil && read.capturedAt == .notShared && read.deviceModel == nil)
    }

    @Test("is not written if the server would refuse it")
    func unwritable() {
        var facts = Self.facts
        facts.deviceModel = ""
        let nameless = HashOnlyPayload(mediaHash: ContentDigest(of: [1]), facts: facts, sharing: .everything, depth: nil)
        #expect(throws: HashOnlyError.self) { try nameless.bytes() }
        #expect(throws: HashOnlyError.self) { try Self.payload(.everything, depth: .room(deviation: .nan)).bytes() }
        #expect(throws: HashOnlyError.self) { try Self.payload(.everything, depth: .room(relief: 1.5)).bytes() }
    }

    @Test("a day is the one in UTC", arguments: [(0.0, "2026-11-21"), (61_200, "2026-11-22"), (61_199.9999, "2026-11-21")])
    func utcDay(later: TimeInterval, day: String) {
        let facts = HashOnlyPayload.Facts(
            capturedAt: Date(timeIntervalSince1970: 1_795_244_400 + later), location: nil, deviceModel: "iPhone 15 Pro")
        let flags = MetadataFlags(location: .none, timestamp: .day, device: .none)
        let payload = HashOnlyPayload(mediaHash: ContentDigest(of: [1]), facts: facts, sharing: flags, depth: nil)
        #expect(payload.capturedAt.text == day)
    }
}

extension SignedDepth {
    /// A scene with relief.
    static func room(
        deviation: Double = 0.6, layers: Int = 4, coherence: Double = 0.8, range: (Double, Double)? = (0.8, 4.1), relief: Double? = 0.5,
        front: Double? = 0.3, behind: Double? = 0.2, edges: Double? = 0.4, coverage: Double = 0.97, reason: DepthReason? = nil
    ) -> SignedDepth {
        SignedDepth(
            depthVariance: deviation, depthLayers: layers, edgeCoherence: coherence, minDepth: range?.0, maxDepth: range?.1, relief: relief,
            reliefFront: front, reliefBehind: behind, photoEdgesOnSurface: edges, coverage: coverage, reason: reason)
    }
}
