public import CaptureProtocol
public import Foundation

/// The captures of this device: a row for each in a database, its parts in sealed files beside it.
///
/// A capture is in the store once ``add(_:assert:)`` returns, whatever happens to the process or the power afterwards. Its files are
/// sealed, synced and renamed before its row is written, and its row is deleted before its files: a file without a row is removed at start.
///
/// Several processes may add and read at the same time; one sends (``CaptureQueue``).
public struct CaptureStore: Sendable {
    let database: CaptureDatabase
    let files: SealedFiles
    let bodies: LentBodies
    let limits: StoreLimits
    let folder: String
    let failPoints: FailPoints

    /// The file of the lock that the process holds that sends.
    var sendLock: String { folder + "/send.lock" }

    /// Opens the store in a folder, or makes one.
    ///
    /// - Parameters:
    ///   - folder: an absolute path in the app's own container: iOS ends apps that are suspended while they hold a lock in a shared one.
    ///   - secrets: has the store's key, or gets it if the store is new.
    /// - Throws: ``StoreKeyError`` if the store has content and its key is gone or cannot be read now; the store is left alone then.
    ///   ``StoreError``, ``FileError``.
    public static func open(
        in folder: String, secrets: any SecureStore, limits: StoreLimits = StoreLimits(), layer: any FileLayer = PosixFiles(),
        failPoints: FailPoints = .none
    ) async throws -> CaptureStore {
        try layer.createFolder(folder)
        let content = folder + "/content"
        try layer.createFolder(content)
        try layer.createFolder(folder + "/lent")
        // Files are synced with their folder; the folders' own names must be as durable.
        try layer.syncFolder(folder)
        try layer.syncFolder(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
        failPoints.reached("store.folders")
        // Whether there is content decides whether a key may be made, so one process at a time opens a store.
        let lock = try await FileLock.acquire(folder + "/open.lock")
        defer { lock.unlock() }
        let hasFiles = try !layer.names(in: content).isEmpty
        let database = try CaptureDatabase(path: folder + "/captures.sqlite", failPoints: failPoints) { hasRows in
            failPoints.reached("store.migrated")
            return try StoreKey.load(from: secrets, storeIsEmpty: !hasRows && !hasFiles)
        }
        failPoints.reached("store.key")
        let store = CaptureStore(
            database: database, files: SealedFiles(folder: content, key: database.key, files: layer, failPoints: failPoints),
            bodies: LentBodies(folder: folder + "/lent", layer: layer), limits: limits, folder: folder, failPoints: failPoints)
        try await store.sweep()
        return store
    }

    private func sweep() async throws {
        // A file of a capture that another process is adding has no row yet.
        guard let lock = try FileLock.tryLock(folder + "/add.lock") else { return }
        defer { lock.unlock() }
        let wanted = try await database.items()
        let found = try files.contents()
        try files.remove(names: found.temporaryNames)
        failPoints.reached("store.swept")
        // What a recording has written so far is nobody's part yet.
        try files.remove(found.items.filter { $0.kind != .recording && !wanted.contains($0) })
    }

    public func close() throws { try database.close() }
}

// Adding

extension CaptureStore {
    /// The result of making a capture's assertion.
    public enum Assertion: Sendable {
        /// CBOR.
        case made([UInt8], by: DeviceID)
        /// To be tried again.
        case later
        /// The device makes none.
        case none
    }

    /// Stores a capture, durably. Each byte is hashed and sealed in one pass.
    /// - Parameter assert: makes the assertion over a client data hash; its failure never loses the capture.
    /// - Throws: ``StoreError`` `full`; ``FileError``; errors of the content's metadata unchanged. Nothing of the capture is left then.
    public func add(_ content: some CapturedPhoto, assert: (ContentDigest) async -> Assertion) async throws -> StoredCapture {
        try await add(.photo, assert) { seal in
            let photo = try seal(content.photo, .photo)
            let depth = try seal(content.depth, .depth)
            let metadata = try seal(try content.metadata(photoHash: photo), .metadata)
            if let thumbnail = content.thumbnail { _ = try seal(thumbnail, .thumbnail) }
            let facts = CaptureFacts(
                capturedAt: content.capturedAt, photoDigest: photo, depthDigest: depth, metadataDigest: metadata)
            return (facts, CaptureClientData.hash(photo: photo, depth: depth, metadata: metadata))
        }
    }

