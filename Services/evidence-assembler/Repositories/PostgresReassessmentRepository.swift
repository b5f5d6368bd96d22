import CaptureProtocol
import Delivery
import Foundation
import Models
import Observability
import Persistence
import TransparencyLog

/// Requests in `reassessments`, verdicts in `captures`; announced through the outbox.
struct PostgresReassessmentRepository: ReassessmentRepository {
    let database: PostgresPool
    let outbox: Outbox
    var maker = StatementMaker()

    func measured(limit: Int) async throws -> [CaptureID] {
        try await database.query(
            """
            SELECT capture_id FROM reassessments JOIN captures ON captures.id = capture_id
            WHERE settled_at IS NULL AND depth IS NOT NULL AND stated_at IS NOT NULL ORDER BY requested_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
    }

    func find(_ capture: CaptureID) async throws -> MeasuredCapture? {
        try await database.withConnection { connection in
            let rows = try await connection.query(
                """
                SELECT evidence, depth FROM captures JOIN reassessments ON capture_id = captures.id
                WHERE captures.id = \(capture.uuid) AND status = 'complete' AND settled_at IS NULL AND depth IS NOT NULL
                """)
            guard let row = rows.first, let stored = try await CaptureTable(connection).find(capture) else { return nil }
            let depth = try row.get("depth", as: PostgresJSON.self).decode(DepthFindings.self)
            guard let package = try? row.get("evidence", as: PostgresJSON.self).decode(EvidencePackage.self),
                let parts = try EvidenceParts(try await EvidencePartTable(connection).all(of: capture))
            else { throw RejectedMessage(.captureUnreadable, detail: "its verdict") }
            return MeasuredCapture(gathered: try stored.gathered(parts.measured(again: depth)), package: package)
        }
    }

    func settle(_ capture: CaptureID, _ verdict: RenewedVerdict) async throws -> ReassessmentOutcome? {
        let outcome = try await database.withTransaction { connection -> ReassessmentOutcome? in
            let rows = try await connection.query(
                """
                SELECT evidence, confidence_level FROM captures JOIN reassessments ON capture_id = captures.id
                WHERE captures.id = \(capture.uuid) AND status = 'complete' AND settled_at IS NULL AND depth IS NOT NULL
                FOR NO KEY UPDATE OF captures
                """)
            let statements = StatementTable(connection)
            guard let row = rows.first, let last = try await statements.last(of: capture) else {
                try await connection.objectsCameLate(of: capture)
                return nil
            }
            let stored = try row.get("evidence", as: PostgresJSON.self).decode(EvidencePackage.self)
            var package = verdict.package
            package.contentCredentials = stored.contentCredentials.renewed(package.contentCredentials)
            let outcome: ReassessmentOutcome
            if last.kind == .revocation {
                outcome = .revoked
            } else if try package.isStored(as: stored), try row.get("confidence_level") == verdict.confidence.rawValue {
                outcome = .unchanged
            } else {
                outcome = .reassessed
                try await CaptureTable(connection).replaceVerdict(of: capture, package, verdict.confidence)
                try await MediaObjectTable(connection).replaceCard(verdict.card, of: capture)
                guard let stated = try await statements.stated(capture) else { return nil }
                try await statements.insert(try maker.reassessment(of: stated, after: last), of: capture)
                try await outbox.append(EvidenceAssembled.complete(capture, confidence: verdict.confidence), on: connection)
            }
            FailPoint.reached("evidence-assembler.reassessed")
            try await settle(capture, outcome.rawValue, on: connection)
            return outcome
        }
        FailPoint.reached("evidence-assembler.reassessment.committed")
        return outcome
    }

    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws {
        try await database.withConnection { try await settle(capture, reason.rawValue, on: $0) }
    }

    private nonisolated(nonsending) func settle(_ capture: CaptureID, _ outcome: String, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            UPDATE reassessments SET settled_at = now(), outcome = \(outcome) WHERE capture_id = \(capture.uuid) AND settled_at IS NULL
            """)
    }
}

extension EvidencePackage {
    /// Whether it would be stored in the same form: times are kept in milliseconds, and a computed one is not the one that is read again.
    func isStored(as stored: EvidencePackage) throws -> Bool { try WireJSON.encode(self) == WireJSON.encode(stored) }
}
