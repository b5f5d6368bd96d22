import CaptureKit
import CaptureProtocol
import Crypto
import Testing

@Suite("A power cut while a file is sealed")
struct PowerCutTests {
    private let key = SymmetricKey(size: .bits256)
    private let item = SealedItem(LocalID(), .depth)
    private let content = [UInt8].noise(150_000)

    private func seal(_ bytes: [UInt8], in files: PowerCutFiles) throws {
        let writer = try SealedFiles(folder: "/store", key: key, files: files).create(item)
        try writer.write(bytes)
        _ = try writer.commit()
    }

    private func content(in files: PowerCutFiles) throws -> [UInt8]? {
        let sealed = SealedFiles(folder: "/store", key: key, files: files)
        guard try sealed.contents().items.contains(item) else { return nil }
        return try sealed.open(item).read(count: .max, at: 0)
    }

    /// How many operations one sealing is.
    private func operations() throws -> Int {
        let files = PowerCutFiles(folder: "/store")
        try seal(content, in: files)
        return files.operations
    }

    @Test("leaves a complete file under its name or none, and a committed one stays", arguments: PowerCutFiles.Loss.allCases)
    func newFile(loss: PowerCutFiles.Loss) throws {
        let operations = try operations()
        for count in 0...operations {
            let files = PowerCutFiles(folder: "/store")
            files.stop(after: count)
            let isCommitted = (try? seal(content, in: files)) != nil
            #expect(isCommitted == (count == operations))
            files.restart(loss)
            let found = try content(in: files)
            #expect(found == content || found == nil && !isCommitted, "after \(count) operations")
        }
    }

    @Test("leaves the earlier or the later file when one is replaced", arguments: PowerCutFiles.Loss.allCases)
    func replacedFile(loss: PowerCutFiles.Loss) throws {
        let earlier = [UInt8].noise(1_000, seed: 2)
        let operations = try operations()
        for count in 0...operations {
            let files = PowerCutFiles(folder: "/store")
            try seal(earlier, in: files)
            files.stop(after: count)
            let isCommitted = (try? seal(content, in: files)) != nil
            files.restart(loss)
            let found = try content(in: files)
            #expect(found == content || found == earlier && !isCommitted, "after \(count) operations")
        }
    }

    @Test("brings no file back that was removed")
    func removal() throws {
        let files = PowerCutFiles(folder: "/store")
        try seal(content, in: files)
        try SealedFiles(folder: "/store", key: key, files: files).remove(item)
        files.restart(.everythingUnsynced)
        #expect(try content(in: files) == nil)
    }

    @Test("would show a name that was not synced, and content that was not synced")
    func forgets() throws {
        let files = PowerCutFiles(folder: "/store")
        let synced = try files.create("/store/synced")
        try synced.write([1])
        try synced.sync()
        try synced.write([2])
        try files.syncFolder("/store")
        try files.create("/store/new").write([1])
        files.restart(.everythingUnsynced)
        #expect(try files.names(in: "/store") == ["synced"])
        #expect(files.bytes(of: "/store/synced") == [1])
        #expect(throws: FileError.self) { try synced.write([3]) }

        try files.rename("/store/synced", to: "/store/renamed")
        try files.create("/store/empty").write([1])
        files.restart(.unsyncedContent)
        #expect(files.bytes(of: "/store/renamed") == [1])
        #expect(files.bytes(of: "/store/empty") == [])
        files.restart(.everythingUnsynced)
        #expect(try files.names(in: "/store") == ["synced"])

        try files.remove("/store/synced")
        files.restart(.everythingUnsynced)
        #expect(files.bytes(of: "/store/synced") == [1])
    }
}
