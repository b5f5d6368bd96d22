import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Synchronization
import TransparencyLog

@testable import EvidenceAssembler

extension MemoryCaptures.Entry {
    var last: LastStatement? {
        statements.last.map { last in
            let reason: String? = if case .revocation(let reason) = last.statement.content { reason } else { nil }
            return LastStatement(
                kind: last.statement.kind, subject: last.statement.subject, sequence: last.statement.sequence, commitment: last.commitment,
                isTimeHeld: last.notBefore != nil, reason: reason)
        }
    }

    func stated() throws -> StatedCapture {
        guard let package = state.package, let confidence else { throw RejectedMessage(.captureUnreadable) }
        let attestation = try parts[.attestation]?.result?.decode(AttestationFindings.self).attestationDigest
        return StatedCapture(
            announcement, mediaHash: announcement.content.mediaHash, attestation: attestation,
            capturedAt: announcement.capturedAt(in: package) ?? rowCapturedAt, package: package, confidence: confidence, objects: objects,
            manifestID: credentials?.manifestID)
    }
}

extension MemoryCaptures.State {
    mutating func announce(_ capture: CaptureID) {
        announced.append(
            EvidenceAssembled(captureID: capture, status: .complete, confidenceLevel: entries[capture]?.confidence, failure: nil))
    }

    func isRevoked(_ entry: MemoryCaptures.Entry) -> Bool {
        let own = decisions.filter { $0.device == entry.announcement.deviceID }
        let valid = own.lastIndex { $0.action == "restored" }.map { own[($0 + 1)...] } ?? own[...]
        // As in the PostgreSQL version, where rows are received when the test inserts them.
        return valid.compactMap(\.since).min().map { Date() >= $0 } ?? false
    }

    func needsRevision(_ entry: MemoryCaptures.Entry) -> Bool {
        entry.last.map { ($0.kind == .revocation) != isRevoked(entry) } ?? false
    }

    mutating func revise(_ capture: CaptureID, _ maker: StatementMaker) throws -> NewStatement? {
        guard let entry = entries[capture], entry.state.status == .complete, let last = entry.last else { return nil }
        let new: NewStatement
        if last.isRevokedWithDevice, !isRevoked(entry) {
            new = try maker.reassessment(of: try entry.stated(), after: last)
        } else if last.kind != .revocation, isRevoked(entry) {
            new = try maker.revocation(of: capture, after: last)
        } else {
            return nil
        }
        entries[capture]?.statements.append(new)
        return new
    }

    mutating func note(_ statements: [NewStatement]) -> Int {
        let found = statements.filter { noted[$0.commitment] == nil && log[$0.commitment]?.isPublished == true }
        for one in found { noted[one.commitment] = log[one.commitment]?.index }
        return found.count
    }
}

extension MemoryCaptures: StatementRepository {
    func made(about capture: CaptureID) -> [KeptStatement] {
        state.withLock { state in
            (state.entries[capture]?.statements ?? []).map { one in
                let index = state.noted[one.commitment]
                return KeptStatement(
                    statement: one.statement, salt: one.salt, commitment: one.commitment, notBefore: one.notBefore, evidence: one.evidence,
                    raw: one.raw.map { Dictionary(uniqueKeysWithValues: $0.digests.map { ($0.key.rawValue, $0.value.hex) }) },
                    rawSalt: one.raw?.salt.bytes, origin: index.map { _ in "rial.example/log/2026" }, leafIndex: index)
            }
        }
    }

    func forgetStatements(about capture: CaptureID) { state.withLock { $0.entries[capture]?.statements = [] } }
    func ageStatements(about capture: CaptureID) { state.withLock { $0.entries[capture]?.areStatementsAged = true } }

    func decide(_ action: String, _ since: Date?, _ device: DeviceID) {
        state.withLock { $0.decisions.append((action, since, device)) }
    }

    func log(_ statements: [KeptStatement], _ isPublished: Bool) {
        state.withLock { state in
            for one in statements { state.log[one.commitment] = (state.log.count + (isPublished ? 1 : 1500), isPublished) }
        }
    }

    private func captures(
        after last: CaptureID?, limit: Int, where isMeant: (State, Entry) -> Bool
    ) -> [CaptureID] {
        state.withLock { state in
            let found = state.entries.filter { $0.value.state.status == .complete && isMeant(state, $0.value) }.keys
            let sorted = found.sorted { $0.description < $1.description }
            return Array(sorted.drop { id in last.map { id.description <= $0.description } ?? false }.prefix(limit))
        }
    }

    func unstated(after last: CaptureID?, limit: Int) async throws -> [CaptureID] {
        captures(after: last, limit: limit) { $1.statements.isEmpty }
    }

    func countUnstated() async throws -> Int64 { Int64(captures(after: nil, limit: .max) { $1.statements.isEmpty }.count) }

    func assess(_ capture: CaptureID) async throws -> [NewStatement] {
        try state.withLock { state in
            guard let entry = state.entries[capture], entry.state.status == .complete, entry.statements.isEmpty else { return [] }
            let assessment = try maker.assessment(of: try entry.stated())
            state.entries[capture]?.statements = [assessment]
            let revision = try state.revise(capture, maker)
            state.announce(capture)
            return [assessment, revision].compactMap(\.self)
        }
    }

    func ageDecisions(_ device: DeviceID) { state.withLock { _ = $0.agedDecisions.insert(device) } }

    /// Makes each search for captures of the device fail, or none any more.
    func fail(_ device: DeviceID, with error: (any Error)?) { state.withLock { $0.failures[device] = error } }

    func revisedDevices() async throws -> [DeviceID] {
        state.withLock { Array(Set($0.decisions.map(\.device)).subtracting($0.agedDecisions)) }
    }

    func revisedDevices(after last: DeviceID?, limit: Int) async throws -> [DeviceID] {
        let all = state.withLock { Set($0.decisions.map(\.device)) }.sorted { $0.description < $1.description }
        return Array(all.drop { id in last.map { id.description <= $0.description } ?? false }.prefix(limit))
    }

    func toRevise(of device: DeviceID, after last: CaptureID?, limit: Int) async throws -> [CaptureID] {
        if let error = state.withLock({ $0.failures[device] }) { throw error }
        return captures(after: last, limit: limit) { $1.announcement.deviceID == device && $0.needsRevision($1) }
    }

    func revise(_ capture: CaptureID) async throws -> NewStatement? {
        try state.withLock { state in
            guard let new = try state.revise(capture, maker) else { return nil }
            state.announce(capture)
            return new
        }
    }

    func settle(_ context: MessageContext) async throws { state.withLock { _ = $0.answered.insert(context.eventID) } }

    func noteLogged(_ capture: CaptureID, answering context: MessageContext) async throws {
        state.withLock { state in
            guard state.answered.insert(context.eventID).inserted else { return }
            _ = state.note(state.entries[capture]?.statements ?? [])
        }
    }

    func noteLogged(limit: Int) async throws -> Int {
        state.withLock { state in state.note(state.entries.values.filter(\.areStatementsAged).flatMap(\.statements)) }
    }
}
