import CaptureProtocol
import Foundation
import Logging
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import EvidenceAssembler

/// Pictures without sizes in one kind of store.
private protocol PictureRows: Sendable {
    var pictures: any PictureRepository { get }
    func capture() async throws -> CaptureID
    func add(_ name: MediaName, _ media: StoredMedia, of capture: CaptureID) async throws
    func size(of name: MediaName, _ capture: CaptureID) async throws -> PixelSize?
}

/// The pictures' rows in memory.
private final class MemoryPictures: PictureRows, PictureRepository {
    private struct Entry {
        let picture: UnmeasuredPicture
        var size: PixelSize?
        var place: String { "\(picture.capture)/\(picture.name)" }
    }

    private let entries = Mutex<[Entry]>([])

    var pictures: any PictureRepository { self }
    func capture() async throws -> CaptureID { CaptureID() }

    func add(_ name: MediaName, _ media: StoredMedia, of capture: CaptureID) async throws {
        entries.withLock { $0.append(Entry(picture: UnmeasuredPicture(capture: capture, name: name.rawValue, object: media))) }
    }

    func size(of name: MediaName, _ capture: CaptureID) async throws -> PixelSize? {
        entries.withLock { entries in
            entries.first { $0.picture.capture == capture && $0.picture.name == name.rawValue }?.size
        }
    }

    func unmeasured(after last: UnmeasuredPicture?, limit: Int) async throws -> [UnmeasuredPicture] {
        entries.withLock { entries in
            let start = last.map { Entry(picture: $0).place } ?? ""
            let left = entries.filter {
                $0.size == nil && $0.place > start && MediaName(rawValue: $0.picture.name)?.isPicture == true
            }
            return left.sorted { $0.place < $1.place }.prefix(limit).map(\.picture)
        }
    }

    func save(_ pixels: PixelSize, of picture: UnmeasuredPicture) async throws {
        entries.withLock { entries in
            for index in entries.indices where entries[index].place == Entry(picture: picture).place && entries[index].size == nil {
                entries[index].size = pixels
            }
        }
    }
}

private struct PostgresPictures: PictureRows {
    let database: PostgresPool
    var pictures: any PictureRepository { PostgresPictureRepository(database: database) }

    func capture() async throws -> CaptureID { try await StoredCapture(in: database).id }

