import Blocking
import CaptureProtocol
import ContentCredentials
import Foundation
import Imaging
import MediaStore
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport

@testable import EvidenceAssembler

/// A capture with media in a store, and the services' findings about it.
struct SampleCapture {
    let announcement: CaptureAnnouncement
    var attestation = AttestationFindings(
        .sample(.pass), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false, deviceModel: "iPhone 15 Pro",
        hasLiDAR: true)
    var depth: DepthFindings
    var media: MediaFindings

    var id: CaptureID { announcement.captureID }
    var original: StoredMedia? { media.objects[.original] }

    private static let photo = Result { try picture(width: 120, height: 90) }
    private static let thumbnail = Result { try picture(width: 40, height: 30) }
    private static let recorded = Result { try RecordedVideo(seconds: 1, startedAt: Date(timeIntervalSince1970: 1_795_240_795)) }

    static func picture(width: Int, height: Int) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for index in 0..<width * height { pixels += [UInt8(index % width), UInt8(index / width), 90] }
        return try JPEGEncoder.encode(RGBImage(width: width, height: height, pixels: pixels), quality: 85)
    }

    /// - Parameter photo: replaces the default photo, which can be decoded.
    init(
        in store: MemoryObjectStore, photo: [UInt8]? = nil, metadata: [UInt8]? = nil, by device: DeviceID = DeviceID(),
        assertion: [UInt8]? = nil
    ) async throws {
        let id = CaptureID()
        func put(_ name: MediaName, _ bytes: [UInt8]) async throws -> StoredMedia {
            let media = StoredMedia(
                key: name.key(of: id), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
            try await store.put(media.key, bytes: bytes, contentType: media.contentType)
            return media
        }
        let original = try await put(.original, try photo ?? Self.photo.get())
        let map = try await put(.depth, [1, 2, 3])
        let text =
            #"{"captured_at": "2026-11-21T05:59:55Z", "device_model": "iPhone16,1", "photo_hash": "\#(original.sha256)", "depth_map_dimensions": {"width": 2, "height": 2}}"#
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: device,
            content: .photo(PhotoContent(photo: original, depth: map, photoThenDepth: nil, depthWidth: 2, depthHeight: 2)),
            metadata: metadata ?? Array(text.utf8), assertion: assertion, receivedAt: Date(timeIntervalSince1970: 1_795_240_800))
        let picture = try await store.storeDerived(try Self.thumbnail.get(), named: .thumbnail, of: id, pixels: PixelSize(40, 30))
        let measurements = DepthMeasurements(
            depthVariance: 0.5, depthLayers: 3, edgeCoherence: 0.75, minDepth: 0.25, maxDepth: 4.5, relief: 0.625, reliefFront: 0.5,
            reliefBehind: 0.125, photoEdgesOnSurface: 0.25, coverage: 1, verdict: .real, specifiedRule: true, method: "relief-2",
            reason: nil, rotation: 1)
        depth = DepthFindings(measurements: measurements, preview: nil, pictures: [.thumbnail: picture])
        media = MediaFindings(objects: [.original: original, .depth: map])
    }

    /// A hash-only capture: its payload is all that is stored.
    init(hashOnly announcement: CaptureAnnouncement, in store: MemoryObjectStore) async throws {
        self.announcement = announcement
        let metadata = StoredMedia(
            key: MediaName.metadata.key(of: announcement.captureID), sha256: ContentDigest(of: announcement.metadata),
            sizeBytes: Int64(announcement.metadata.count), contentType: MediaName.metadata.contentType)
        try await store.put(metadata.key, bytes: announcement.metadata, contentType: metadata.contentType)
        attestation.appraisal = .sample(.pass, binding: .payload)
        depth = DepthFindings(measurements: DepthMeasurements(HashOnlySamples.depth), preview: nil)
        media = MediaFindings(objects: [.metadata: metadata])
    }

    /// A video whose bytes are no movie: nothing of it can be read.
    init(unreadableVideo id: CaptureID, in store: MemoryObjectStore) async throws {
        let files: [MediaName: [UInt8]] = [.originalVideo: [1, 2, 3], .depth: [1, 2, 3], .hashChain: [1, 2, 3]]
        try await self.init(video: id, files, metadata: Array("{}".utf8), in: store)
    }

    /// A video that can be read and signed.
    static func video(in store: MemoryObjectStore) async throws -> SampleCapture {
        let recorded = try Self.recorded.get()
        let files: [MediaName: [UInt8]] = [
            .originalVideo: recorded.video, .depth: recorded.depth, .hashChain: recorded.chainBytes,
        ]
        return try await SampleCapture(video: CaptureID(), files, metadata: recorded.metadata, in: store)
    }

    private init(video id: CaptureID, _ files: [MediaName: [UInt8]], metadata: [UInt8], in store: MemoryObjectStore) async throws {
        func put(_ name: MediaName) async throws -> StoredMedia {
            let bytes = files[name] ?? []
            try await store.put(name.key(of: id), bytes: bytes, contentType: name.contentType)
            return StoredMedia(
                key: name.key(of: id), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        }
        let (video, map, chain) = (try await put(.originalVideo), try await put(.depth), try await put(.hashChain))
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: DeviceID(), content: .video(VideoContent(video: video, depth: map, hashChain: chain, moov: 0..<3)),
            metadata: metadata, assertion: nil, receivedAt: Date(timeIntervalSince1970: 1_795_240_800))
        depth = DepthFindings(measurements: nil, unavailableReason: .noDepth, preview: nil, pictures: [:])
        media = MediaFindings(objects: [.originalVideo: video, .depth: map, .hashChain: chain])
    }

    func result(of part: EvidencePart) throws -> PostgresJSON {
        switch part {
        case .attestation: try PostgresJSON(encoding: attestation)
        case .depth: try PostgresJSON(encoding: depth)
        case .media: try PostgresJSON(encoding: media)
        }
    }
}

