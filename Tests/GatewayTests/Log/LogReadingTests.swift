import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("The log's tables, read by the gateway", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct PostgresLogReadingTests {
    @Test("statements come with their salts, places and what is beside them, and make a bundle that is proved")
    func statements() async throws {
        try await GatewayDatabase.with { database in
            var log = try LogFixture()
            let stored = try await StoredCapture(in: database)
            let capture = try StatedCaptureFixture(stored.id)
            log.fill(to: 5)
            let assessment = try capture.assessment()
            log.add(assessment)
            try await log.publish()
            try log.cosign(by: [0, 1], token: [1, 2, 3])
            let reading = PostgresLogReading(database: database)
            #expect(try await reading.statements(of: stored.id).isEmpty)
            #expect(try await reading.last(of: stored.id) == nil)
            #expect(try await reading.intake() == .closed)
            #expect(try await reading.published(shard: LogFixture.name) == nil)

            try await insert(assessment, of: stored.id, notBefore: now, in: database)
            let waiting = try #require(try await reading.statements(of: stored.id).first)
            #expect(waiting.placed.place == nil && waiting.placed.notBefore == now)
            #expect(waiting.statement == assessment.statement && waiting.salt == assessment.salt)
            #expect(waiting.evidence == assessment.evidence && waiting.raw == assessment.raw)

            try await insert(log, commitment: assessment.statement.commitment(salt: assessment.salt), in: database)
            let place = try #require(try await reading.last(of: stored.id)?.place)
            #expect(place == LogPlace(shard: try #require(log.reading.shard), index: 5))
            #expect(try await reading.published(shard: LogFixture.name) == log.reading.shard)
            #expect(try await reading.intake() == .open)

            let finder = CheckpointFinder(log: reading, policy: log.policy)
            let found = try #require(try await finder.best(for: place))
            #expect(found.checkpoint.token == [1, 2, 3] && found.checkpoint.note == log.reading.cosigned[0].note)
            #expect(try await reading.checkpoints(CheckpointSearch(origin: place.shard.origin, index: 6, limit: 9)).isEmpty)
            #expect(
                try await reading.checkpoints(
                    CheckpointSearch(origin: place.shard.origin, index: 5, isNewestFirst: true, limit: 9)
                ).map(\.size) == [6])
            let maker = BundleMaker(
                log: reading, finder: finder, tiles: log.tiles, objects: MemoryMedia(), policy: log.policy, publicURL: publicURL)
            let bundle = try await maker.bundle(of: try capture.row(), isOwned: false, at: now).bundle
            var unstamped = bundle
            unstamped.statements[0].timestamp = nil
            #expect(await BundleVerifier(policy: log.policy).verify(try unstamped.bytes()).outcome == .proved)

            _ = try await database.query("UPDATE log_shards SET frozen_reason = 'forked', frozen_at = now()")
            #expect(try await reading.intake() == .frozen)
            #expect(try await reading.last(of: stored.id)?.place?.shard.isFrozen == true)
        }
    }

    @Test("where the policy asks for no witness, a checkpoint that none has cosigned makes a bundle")
    func noWitness() async throws {
        try await GatewayDatabase.with { database in
            var log = try LogFixture()
            let stored = try await StoredCapture(in: database)
            let capture = try StatedCaptureFixture(stored.id)
            let assessment = try capture.assessment()
            log.add(assessment)
            try await log.publish()
            try log.cosign(by: [])
            try await insert(assessment, of: stored.id, notBefore: nil, in: database)
            try await insert(log, commitment: assessment.statement.commitment(salt: assessment.salt), in: database)
            let reading = PostgresLogReading(database: database)
            let place = try #require(try await reading.last(of: stored.id)?.place)
            #expect(try await CheckpointFinder(log: reading, policy: log.policy).best(for: place) == nil)
            let policy = try TrustPolicy(Array("log \(log.key.verifier)\nquorum none\n".utf8))
            let finder = CheckpointFinder(log: reading, policy: policy)
            #expect(try #require(try await finder.best(for: place)).witnessedAt == nil)
            let maker = BundleMaker(
                log: reading, finder: finder, tiles: log.tiles, objects: MemoryMedia(), policy: policy, publicURL: publicURL)
            let bundle = try await maker.bundle(of: try capture.row(), isOwned: false, at: now).bundle
            #expect(await BundleVerifier(policy: policy).verify(try bundle.bytes()).outcome == .proved)
            #expect(await BundleVerifier(policy: log.policy).verify(try bundle.bytes()).outcome != .proved)
        }
    }

    @Test("the owner gets what was announced and attested; of a withdrawn capture nothing is left")
    func owned() async throws {
        try await GatewayDatabase.with { database in
            let stored = try await StoredCapture(in: database)
            let reading = PostgresLogReading(database: database)
            let parts = try #require(try await reading.owned(stored.id))
            #expect(parts.kind == .photo && parts.metadata == stored.announcement.metadata && parts.attestation == [3])
            #expect(parts.clientDataHash == nil && parts.assertion == nil)
            let capture = try StatedCaptureFixture(stored.id)
            try await insert(try capture.assessment(), of: stored.id, notBefore: nil, in: database)
            _ = try await database.query("SELECT rial_withdraw(\(stored.id.uuid))")
            #expect(try await reading.owned(stored.id) == nil)
            #expect(try await reading.statements(of: stored.id).isEmpty)
            #expect(try await reading.last(of: stored.id) == nil)
        }
    }

    private func insert(_ stored: StoredStatement, of capture: CaptureID, notBefore: Date?, in database: PostgresPool) async throws {
        let statement = stored.statement
        let raw = try stored.raw.map { raw in
            try PostgresJSON(encoding: Dictionary(uniqueKeysWithValues: raw.digests.map { ($0.key.rawValue, $0.value.hex) }))
        }
        _ = try await database.query(
            """
            INSERT INTO statements
                (commitment, capture_id, sequence, kind, subject, time, not_before, statement, salt, evidence, raw, raw_salt)
            VALUES (\(statement.commitment(salt: stored.salt).bytes), \(capture.uuid), \(statement.sequence), \(statement.kind.rawValue),
                \(statement.subject.bytes), \(statement.time), \(notBefore), \(statement.bytes), \(stored.salt.bytes), \(stored.evidence),
                \(raw), \(stored.raw?.salt.bytes))
            """)
    }

    private func insert(_ log: LogFixture, commitment: ContentDigest, in database: PostgresPool) async throws {
        let (origin, head, cosigned) = (log.origin.text, log.head, log.reading.cosigned[0])
        let size = Int64(head.size)
        _ = try await database.query(
            """
            INSERT INTO log_shards (origin, shard, log_key, size, root, published_size)
            VALUES (\(origin), \(LogFixture.name), \(log.key.verifier.description), \(size), \(head.root.bytes), \(size))
            """)
        let leaf = log.leaves[Int(size) - 1]
        _ = try await database.query(
            """
            INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
            VALUES (\(origin), \(size - 1), \(leaf), \(MerkleHash.leaf(leaf).bytes), \(commitment.bytes))
            """)
        let own = try #require(cosigned.note.reduced(to: [log.key.verifier]))
        _ = try await database.query(
            """
            INSERT INTO log_checkpoints (origin, size, root, body, note, published_at, token, token_at)
            VALUES (\(origin), \(size), \(head.root.bytes), \(String(decoding: own.text, as: UTF8.self)),
                \(String(decoding: own.bytes, as: UTF8.self)), now(), \(cosigned.token), \(cosigned.token.map { _ in now }))
            """)
        for (number, signature) in cosigned.note.signatures.dropFirst().enumerated() {
            _ = try await database.query(
                """
                INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at)
                VALUES (\(origin), \(size), \(signature.name.text), \(signature.id.description),
                    \(String(decoding: signature.line.dropLast(), as: UTF8.self)), \(now.addingTimeInterval(TimeInterval(number))))
                """)
        }
    }
}