    func add(_ name: MediaName, _ media: StoredMedia, of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(capture.uuid), \(name.rawValue), \(media.key), \(media.sha256.bytes), \(media.sizeBytes), \(media.contentType))
            """)
    }

    func size(of name: MediaName, _ capture: CaptureID) async throws -> PixelSize? {
        let row = try #require(
            try await database.query(
                "SELECT width, height FROM media_objects WHERE capture_id = \(capture.uuid) AND name = \(name.rawValue)"
            ).first)
        guard let width = try row.getOptional("width", as: Int.self), let height = try row.getOptional("height", as: Int.self) else {
            return nil
        }
        return PixelSize(width, height)
    }
}

@Suite("Sizes of pictures of before, in memory and in PostgreSQL", .serialized, .sharedSchema("pictures"))
struct PictureSizesTests {
    private let store = MemoryObjectStore()
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 3, 0, 0, 0, 2, 0x40]

    private func rows(_ backend: Backend) throws -> any PictureRows {
        switch backend {
        case .memory: MemoryPictures()
        case .postgres: PostgresPictures(database: try #require(TestSchema.shared))
        }
    }

    /// Stores an object with its row.
    private func add(_ name: MediaName, _ bytes: [UInt8], of capture: CaptureID, in rows: any PictureRows) async throws {
        let media = StoredMedia(
            key: name.key(of: capture), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        try await store.put(media.key, bytes: bytes, contentType: media.contentType)
        try await rows.add(name, media, of: capture)
    }

    private func sizes(_ rows: any PictureRows) -> PictureSizes {
        PictureSizes(pictures: rows.pictures, storage: store, logger: .quiet)
    }

    private func fill(_ rows: any PictureRows) async throws { try await sizes(rows).fill() }

    private var reads: Int { store.requests.count { $0.verb == .get } }

    @Test("are asked for in an order, of pictures only, until the first one is saved", arguments: Backend.available)
    func order(backend: Backend) async throws {
        let rows = try rows(backend)
        for _ in 0..<3 {
            let capture = try await rows.capture()
            for name in [MediaName.thumbnail, .metadata] { try await add(name, Self.png, of: capture, in: rows) }
        }
        let all = try await rows.pictures.unmeasured(after: nil, limit: 100)
        #expect(all.count == 3 && all.allSatisfy { $0.name == MediaName.thumbnail.rawValue })
        let first = try await rows.pictures.unmeasured(after: nil, limit: 1).map(\.capture)
        #expect(first == [all[0].capture])
        let others = try await rows.pictures.unmeasured(after: all[0], limit: 100).map(\.capture)
        #expect(others == all.dropFirst().map(\.capture))
        for width in [1, 2] { try await rows.pictures.save(try #require(PixelSize(width, 3)), of: all[0]) }
        let kept = try await rows.size(of: .thumbnail, all[0].capture)
        #expect(kept == PixelSize(1, 3))
        let left = try await rows.pictures.unmeasured(after: nil, limit: 100).map(\.capture)
        #expect(left == others)
        for picture in all { try await rows.pictures.save(try #require(PixelSize(1, 1)), of: picture) }
    }

    @Test("are measured in batches, and what is no picture holds up no others", arguments: Backend.available)
    func measured(backend: Backend) async throws {
        let rows = try rows(backend)
        var captures: [CaptureID] = []
        for index in 0...PictureSizes.batchSize {
            captures.append(try await rows.capture())
            try await add(.thumbnail, index == 1 ? Array("GIF89a".utf8) : Self.png, of: captures[index], in: rows)
        }
        try await fill(rows)
        for (index, capture) in captures.enumerated() {
            let size = try await rows.size(of: .thumbnail, capture)
            #expect(size == (index == 1 ? nil : PixelSize(768, 576)))
        }
        let last = try await rows.pictures.unmeasured(after: nil, limit: 100)
        #expect(last.map(\.capture) == [captures[1]])
        try await rows.pictures.save(try #require(PixelSize(1, 1)), of: try #require(last.first))
    }

    @Test("stay unknown where the object is another than the accepted one, or is missing, and the run goes on")
    func damaged() async throws {
        let rows = MemoryPictures()
        let captures = [CaptureID(), CaptureID(), CaptureID()]
        for capture in captures { try await add(.thumbnail, Self.png, of: capture, in: rows) }
        try await store.put(MediaName.thumbnail.key(of: captures[0]), bytes: Self.png + [1], contentType: "image/png")
        try await store.delete([MediaName.thumbnail.key(of: captures[1])])
        try await fill(rows)
        var sizes: [PixelSize?] = []
        for capture in captures { sizes.append(try await rows.size(of: .thumbnail, capture)) }
        #expect(sizes == [nil, nil, PixelSize(768, 576)])
    }

    @Test("stay unknown where their objects are lost, however many of one capture, and the next one is measured")
    func lost() async throws {
        let rows = MemoryPictures()
        let captures = [CaptureID(), CaptureID()].sorted { "\($0)" < "\($1)" }
        for name in [MediaName.thumbnail, .smallPicture, .largePicture] {
            try await add(name, Self.png, of: captures[0], in: rows)
            try await store.delete([name.key(of: captures[0])])
        }
        try await add(.thumbnail, Self.png, of: captures[1], in: rows)
        try await fill(rows)
        #expect(try await rows.size(of: .thumbnail, captures[1]) == PixelSize(768, 576))
    }

    @Test("are not read again by the same process if they have no size, or their object is missing or another one")
    func onceOnly() async throws {
        let rows = MemoryPictures()
        let (flat, missing, other) = (CaptureID(), CaptureID(), CaptureID())
        // A frame header (ITU-T T.81 §B.2.2) with 0 lines.
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 2, 0, 1, 1, 0x11, 0, 0xFF, 0xD9]
        try await add(.publicCopy, jpeg, of: flat, in: rows)
        for capture in [missing, other] { try await add(.publicCopy, Self.png, of: capture, in: rows) }
        try await store.delete([MediaName.publicCopy.key(of: missing)])
        try await store.put(MediaName.publicCopy.key(of: other), bytes: Self.png + [1], contentType: "image/jpeg")
        let sizes = sizes(rows)
        try await sizes.fill()
        #expect(reads == 3)
        let late = CaptureID()
        try await add(.publicCopy, Self.png, of: late, in: rows)
        try await sizes.fill()
        #expect(reads == 4)
        #expect(try await rows.size(of: .publicCopy, late) == PixelSize(768, 576))
        try await fill(rows)
        #expect(reads == 7, "a new process looks once more")
    }

    @Test("are left for a later run when the store is away")
    func away() async throws {
        let rows = MemoryPictures()
        for _ in 0..<5 { try await add(.thumbnail, Self.png, of: CaptureID(), in: rows) }
        store.refuse { $0.verb == .get ? .unavailable : nil }
        await #expect(throws: ObjectStorageError.self) { try await fill(rows) }
        store.refuse { _ in nil }
        try await fill(rows)
        #expect(try await rows.unmeasured(after: nil, limit: 100).isEmpty)
    }
}
