import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import TestSupport
import TransparencyLog

@testable import TransparencyLogService

/// A statement as the log reads it.
struct StatedLeaf: Sendable {
    /// `nil` once the capture is withdrawn.
    var capture: CaptureID?
    let sequence: Int
    /// Its kind, time, subject and commitment.
    var leaf: LogLeaf
    var notBefore: Date?
}

extension StatedLeaf {
    /// - Parameter notBefore: of a statement that is withheld.
    init(of capture: CaptureID, sequence: Int = 0, secondsAgo: Int = 0, notBefore: Date? = nil) {
        let (subject, commitment) = (ContentDigest(of: Array("\(capture)".utf8)), ContentDigest(of: Array("\(capture) \(sequence)".utf8)))
        self.init(
            capture: capture, sequence: sequence,
            leaf: .entry(
                kind: sequence == 0 ? .assessment : .reassessment, time: Int(Date().timeIntervalSince1970) - secondsAgo,
                subject: LogSubject(bytes: subject.bytes.prefix(16))!, commitment: commitment),
            notBefore: notBefore)
    }

    var commitment: [UInt8] { leaf.commitmentBytes }
}

/// The statements as evidence-assembler keeps them, and the list of those that wait, over one backend.
protocol StatementRows: Sendable {
    var pending: any PendingRepository { get }
    func make(_ statement: StatedLeaf) async throws
    /// Leaves of the capture's statements what nothing opens, and one more that says so.
    func withdraw(_ capture: CaptureID) async throws
    /// All statements were made so many seconds earlier.
    func ageStatements(by seconds: Int) async throws
    /// The commitments of those that wait, in the order in which they came.
    func waiting() async throws -> [[UInt8]]
}

struct PostgresStatements: StatementRows {
    let owner: PostgresPool
    /// With the service's role.
    let service: PostgresPool

    var pending: any PendingRepository { PostgresPendingRepository(database: service, inbox: Inbox(.transparencyLog)) }

    func make(_ statement: StatedLeaf) async throws {
        guard case .entry(let kind, let time, let subject, let commitment) = statement.leaf, let capture = statement.capture else { return }
        if try await owner.query("SELECT FROM captures WHERE id = \(capture.uuid)").isEmpty {
            try await StoredCapture.insert(StoredCapture.announcement(capture, by: DeviceID()), in: owner)
        }
        _ = try await owner.query(
            """
            INSERT INTO statements
                (commitment, capture_id, sequence, kind, subject, time, not_before, statement, salt, evidence, raw, raw_salt)
            VALUES (\(commitment.bytes), \(capture.uuid), \(statement.sequence), \(kind.rawValue), \(subject.bytes), \(time),
                \(statement.notBefore), 's', sha256('s'), 'e', '{}', sha256('r'))
            """)
    }

    func withdraw(_ capture: CaptureID) async throws { _ = try await owner.query("SELECT rial_withdraw(\(capture.uuid))") }

    func ageStatements(by seconds: Int) async throws {
        _ = try await owner.query("UPDATE statements SET time = time - \(seconds)")
    }

    func waiting() async throws -> [[UInt8]] {
        try await owner.query("SELECT commitment FROM log_pending ORDER BY id").map { try $0.get("commitment", as: [UInt8].self) }
    }
}
