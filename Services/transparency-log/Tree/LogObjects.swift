import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import TransparencyLog

/// The objects of one log in the store: tiles, entry bundles, heads and the checkpoint (SPEC §5).
struct LogObjects: Sendable {
    enum PutOutcome: Equatable {
        case stored, same
        /// Something else is there; with its ETag.
        case differs(String)
    }

    let store: any ObjectStore
    /// The prefix of all keys; ends in a slash.
    let prefix: String
    let checkpointKey: String

    init(_ store: any ObjectStore, shard: String) {
        self.store = store
        prefix = ObjectPrefix.log(shard: shard)
        checkpointKey = ObjectPrefix.checkpoint(shard: shard)
    }

    func key(_ tile: Tile) -> String { prefix + tile.path }
    var headsPrefix: String { prefix + "heads/" }

    /// Stores the bytes if there is no object with this key; else says whether it has the same bytes.
    func put(_ key: String, _ bytes: [UInt8]) async throws -> PutOutcome {
        for _ in 0..<2 {
            if try await store.putIfAbsent(key, bytes: bytes, contentType: Self.type(of: key)) != nil { return .stored }
            // `nil` if the object was deleted in between: then the next attempt stores it.
            if let found = try await fetch(key) { return found.bytes == bytes ? .same : .differs(found.etag) }
        }
        throw ObjectStorageError(.unavailable, "\(key) keeps appearing and disappearing")
    }

    func overwrite(_ key: String, _ bytes: [UInt8]) async throws {
        try await store.put(key, bytes: bytes, contentType: Self.type(of: key))
    }

    /// Stores the bytes unless they are there, in the place of any others.
    func putOrOverwrite(_ key: String, _ bytes: [UInt8]) async throws {
        if case .differs = try await put(key, bytes) { try await overwrite(key, bytes) }
    }

    /// - Returns: `nil` if there is none. One that is too large to be ours is empty.
    func fetch(_ key: String) async throws -> FetchedObject? {
        do {
            return try await store.fetch(key, limit: Tile.maximumFileBytes)
        } catch let error as ObjectStorageError where error.code == .tooLarge {
            return FetchedObject(bytes: [], etag: try await store.head(key)?.etag ?? "")
        }
    }

    /// The hashes of a tile; of a partial one that was swept, from the full one.
    /// - Returns: `nil` if neither is there.
    /// - Throws: ``SequencerHalt`` with `tile_differs` if what is there is no such tile.
    func hashes(of tile: Tile) async throws -> [ContentDigest]? {
        do {
            if let found = try await fetch(key(tile)) { return try tile.hashes(in: found.bytes) }
            guard tile.isPartial, let full = try await fetch(key(tile.full)) else { return nil }
            return try tile.hashes(inFull: full.bytes)
        } catch let error as TransparencyLogError {
            throw SequencerHalt.freeze(.tileDiffers, "\(tile): \(error.message)")
        }
    }

    /// The entries of a tile as they are stored; of a partial one that was swept, from the full one.
    /// - Returns: `nil` if neither is there, or what is there is no such bundle.
    func entries(of tile: Tile) async throws -> [[UInt8]]? {
        if let found = try await fetch(key(tile)) { return try? EntryBundle(found.bytes, of: tile).entries }
        guard tile.isPartial, let full = try await fetch(key(tile.full)) else { return nil }
        return try? EntryBundle(inFull: full.bytes, of: tile).entries
    }

    func headKey(_ size: UInt64) -> String {
        let digits = String(size)
        let padded = String(repeating: "0", count: 20 - digits.count) + digits
        return headsPrefix + String(decoding: padded.utf8.map { UInt8(ascii: "0") + UInt8(ascii: "9") - $0 }, as: UTF8.self)
    }

    /// The size in a head's key; `nil` if it is none.
    func headSize(_ key: String) -> UInt64? {
        let digits = key.utf8.dropFirst(headsPrefix.utf8.count).map { digit -> UInt8 in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) ? UInt8(ascii: "0") + UInt8(ascii: "9") - digit : 0
        }
        guard digits.count == 20, let size = UInt64(String(decoding: digits, as: UTF8.self)), headKey(size) == key else { return nil }
        return size
    }

    /// The head of the largest tree; the first that is listed.
    func newestHead() async throws -> (size: UInt64, bytes: [UInt8])? {
        for object in try await store.list(prefix: headsPrefix).objects {
            guard let size = headSize(object.key), let found = try await fetch(object.key) else { continue }
            return (size, found.bytes)
        }
        return nil
    }

    private static func type(of key: String) -> String {
        key.contains("/tile/") ? "application/octet-stream" : "text/plain; charset=utf-8"
    }
}
