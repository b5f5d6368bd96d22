import CaptureProtocol
import Foundation
import Persistence
import Testing
import TransparencyLog

@testable import Gateway

@Suite("The log's tables as the gateway reads them, in memory and in PostgreSQL")
struct LogReadingTests {
    private let capture: StatedCaptureFixture

    init() throws { capture = try StatedCaptureFixture() }

    /// A log in which the capture's first statement waits.
    private func waiting(behind count: Int, notBefore: Date? = nil) throws -> LogFixture {
        var log = try LogFixture()
        log.fill(to: count)
        log.own(capture.owned, of: capture.capture)
        log.add(try capture.assessment(notBefore: notBefore), isEntered: false)
        return log
    }

    private func maker(_ reading: any LogReading, _ log: LogFixture, _ policy: TrustPolicy) -> BundleMaker {
        BundleMaker(
            log: reading, finder: CheckpointFinder(log: reading, policy: policy), tiles: log.tiles, objects: MemoryVerifications(),
            policy: policy, publicURL: publicURL)
    }

    @Test("before the first shard is opened there is nothing", arguments: Backend.available)
    func nothing(backend: Backend) async throws {
        try await backend.withLog { rows in
            let log = try LogFixture(isOpened: false)
            let reading = try await rows.reading(log)
            #expect(try await reading.intake() == .closed)
            #expect(try await reading.published(shard: LogFixture.name) == nil)
            #expect(try await reading.checkpoints(CheckpointSearch(origin: log.origin.text, index: 0, limit: 9)).isEmpty)
            #expect(try await reading.statements(of: capture.capture).isEmpty)
            #expect(try await reading.last(of: capture.capture) == nil)
            #expect(try await reading.owned(capture.capture) == nil)
        }
    }

    @Test("statements come with their salts, places and what is beside them", arguments: Backend.available)
    func statements(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 5, notBefore: now)
            let assessment = try capture.assessment()
            let stored = try await rows.reading(log).statements(of: capture.capture)
            let kept = try #require(stored.first)
            #expect(stored.count == 1 && kept.placed.place == nil && kept.placed.notBefore == now)
            #expect(kept.statement == assessment.statement && kept.salt == assessment.salt)
            #expect(kept.evidence == assessment.evidence && kept.raw == assessment.raw)

            log.enter()
            var reading = try await rows.reading(log)
            let entered = try #require(try await reading.last(of: capture.capture))
            let shard = PublishedShard(origin: log.origin.text, name: LogFixture.name, size: 0, isFrozen: false)
            #expect(entered.place == LogPlace(shard: shard, index: 5, time: LogFixture.time) && entered.kind == .assessment)
            #expect(try await reading.published(shard: LogFixture.name) == nil)

