import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import TransparencyLog

/// Manifests in `content_credentials`, waiting captures by `captures.evidence`.
struct PostgresCredentialRepository: CredentialRepository {
    let database: PostgresPool
    let outbox: Outbox
    var maker = StatementMaker()

    func waiting(limit: Int) async throws -> WaitingCaptures {
        try await database.withConnection { try await CredentialTable($0).waiting(limit: limit) }
    }

    func find(_ capture: CaptureID) async throws -> CaptureAwaitingCredentials? {
        try await database.withConnection { connection in
            guard let row = try await CredentialTable(connection).findWaiting(capture),
                let parts = try EvidenceParts(try await EvidencePartTable(connection).all(of: capture))
            else { return nil }
            return CaptureAwaitingCredentials(
                package: row.package, confidence: row.confidence, announcement: row.announcement, parts: parts)
        }
    }

    func settle(
        _ capture: CaptureID, _ waiting: CaptureAwaitingCredentials, _ outcome: Result<IssuedCredentials, NotSignable>
    ) async throws -> ContentCredentialsEvidence? {
        try await database.withTransaction { connection in
            let table = CredentialTable(connection)
            guard let current = try await table.findWaiting(capture, isHeld: true), waiting.hasVerdict(current.package, current.confidence)
            else {
                try await connection.objectsCameLate(of: capture)
                return nil
            }
            // Looked at under the lock, without which nobody revokes the capture.
            let statements = StatementTable(connection)
            let last = try await statements.last(of: capture)
            guard last?.kind != .revocation, try await !statements.isRevoked(capture) else { return nil }
            var package = waiting.package
            switch outcome {
            case .failure(let refusal): package.contentCredentials = .init(status: .unavailable, reason: refusal.reason)
            case .success(let issued):
                try await table.insert(capture, issued)
                try await MediaObjectTable(connection).insert(issued.objects, of: capture)
                package.contentCredentials = .init(status: .embedded, reason: nil)
            }
            try await table.save(capture, package)
            // Without an earlier statement the first has the credentials.
            if case .success = outcome, let last, let stated = try await statements.stated(capture) {
                try await statements.insert(try maker.credentials(of: stated, after: last), of: capture)
                try await outbox.append(EvidenceAssembled.complete(capture, confidence: waiting.confidence), on: connection)
            }
            return package.contentCredentials
        }
    }

    func withoutDigests(after last: CaptureID?, limit: Int) async throws -> [UndigestedCredentials] {
        try await database.withConnection { try await CredentialTable($0).withoutDigests(after: last, limit: limit) }
    }

    func countWithoutDigests() async throws -> Int64 {
        try await database.withConnection { try await CredentialTable($0).countWithoutDigests() }
    }

    func save(_ capture: CaptureID, leaf: ContentDigest, manifest: ContentDigest) async throws {
        try await database.withConnection { try await CredentialTable($0).save(capture, leaf: leaf, manifest: manifest) }
    }
}
