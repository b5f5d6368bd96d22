import CaptureProtocol
import Models
import NIOCore
import ObjectStorage
import TestSupport
import Testing

@Suite("Object stores, in memory and real")
struct ObjectStoreTests {
    private func media(_ key: String, _ bytes: [UInt8], sizeBytes: Int? = nil) -> StoredMedia {
        StoredMedia(key: key, sha256: ContentDigest(of: bytes), sizeBytes: Int64(sizeBytes ?? bytes.count), contentType: "image/jpeg")
    }

    @Test("put, head, copy, list and delete", arguments: TestStore.available)
    func objects(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(10_000)
        let (key, copy) = (prefix + "a b+ü.bin", prefix + "copy")
        try await store.put(key, bytes: bytes, contentType: "application/x-test", sha256: ContentDigest(of: bytes).bytes)
        let head = try #require(try await store.head(key))
        #expect(head.sizeBytes == 10_000 && head.contentType == "application/x-test" && head.key == key)
        try await store.copy(from: key, to: copy)
        let copied = try await store.read(media(copy, bytes))
        #expect(copied == bytes)
        let page = try await store.list(prefix: prefix)
        #expect(page.objects.map(\.key) == [key, copy] && page.continuation == nil)
        #expect(page.objects.allSatisfy { $0.sizeBytes == 10_000 && $0.lastModified != nil })
        try await store.delete([key, copy, prefix + "never"])
        #expect(try await store.head(key) == nil)
        #expect(try await store.list(prefix: prefix).objects.isEmpty)
    }

    @Test("keep what was put last, and copy nothing that is not there", arguments: TestStore.available)
    func last(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        try await store.put(prefix + "object", bytes: [1], contentType: "text/plain")
        try await store.put(prefix + "object", bytes: [2, 3], contentType: "image/png")
        let head = try await store.head(prefix + "object")
        #expect(head?.sizeBytes == 2 && head?.contentType == "image/png")
        let failure = await storageError { try await store.copy(from: prefix + "none", to: prefix + "copy") }
        #expect(failure == .notFound)
        #expect(try await store.head(prefix + "copy") == nil)
        try await store.delete([prefix + "object"])
    }

    @Test("put what is absent, and over one version only, once", arguments: TestStore.available)
    func conditional(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let key = prefix + "note"
        #expect(try await store.fetch(key, limit: 10) == nil)
        #expect(try await store.replace(key, etag: "\"none\"", bytes: [9], contentType: "text/plain") == nil)
        let first = try #require(try await store.putIfAbsent(key, bytes: [1, 2, 3], contentType: "text/plain"))
        #expect(try await store.putIfAbsent(key, bytes: [9], contentType: "text/plain") == nil)
        let fetched = try await store.fetch(key, limit: 3)
        #expect(fetched == FetchedObject(bytes: [1, 2, 3], etag: first))
        #expect(await storageError { _ = try await store.fetch(key, limit: 2) } == .tooLarge)
        let second = try #require(try await store.replace(key, etag: first, bytes: [4], contentType: "text/plain"))
        #expect(try await store.replace(key, etag: first, bytes: [9], contentType: "text/plain") == nil)
        #expect(try await store.fetch(key, limit: 3) == FetchedObject(bytes: [4], etag: second))
        try await store.delete([key])
    }