    /// Stores a capture in privacy mode, durably. Its payload is made here, once: the hardware signs these bytes, and they are sent.
    /// - Parameter assert: as of ``add(_:assert:)-(some CapturedPhoto, _)``. Without hardware that signs the capture waits for a person.
    /// - Throws: as there; `HashOnlyError` if the server would refuse the payload.
    public func add(_ capture: PrivateCapture, assert: (ContentDigest) async -> Assertion) async throws -> StoredCapture {
        try await add(.hashOnly, assert) { seal in
            let photo = try seal(capture.photo, .original)
            let depth = try seal(capture.depth, .originalDepth)
            failPoints.reached("store.original-sealed")
            let payload = try capture.payload(mediaHash: photo)
            let sealed = try seal(payload, .payload)
            if let thumbnail = capture.thumbnail { _ = try seal(thumbnail, .thumbnail) }
            let facts = CaptureFacts(
                capturedAt: capture.facts.capturedAt, photoDigest: photo, depthDigest: depth, metadataDigest: sealed,
                flags: capture.flags, depthWidth: capture.depthWidth, depthHeight: capture.depthHeight)
            return (facts, HashOnlyClientData.hash(payload: payload))
        }
    }

    private typealias Seal = (_ bytes: [UInt8], _ kind: SealedKind) throws -> ContentDigest

    /// - Parameter content: seals the parts, and returns the facts and the client data hash.
    private func add(
        _ kind: CaptureKind, _ assert: (ContentDigest) async -> Assertion, _ content: (Seal) throws -> (CaptureFacts, ContentDigest)
    ) async throws -> StoredCapture {
        let usage = try await usage()
        guard !usage.isFull else { throw StoreError.full(usage) }
        let lock = try await FileLock.acquire(folder + "/add.lock", .shared)
        defer { lock.unlock() }
        let id = LocalID()
        var sizes: [SealedKind: Int64] = [:]
        let added: StoredCapture
        do {
            func seal(_ bytes: [UInt8], as kind: SealedKind) throws -> ContentDigest {
                let sealed = try sealed(bytes, as: SealedItem(id, kind))
                sizes[kind] = sealed.sizeBytes
                return sealed.digest
            }
            let (known, clientDataHash) = try content(seal)
            var facts = known
            let assertion = await assert(clientDataHash)
            var device: DeviceID?
            if case .made(let bytes, let signer) = assertion {
                _ = try seal(bytes, as: .assertion)
                device = signer
            }
            let state = facts.state(after: assertion, kind.mode)
            failPoints.reached("store.sealed")
            added = try await database.insert(
                NewRow(id: id, kind: kind, state: state, device: device, sizes: sizes, facts: facts))
        } catch {
            try? files.remove(sizes.keys.map { SealedItem(id, $0) })
            throw error
        }
        failPoints.reached("store.row")
        return added
    }

    func sealed(_ bytes: [UInt8], as item: SealedItem) throws -> SealedContent {
        let writer = try files.create(item)
        try writer.write(bytes)
        return try writer.commit()
    }

    /// Adds the assertion that was missing; the capture waits to be sent then.
    func setAssertion(_ assertion: [UInt8], by device: DeviceID, of id: LocalID) async throws {
        // Until its row has it, another process that opens the store would take the file for one that nobody wants.
        let lock = try await FileLock.acquire(folder + "/add.lock", .shared)
        defer { lock.unlock() }
        let item = SealedItem(id, .assertion)
        let content = try sealed(assertion, as: item)
        failPoints.reached("store.assertion-sealed")
        try await database.update(id) { row in
            row.sizes[.assertion] = content.sizeBytes
            row.device = device
            row.state = .pending
        }
    }
}

// Reading

extension CaptureStore {
    /// In order of capture, without ``damagedCaptures()``.
    public func captures() async throws -> [StoredCapture] { try await database.captures() }

    /// Captures whose facts were changed in the database; they can only be deleted.
    public func damagedCaptures() async throws -> [LocalID] { try await database.contents().damaged }

    /// - Throws: ``StoreError`` `unknownCapture`.
    public func capture(_ id: LocalID) async throws -> StoredCapture {
        guard let capture = try await database.capture(id) else { throw StoreError.unknownCapture(id) }
        return capture
    }

    public func usage() async throws -> StoreUsage {
        let bytes = try await database.bytes()
        return StoreUsage(
            bytes: bytes.all, keptBytes: bytes.kept, warningBytes: limits.warningBytes, maximumBytes: limits.maximumBytes)
    }

    /// Opens a part of a capture.
    /// - Throws: ``SealError``; ``FileError`` `missing`.
    public func content(_ kind: SealedKind, of id: LocalID) throws -> SealedFileReader { try files.open(SealedItem(id, kind)) }

