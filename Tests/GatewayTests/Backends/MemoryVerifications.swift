import CaptureProtocol
import Foundation
import ManifestStore
import Models
import Synchronization
import TestSupport
import TransparencyLog

@testable import Gateway

/// Complete captures, the files that they claim and what is published of them, in memory.
final class MemoryVerifications: VerificationRepository, MediaObjectRepository, StoredRecordRepository {
    /// Who signed all Content Credentials.
    static let issuer = "rial. tests"

    private struct Entry {
        let id: CaptureID
        let device = DeviceID()
        let shortID = ShortID.random()
        let mediaHash: ContentDigest
        let package: EvidencePackage
        let confidence: ConfidenceLevel
        let uploadedAt: Date
        /// What a hash-only capture shares.
        let flags: MetadataFlags?
        var published: [MediaName: StoredMedia] = [:]
        var credentials: StoreIdentity?
        var statements: [Statement.Kind] = []
        var withdrawnAt: Date?
        var isRevoked: Bool { statements.last == .revocation }
        var capturedAt: SharedTime { SharedTime(Samples.captured, (flags ?? .everything).timestamp) }

        var row: CaptureRow {
            CaptureRow(
                id: id, shortID: shortID, deviceID: device, kind: flags == nil ? .photo : .hashOnly, status: .complete, failure: nil,
                confidence: confidence, mediaHash: mediaHash, capturedAt: capturedAt, uploadedAt: uploadedAt, completedAt: uploadedAt,
                flags: flags, evidence: package, location: nil, detection: nil, mediaNames: Set(published.keys),
                depthFramesSize: published[.depthFrames]?.pixels, isRevoked: isRevoked)
        }

        var rank: Int {
            let step =
                switch confidence {
                case .high: 0
                case .medium: 10
                case .low: 20
                case .suspicious: 30
                }
            let isDevelopment = package.hardwareAttestation.developmentAttestation == true
            return step + (flags == nil ? 0 : 100) + (isDevelopment ? 1 : 0) + (isRevoked ? 1000 : 0)
        }

        /// Or the begin of its day in UTC.
        var publicUploadedAt: Date { row.publicUploadedAt.date ?? .distantPast }

        /// As what the capture claims a file with this digest.
        func claim(of digest: ContentDigest) -> Claim? {
            if digest == mediaHash { return Claim(matched: .original, row: row) }
            let names = published.filter { $0.key.role != nil && $0.value.sha256 == digest }.keys
            return names.min { $0.rawValue < $1.rawValue }?.role.map { Claim(matched: $0, row: row) }
        }

        /// Of what was made for it.
        func claim(of store: StoreIdentity) -> Claim? {
            guard let credentials, credentials.label == store.label, credentials.digest == store.digest,
                credentials.leafDigest == store.leafDigest
            else { return nil }
            return Claim(matched: .signedCopy, row: row)
        }
    }

    private struct State {
        var entries: [Entry] = []
        var log: [(entry: LoggedVerification, days: Int)] = []
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    var logged: [LoggedVerification] { state.withLock { $0.log.map { $0.entry } } }
    func fail(with failure: any Error) { state.withLock { $0.failure = failure } }

    func add(
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date, of mediaHash: ContentDigest = Samples.digest,
        sharing flags: MetadataFlags? = nil, id: CaptureID = CaptureID()
    ) -> CaptureID {
        let entry = Entry(id: id, mediaHash: mediaHash, package: package, confidence: confidence, uploadedAt: time, flags: flags)
        state.withLock { $0.entries.append(entry) }
        return id
    }

    /// Publishes an object as the rows of PostgreSQL's tests have it.
    func publish(_ name: MediaName, of capture: CaptureID) {
        let media = StoredMedia(
            key: name.key(of: capture), sha256: Samples.copyDigest, sizeBytes: 3_400_000, contentType: name.contentType)
        publish(media, as: name, of: capture)
    }

    func publish(_ media: StoredMedia, as name: MediaName, of capture: CaptureID) { change(capture) { $0.published[name] = media } }
    func sign(_ capture: CaptureID, with store: StoreIdentity) { change(capture) { $0.credentials = store } }
    func withdraw(_ capture: CaptureID, at time: Date) { change(capture) { $0.withdrawnAt = time } }
    func note(_ kind: Statement.Kind, on capture: CaptureID) {
        change(capture) { entry in
            precondition((kind == .assessment) == entry.statements.isEmpty, "the first statement, and no other, is the assessment")
            entry.statements.append(kind)
        }
    }

    func age(days: Int) { state.withLock { state in for index in state.log.indices { state.log[index].days += days } } }

    private func change(_ capture: CaptureID, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == capture }) else { return }
            change(&state.entries[index])
        }
    }

    func claims(of digest: ContentDigest) async throws -> [Claim] { try claims { $0.claim(of: digest) } }
    func claims(of store: StoreIdentity) async throws -> [Claim] { try claims { $0.claim(of: store) } }

    private func claims(_ claim: (Entry) -> Claim?) throws -> [Claim] {
        let entries = try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.entries
        }
        let sorted = entries.filter { $0.withdrawnAt == nil }.sorted {
            ($0.rank, $0.publicUploadedAt, $0.id.description) < ($1.rank, $1.publicUploadedAt, $1.id.description)
        }
        return Array(sorted.compactMap(claim).prefix(maximumClaims))
    }

    func log(_ method: VerificationMethod, digest: ContentDigest, network: String, status: String, capture: CaptureID?) async throws {
        let entry = LoggedVerification(method: method, digest: digest, network: network, status: status, capture: capture)
        state.withLock { $0.log.append((entry, 0)) }
    }

    func sweep() async throws { state.withLock { state in state.log.removeAll { $0.days >= 30 } } }

    func find(_ capture: CaptureID, _ name: MediaName) async throws -> PublishedObject? {
        guard let entry = try entry({ $0.id == capture }), let media = entry.published[name] else { return nil }
        return PublishedObject(media: media, isTimePublic: entry.capturedAt.precision == .exact, isRevoked: entry.isRevoked)
    }

    func record(_ id: CaptureID) async throws -> StoredRecord? { try record { $0.id == id } }
    func record(shortID: String) async throws -> StoredRecord? { try record { $0.shortID == shortID } }

    private func entry(_ isWanted: (Entry) -> Bool) throws -> Entry? {
        let found = state.withLock { $0.entries.first(where: isWanted) }
        if let time = found?.withdrawnAt { throw WithdrawnCapture(withdrawnAt: time) }
        return found
    }

    private func record(_ isWanted: (Entry) -> Bool) throws -> StoredRecord? {
        guard let entry = try entry(isWanted) else { return nil }
        let same = state.withLock { state in state.entries.filter { $0.mediaHash == entry.mediaHash && $0.withdrawnAt == nil } }
        return StoredRecord(
            row: entry.row, model: "iPhone 15 Pro", isDevelopment: false, signedAt: entry.credentials.map { _ in Samples.received },
            issuer: entry.credentials.map { _ in Self.issuer }, claimingDevices: Set(same.map(\.device)).count,
            isReassessed: entry.statements.contains(.reassessment), media: entry.published.filter { $0.key.role != nil })
    }
}
