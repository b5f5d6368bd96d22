import CaptureProtocol
import Foundation
import Models
import TransparencyLog

/// A statement with everything that is kept beside it (SPEC §14).
struct NewStatement: Sendable {
    let statement: Statement
    let salt: Salt
    /// When it may be in the log; `nil` if at once.
    let notBefore: Date?
    /// The evidence's bytes; `nil` for a revocation, like ``raw``.
    let evidence: [UInt8]?
    let raw: RawParts?

    var commitment: ContentDigest { statement.commitment(salt: salt) }
}

/// A capture's last statement, which the next one follows.
struct LastStatement: Sendable {
    let kind: Statement.Kind
    let subject: LogSubject
    let sequence: Int
    let commitment: ContentDigest
    /// Whether the log must not tell when it was made, but by the day.
    let isTimeHeld: Bool
    /// The reason of a revocation; `nil` for other statements.
    let reason: String?

    /// Whether the device's revocation took the capture's verdict back.
    var isRevokedWithDevice: Bool { kind == .revocation && reason == HardwareReason.deviceRevoked.rawValue }
}

/// Makes statements: what they say is given, salts and subjects are random, times are now.
struct StatementMaker: Sendable {
    /// Random bytes that nobody can guess, and the time.
    var random: @Sendable (_ count: Int) -> [UInt8] = { .random($0) }
    var now: @Sendable () -> Date = { Date() }

    /// The first one about a capture.
    /// - Throws: ``BundleError`` if what it would say cannot be said.
    func assessment(of capture: StatedCapture) throws -> NewStatement {
        guard let subject = LogSubject(bytes: random(16)) else { throw Unusable() }
        return try statement(of: capture, Statement.Content.assessment, subject: subject, sequence: 0, previous: nil)
    }

    /// The verdict with the Content Credentials that were made later.
    func credentials(of capture: StatedCapture, after last: LastStatement) throws -> NewStatement {
        try following(last, Statement.Content.credentials, capture)
    }

    /// The verdict again, or by other algorithms.
    func reassessment(of capture: StatedCapture, after last: LastStatement) throws -> NewStatement {
        try following(last, Statement.Content.reassessment, capture)
    }

    /// The device was revoked, and the verdict is taken back.
    func revocation(of capture: CaptureID, after last: LastStatement) throws -> NewStatement {
        let time = LogTime(now(), isHeld: last.isTimeHeld)
        let statement = try Statement(
            .revocation(reason: HardwareReason.deviceRevoked.rawValue), capture: capture, subject: last.subject,
            sequence: last.sequence + 1, time: time.seconds, previous: last.commitment)
        return NewStatement(statement: statement, salt: try salt(), notBefore: time.notBefore, evidence: nil, raw: nil)
    }

    private func following(
        _ last: LastStatement, _ content: (Verdict) -> Statement.Content, _ capture: StatedCapture
    ) throws -> NewStatement {
        try statement(of: capture, content, subject: last.subject, sequence: last.sequence + 1, previous: last.commitment)
    }

    private func statement(
        of capture: StatedCapture, _ content: (Verdict) -> Statement.Content, subject: LogSubject, sequence: Int, previous: ContentDigest?
    ) throws -> NewStatement {
        let time = LogTime(now(), isHeld: capture.isTimeHeld)
        let evidence = try capture.evidence()
        let raw = RawParts(digests: capture.raw, salt: try salt())
        let verdict = capture.verdict(evidence: ContentDigest(of: evidence), raw: raw.digest)
        let statement = try Statement(
            content(verdict), capture: capture.id, subject: subject, sequence: sequence, time: time.seconds, previous: previous)
        return NewStatement(statement: statement, salt: try salt(), notBefore: time.notBefore, evidence: evidence, raw: raw)
    }

    private func salt() throws -> Salt {
        guard let salt = Salt(bytes: random(32)) else { throw Unusable() }
        return salt
    }

    /// The source of random bytes gave another number of them.
    private struct Unusable: Error {}
}

/// When a statement counts as made, and from when on it may be in the log (SPEC §14 "Withheld times").
struct LogTime: Sendable, Equatable {
    /// How long after midnight those of the day are entered together.
    private static let pause: TimeInterval = 30 * 60

    /// POSIX seconds.
    let seconds: Int
    let notBefore: Date?

    /// - Parameter isHeld: whether it may only be told by the day: then it is the midnight after.
    init(_ now: Date, isHeld: Bool) {
        guard isHeld else {
            seconds = Int(now.timeIntervalSince1970.rounded(.down))
            notBefore = nil
            return
        }
        let midnight = Timestamp.startOfDay(now).addingTimeInterval(86_400)
        seconds = Int(midnight.timeIntervalSince1970)
        notBefore = midnight.addingTimeInterval(Self.pause)
    }
}
