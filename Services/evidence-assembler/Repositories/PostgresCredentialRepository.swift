import CaptureProtocol
import Foundation
import Models
import Persistence

/// Manifests in `content_credentials`, waiting captures by `captures.evidence`.
struct PostgresCredentialRepository: CredentialRepository {
    let database: PostgresPool

    func waiting(limit: Int) async throws -> [CaptureID] {
        try await database.withConnection { try await CredentialTable($0).waiting(limit: limit) }
    }

    func find(_ capture: CaptureID) async throws -> WaitingCapture? {
        try await database.withConnection { connection in
            guard let row = try await CredentialTable(connection).findWaiting(capture),
                let parts = try EvidenceParts(try await EvidencePartTable(connection).all(of: capture))
            else { return nil }
            return WaitingCapture(package: row.package, confidence: row.confidence, capturedAt: row.capturedAt, parts: parts)
        }
    }

    func settle(
        _ capture: CaptureID, _ outcome: Result<IssuedCredentials, NotSignable>
    ) async throws -> ContentCredentialsEvidence? {
        try await database.withTransaction { connection in
            let table = CredentialTable(connection)
            guard var package = try await table.findWaiting(capture, isHeld: true)?.package else { return nil }
            switch outcome {
            case .failure(let refusal): package.contentCredentials = .init(status: .unavailable, reason: refusal.reason)
            case .success(let issued):
                try await table.insert(capture, issued)
                try await MediaObjectTable(connection).insert(issued.objects, of: capture)
                package.contentCredentials = .init(status: .embedded, reason: nil)
            }
            try await table.save(capture, package)
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
