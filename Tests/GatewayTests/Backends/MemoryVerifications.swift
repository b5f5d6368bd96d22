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
    private struct Entry {
        let id = CaptureID()
        let device = DeviceID()
        let shortID = ShortID.random()
        let mediaHash: ContentDigest
        let package: EvidencePackage
        let confidence: ConfidenceLevel
        let uploadedAt: Date
        var published: Set<MediaName> = []
        var statements: [Statement.Kind] = []
        var isRevoked: Bool { statements.last == .revocation }

        var row: CaptureRow {
            CaptureRow(
                id: id, shortID: shortID, deviceID: device, kind: .photo, status: .complete, failure: nil, confidence: confidence,
                mediaHash: mediaHash, capturedAt: .exact(Samples.captured), uploadedAt: uploadedAt, completedAt: uploadedAt, flags: nil,
                evidence: package, location: nil, detection: nil, mediaNames: published, isRevoked: isRevoked)
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
            return step + (isDevelopment ? 1 : 0) + (isRevoked ? 1000 : 0)
        }

        /// A published object as the rows of PostgreSQL's tests have it.
        func object(_ name: MediaName) -> StoredMedia {
            StoredMedia(
                key: name.key(of: id), sha256: Samples.copyDigest, sizeBytes: 3_400_000, contentType: name.contentType)
        }

        /// As what the capture claims a file with this digest.
        func claim(of digest: ContentDigest) -> Claim? {
            if digest == mediaHash { return Claim(matched: .original, row: row) }
            guard digest == Samples.copyDigest, let name = published.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
            return name.role.map { Claim(matched: $0, row: row) }
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
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date, of mediaHash: ContentDigest = Samples.digest
    ) -> CaptureID {
        let entry = Entry(mediaHash: mediaHash, package: package, confidence: confidence, uploadedAt: time)
        state.withLock { $0.entries.append(entry) }
        return entry.id
    }

    func publish(_ name: MediaName, of capture: CaptureID) { change(capture) { _ = $0.published.insert(name) } }
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

    func claims(of digest: ContentDigest) async throws -> [Claim] {
        let entries = try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.entries
        }
        let sorted = entries.sorted { ($0.rank, $0.uploadedAt) < ($1.rank, $1.uploadedAt) }
        return Array(sorted.compactMap { $0.claim(of: digest) }.prefix(maximumClaims))
    }

    /// Made by nobody here.
    func claims(of store: StoreIdentity) async throws -> [Claim] { [] }

    func log(_ method: VerificationMethod, digest: ContentDigest, network: String, status: String, capture: CaptureID?) async throws {
        let entry = LoggedVerification(method: method, digest: digest, network: network, status: status, capture: capture)
        state.withLock { $0.log.append((entry, 0)) }
    }

    func sweep() async throws { state.withLock { state in state.log.removeAll { $0.days >= 30 } } }

    // MARK: Published objects and records

    func find(_ capture: CaptureID, _ name: MediaName) async throws -> PublishedObject? {
        guard let entry = entry({ $0.id == capture }), entry.published.contains(name) else { return nil }
        return PublishedObject(media: entry.object(name), isTimePublic: true, isRevoked: entry.isRevoked)
    }

    func record(_ id: CaptureID) async throws -> StoredRecord? { record { $0.id == id } }
    func record(shortID: String) async throws -> StoredRecord? { record { $0.shortID == shortID } }

    private func entry(_ isWanted: (Entry) -> Bool) -> Entry? { state.withLock { $0.entries.first(where: isWanted) } }

    private func record(_ isWanted: (Entry) -> Bool) -> StoredRecord? {
        guard let entry = entry(isWanted) else { return nil }
        let devices = state.withLock { state in Set(state.entries.filter { $0.mediaHash == entry.mediaHash }.map(\.device)) }
        return StoredRecord(
            row: entry.row, model: "iPhone 15 Pro", isDevelopment: false, signedAt: nil, issuer: nil, claimingDevices: devices.count,
            isReassessed: entry.statements.contains(.reassessment),
            media: Dictionary(uniqueKeysWithValues: entry.published.map { ($0, entry.object($0)) }))
    }
}
