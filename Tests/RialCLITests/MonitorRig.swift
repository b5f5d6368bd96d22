import AsyncHTTPClient
import Foundation
import TransparencyLog

@testable import RialCLI

/// A monitor beside a log in a folder.
struct MonitorRig: Sendable {
    let prefix: String
    let state: URL
    let client: HTTPClient
    let policy: TrustPolicy
    var also: [CheckpointSource]
    var tolerance = 60
    var rehashSeconds = 86_400

    /// The same rig, which also asks these.
    func asking(_ also: CheckpointSource...) -> MonitorRig {
        var rig = self
        rig.also = also
        return rig
    }

    /// A new one on the same state, as after a restart.
    func monitoring() throws -> LogMonitoring {
        try LogMonitoring(
            LogMonitoring.Options(prefix: prefix, policy: policy, also: also, tolerance: tolerance, rehashSeconds: rehashSeconds),
            folder: DurableFolder(state.path), files: PublicFiles(client: client))
    }

    /// A round of a new monitor on the same state.
    @discardableResult
    func round(at now: Int = 1000) async throws -> LogMonitoring.Report { try await monitoring().round(at: now) }

    /// The kind of defect that a round finds; `nil` for none.
    func defect(at now: Int = 1000) async throws -> LogDefect? {
        do {
            try await round(at: now)
            return nil
        } catch let defect as LogDefect {
            return defect
        } catch let evidence as ForkEvidence {
            return evidence.defect
        }
    }

    /// Runs with a served log.
    static func with(
        _ log: PublishedLog, witnesses: [String] = [], also: [CheckpointSource] = [], tolerance: Int = 60, rehashSeconds: Int = 86_400,
        _ body: @Sendable @escaping (MonitorRig, FolderServer) async throws -> Void
    ) async throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("rial-monitor-\(UUID().uuidString)")
        defer {
            try? FileManager.default.removeItem(at: state)
            log.remove()
        }
        try await FolderServer.with(log.folder) { server in
            let client = PublicFiles.makeClient()
            let policy = try log.policy(witnesses.map { server.prefix + $0 })
            let rig = MonitorRig(
                prefix: server.prefix, state: state, client: client, policy: policy, also: also, tolerance: tolerance,
                rehashSeconds: rehashSeconds)
            do { try await body(rig, server) } catch {
                try? await client.shutdown()
                throw error
            }
            try await client.shutdown()
        }
    }
}