    @Test("let one of twelve win who put the same key at once", arguments: TestStore.available)
    func race(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let key = prefix + "head"
        let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
            for value in UInt8(1)...12 {
                group.addTask { try await store.putIfAbsent(key, bytes: [value], contentType: "text/plain") == nil ? nil : value }
            }
            return try await group.reduce(into: [UInt8]()) { winners, value in if let value { winners.append(value) } }
        }
        #expect(winners.count == 1)
        #expect(try await store.fetch(key, limit: 1)?.bytes == winners)
        try await store.delete([key])
    }

    @Test("give the bytes that were accepted, of any length", arguments: TestStore.available, [0, 1, 100_000, 6 << 20])
    func compared(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(size)
        let object = media(prefix + "photo", bytes)
        try await store.put(object.key, bytes: bytes, contentType: "image/jpeg")
        let read = try await store.read(object)
        #expect(read == bytes)
        #expect(try await store.digest(ofAll: [object]) == object.sha256)
        #expect(try await store.digest(ofAll: [object, object]) == ContentDigest(of: bytes + bytes))
        try await store.delete([object.key])
        #expect(await storageError { _ = try await store.read(object) } == .notFound)
        #expect(await storageError { _ = try await store.digest(ofAll: [object]) } == .notFound)
    }

    @Test("give none of an object that was swapped, whatever its length", arguments: TestStore.available, [99_999, 100_000, 100_001])
    func swapped(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let accepted = media(prefix + "photo", [UInt8](repeating: 1, count: 100_000))
        let swapped = [UInt8](repeating: 2, count: size)
        try await store.put(accepted.key, bytes: swapped, contentType: "image/jpeg")
        #expect(await storageError { _ = try await store.read(accepted) } == .digestMismatch)
        #expect(await storageError { _ = try await store.digest(ofAll: [accepted]) } == .digestMismatch)
        // A stream may have returned some of the bytes, but never the last.
        var given = 0
        let mismatch = await storageError { for try await chunk in try await store.stream(accepted) { given += chunk.readableBytes } }
        #expect(mismatch == .digestMismatch && given < 100_000)
        #expect(await storageError { _ = try await store.read(media(prefix + "photo", swapped, sizeBytes: size + 1)) } == .digestMismatch)
        try await store.delete([accepted.key])
    }

    @Test("give any piece of an object, and none that is not whole", arguments: TestStore.available)
    func pieces(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(100_000)
        let object = media(prefix + "video", bytes)
        try await store.put(object.key, bytes: bytes, contentType: "video/mp4")
        for range in [0..<1, 0..<100_000, 70_000..<70_300, 99_999..<100_000] as [Range<Int64>] {
            let piece = try await store.piece(range, of: object)
            #expect(piece == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]), "\(range)")
        }
        for (range, code) in [
            (99_999..<100_001, .digestMismatch), (100_000..<100_001, .digestMismatch), (200_000..<200_300, .digestMismatch),
            (5..<5, .tooLarge),
            (0..<Int64(S3Client.maximumPieceBytes) + 1, .tooLarge),
        ] as [(Range<Int64>, ObjectStorageError.Code)] {
            #expect(await storageError { _ = try await store.piece(range, of: object) } == code, "\(range)")
        }
        try await store.delete([object.key])
        #expect(await storageError { _ = try await store.piece(0..<1, of: object) } == .notFound)
    }

    @Test(
        "store what a source reads, in pieces of at most 1 MiB", arguments: TestStore.available,
        [0, 1, 1 << 20, (1 << 20) + 1, 5 << 20, (6 << 20) + 1])
    func fromSource(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(size)
        let object = media(prefix + "video", bytes)
        let ranges = SharedValue<[Range<Int64>]>([])
        try await store.put(object) { range in
            ranges.withLock { $0.append(range) }
            return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let whole = Int64(size)
        let expected = stride(from: 0, to: whole, by: 1 << 20).map { $0..<min($0 + (1 << 20), whole) }
        let asked = ranges.withLock { $0 }
        #expect(asked == expected)
        let stored = try await store.read(object)
        #expect(stored == bytes)
        #expect(try await store.head(object.key)?.contentType == "image/jpeg")
        try await store.delete([object.key])
    }

    @Test("store nothing of a source that ends early or fails, wherever", arguments: TestStore.available, [0, 1 << 20, 6 << 20])
    func brokenSource(kind: TestStore, place: Int64) async throws {
        struct Broken: Error {}
        let (store, prefix) = try await kind.make()
        let object = media(prefix + "video", pattern(7 << 20))
        let short = await storageError {
            try await store.put(object) { range in
                [UInt8](repeating: 1, count: range.lowerBound < place ? range.count : range.count - 1)
            }
        }
        #expect(short == .rejected)
        await #expect(throws: Broken.self) {
            try await store.put(object) { range in
                guard range.lowerBound < place else { throw Broken() }
                return [UInt8](repeating: 1, count: range.count)
            }
        }
        #expect(try await store.head(object.key) == nil)
        #expect(try await store.unfinishedUploads(under: prefix).isEmpty)
    }

    @Test("store a body as it comes, of any length", arguments: TestStore.available, [0, 1, 100_000, (6 << 20) + 1])
    func asItComes(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(size)
        let object = media(prefix + "photo", bytes)
        let upload = store.putStream(object.key, contentType: "image/jpeg", expecting: size)
        for start in stride(from: 0, to: size, by: 1 << 20) {
            try await upload.write(ByteBuffer(bytes: bytes[start..<min(start + (1 << 20), size)]))
        }
        #expect(try await store.head(object.key) == nil)
        #expect(try await store.unfinishedUploads(under: prefix).count == (size > 5 << 20 ? 1 : 0))
        let stored = try await upload.finish(sha256: object.sha256.bytes)
        #expect(stored.key == object.key && stored.sizeBytes == Int64(size))
        let read = try await store.read(object)
        #expect(read == bytes)
        #expect(await storageError { try await upload.write(ByteBuffer(bytes: [1])) } == .rejected)
        #expect(await storageError { _ = try await upload.finish(sha256: nil) } == .rejected)
        let (isUnanswered, isKnown) = (await upload.isUnanswered, await upload.abort())
        #expect(!isUnanswered && isKnown)
        #expect(try await store.head(object.key)?.contentType == "image/jpeg", "what is stored is not aborted")
        try await store.delete([object.key])
    }

    @Test("store nothing of a body that is aborted", arguments: TestStore.available, [0, 100_000, 6 << 20])
    func aborted(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let upload = store.putStream(prefix + "photo", contentType: "image/jpeg", expecting: nil)
        try await upload.write(ByteBuffer(bytes: pattern(size)))
        let isKnown = await upload.abort()
        #expect(isKnown)
        #expect(try await store.head(prefix + "photo") == nil)
        #expect(try await store.unfinishedUploads(under: prefix).isEmpty)
        #expect(await storageError { _ = try await upload.finish(sha256: nil) } == .rejected)
    }

    @Test("give a segment of a body by its size, and none that is not whole", arguments: TestStore.available)
    func segments(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(3000)
        try await store.put(prefix + "segment", bytes: bytes, contentType: "application/octet-stream")
        let segment = try await store.piece(prefix + "segment", sizeBytes: 3000)
        #expect(Array(segment.readableBytesView) == bytes)
        #expect(await storageError { _ = try await store.piece(prefix + "segment", sizeBytes: 2999) } == .tooLarge)
        #expect(await storageError { _ = try await store.piece(prefix + "segment", sizeBytes: 3001) } == .digestMismatch)
        #expect(await storageError { _ = try await store.piece(prefix + "none", sizeBytes: 1) } == .notFound)
        try await store.delete([prefix + "segment"])
    }

    @Test("give a range of an object, as far as there is one", arguments: TestStore.available)
    func ranges(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(3000)
        let object = media(prefix + "photo", bytes)
        try await store.put(object.key, bytes: bytes, contentType: "image/jpeg")
        for range in [0...0, 1000...1999, 2999...2999, 2000...5000] as [ClosedRange<Int64>] {
            var given: [UInt8] = []
            for try await chunk in try await store.range(range, of: object) { given += chunk.readableBytesView }
            #expect(given == Array(bytes[Int(range.lowerBound)...min(Int(range.upperBound), 2999)]), "\(range)")
        }
        #expect(await storageError { _ = try await store.range(3000...3000, of: object) } == .digestMismatch)
        try await store.delete([object.key])
        #expect(await storageError { _ = try await store.range(0...0, of: object) } == .notFound)
    }

    @Test("in memory, note that nobody answered a request to store something, whether it was carried out or not", arguments: [false, true])
    func unanswered(isCarriedOut: Bool) async throws {
        let store = MemoryObjectStore()
        if isCarriedOut {
            store.loseAnswers { $0.verb == .put }
        } else {
            store.refuse { $0.verb == .put ? .unavailable : nil }
        }
        let upload = store.putStream("photo", contentType: "image/jpeg", expecting: nil)
        try await upload.write(ByteBuffer(bytes: [1]))
        #expect(await storageError { _ = try await upload.finish(sha256: nil) } == .unavailable)
        let (isUnanswered, isKnown) = (await upload.isUnanswered, await upload.abort())
        #expect(isUnanswered && !isKnown)
        #expect(store.keys.contains("photo") == isCarriedOut)
    }

    /// SeaweedFS, the store of the tests, does not look at the digest; S3 does.
    @Test("in memory, take no bytes of another digest than the one that is told")
    func toldDigest() async throws {
        let store = MemoryObjectStore()
        let other = ContentDigest(of: [2])
        #expect(await storageError { try await store.put("a", bytes: [1], contentType: "text/plain", sha256: other.bytes) } == .rejected)
        let object = StoredMedia(key: "a", sha256: other, sizeBytes: 1, contentType: "text/plain")
        #expect(await storageError { try await store.put(object) { _ in [1] } } == .rejected)
        #expect(store.keys.isEmpty)
    }

    @Test("give no piece of an object that ends before it does", arguments: TestStore.available, [0, 999, 1000, 1001, 1999])
    func shortened(kind: TestStore, size: Int) async throws {
        let (store, prefix) = try await kind.make()
        let bytes = pattern(3000)
        let accepted = media(prefix + "photo", bytes)
        try await store.put(accepted.key, bytes: bytes, contentType: "image/jpeg")
        #expect(try await store.piece(1000..<2000, of: accepted) == Array(bytes[1000..<2000]))
        try await store.put(accepted.key, bytes: Array(bytes.prefix(size)), contentType: "image/jpeg")
        #expect(await storageError { _ = try await store.piece(1000..<2000, of: accepted) } == .digestMismatch)
        try await store.delete([accepted.key])
    }

    @Test("read nothing that is larger than any object of ours", arguments: TestStore.available)
    func tooLarge(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let object = media(prefix + "large", [1], sizeBytes: Int(S3Client.maximumObjectBytes) + 1)
        #expect(await storageError { _ = try await store.read(object) } == .tooLarge)
    }

    @Test("find and end uploads in parts that nobody finished, under their prefix alone", arguments: TestStore.available)
    func unfinished(kind: TestStore) async throws {
        let (store, prefix) = try await kind.make()
        let (left, other) = (prefix + "left/photo", prefix + "other/photo")
        for key in [left, other] { try await leaveUnfinished(key, in: store) }
        let found = try await store.unfinishedUploads(under: prefix + "left/")
        #expect(found.map(\.key) == [left])
        #expect(try await store.head(left) == nil)
        for upload in found { try await store.end(upload) }
        for upload in found { try await store.end(upload) }
        #expect(try await store.unfinishedUploads(under: prefix + "left/").isEmpty)
        #expect(try await store.unfinishedUploads(under: prefix).map(\.key) == [other])
        for upload in try await store.unfinishedUploads(under: prefix) { try await store.end(upload) }
    }

    @Test("a listing in memory comes in pages, in order")
    func pages() async throws {
        let store = MemoryObjectStore(pageSize: 2)
        for name in ["b/3", "a", "b/1", "c", "b/2"] { try await store.put(name, bytes: [1], contentType: "text/plain") }
        let first = try await store.list(prefix: "b/")
        #expect(first.objects.map(\.key) == ["b/1", "b/2"])
        let continuation = try #require(first.continuation)
        let second = try await store.list(prefix: "b/", continuation: continuation)
        #expect(second.objects.map(\.key) == ["b/3"] && second.continuation == nil)
        let pages = try await store.pages(under: "b/").reduce(into: []) { $0.append($1.map(\.key)) }
        #expect(pages == [["b/1", "b/2"], ["b/3"]])
        #expect(try await store.pages(under: "d/").reduce(0) { $0 + $1.count } == 0)
    }
}

/// Bytes that differ from their neighbours, and from those 4 KiB away.
func pattern(_ size: Int) -> [UInt8] {
    let block = (0..<251).map { UInt8($0) }
    var bytes: [UInt8] = []
    while bytes.count < size { bytes += block }
    return Array(bytes.prefix(size))
}

func storageError(_ body: () async throws -> Void) async -> ObjectStorageError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ObjectStorageError)?.code
    }
}
