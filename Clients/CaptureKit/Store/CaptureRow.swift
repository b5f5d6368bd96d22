import CaptureProtocol
import Crypto
import Foundation
import GRDB

/// A capture that is added to the store.
struct NewRow: Sendable {
    let id: LocalID
    let kind: CaptureKind
    let state: CaptureState
    let device: DeviceID?
    /// Of each sealed file that is there.
    let sizes: [SealedKind: Int64]
    let facts: CaptureFacts
}

/// The columns of a row that may change.
struct ChangedRow: Sendable {
    let kind: CaptureKind
    var state: CaptureState
    var device: DeviceID?
    var serverID: CaptureID?
    var failures: Int
    var assertionAttempts: Int
    var sizes: [SealedKind: Int64]
    var facts: CaptureFacts

    init(_ capture: StoredCapture) {
        kind = capture.kind
        state = capture.state
        device = capture.device
        serverID = capture.serverID
        failures = capture.failures
        assertionAttempts = capture.assertionAttempts
        sizes = capture.sizes
        facts = capture.facts
    }

    func applied(to capture: StoredCapture) -> StoredCapture {
        StoredCapture(
            id: capture.id, position: capture.position, kind: capture.kind, state: state, device: device, serverID: serverID,
            failures: failures, assertionAttempts: assertionAttempts, sizes: sizes, facts: facts)
    }
}

extension ChangedRow {
    /// How often a capture is sent once more without a person.
    static let maximumRepairs = 3
    static let secondsForRepair: TimeInterval = 600

    /// Makes an uploaded capture wait to be sent once more, if the server reports it failed or does not know it, and its parts are here.
    /// The same bytes lead to the same capture, and bring what the server has lost. Otherwise nothing changes.
    mutating func sendAgain() {
        guard state == .uploaded, facts.isBadOnServer, !facts.mayBeWithdrawn, kind.hasContent(sizes) else { return }
        facts.formerServerID = serverID
        facts.sentAt = nil
        facts.confidence = nil
        serverID = nil
        state = .pending
        failures = 0
    }

    /// The same without a person, unless that has been done often enough, or just now: the server repairs in the background, and reports
    /// the old failure until it has.
    mutating func repair(at now: Date) {
        let repairs = facts.repairs ?? 0
        guard repairs < Self.maximumRepairs else { return }
        if repairs > 0, let sent = facts.uploadedAt, abs(now.timeIntervalSince(sent)) < Self.secondsForRepair { return }
        sendAgain()
        if state == .pending { facts.repairs = repairs + 1 }
    }
}

/// A row as it is in the database.
struct RawCapture: FetchableRecord, Sendable {
    let id: String
    let position: Int64
    let job: String
    let state: String
    let device: String?
    let serverID: String?
    let failures: Int
    let assertionAttempts: Int
    let sizes: [SealedKind: Int64]
    let facts: Data

    init(row: Row) throws {
        id = try row.value(of: "id")
        position = try row.value(of: "position")
        job = try row.value(of: "job")
        state = try row.value(of: "state")
        device = try row.optionalValue(of: "device")
        serverID = try row.optionalValue(of: "server_id")
        failures = try row.value(of: "failures")
        assertionAttempts = try row.value(of: "assertion_attempts")
        facts = try row.value(of: "facts")
        var sizes: [SealedKind: Int64] = [:]
        for kind in SealedKind.allCases {
            if let column = StoreSchema.column(of: kind), let bytes: Int64 = try row.optionalValue(of: column) { sizes[kind] = bytes }
        }
        self.sizes = sizes
    }

    /// - Throws: ``SealError`` if the facts are not those that were sealed; ``StoreError`` for values that this version does not know.
    func opened(with key: SymmetricKey) throws -> StoredCapture { try opened(with: try openedFacts(with: key)) }

    /// - Throws: as ``opened(with:)-(SymmetricKey)``.
    func openedFacts(with key: SymmetricKey) throws -> CaptureFacts {
        guard let id = LocalID(id) else { throw StoreError.newerVersion }
        let opened = try SealedBlob.open(Array(facts), for: SealedItem(id, .facts), with: key)
        guard let facts = try? JSONDecoder().decode(CaptureFacts.self, from: Data(opened)) else { throw StoreError.newerVersion }
        return facts
    }

    /// - Throws: ``StoreError`` for values that this version does not know.
    func opened(with facts: CaptureFacts) throws -> StoredCapture {
        guard let id = LocalID(id), let kind = CaptureKind(job: job), let state = CaptureState(rawValue: state) else {
            throw StoreError.newerVersion
        }
        return StoredCapture(
            id: id, position: position, kind: kind, state: state, device: device.flatMap(DeviceID.init),
            serverID: serverID.flatMap(CaptureID.init), failures: failures, assertionAttempts: assertionAttempts, sizes: sizes,
            facts: facts)
    }
}

extension Row {
    /// - Throws: ``StoreError`` `newerVersion` for a missing column or another type: the file may be anybody's.
    fileprivate func value<Value: DatabaseValueConvertible>(of column: String) throws -> Value {
        guard let value: Value = try optionalValue(of: column) else { throw StoreError.newerVersion }
        return value
    }

    fileprivate func optionalValue<Value: DatabaseValueConvertible>(of column: String) throws -> Value? {
        guard hasColumn(column), let stored: DatabaseValue = self[column] else { throw StoreError.newerVersion }
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw StoreError.newerVersion }
        return value
    }
}

extension CaptureKind {
    /// What it is in the column `job`: the mode of what was there before there were videos.
    var job: String {
        switch self {
        case .photo, .hashOnly: mode.rawValue
        case .video: type.rawValue
        case .hashOnlyVideo: "\(mode.rawValue)_\(type.rawValue)"
        }
    }

    /// - Returns: `nil` for a kind that this version does not know.
    fileprivate init?(job: String) {
        guard let kind = Self.allCases.first(where: { $0.job == job }) else { return nil }
        self = kind
    }
}
