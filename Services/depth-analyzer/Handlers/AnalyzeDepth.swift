import Foundation
import Metrics
import Models
import Persistence
import Pipeline

/// Measures the depth map of a capture and stores its preview picture. A capture seen again gets the stored result.
struct AnalyzeDepth: MessageHandler {
    let analysis: CaptureAnalysis
    let database: PostgresPool
    let publisher: PartPublisher<DepthAnalyzed>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        let repository = AnalysisRepository()
        let stored = try await database.withConnection { try await repository.find(message.captureID, on: $0) }
        if let stored {
            try await publisher.publish(stored, for: message.captureID, answering: context, database: database)
            return
        }
        let findings = try await analysis.run(message)
        try await publisher.publish(findings, for: message.captureID, answering: context, database: database) { connection in
            try await repository.save(findings, for: message.captureID, on: connection)
        }
        let verdict = findings.measurements?.verdict.rawValue ?? "unavailable"
        Counter(label: "rial_depth_analyses_total", dimensions: [("verdict", verdict)]).increment()
    }

    func giveUp(_ message: CaptureReceived, reason: String, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}

/// The analyses of captures. The same bytes give the same result, so the first one stands.
struct AnalysisRepository {
    func find(_ capture: CaptureID, on connection: PostgresConnection) async throws -> DepthFindings? {
        let rows = try await connection.query("SELECT result FROM depth_analyses WHERE capture_id = \(capture.uuid)")
        return try rows.first?.get("result", as: PostgresJSON.self).decode(DepthFindings.self)
    }

    func save(_ findings: DepthFindings, for capture: CaptureID, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            INSERT INTO depth_analyses (capture_id, result) VALUES (\(capture.uuid), \(PostgresJSON(encoding: findings)))
            ON CONFLICT (capture_id) DO NOTHING
            """)
    }
}