/// Signs as scripted by a test: the copy is the photo with an additional byte.
final class ScriptedIssuer: CredentialIssuing {
    enum Behaviour: Sendable {
        case signs, noSigner, noRoom, noTimestamp, refuses, storeAway, diskFull
        /// The signer is back, but its circuit is still open.
        case signsTrials
        /// There is no room for signed videos.
        case signsPhotos
        /// The store does not give the photos.
        case signsVideos
    }

    private struct State {
        var behaviour = Behaviour.signs
        var claimed: [CaptureClaim] = []
        var meanwhile: (@Sendable () async throws -> Void)?
    }

    private let state = Mutex(State())
    private let store: MemoryObjectStore

    init(_ store: MemoryObjectStore) { self.store = store }

    /// - Parameter meanwhile: happens while it signs.
    func set(_ behaviour: Behaviour, meanwhile: (@Sendable () async throws -> Void)? = nil) {
        state.withLock { ($0.behaviour, $0.meanwhile) = (behaviour, meanwhile) }
    }
    /// The captures for which credentials were requested, in order.
    var asked: [CaptureID] { claimed.map(\.captureID) }
    var claimed: [CaptureClaim] { state.withLock { $0.claimed } }

    func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing {
        try await sign(claim, bytes: try video.bytes(0..<video.sizeBytes), named: .signedVideo, pixels: nil, isTrial: isTrial)
    }

    func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing {
        try await sign(claim, bytes: photo?.bytes, named: .signedCopy, pixels: photo?.pixels, isTrial: isTrial)
    }

    private func sign(
        _ claim: CaptureClaim, bytes: [UInt8]?, named name: MediaName, pixels: PixelSize?, isTrial: Bool
    ) async throws -> Issuing {
        let (behaviour, meanwhile) = state.withLock { state in
            state.claimed.append(claim)
            return (state.behaviour, state.meanwhile)
        }
        try await meanwhile?()
        guard let bytes else { return .notSignable(reason: .photoUnreadable) }
        switch behaviour {
        case .noSigner: return .noSignerYet
        case .signsTrials where !isTrial: return .noSignerYet
        case .noRoom: return .noRoomYet
        case .signsPhotos where name == .signedVideo: return .noRoomYet
        case .noTimestamp: return .noTimestampYet
        case .refuses: return .notSignable(reason: .photoNotSignable)
        case .diskFull:
            // Fails as on a full disk.
            _ = try NamelessFile(in: "/nowhere")
            return .noSignerYet
        case .signsVideos where name == .signedCopy: throw ObjectStorageError(.unavailable, "away")
        case .storeAway: throw ObjectStorageError(.unavailable, "away")
        case .signs, .signsTrials, .signsPhotos, .signsVideos:
            let copy = try await store.storeDerived(bytes + [0], named: name, of: claim.captureID, pixels: pixels)
            let manifest = try await store.storeDerived([1], named: .manifest, of: claim.captureID)
            return .made(
                IssuedCredentials(
                    manifestID: "urn:c2pa:\(claim.captureID)", certificateSerial: "1", leafDigest: ContentDigest(of: [2]), issuer: "Test",
                    hasTimestamp: false, copy: copy, manifest: manifest, name: name))
        }
    }
}
