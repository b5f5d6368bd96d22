import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

/// The rows of one log over one backend.
protocol LogRows: Sendable {
    /// Brings the rows to what the fixture has by now, and reads them.
    func reading(_ log: LogFixture) async throws -> any LogReading
}

extension Backend {
    /// Runs a test over rows of no log yet.
    func withLog(_ body: @Sendable (any LogRows) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryLogRows())
        case .postgres: try await GatewayDatabase.with { try await body(PostgresLogRows(database: $0)) }
        }
    }
}

struct MemoryLogRows: LogRows {
    func reading(_ log: LogFixture) async throws -> any LogReading { log.reading }
}

/// The tables as `gateway`, `evidence-assembler` and `transparency-log` fill them.
struct PostgresLogRows: LogRows {
    let database: PostgresPool

    func reading(_ log: LogFixture) async throws -> any LogReading {
        for (capture, parts) in log.reading.parts { try await insert(capture, parts) }
        for entry in log.reading.stored { try await insert(entry.statement, withdrawn: log.reading.withdrawn) }
        for capture in log.reading.withdrawn { _ = try await database.query("SELECT rial_withdraw(\(capture.uuid))") }
        if let shard = log.reading.shard {
            try await put(shard, isClosed: log.reading.isClosed, of: log)
            try await insertEntries(of: log)
            for checkpoint in log.reading.cosigned { try await insert(checkpoint, of: log) }
        }
        return PostgresLogReading(database: database)
    }

    private func insert(_ capture: CaptureID, _ parts: OwnedParts) async throws {
        guard try await database.query("SELECT FROM captures WHERE id = \(capture.uuid)").isEmpty else { return }
        let sample = StoredCapture.announcement(capture, by: DeviceID())
        try await StoredCapture.insert(
            CaptureAnnouncement(
                captureID: capture, deviceID: sample.deviceID, content: sample.content, metadata: parts.metadata,
                assertion: parts.assertion, receivedAt: sample.receivedAt), in: database)
        _ = try await database.query(
            """
            UPDATE devices SET attestation_object = \(parts.attestation), client_data_hash = \(parts.clientDataHash?.bytes)
            WHERE id = \(sample.deviceID.uuid)
            """)
    }

    /// Nothing is stated of captures that are withdrawn.
    private func insert(_ stored: StoredStatement, withdrawn: Set<CaptureID>) async throws {
        let statement = stored.statement
        guard !withdrawn.contains(statement.capture) else { return }
        let raw = try stored.raw.map { raw in
            try PostgresJSON(encoding: Dictionary(uniqueKeysWithValues: raw.digests.map { ($0.key.rawValue, $0.value.hex) }))
        }
        _ = try await database.query(
            """
            INSERT INTO statements
                (commitment, capture_id, sequence, kind, subject, time, not_before, statement, salt, evidence, raw, raw_salt)
            VALUES (\(statement.commitment(salt: stored.salt).bytes), \(statement.capture.uuid), \(statement.sequence),
                \(statement.kind.rawValue), \(statement.subject.bytes), \(statement.time), \(stored.placed.notBefore), \(statement.bytes),
                \(stored.salt.bytes), \(stored.evidence), \(raw), \(stored.raw?.salt.bytes))
            ON CONFLICT (commitment) DO NOTHING
            """)
    }

    private func put(_ shard: PublishedShard, isClosed: Bool, of log: LogFixture) async throws {
        let (size, published) = (Int64(log.leaves.count), Int64(shard.size))
        let hasLastLeaf = isClosed && !shard.isFrozen
        _ = try await database.query(
            """
            INSERT INTO log_shards
                (origin, shard, log_key, size, root, published_size, next_key, end_index, closed_at, frozen_reason, frozen_at)
            VALUES (\(shard.origin), \(shard.name), \(log.key.verifier.description), \(size), \(log.head.root.bytes), \(published),
                \(hasLastLeaf ? "key" : nil), \(hasLastLeaf ? size - 1 : nil), \(isClosed ? now : nil), \(shard.isFrozen ? "forked" : nil),
                \(shard.isFrozen ? now : nil))
            ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root, published_size = excluded.published_size,
                next_key = excluded.next_key, end_index = excluded.end_index, closed_at = excluded.closed_at,
                frozen_reason = excluded.frozen_reason, frozen_at = excluded.frozen_at
            """)
    }

    private func insertEntries(of log: LogFixture) async throws {
        // Empty where a leaf has none.
        var commitments = [[UInt8]](repeating: [], count: log.leaves.count)
        for (stored, index) in log.reading.stored {
            if let index { commitments[Int(index)] = stored.statement.commitment(salt: stored.salt).bytes }
        }
        for (index, leaf) in log.leaves.enumerated() {
            _ = try await database.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
                VALUES (\(log.origin.text), \(index), \(leaf), \(MerkleHash.leaf(leaf).bytes), nullif(\(commitments[index]), ''::bytea))
                ON CONFLICT (origin, leaf_index) DO NOTHING
                """)
        }
    }

    private func insert(_ cosigned: CosignedCheckpoint, of log: LogFixture) async throws {
        let (origin, size) = (log.origin.text, Int64(cosigned.size))
        let own = try #require(cosigned.note.reduced(to: [log.key.verifier]))
        let root = try Checkpoint(text: own.text).root
        _ = try await database.query(
            """
            INSERT INTO log_checkpoints (origin, size, root, body, note, published_at, token, token_at)
            VALUES (\(origin), \(size), \(root.bytes), \(String(decoding: own.text, as: UTF8.self)),
                \(String(decoding: own.bytes, as: UTF8.self)), now(), \(cosigned.token), \(log.reading.stampedAt[cosigned.size]))
            ON CONFLICT (origin, size) DO NOTHING
            """)
        // As they may arrive, which is not the order of their times.
        for signature in cosigned.note.signatures.dropFirst().reversed() {
            _ = try await database.query(
                """
                INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at)
                VALUES (\(origin), \(size), \(signature.name.text), \(signature.id.description),
                    \(String(decoding: signature.line.dropLast(), as: UTF8.self)), \(signature.cosignedAt))
                ON CONFLICT (origin, size, witness, key_id) DO NOTHING
                """)
        }
        for signature in log.reading.renewed[cosigned.size] ?? [] {
            _ = try await database.query(
                """
                UPDATE log_cosignatures SET renewed_line = \(String(decoding: signature.line.dropLast(), as: UTF8.self)),
                    renewed_at = \(signature.cosignedAt)
                WHERE origin = \(origin) AND size = \(size) AND witness = \(signature.name.text)
                """)
        }
    }
}
