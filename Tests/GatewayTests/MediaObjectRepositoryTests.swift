import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Published objects, in memory and in PostgreSQL")
struct MediaObjectRepositoryTests {
    private static let package = Samples.Evidence(development: false).package

    @Test("what is published is found, and whether the verdict that it shows was taken back", arguments: Backend.available)
    func published(backend: Backend) async throws {
        try await backend.with { rig in
            let taken = try await rig.insertComplete(Self.package, .high, at: Samples.received)
            #expect(try await rig.media.find(taken, .shareCard) == nil)
            try await rig.publish(.shareCard, of: taken)
            let kinds: [(Statement.Kind, Bool)] = [(.assessment, false), (.revocation, true), (.reassessment, false)]
            for (kind, isRevoked) in kinds {
                try await rig.state(kind, on: taken)
                let found = try #require(try await rig.media.find(taken, .shareCard))
                #expect(found.isRevoked == isRevoked && found.isTimePublic)
                #expect(found.media.key == "captures/\(taken)/\(MediaName.shareCard.rawValue)")
                #expect(found.media.sha256 == Samples.copyDigest && found.media.sizeBytes == 3_400_000)
            }
            #expect(try await rig.media.find(taken, .thumbnail) == nil)
            #expect(try await rig.media.find(CaptureID(), .shareCard) == nil)
        }
    }

    @Test("its type is that of its name, whatever was stored", arguments: Backend.available)
    func contentType(backend: Backend) async throws {
        try await backend.with { rig in
            let capture = try await rig.insertComplete(Self.package, .high, at: Samples.received)
            for name in [MediaName.thumbnail, .depthPreview, .manifest, .publicVideo] {
                try await rig.publish(name, of: capture)
                let found = try #require(try await rig.media.find(capture, name))
                #expect(found.media.contentType == name.contentType)
            }
        }
    }

    @Test(
        "when it was made is public only if the capture shares that exactly", arguments: Backend.available, TimePrecision.allCases)
    func time(backend: Backend, precision: TimePrecision) async throws {
        try await backend.with { rig in
            let flags = MetadataFlags(location: .none, timestamp: precision, device: .model)
            let capture = try await rig.insertComplete(Self.package, .high, at: Samples.received, sharing: flags)
            try await rig.publish(.shareCard, of: capture)
            let found = try #require(try await rig.media.find(capture, .shareCard))
            #expect(found.isTimePublic == (precision == .exact))
        }
    }

    @Test("of a withdrawn capture nothing is found but that, whether it was published or not", arguments: Backend.available)
    func withdrawn(backend: Backend) async throws {
        try await backend.with { rig in
            let (taken, left) = (
                try await rig.insertComplete(Self.package, .high, at: Samples.received),
                try await rig.insertComplete(Self.package, .high, at: Samples.received)
            )
            for capture in [taken, left] { try await rig.publish(.thumbnail, of: capture) }
            try await rig.withdrawComplete(taken)
            for name in [MediaName.thumbnail, .shareCard] {
                await #expect(throws: WithdrawnCapture.self) { _ = try await rig.media.find(taken, name) }
            }
            let found = try await rig.media.find(left, .thumbnail)
            #expect(found != nil)
        }
    }
}
