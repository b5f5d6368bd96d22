import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import Persistence

/// Checks every capture in PostgreSQL and in the store, without the API.
struct SoakAudit {
    // SQL of its own: it compares from outside, and does not believe the repositories that it checks.
    let databaseURL: String
    let storage: S3Client

    func report(_ ledger: SoakLedger, within limit: Duration) async throws -> SoakReport {
        let database = try await StartupRetry(dependency: "PostgreSQL") {
            try await PostgresConnection.connect(url: databaseURL, applicationName: "rial-soak")
        }
        let captures = await ledger.captures
        let devices = await ledger.devices.map(\.uuid)
        try await settle(devices, within: limit, database)
        var report = SoakReport()
        for (id, photo) in captures.sorted(by: { $0.key.description < $1.key.description }) {
            for fault in try await faults(of: id, photo, database) {
                report.faults[fault, default: 0] += 1
                Console.progress("capture \(id): \(fault)")
            }
        }
        // Devices retry until they get a response, so there must be no capture that its device does not know.
        let rows = try await database.query("SELECT id, status FROM captures WHERE device_id = ANY(\(devices))")
        report.unknown = try rows.filter { captures[CaptureID(try $0.get("id", as: UUID.self))] == nil }.count
        report.complete = try rows.filter { try $0.get("status", as: String.self) == "complete" }.count
        report.repairs = try await repairs(devices, database)
        await database.close()
        report.sent = await ledger.sent
        report.accepted = captures.count
        report.devices = devices.count
        report.confused = await ledger.confused
        report.retries = await ledger.retries
        report.givenUp = await ledger.givenUp
        return report
    }

    /// Waits until all captures are complete, at most for `limit`.
    private func settle(_ devices: [UUID], within limit: Duration, _ database: PostgresConnection) async throws {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            let rows = try await database.query(
                "SELECT count(*) AS open FROM captures WHERE device_id = ANY(\(devices)) AND status <> 'complete'")
            let open = try rows.first?.get("open", as: Int64.self) ?? 0
            if open == 0 { return }
            Console.progress("\(open) captures are not complete yet …")
            try await Task.sleep(for: .seconds(2))
        }
    }

    /// The faults of one capture, as stable codes; empty if there are none.
    private func faults(of id: CaptureID, _ photo: ContentDigest, _ database: PostgresConnection) async throws -> [String] {
        let name = MediaName.original.rawValue
        let rows = try await database.query(
            """
            SELECT status, coalesce(confidence_level, '-') AS confidence, coalesce(failure, '-') AS failure, media_sha256,
                (SELECT count(*) FROM evidence_parts WHERE capture_id = captures.id AND outcome = 'done') AS parts,
                (SELECT count(*) FROM assertion_counters WHERE capture_id = captures.id) AS counters,
                (SELECT count(*) FROM content_credentials WHERE capture_id = captures.id) AS credentials,
                (SELECT object_key FROM media_objects WHERE capture_id = captures.id AND name = \(name)) AS original,
                (SELECT size_bytes FROM media_objects WHERE capture_id = captures.id AND name = \(name)) AS original_bytes
            FROM captures WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return ["lost"] }
        let status = try row.get("status", as: String.self)
        guard status == "complete" else { return ["\(status) \(try row.get("failure", as: String.self))"] }
        var faults: [String] = []
        if try row.get("confidence", as: String.self) != "high" { faults.append("not_high") }
        if try row.get("media_sha256", as: [UInt8].self) != photo.bytes { faults.append("other_photo") }
        for (column, count) in [("parts", 3), ("counters", 1), ("credentials", 1)] {
            if try row.get(column, as: Int64.self) != Int64(count) { faults.append("not_once_\(column)") }
        }
        guard let key = try row.getOptional("original", as: String.self) else { return faults + ["original_unnamed"] }
        do {
            let size = try row.get("original_bytes", as: Int64.self)
            _ = try await storage.read(StoredMedia(key: key, sha256: photo, sizeBytes: size, contentType: "image/jpeg"))
        } catch let error as ObjectStorageError where error.code == .digestMismatch {
            faults.append("original_differs")
        } catch let error as ObjectStorageError {
            faults.append("original_\(error.code.rawValue)")
        }
        return faults
    }

    /// How often captures were announced again.
    private func repairs(_ devices: [UUID], _ database: PostgresConnection) async throws -> Int64 {
        let rows = try await database.query(
            """
            SELECT coalesce(sum(announcements), 0)::bigint AS repairs FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
            WHERE device_id = ANY(\(devices))
            """)
        return try rows.first?.get("repairs", as: Int64.self) ?? 0
    }
}
