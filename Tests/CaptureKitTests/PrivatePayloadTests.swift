import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import CaptureKit

@Suite("What is sent in privacy mode")
struct PrivatePayloadTests {
    private typealias Flags = MetadataFlags

    /// Adds and sends a capture.
    /// - Returns: the request, and the store in which the original is.
    private func sent(_ capture: PrivateCapture) async throws -> (request: ScriptedServer.Request, queue: CaptureQueue) {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        try await queue.add(capture)
        try await queue.run(untilEmpty: true)
        return (try #require(await rig.uploads.first), queue)
    }

    @Test("is a signed payload of what the settings share, and no byte more", arguments: MetadataFlags.all)
    func settings(flags: MetadataFlags) async throws {
        let capture = try PrivateFixture.capture(flags)
        let (request, _) = try await sent(capture)
        #expect(request.headers["content-type"] == "application/json" && request.body.count < 14_000)
        let body = try HashOnlyBody.parse(request.body)
        #expect(body.payload.count <= 10_000)
        let payload = try HashOnlyPayload.parse(body.payload)
        #expect(payload.flags == flags && payload.mediaHash == ContentDigest(of: capture.photo))
        #expect(payload.depth == capture.measurements)
        #expect(try Self.metadata(body.payload) == Self.expected(flags))
        #expect(body.assertion.starts(with: HashOnlyClientData.hash(payload: body.payload).bytes), "the hardware signed these bytes")
        let told = Pieces.of(request.body).union(Pieces.of(body.payload)).union(Pieces.of(body.assertion))
        for secret in [capture.photo, capture.depth, PrivateFixture.plane?.bytes ?? [], capture.thumbnail ?? []] {
            #expect(told.isDisjoint(with: Pieces.of(secret)))
        }
    }

    @Test("has coarse places in hundredths of a degree, on either side of the equator and of Greenwich")
    func coarse() throws {
        for (place, expected) in [
            ((38.707_751, -9.136_592), (38.71, -9.14)), ((-0.004, 0.004), (0, 0)), ((-33.856_8, 151.215_3), (-33.86, 151.22)),
            ((89.999, 179.999), (90, 180)), ((0.005, -0.005), (0.01, -0.01)),
        ] as [((Double, Double), (Double, Double))] {
            let location = PreciseLocation(latitude: place.0, longitude: place.1, altitude: 1234.5, accuracy: 3)
            let capture = try PrivateFixture.capture(Flags(location: .coarse, timestamp: .none, device: .none), location: location)
            let bytes = try capture.payload(mediaHash: ContentDigest(of: capture.photo))
            let shared = try #require(try HashOnlyPayload.parse(bytes).location)
            #expect(shared == PreciseLocation(latitude: expected.0, longitude: expected.1), "\(place)")
            #expect(!String(decoding: bytes, as: UTF8.self).contains("-0,") && !String(decoding: bytes, as: UTF8.self).contains("-0}"))
        }
    }

    @Test("has the day in UTC, whatever the phone's time zone")
    func day() throws {
        for (time, day) in [
            ("2026-11-21T00:00:00.000Z", "2026-11-21"), ("2026-11-21T23:59:59.999Z", "2026-11-21"),
            ("2026-11-22T05:29:59+05:30", "2026-11-21"), ("2026-11-20T19:00:00-05:00", "2026-11-21"),
        ] {
            let moment = try #require(Timestamp.parse(time))
            let capture = try PrivateFixture.capture(Flags(location: .none, timestamp: .day, device: .none), at: moment)
            let payload = try capture.payload(mediaHash: ContentDigest(of: []))
            #expect(try Self.metadata(payload) == ["captured_at": .string(day)], "\(time)")
        }
    }

    @Test("has no place without a fix, even where it may be precise")
    func noFix() throws {
        for location in [nil, PreciseLocation(latitude: 91, longitude: 0), PreciseLocation(latitude: 1, longitude: 1, accuracy: -1)] {
            for flag in MetadataFlags.Location.allCases {
                let capture = try PrivateFixture.capture(Flags(location: flag, timestamp: .none, device: .none), location: location)
                #expect(try Self.metadata(try capture.payload(mediaHash: ContentDigest(of: []))) == [:])
            }
        }
    }

    @Test("is the same each time that it is made")
    func sameBytes() throws {
        for flags in MetadataFlags.all {
            let digest = ContentDigest(of: PrivateFixture.photo)
            #expect(
                try PrivateFixture.capture(flags).payload(mediaHash: digest) == PrivateFixture.capture(flags).payload(mediaHash: digest))
        }
    }

    /// What a payload of these flags has of the fixture's frame.
    private static func expected(_ flags: MetadataFlags) -> [String: StrictJSON] {
        var members: [String: StrictJSON] = [:]
        switch flags.location {
        case .none: break
        case .coarse: members["location"] = .object(["latitude": .number(38.71), "longitude": .number(-9.14)])
        case .precise:
            members["location"] = .object([
                "latitude": .number(38.707_751), "longitude": .number(-9.136_592), "altitude": .number(12.34), "accuracy": .number(4.5),
            ])
        }
        switch flags.timestamp {
        case .none: break
        case .day: members["captured_at"] = .string("2026-09-21")
        case .exact: members["captured_at"] = .string("2026-09-21T14:13:20.257Z")
        }
        if flags.device != .none { members["device_model"] = .string("iPhone 15 Pro") }
        if flags.device == .full {
            members["os_version"] = .string("18.6.2")
            members["app_version"] = .string("7.3.1")
        }
        return members
    }

    private static func metadata(_ payload: [UInt8]) throws -> [String: StrictJSON] {
        guard case .object(let members) = try StrictJSON(payload), case .object(let metadata)? = members["metadata"] else {
            throw CocoaError(.coderInvalidValue)
        }
        return metadata
    }
}
