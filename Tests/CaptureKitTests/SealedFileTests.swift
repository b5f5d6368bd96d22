import CaptureProtocol
import Crypto
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A sealed file")
struct SealedFileTests {
    private let memory = PowerCutFiles(folder: "/store")
    private let key = SymmetricKey(size: .bits256)
    private let item = SealedItem(LocalID(), .photo)

    private var sealed: SealedFiles { SealedFiles(folder: "/store", key: key, files: memory) }
    private var path: String { "/store/\(item.capture).photo" }

    private func seal(_ bytes: [UInt8], in pieces: Int = .max) throws -> SealedContent {
        let writer = try sealed.create(item)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(1, bytes.count))) {
            try writer.write(Array(bytes[start...].prefix(pieces)))
        }
        return try writer.commit()
    }

    private func readAll() throws -> [UInt8] {
        let reader = try sealed.open(item)
        return try reader.read(count: Int(reader.sizeBytes) + 1, at: 0)
    }

    @Test(
        "opens to what was sealed, with its size and digest",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 3_500_000], [1_000, 65_536, 200_000, .max])
    func roundTrip(count: Int, pieces: Int) throws {
        let bytes = [UInt8].noise(count)
        let content = try seal(bytes, in: pieces)
        #expect(content == SealedContent(digest: ContentDigest(of: bytes), sizeBytes: Int64(count)))
        #expect(try sealed.open(item).sizeBytes == Int64(count))
        #expect(try readAll() == bytes)
        #expect(try sealed.contents() == SealedFolderContents(items: [item]))
    }

    @Test("is as long on disk as the format says", arguments: [(0, 57), (1, 58), (65_536, 65_593), (65_537, 65_610), (131_072, 131_145)])
    func size(plain: Int, sealed: Int) throws {
        _ = try seal(.noise(plain))
        #expect(memory.bytes(of: path)?.count == sealed)
    }

    @Test("opens at any place", arguments: [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 199_999, 200_000, 300_000])
    func offsets(offset: Int) throws {
        let bytes = [UInt8].noise(200_000)
        _ = try seal(bytes)
        let reader = try sealed.open(item)
        for count in [0, 1, 2, 65_536, 100_000, .max] {
            #expect(try reader.read(count: count, at: Int64(offset)) == Array(bytes.dropFirst(offset).prefix(count)))
        }
    }

    @Test("has nothing before its beginning and behind its end")
    func outside() throws {
        _ = try seal(.noise(100))
        let reader = try sealed.open(item)
        for offset in [Int64.min, -1, 100, .max] { #expect(try reader.read(count: 5, at: offset) == []) }
        #expect(try reader.read(count: -1, at: 0) == [])
    }

    @Test("is opened once while it is read on in small pieces")
    func opensOnce() throws {
        let bytes = [UInt8].noise(200_000)
        _ = try seal(bytes)
        let file = CountedReads(file: try memory.open(path))
        let reader = try SealedFileReader(file, item: item, storeKey: key)
        var read: [UInt8] = []
        while true {
            let piece = try reader.read(count: 1_000, at: Int64(read.count))
            if piece.isEmpty { break }
            read += piece
        }
        #expect(read == bytes)
        #expect(file.count == 5)  // The header and four chunks.
    }

    @Test("is read by several tasks at once")
    func concurrentReads() async throws {
        let bytes = [UInt8].noise(200_000)
        _ = try seal(bytes)
        let reader = try sealed.open(item)
        try await withThrowingTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<20 {
                        let offset = (task * 40_009 + step * 13_577) % 190_000
                        let piece = try reader.read(count: 5_000, at: Int64(offset))
                        #expect(piece == Array(bytes[offset...].prefix(5_000)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("holds no 16 bytes of what was sealed, nor the same bytes twice")
    func secrecy() throws {
        let bytes = [UInt8].noise(70_000)
        let windows = Set(bytes.indices.dropLast(15).map { Window(bytes, at: $0) })
        _ = try seal(bytes)
        let first = try #require(memory.bytes(of: path))
        #expect(first.indices.dropLast(15).allSatisfy { !windows.contains(Window(first, at: $0)) })
        _ = try seal(bytes)
        let second = try #require(memory.bytes(of: path))
        let firstWindows = Set(stride(from: 9, to: first.count - 15, by: 1).map { Window(first, at: $0) })
        #expect(stride(from: 9, to: second.count - 15, by: 1).allSatisfy { !firstWindows.contains(Window(second, at: $0)) })
    }

    @Test("says what is missing")
    func missing() throws {
        #expect(throws: FileError.missing) { try sealed.open(item) }
        _ = try seal([1])
        #expect(throws: FileError.missing) { try sealed.open(SealedItem(item.capture, .depth)) }
        try sealed.remove(item)
        try sealed.remove(item)
        #expect(throws: FileError.missing) { try sealed.open(item) }
    }

    @Test("is not there before it is complete, and its temporary file goes with its writer")
    func temporary() throws {
        do {
            let writer = try sealed.create(item)
            try writer.write(.noise(100_000))
            let contents = try sealed.contents()
            #expect(contents.items.isEmpty && contents.foreignNames.isEmpty)
            #expect(contents.temporaryNames.count == 1)
            #expect(contents.temporaryNames.allSatisfy { $0.hasPrefix("\(item.capture).photo.new-") })
        }
        #expect(try sealed.contents() == SealedFolderContents())
    }

    @Test("takes nothing after its end")
    func closed() throws {
        let committed = try sealed.create(item)
        _ = try committed.commit()
        committed.discard()
        #expect(throws: FileError.missing) { try committed.write([1]) }
        #expect(throws: FileError.missing) { try committed.commit() }
        #expect(try sealed.open(item).sizeBytes == 0)
        let discarded = try sealed.create(item)
        discarded.discard()
        #expect(throws: FileError.missing) { try discarded.commit() }
    }

    @Test("passes its named points in order")
    func failPoints() throws {
        let points = Mutex<[String]>([])
        let hooked = SealedFiles(
            folder: "/store", key: key, files: memory, failPoints: FailPoints { name in points.withLock { $0.append(name) } })
        let writer = try hooked.create(item)
        try writer.write([1])
        #expect(points.withLock { $0 } == [])
        _ = try writer.commit()
        #expect(points.withLock { $0 } == ["seal.written", "seal.synced", "seal.renamed", "seal.folder-synced"])
    }

    @Test("is readable by its owner only")
    func mode() throws {
        let folder = try ScratchFolder()
        let sealed = SealedFiles(folder: folder.path, key: key)
        let writer = try sealed.create(item)
        try writer.write(.noise(100_000))
        _ = try writer.commit()
        #expect(try folder.mode("\(item.capture).photo") == 0o600)
        #expect(try sealed.open(item).read(count: .max, at: 0) == .noise(100_000))
        #expect(try sealed.contents() == SealedFolderContents(items: [item]))
    }

    @Test("is told from temporary and foreign files by its name")
    func listing() throws {
        let capture = LocalID()
        let foreign = [
            "store.sqlite", "\(capture)", "\(capture).", "\(capture).film", "\(capture).photo.", "\(capture.uuid.uuidString).photo",
            ".photo", "\(capture).photo.old", "\(capture).film.new-1", ".new-1",
        ]
        for name in foreign + ["\(capture).depth", "\(capture).depth.new-1"] { memory.put([], at: "/store/" + name) }
        let contents = try sealed.contents()
        #expect(contents.items == [SealedItem(capture, .depth)])
        #expect(contents.temporaryNames == ["\(capture).depth.new-1"])
        #expect(Set(contents.foreignNames) == Set(foreign))
        try sealed.remove(names: contents.temporaryNames + contents.foreignNames)
        #expect(try sealed.contents() == SealedFolderContents(items: [SealedItem(capture, .depth)]))
    }
}

private final class CountedReads: ReadableFile {
    private let file: any ReadableFile
    private let reads = Atomic(0)

    init(file: any ReadableFile) { self.file = file }

    var count: Int { reads.load(ordering: .relaxed) }
    var sizeBytes: Int64 { get throws(FileError) { try file.sizeBytes } }

    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        reads.add(1, ordering: .relaxed)
        return try file.read(count, at: offset)
    }
}

/// 16 bytes of an array.
private struct Window: Hashable {
    private let words: SIMD2<UInt64>

    init(_ bytes: [UInt8], at index: Int) {
        words = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: SIMD2<UInt64>.self) }
    }
}
