import CaptureProtocol
import Delivery
import Foundation
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

/// A log in PostgreSQL, under the service's role, and in the object store.
struct RealLog: Sendable {
    static let isConfigured = TestSchema.isConfigured && TestBucket.isConfigured
    let owner: PostgresPool
    let service: PostgresPool
    let repository: PostgresLogRepository
    let store: S3Client
    let key: SignerKey
    let shard: String

    static func with(_ body: @Sendable (RealLog) async throws -> Void) async throws {
        try await TestSchema.with(prefix: "reallog") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: .quiet)
            let owner = PostgresPool(url: schema.url, size: 3, applicationName: schema.name, logger: .quiet)
            _ = try await owner.query("GRANT USAGE ON SCHEMA \(unescaped: schema.name) TO rial_transparency_log")
            // The store is shared by all tests.
            let shard = String(schema.name.suffix(32)).replacing("_", with: "-")
            let key = try SignerKey(name: TextLine("rial.example/log/\(shard)")!, kind: .log, seed: TestKeys.seed(shard))
            try await PostgresLog.open(key.verifier, shard: shard, on: owner)
            let url = schema.url + "%20-crole%3Drial_transparency_log"
            let service = PostgresPool(url: url, size: 6, applicationName: schema.name + "_service", logger: .quiet)
            let store = TestBucket.client(try TestBucket.configuration("rial-tests"))
            try await store.createBucketIfMissing()
            let log = RealLog(
                owner: owner, service: service,
                repository: PostgresLogRepository(database: service, url: url, outbox: Outbox(.transparencyLog)), store: store, key: key,
                shard: shard)
            var failure: (any Error)?
            do { try await body(log) } catch { failure = error }
            await service.shutdown()
            await owner.shutdown()
            if let failure { throw failure }
        }
    }

    func sequencer(
        _ witnesses: [TestWitness], limit: Int = 100, reached: @escaping @Sendable (SequencerPoint) async throws -> Void = { _ in }
    ) throws -> Sequencer {
        let lines = witnesses.map { "witness \(String(decoding: $0.witness.name, as: UTF8.self)) \($0.witness.key)\n" }
        let policy = try TrustPolicy(Array("log \(key.verifier)\n\(lines.joined())quorum none\n".utf8))
        return Sequencer(
            repository: repository, store: store, signer: TestSigner(key: key),
            panel: WitnessPanel(policy: policy, connections: witnesses, timeout: .seconds(5), now: { Date() }, logger: .quiet),
            limits: Sequencer.Limits(batch: limit, checkpointSeconds: 0), reached: reached, logger: .quiet)
    }

    /// Captures with a statement each, as evidence-assembler makes them.
    func state(_ numbers: Range<Int>) async throws -> [CaptureID] {
        try await owner.withTransaction { connection in
            try await connection.execute(
                script: """
                    INSERT INTO devices (id, platform, model, has_lidar, attestation_level, key_id, public_key, attestation_object,
                            registered_at)
                        VALUES ('11111111-1111-4111-8111-111111111111', 'ios', 'iPhone 15 Pro', true, 'secure_enclave', '\\x01',
                            decode(repeat('04', 65), 'hex'), '\\x01', now()) ON CONFLICT DO NOTHING
                    """)
            var captures: [CaptureID] = []
            for number in numbers {
                let capture = CaptureID(UUID())
                captures.append(capture)
                guard case .entry(let kind, let time, let subject, let commitment) = LogRig.leaf(number) else { continue }
                try await connection.query(
                    """
                    INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at, announcement)
                    VALUES (\(capture.uuid), \(String(capture.uuid.uuidString.lowercased().prefix(8))),
                        '11111111-1111-4111-8111-111111111111', 'photo', 'full', \(commitment.bytes), now(), now(), '{}')
                    """)
                try await connection.query(
                    """
                    INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt, evidence, raw, raw_salt)
                    VALUES (\(commitment.bytes), \(capture.uuid), 0, \(kind.rawValue), \(subject.bytes), \(time), 's', sha256('s'), 'e',
                        '{}', sha256('r'))
                    """)
            }
            return captures
        }
    }

    /// The log holds these statements once each, store and rows agree, and all that anyone saw is a prefix of it.
    func expectSound(_ numbers: Range<Int>, seen: [TreeHead]) async throws {
        let shard = try #require(try await repository.openShard())
        #expect(shard.freeze == nil && shard.publishedSize == shard.head.size)
        let leaves = try await repository.leaves(0..<10_000, of: shard.origin)
        #expect(leaves.count == numbers.count + 1 && Set(leaves.dropFirst()) == Set(numbers.map { LogRig.leaf($0).bytes }))
        var frontier = MerkleFrontier()
        var roots: [UInt64: ContentDigest] = [:]
        for leaf in leaves {
            frontier.append(MerkleHash.leaf(leaf))
            roots[frontier.size] = frontier.root
        }
        #expect(frontier.head == shard.head)
        for head in seen { #expect(roots[head.size] == head.root, "\(head.size)") }
        let objects = LogObjects(store, shard: shard.shard)
        let checkpoint = try await objects.fetch(objects.checkpointKey)
        #expect(checkpoint.flatMap { PublishedCheckpoint($0.bytes, of: shard) }?.head == shard.head)
        #expect(try await objects.newestHead()?.size == shard.head.size)
        for tile in Tile.added(from: 0, to: shard.head.size) {
            if case .entries = tile.kind { #expect(try await objects.entries(of: tile) != nil, "\(tile)") }
        }
        #expect(try await TreeReader(objects: objects).root(size: shard.head.size) == shard.head.root)
    }
}

@Suite(
    "The public log over PostgreSQL and the object store",
    .enabled(if: RealLog.isConfigured, "RIAL_TEST_DATABASE_URL or RIAL_TEST_S3_ENDPOINT names nothing"))
struct RealPartsTests {
    @Test("enters statements that were announced, looked through, withheld and withdrawn, and announces their captures")
    func statements() async throws {
        try await RealLog.with { log in
            let pending = PostgresPendingRepository(database: log.service, inbox: Inbox(.transparencyLog))
            let captures = try await log.state(0..<30)
            let context = MessageContext(eventID: EventID(), topic: .evidenceAssembled, logger: .quiet)
            let handler = LogStatements(pending: pending, logger: .quiet)
            let message = EvidenceAssembled(captureID: captures[0], status: .complete, confidenceLevel: .low, failure: nil)
            try await handler.handle(message, context)
            // The same again, and a capture that is none.
            try await handler.handle(message, context)
            let forged = EvidenceAssembled(captureID: CaptureID(UUID()), status: .complete, confidenceLevel: .high, failure: nil)
            try await handler.handle(forged, MessageContext(eventID: EventID(), topic: .evidenceAssembled, logger: .quiet))
            #expect(try await log.owner.query("SELECT FROM log_pending").count == 1)
            // Those of now are too young to be looked through.
            _ = try await log.owner.query("UPDATE statements SET time = extract(epoch FROM now()) WHERE capture_id = \(captures[29].uuid)")
            #expect(try await pending.lookThrough() == 28)
            #expect(try await pending.lookThrough() == 0)
            _ = try await log.owner.query("SELECT rial_withdraw(\(captures[1].uuid))")
            try await handler.handle(
                EvidenceAssembled(captureID: captures[1], status: .withdrawn, confidenceLevel: nil, failure: nil),
                MessageContext(eventID: EventID(), topic: .evidenceAssembled, logger: .quiet))
            let sequencer = try log.sequencer([])
            while try await sequencer.turn() != .idle {}
            await sequencer.stepDown()
            let origin = log.key.verifier.name
            let leaves = try await log.repository.leaves(1..<100, of: origin).map { String(decoding: $0, as: UTF8.self) }
            #expect(leaves.count == 30 && leaves.filter { $0.contains("\nwithdrawal\n") }.count == 1)
            #expect(try await pending.lookThrough() == 0, "all have an entry")
            let announced = try await log.owner.query("SELECT record_key FROM transparency_log_outbox").map {
                try $0.get("record_key", as: String.self)
            }
            // Of a withdrawn capture no row says whose its leaves are.
            #expect(Set(announced) == Set(captures[0..<29].map(\.description)).subtracting([captures[1].description]))
            let standing = try await log.repository.standing(at: Date())
            #expect(standing.pending == 0 && standing.publishedAt != nil && standing.shard?.publishedSize == 31)
        }
    }

    @Test("three instances, whose sessions end and which are killed at any point, write one log", .timeLimit(.minutes(2)))
    func three() async throws {
        try await RealLog.with { log in
            let witness = try TestWitness("w", log: log.key.verifier, now: { Date() })
            let dice = Dice(seed: 7)
            let done = Latch()
            let count = 300
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        func fresh() throws -> Sequencer {
                            try log.sequencer([witness], limit: 20) { _ in
                                if dice.isOne(of: 40) { throw Killed() }
                            }
                        }
                        var sequencer = try fresh()
                        while !done.isOpen {
                            do {
                                let turn = try await sequencer.turn()
                                if case .published = turn { continue }
                                try await Task.sleep(for: .milliseconds(5))
                            } catch is Killed {
                                // Its session ends with it, sooner or later.
                                await sequencer.stepDown()
                                sequencer = try fresh()
                            } catch is PostgresError {
                            } catch is SequencerHalt {}
                        }
                        await sequencer.stepDown()
                    }
                }
                group.addTask {
                    for number in 0..<count {
                        try await PostgresLog.add(LogRig.leaf(number), notBefore: nil, on: log.service)
                        if number.isMultiple(of: 60) {
                            _ = try await log.owner.query(
                                """
                                SELECT pg_terminate_backend(activity.pid) FROM pg_stat_activity AS activity JOIN pg_locks USING (pid)
                                WHERE application_name = 'transparency-log-sequencer' AND locktype = 'advisory' AND granted
                                    AND objid = (hashtext(current_schema() || '.log_shards')::bigint & 4294967295)::oid
                                """)
                        }
                    }
                    // A sequencer may be dropping its lock at this moment.
                    try await waitUntil("everything is published", within: .seconds(60)) {
                        let shard = try await log.repository.openShard()
                        return shard?.freeze != nil || shard?.publishedSize == UInt64(count + 1)
                    }
                    done.open()
                }
                try await group.waitForAll()
            }
            let last = try log.sequencer([witness])
            while try await last.turn() != .idle {}
            await last.stepDown()
            try await log.expectSound(0..<count, seen: witness.seen)
        }
    }

    @Test("4,096 statements are entered in one round")
    func batch() async throws {
        try await RealLog.with { log in
            let sequencer = try log.sequencer([], limit: 4096)
            #expect(try await sequencer.turn() != .idle)
            _ = try await log.owner.query(
                """
                INSERT INTO log_pending (commitment, subject, kind, time)
                SELECT sha256(n::text::bytea), substring(sha256(n::text::bytea) FOR 16), 'assessment', 1700000000
                FROM generate_series(1, 4096) AS n
                """)
            #expect(try await sequencer.turn() != .idle)
            #expect(try await log.repository.openShard()?.publishedSize == 4097)
            await sequencer.stepDown()
        }
    }

    @Test("a session that idles lets go of the lock", .timeLimit(.minutes(1)))
    func idle() async throws {
        try await RealLog.with { log in
            let session = try #require(try await log.repository.lead() as? PostgresLogSession)
            #expect(try await log.repository.lead() == nil)
            // The same, faster.
            try await session.connection.execute(script: "SET idle_session_timeout = 300")
            try await waitUntil("the lock is free") {
                let next = try await log.repository.lead()
                await next?.close()
                return next != nil
            }
            await #expect(throws: PostgresError.self) { try await session.beat() }
        }
    }
}