            try await log.publish()
            reading = try await rows.reading(log)
            let published = PublishedShard(origin: log.origin.text, name: LogFixture.name, size: 6, isFrozen: false)
            #expect(try await reading.last(of: capture.capture)?.place == LogPlace(shard: published, index: 5, time: LogFixture.time))
            #expect(try await reading.published(shard: LogFixture.name) == published)
            #expect(try await reading.published(shard: "2027") == nil)
        }
    }

    @Test("a capture's own statements come in their order, and the last one is told", arguments: Backend.available)
    func order(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try LogFixture()
            let other = try StatedCaptureFixture()
            for one in [capture, other] { log.own(one.owned, of: one.capture) }
            let first = try capture.assessment()
            log.add(try capture.revocation(after: first))
            log.add(try other.assessment())
            log.add(first)
            let reading = try await rows.reading(log)
            let stored = try await reading.statements(of: capture.capture)
            #expect(stored.map(\.statement.kind) == [.assessment, .revocation])
            #expect(stored.map(\.placed.kind) == [.assessment, .revocation] && stored.map(\.placed.place?.index) == [2, 0])
            #expect(stored.last?.evidence == nil && stored.last?.raw == nil)
            #expect(try await reading.last(of: capture.capture)?.kind == .revocation)
            #expect(try await reading.last(of: other.capture)?.kind == .assessment)
        }
    }

    @Test("what is read makes a bundle that is proved", arguments: Backend.available)
    func bundle(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 5)
            log.enter()
            try await log.publish()
            try log.cosign(by: [0, 1], token: [1, 2, 3])
            let reading = try await rows.reading(log)
            let place = try #require(try await reading.last(of: capture.capture)?.place)
            let found = try #require(try await CheckpointFinder(log: reading, policy: log.policy).best(for: place))
            #expect(found.checkpoint.token == [1, 2, 3] && found.checkpoint.note == log.reading.cosigned[0].note)
            var bundle = try await maker(reading, log, log.policy).bundle(of: try capture.row(), isOwned: false, at: now).bundle
            // Nobody's token.
            bundle.statements[0].timestamp = nil
            #expect(await BundleVerifier(policy: log.policy).verify(try bundle.bytes()).outcome == .proved)
        }
    }

    @Test("where the policy asks for no witness, a checkpoint that none has cosigned makes a bundle", arguments: Backend.available)
    func noWitness(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 0)
            log.enter()
            try await log.publish()
            try log.cosign(by: [])
            let reading = try await rows.reading(log)
            let place = try #require(try await reading.last(of: capture.capture)?.place)
            #expect(try await CheckpointFinder(log: reading, policy: log.policy).best(for: place) == nil)
            let policy = try TrustPolicy(Array("log \(log.key.verifier)\nquorum none\n".utf8))
            #expect(try #require(try await CheckpointFinder(log: reading, policy: policy).best(for: place)).witnessedAt == nil)
            let bundle = try await maker(reading, log, policy).bundle(of: try capture.row(), isOwned: false, at: now).bundle
            #expect(await BundleVerifier(policy: policy).verify(try bundle.bytes()).outcome == .proved)
            #expect(await BundleVerifier(policy: log.policy).verify(try bundle.bytes()).outcome != .proved)
        }
    }

    @Test("checkpoints are found by what they hold, by witness and time stamp, from either end", arguments: Backend.available)
    func checkpoints(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try LogFixture()
            for (size, witnesses, token) in [(1, [], nil), (2, [2, 0], [7]), (4, [1], nil)] as [(Int, [Int], [UInt8]?)] {
                log.fill(to: size)
                try await log.publish()
                try log.cosign(by: witnesses, token: token)
            }
            let reading = try await rows.reading(log)
            let origin = log.origin.text
            let searches: [(CheckpointSearch, [UInt64])] = [
                (CheckpointSearch(origin: origin, index: 0, isCosigned: false, limit: 9), [1, 2, 4]),
                (CheckpointSearch(origin: origin, index: 1, isCosigned: false, limit: 9), [2, 4]),
                (CheckpointSearch(origin: origin, index: 4, isCosigned: false, limit: 9), []),
                (CheckpointSearch(origin: origin, index: 0, limit: 9), [2, 4]),
                (CheckpointSearch(origin: origin, index: 0, isStamped: true, limit: 9), [2]),
                (CheckpointSearch(origin: origin, index: 0, isCosigned: false, isNewestFirst: true, limit: 2), [4, 2]),
                (CheckpointSearch(origin: origin, index: 0, isCosigned: false, limit: 2), [1, 2]),
                (CheckpointSearch(origin: "rial.test/log/2027", index: 0, isCosigned: false, limit: 9), []),
            ]
            for (search, sizes) in searches {
                let found = try await reading.checkpoints(search).compactMap(\.?.size)
                #expect(found == sizes, "\(search)")
            }
            let stamped = try await reading.checkpoints(CheckpointSearch(origin: origin, index: 1, limit: 1)).first ?? nil
            #expect(stamped?.note == log.reading.cosigned[1].note && stamped?.token == [7])
        }
    }

    @Test("of before a time nothing counts; a cosignature that was renewed since does", arguments: Backend.available)
    func notBefore(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try LogFixture()
            for (size, later) in [(1, 0), (2, 0), (3, 7200)] as [(Int, UInt64)] {
                log.fill(to: size)
                try await log.publish()
                try log.cosign(by: [0, 1], later: later, token: [UInt8(size)])
                if size == 2 { try log.renew(by: [0, 1], later: 3599) }
            }
            let reading = try await rows.reading(log)
            let names = log.witnesses.map(\.verifier.name)
            var search = CheckpointSearch(origin: log.origin.text, index: 0, limit: 9)
            #expect(try await reading.checkpoints(search).compactMap(\.?.note) == log.reading.cosigned.map(\.note))
            // The second witness cosigned the second checkpoint again at this second, the first one a second before.
            search.notBefore = Date(timeIntervalSince1970: TimeInterval(LogFixture.time + 3601))
            let found = try await reading.checkpoints(search).compactMap(\.self)
            #expect(found.map(\.size) == [2, 3] && found.map(\.token) == [nil, [3]])
            #expect(found.map { $0.note.signatures.dropFirst().map(\.name) } == [[names[1]], [names[0], names[1]]])
            #expect(found.first?.note.signatures.last == log.reading.renewed[2]?.last)
            search.isStamped = true
            #expect(try await reading.checkpoints(search).map(\.?.size) == [3])
            search.isStamped = false
            search.isCosigned = false
            #expect(try await reading.checkpoints(search).map(\.?.token) == [nil, nil, [3]])
        }
    }

    @Test(
        "checkpoints that no witness has cosigned are not read on the way to those that one has",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint), arguments: [false, true])
    func withoutCosignatures(isNewestFirst: Bool) async throws {
        try await GatewayDatabase.with { database in
            var log = try LogFixture()
            log.fill(to: 1)
            try await log.publish()
            try log.cosign(by: [0, 1])
            let reading = try await PostgresLogRows(database: database).reading(log)
            _ = try await database.query(
                """
                INSERT INTO log_checkpoints (origin, size, root, body, note, published_at)
                SELECT origin, number, root, body, note, published_at FROM log_checkpoints, generate_series(2, 5000) AS number
                """)
            _ = try await database.query(
                """
                INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at)
                SELECT origin, 4000, witness, key_id, line, cosigned_at FROM log_cosignatures
                """)
            _ = try await database.query("ANALYZE log_checkpoints, log_cosignatures")
            for (index, sizes) in [(0, [1, 4000]), (1, [4000]), (4000, [])] as [(UInt64, [UInt64])] {
                let search = CheckpointSearch(
                    origin: log.origin.text, index: index, isNewestFirst: isNewestFirst, limit: CheckpointFinder.page)
                #expect(try await reading.checkpoints(search).compactMap(\.?.size) == (isNewestFirst ? sizes.reversed() : sizes))
                let rows = try await database.query("EXPLAIN (ANALYZE, FORMAT JSON) \(PostgresLogReading.statement(of: search))")
                let plans = try #require(try rows.first?.get("QUERY PLAN", as: PostgresJSON.self)).decode([ExplainedPlan].self)
                #expect(plans.map { $0.plan.rowsRead(of: "log_checkpoints") } == [Double(sizes.count)], "after \(index)")
            }
        }
    }

    @Test(
        "a damaged note hides no other checkpoint, and a damaged line no other cosignature",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func damaged() async throws {
        try await GatewayDatabase.with { database in
            var log = try LogFixture()
            // The first page is full, and its checkpoints have no quorum.
            let last = CheckpointFinder.page + 1
            for size in 1...last {
                log.fill(to: size)
                try await log.publish()
                try log.cosign(by: size == last ? [0, 1, 2] : [0])
            }
            let reading = try await PostgresLogRows(database: database).reading(log)
            _ = try await database.query("UPDATE log_checkpoints SET note = 'x' WHERE size = 1")
            _ = try await database.query(
                """
                UPDATE log_cosignatures SET line = 'x' WHERE size = \(last) AND witness = \(log.witnesses[0].verifier.name.text)
                """)
            let search = CheckpointSearch(origin: log.origin.text, index: 0, limit: CheckpointFinder.page)
            #expect(try await reading.checkpoints(search).map(\.?.size) == [nil] + Array(2..<UInt64(last)))
            let shard = try #require(log.reading.shard)
            let place = LogPlace(shard: shard, index: 0, time: LogFixture.time)
            let found = try await CheckpointFinder(log: reading, policy: log.policy).best(for: place)
            #expect(found?.checkpoint.size == UInt64(last))
            #expect(found?.witnesses.map(\.name) == log.witnesses.dropFirst().map(\.verifier.name.text))
        }
    }

    @Test("the log takes entries while a shard is open and not frozen; what is published stays so", arguments: Backend.available)
    func intake(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 1)
            log.enter()
            try await log.publish()
            #expect(try await rows.reading(log).intake() == .open)
            var closed = log
            log.freeze()
            let frozen = try await rows.reading(log)
            #expect(try await frozen.intake() == .frozen)
            #expect(try await frozen.last(of: capture.capture)?.place?.shard.isFrozen == true)
            #expect(try await frozen.published(shard: LogFixture.name)?.isFrozen == true)
            closed.close()
            let reading = try await rows.reading(closed)
            #expect(try await reading.intake() == .closed)
            #expect(try await reading.published(shard: LogFixture.name)?.size == 2)
            #expect(try await reading.last(of: capture.capture)?.place?.isPublished == true)
        }
    }

    @Test("a shard that was given up does not stand still: an entry in it waits for witnesses", arguments: Backend.available)
    func givenUp(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 1)
            log.enter()
            try await log.publish()
            log.freeze()
            log.close()
            let reading = try await rows.reading(log)
            #expect(try await reading.intake() == .closed)
            #expect(try await reading.last(of: capture.capture)?.place?.shard.isFrozen == false)
            #expect(try await reading.published(shard: LogFixture.name)?.isFrozen == false)
            let problem = await #expect(throws: NotLogged.self) {
                try await maker(reading, log, log.policy).bundle(of: try capture.row(), isOwned: false, at: now)
            }
            #expect(problem?.reason == .unwitnessed)
        }
    }

    @Test("the owner gets what was announced and attested; of a withdrawn capture nothing is left", arguments: Backend.available)
    func owned(backend: Backend) async throws {
        try await backend.withLog { rows in
            var log = try waiting(behind: 0)
            var reading = try await rows.reading(log)
            let parts = try #require(try await reading.owned(capture.capture))
            #expect(parts.kind == .photo && parts.metadata == capture.metadata && parts.assertion == capture.assertion)
            #expect(parts.attestation == capture.attestation && parts.clientDataHash == ContentDigest(of: [1]))
            #expect(try await reading.owned(CaptureID()) == nil)
            log.withdraw(capture.capture)
            reading = try await rows.reading(log)
            #expect(try await reading.owned(capture.capture) == nil)
            #expect(try await reading.statements(of: capture.capture).isEmpty)
            #expect(try await reading.last(of: capture.capture) == nil)
        }
    }
}

/// What PostgreSQL says of a statement that it was asked to explain.
private struct ExplainedPlan: Decodable {
    struct Node: Decodable {
        let relation: String?
        /// Per loop.
        let rows: Double
        let loops: Double
        let removed: Double?
        let children: [Node]?

        enum CodingKeys: String, CodingKey {
            case relation = "Relation Name"
            case rows = "Actual Rows"
            case loops = "Actual Loops"
            case removed = "Rows Removed by Filter"
            case children = "Plans"
        }

        /// Those that filters removed count as well.
        func rowsRead(of table: String) -> Double {
            let own = relation == table ? (rows + (removed ?? 0)) * loops : 0
            return (children ?? []).reduce(own) { $0 + $1.rowsRead(of: table) }
        }
    }

    let plan: Node

    enum CodingKeys: String, CodingKey {
        case plan = "Plan"
    }
}
