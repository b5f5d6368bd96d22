import CaptureProtocol
import Crypto
import Foundation
import GRDB

/// The rows of the store. Several processes may use one database at the same time.
struct CaptureDatabase: Sendable {
    /// Its one connection that writes synchronises fully.
    let pool: DatabasePool
    private let failPoints: FailPoints
    let openedFacts = OpenedFacts()
    /// The store's key.
    let key: SymmetricKey

    /// - Parameter key: found once it is known whether there are rows.
    /// - Throws: ``StoreError``; errors of `key` unchanged.
    init(path: String, failPoints: FailPoints = .none, key: (_ hasRows: Bool) throws -> SymmetricKey) throws {
        self.failPoints = failPoints
        var configuration = Configuration()
        configuration.label = "captures"
        // Other processes write as well.
        configuration.busyMode = .timeout(10)
        let (pool, hasRows) = try Self.translated {
            let pool = try DatabasePool(path: path, configuration: configuration)
            // After the opening, which sets NORMAL: a commit must survive a power cut.
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                #if canImport(Darwin)
                try database.execute(sql: "PRAGMA fullfsync = ON")
                #endif
            }
            guard try !pool.read(StoreSchema.migrator.hasBeenSuperseded) else { throw StoreError.newerVersion }
            try StoreSchema.migrator.migrate(pool)
            return (pool, try pool.read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM captures)") ?? false })
        }
        self.pool = pool
        self.key = try key(hasRows)
    }

    func close() throws { try Self.translated { try pool.close() } }

    // Rows

    /// - Returns: the capture as it is in the database. Read in the same transaction: once it is there, its caller is told so, cancelled
    ///   or not.
    func insert(_ capture: NewRow) async throws -> StoredCapture {
        let key = key
        let facts = try sealed(capture.facts, of: capture.id)
        return try await write { database in
            try database.execute(
                sql: """
                    INSERT INTO captures
                        (id, job, state, device, photo_bytes, depth_bytes, metadata_bytes, assertion_bytes, thumbnail_bytes, payload_bytes,
                            original_bytes, original_depth_bytes, video_bytes, hash_chain_bytes, original_hash_chain_bytes,
                            original_metadata_bytes, facts)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    capture.id.description, capture.kind.job, capture.state.rawValue, capture.device?.description,
                    capture.sizes[.photo], capture.sizes[.depth], capture.sizes[.metadata], capture.sizes[.assertion],
                    capture.sizes[.thumbnail], capture.sizes[.payload], capture.sizes[.original], capture.sizes[.originalDepth],
                    capture.sizes[.video], capture.sizes[.hashChain], capture.sizes[.originalHashChain],
                    capture.sizes[.originalMetadata], facts,
                ])
            guard let row = try Self.row(of: capture.id, in: database) else { throw StoreError.unknownCapture(capture.id) }
            return try row.opened(with: key)
        }
    }

    func capture(_ id: LocalID) async throws -> StoredCapture? {
        let row = try await read { try Self.row(of: id, in: $0) }
        return try row.map(opened)
    }

    /// In order of capture, without those whose facts were damaged: one must not keep the others from being sent.
    func captures() async throws -> [StoredCapture] { try await contents().captures }

    /// In order of capture, without damaged ones.
    func captures(in state: CaptureState) async throws -> [StoredCapture] {
        try await captures().filter { $0.state == state }
    }

    /// All captures in their order, and those whose facts cannot be opened.
    func contents() async throws -> (captures: [StoredCapture], damaged: [LocalID]) {
        var contents: (captures: [StoredCapture], damaged: [LocalID]) = ([], [])
        let rows = try await rows()
        openedFacts.keepOnly(rows)
        for row in rows {
            do {
                contents.captures.append(try opened(row))
            } catch is SealError {
                if let id = LocalID(row.id) { contents.damaged.append(id) }
            }
        }
        return contents
    }

    /// The sealed files that belong to a row.
    func items() async throws -> Set<SealedItem> {
        Set(try await rows().flatMap { row in LocalID(row.id).map { id in row.sizes.keys.map { SealedItem(id, $0) } } ?? [] })
    }

    private func rows() async throws -> [RawCapture] {
        try await read { try RawCapture.fetchAll($0, sql: "SELECT * FROM captures ORDER BY position") }
    }

    /// The bytes of all sealed files, and of those among them that stay on the device.
    func bytes() async throws -> (all: Int64, kept: Int64) {
        func sum(_ kinds: [SealedKind]) -> String {
            let columns = kinds.compactMap(StoreSchema.column(of:)).map { "coalesce(\($0), 0)" }
            return "coalesce(sum(\(columns.joined(separator: " + "))), 0)"
        }
        let sql = "SELECT \(sum(SealedKind.allCases)) AS whole, \(sum(SealedKind.originals)) AS kept FROM captures"
        return try await read { database in
            let row = try Row.fetchOne(database, sql: sql)
            let (all, kept): (Int64?, Int64?) = (row?["whole"], row?["kept"])
            return (all ?? 0, kept ?? 0)
        }
    }

    /// Changes a row in one transaction.
    /// - Parameter change: gets the capture as it is now.
    /// - Throws: ``StoreError`` `unknownCapture`, or `notAllowed` if its state must not be followed by the new one.
    @discardableResult
    func update(_ id: LocalID, _ change: @escaping @Sendable (inout ChangedRow) throws -> Void) async throws -> StoredCapture {
        let key = key
        let (state, changed) = try await write { database in
            guard let found = try Self.row(of: id, in: database) else { throw StoreError.unknownCapture(id) }
            let before = try found.opened(with: key)
            var row = ChangedRow(before)
            try change(&row)
            // The server's id goes only with the decision to send the capture once more, not with an attempt that ended late.
            guard row.state == before.state || before.state.next.contains(row.state), row.state == .uploaded || row.serverID == nil else {
                throw StoreError.notAllowed(before.state, to: row.state)
            }
            // An unfinished upload is of this device and of what is being sent now.
            if row.device != before.device || ![.pending, .uploading].contains(row.state) { row.facts.upload = nil }
            let facts = row.facts == before.facts ? found.facts : try Self.sealed(row.facts, of: id, with: key)
            try database.execute(
                sql: """
                    UPDATE captures SET state = ?, device = ?, server_id = ?, failures = ?, assertion_attempts = ?, photo_bytes = ?,
                        depth_bytes = ?, assertion_bytes = ?, video_bytes = ?, hash_chain_bytes = ?, facts = ? WHERE id = ?
                    """,
                arguments: [
                    row.state.rawValue, row.device?.description, row.serverID?.description, row.failures, row.assertionAttempts,
                    row.sizes[.photo], row.sizes[.depth], row.sizes[.assertion], row.sizes[.video], row.sizes[.hashChain], facts,
                    id.description,
                ])
            return (before.state, row.applied(to: before))
        }
        if changed.state != state { failPoints.reached("state.\(changed.state.rawValue)") }
        return changed
    }

    /// Makes captures that were being sent when their sender ended wait again (``CaptureStore/resetUploading()``).
    func resetUploading() async throws {
        try await write {
            try $0.execute(
                sql: "UPDATE captures SET state = ? WHERE state = ?",
                arguments: [CaptureState.pending.rawValue, CaptureState.uploading.rawValue])
        }
    }

    /// - Parameter evenUploading: when nobody sends. What is lent is kept all the same: the system sends without a process of ours.
    /// - Throws: ``StoreError`` `unknownCapture`, `isBeingSent`.
    func delete(_ id: LocalID, evenUploading: Bool = false) async throws {
        try await write { database in
            let state = try String.fetchOne(database, sql: "SELECT state FROM captures WHERE id = ?", arguments: [id.description])
            guard let state else { throw StoreError.unknownCapture(id) }
            guard evenUploading || state != CaptureState.uploading.rawValue, try !Self.isLent(id, in: database) else {
                throw StoreError.isBeingSent
            }
            try database.execute(sql: "DELETE FROM captures WHERE id = ?", arguments: [id.description])
        }
    }

    // Lent bodies

    /// - Throws: ``StoreError`` `unknownCapture`: what was deleted a moment ago is not lent.
    func lend(_ name: String, of id: LocalID) async throws {
        try await write { database in
            let isThere = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM captures WHERE id = ?)", arguments: [id.description])
            guard isThere == true else { throw StoreError.unknownCapture(id) }
            try database.execute(sql: "INSERT INTO lent_bodies (name, capture) VALUES (?, ?)", arguments: [name, id.description])
        }
    }

    private static func isLent(_ id: LocalID, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM lent_bodies WHERE capture = ?)", arguments: [id.description]) ?? false
    }

    func isLent(_ id: LocalID) async throws -> Bool { try await read { try Self.isLent(id, in: $0) } }

    func endLoan(of name: String) async throws {
        try await write { try $0.execute(sql: "DELETE FROM lent_bodies WHERE name = ?", arguments: [name]) }
    }

    func lentBodies() async throws -> [String] {
        try await read { try String.fetchAll($0, sql: "SELECT name FROM lent_bodies ORDER BY name") }
    }
}

extension CaptureDatabase {
    private static func row(of id: LocalID, in database: Database) throws -> RawCapture? {
        try RawCapture.fetchOne(database, sql: "SELECT * FROM captures WHERE id = ?", arguments: [id.description])
    }

    private func opened(_ row: RawCapture) throws -> StoredCapture {
        try row.opened(with: try openedFacts.facts(of: row) { try row.openedFacts(with: key) })
    }

    private func sealed(_ facts: CaptureFacts, of id: LocalID) throws -> Data { try Self.sealed(facts, of: id, with: key) }

    private static func sealed(_ facts: CaptureFacts, of id: LocalID, with key: SymmetricKey) throws -> Data {
        Data(try SealedBlob.seal(Array(try JSONEncoder().encode(facts)), for: SealedItem(id, .facts), with: key))
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await Self.translated { try await pool.read(body) }
    }

    /// In a task of its own: what has happened is written down even if the caller is cancelled.
    private func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await Self.translated { try await Task { [pool] in try await pool.write(body) }.value }
    }

    private static func translated<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DatabaseError { throw StoreError(error) }
    }

    private static func translated<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as DatabaseError { throw StoreError(error) }
    }
}

extension StoreError {
    /// Without the statement's arguments, which are not for logs.
    fileprivate init(_ error: DatabaseError) { self = .database("SQLite \(error.resultCode.rawValue): \(error.message ?? "no message")") }
}