    /// Writes a part to a plain file, piece by piece: for a person who wants it outside of the store. Durable when this returns.
    /// - Parameter path: absolute. A file there is replaced once the new one is whole, which has `.new` behind its name until then.
    public func export(_ kind: SealedKind, of id: LocalID, to path: String) throws {
        let reader = try content(kind, of: id)
        let (plain, fresh) = (PosixFiles(), path + ".new")
        // Left by a process that was killed.
        try plain.remove(fresh)
        do {
            let file = try plain.create(fresh)
            var offset: Int64 = 0
            while offset < reader.sizeBytes {
                let piece = try reader.read(count: 1 << 20, at: offset)
                try file.write(piece)
                offset += Int64(piece.count)
            }
            try file.sync()
            try plain.rename(fresh, to: path)
        } catch {
            try? plain.remove(fresh)
            throw error
        }
        try plain.syncFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// A small part as a whole: at most 1 MiB.
    public func bytes(_ kind: SealedKind, of id: LocalID) throws -> [UInt8] {
        let reader = try content(kind, of: id)
        return try reader.read(count: Int(min(reader.sizeBytes, 1 << 20)), at: 0)
    }
}

// Removing

extension CaptureStore {
    /// Deletes a capture with all its parts, in privacy mode also photo or video, and depth: there is no other copy.
    /// - Throws: ``StoreError`` `isBeingSent`, also while its body is lent to the system; `unknownCapture`.
    public func delete(_ id: LocalID) async throws {
        do {
            try await database.delete(id)
        } catch StoreError.isBeingSent {
            // Unless the process that sent it has ended.
            guard let lock = try FileLock.tryLock(sendLock) else { throw StoreError.isBeingSent }
            defer { lock.unlock() }
            try await database.delete(id, evenUploading: true)
        }
        failPoints.reached("store.row-deleted")
        try files.remove(SealedKind.allCases.map { SealedItem(id, $0) })
        failPoints.reached("store.deleted")
    }

    /// Removes photo, video and depth of captures whose retention has passed, and of which the server said within the last hour that it has
    /// them. In privacy mode nothing is removed, ever, and nothing of one that is withdrawn or may be, or that the server reports failed or
    /// does not know: nobody else may have them.
    public func expire(at now: Date) async throws {
        for capture in try await database.captures(in: .uploaded)
        where capture.mode == .full && capture.hasContent && !capture.facts.mayBeWithdrawn && !capture.facts.isBadOnServer {
            if hasPassedRetention(capture, at: now) {
                if !capture.facts.mayBeOnlyHere(at: now) { try await removeContent(of: capture, at: now) }
            } else if let uploadedAt = capture.facts.uploadedAt, now.timeIntervalSince(uploadedAt) < -3600 {
                // The device's clock was ahead: retention begins anew, or it might take years.
                try await database.update(capture.id) { row in row.facts.uploadedAt = now }
            }
        }
    }

    /// Whether photo, video and depth of a capture are to go, once it is known that the server has them.
    func hasPassedRetention(_ capture: StoredCapture, at now: Date) -> Bool {
        guard capture.state == .uploaded, capture.mode == .full, capture.hasContent, let uploadedAt = capture.facts.uploadedAt else {
            return false
        }
        return now.timeIntervalSince(uploadedAt) >= limits.retention / .seconds(1)
    }

    /// Removes photo, video and depth of a capture, unless it has turned out since it was read that nobody else may have them.
    func removeContent(of capture: StoredCapture, at now: Date) async throws {
        let left = try await database.update(capture.id) { row in
            guard row.state == .uploaded, !row.facts.mayBeOnlyHere(at: now) else { return }
            for kind in Self.expiring { row.sizes[kind] = nil }
        }
        failPoints.reached("store.expired")
        let removed = Self.expiring.filter { capture.sizes[$0] != nil && left.sizes[$0] == nil }
        try files.remove(removed.map { SealedItem(capture.id, $0) })
    }

    private static let expiring: [SealedKind] = [.photo, .video, .depth]
}

extension CaptureFacts {
    /// Whether it is withdrawn on the server, or may be.
    var mayBeWithdrawn: Bool { withdrawnOnServer == true || withdrawalWanted == true }

    /// Whether the server reports it failed, or does not know it.
    var isBadOnServer: Bool { failedOnServer == true || unknownOnServer == true }

    /// Whether the server said within the last seconds that it made evidence of it, which needs a confidence. Since then it may have lost
    /// what was sent, or it was withdrawn there.
    func isConfirmed(within seconds: TimeInterval, of now: Date) -> Bool {
        guard confidence != nil, let confirmedAt else { return false }
        return abs(now.timeIntervalSince(confirmedAt)) < seconds
    }

    fileprivate func mayBeOnlyHere(at now: Date) -> Bool { mayBeWithdrawn || isBadOnServer || !isConfirmed(within: 3600, of: now) }

    /// Whether the server may have it and not know it by the digest of an upload that resumes: it was sent in one request, or so long ago
    /// that the server, which keeps such digests for seven days, may have forgotten.
    func mayBeKnownByBytesAlone(at now: Date) -> Bool {
        guard sentAtOnce != true, let sentAt else { return true }
        return abs(now.timeIntervalSince(sentAt)) > 6 * 86_400
    }

    /// The state of a new capture, and why it is that.
    mutating func state(after assertion: CaptureStore.Assertion, _ mode: CaptureMode) -> CaptureState {
        switch (assertion, mode) {
        case (.made, _): return .pending
        case (.later, _): return .assertionPending
        case (.none, .full):
            goesWithoutAssertion = true
            return .pending
        case (.none, .hashOnly):
            failure = .needsHardware
            return .assertionFailed
        }
    }
}
