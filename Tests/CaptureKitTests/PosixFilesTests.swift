import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("The system's files")
struct PosixFilesTests {
    private let files = PosixFiles()
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    @Test("keep what was written, readable by their owner only")
    func roundTrip() throws {
        let file = try files.create(path("a"))
        let content = [UInt8].noise(300_000)
        try file.write(Array(content.prefix(1)))
        try file.write([])
        try file.write(Array(content.dropFirst()))
        try file.sync()
        let reader = try files.open(path("a"))
        #expect(try reader.sizeBytes == 300_000)
        #expect(try reader.read(300_000, at: 0) == content)
        #expect(try reader.read(10, at: 299_995) == content.suffix(5))
        #expect(try reader.read(10, at: 300_000) == [])
        #expect(try reader.read(0, at: 3) == [])
        #expect(try folder.mode("a") == 0o600)
    }

    @Test("are created once only")
    func exclusive() throws {
        _ = try files.create(path("a"))
        #expect(throws: FileError.failed(code: EEXIST)) { try files.create(path("a")) }
    }

    @Test("say what is missing")
    func missing() throws {
        #expect(throws: FileError.missing) { try files.open(path("a")) }
        #expect(throws: FileError.missing) { try files.create(path("no folder/a")) }
        #expect(throws: FileError.missing) { try files.createFolder(path("no folder/a")) }
        #expect(throws: FileError.missing) { try files.names(in: path("no folder")) }
        #expect(throws: FileError.missing) { try files.syncFolder(path("no folder")) }
        #expect(throws: FileError.missing) { try files.rename(path("a"), to: path("b")) }
        #expect(throws: FileError.missing) { try files.link(path("a"), to: path("b")) }
        try files.remove(path("a"))
    }

    @Test("say that the volume is full", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func full() throws {
        let file = try PosixFile("/dev/full", O_WRONLY)
        #expect(throws: FileError.noSpace) { try file.write([1]) }
    }

    @Test("are replaced by renaming, but not by linking")
    func names() throws {
        for name in ["a", "b"] { try files.create(path(name)).write(Array(name.utf8)) }
        #expect(try !files.link(path("a"), to: path("b")))
        #expect(try files.open(path("b")).read(1, at: 0) == Array("b".utf8))
        #expect(try files.link(path("a"), to: path("c")))
        try files.rename(path("a"), to: path("b"))
        #expect(try Set(files.names(in: folder.path)) == ["b", "c"])
        for name in ["b", "c"] { #expect(try files.open(path(name)).read(2, at: 0) == Array("a".utf8)) }
        try files.remove(path("b"))
        try files.syncFolder(folder.path)
        #expect(try files.names(in: folder.path) == ["c"])
    }

    @Test("are in folders that only their owner enters, created unless they exist")
    func folders() throws {
        try files.createFolder(path("inner"))
        try files.createFolder(path("inner"))
        #expect(try folder.mode("inner") == 0o700)
        _ = try files.create(path("a"))
        #expect(throws: FileError.failed(code: EEXIST)) { try files.createFolder(path("a")) }
    }

    @Test("are read by several tasks at once")
    func concurrentReads() async throws {
        let content = [UInt8].noise(200_000)
        try files.create(path("a")).write(content)
        let file = try files.open(path("a"))
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        let offset = (task * 7_919 + step * 3_571) % 190_000
                        let bytes = try file.read(5_000, at: Int64(offset))
                        #expect(bytes == Array(content[offset...].prefix(5_000)))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

@Suite("A file lock")
struct FileLockTests {
    private let folder: ScratchFolder
    private var path: String { folder.path + "/lock" }

    init() throws { folder = try ScratchFolder() }

    @Test("is held by one at a time, until it is unlocked or released")
    func exclusive() throws {
        var lock = try FileLock.tryLock(path)
        #expect(lock != nil)
        #expect(try FileLock.tryLock(path) == nil)
        lock?.unlock()
        let second = try #require(try FileLock.tryLock(path))
        lock = nil
        #expect(try FileLock.tryLock(path) == nil)
        second.unlock()
        do { _ = try FileLock.lock(path) }
        #expect(try FileLock.tryLock(path) != nil)
        #expect(try folder.mode("lock") == 0o600)
    }

    @Test("is shared by several if all of them say so")
    func shared() throws {
        let first = try #require(try FileLock.tryLock(path, .shared))
        let second = try #require(try FileLock.tryLock(path, .shared))
        #expect(try FileLock.tryLock(path) == nil)
        first.unlock()
        #expect(try FileLock.tryLock(path) == nil)
        second.unlock()
        let alone = try #require(try FileLock.tryLock(path))
        #expect(try FileLock.tryLock(path, .shared) == nil)
        alone.unlock()
    }

    @Test("is waited for")
    func waits() async throws {
        let lock = try FileLock.lock(path)
        let isFree = Flag()
        async let wasFree = withCheckedThrowingContinuation { [path] continuation in
            // On a thread of its own, since it blocks.
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        _ = try FileLock.lock(path)
                        return isFree.value.load(ordering: .acquiring)
                    })
            }
        }
        isFree.value.store(true, ordering: .releasing)
        lock.unlock()
        #expect(try await wasFree)
    }

    @Test("needs its folder")
    func missing() {
        #expect(throws: FileError.missing) { try FileLock.tryLock(folder.path + "/no folder/lock") }
    }
}

private final class Flag: Sendable {
    let value = Atomic(false)
}
