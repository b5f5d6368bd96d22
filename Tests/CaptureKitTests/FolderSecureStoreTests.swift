import CaptureKit
import Foundation
import Testing

@Suite("Secrets in a folder")
struct FolderSecureStoreTests {
    private let folder: ScratchFolder
    private let store: FolderSecureStore

    init() throws {
        folder = try ScratchFolder()
        store = FolderSecureStore(folder: folder.path + "/secrets")
    }

    @Test("are kept until they are deleted")
    func roundTrip() throws {
        #expect(try store.load(.identities) == nil)
        try store.save([1, 2], as: .identities)
        #expect(try store.load(.identities) == [1, 2])
        try store.save([], as: .identities)
        #expect(try store.load(.identities) == [])
        #expect(try store.load(.storeKey) == nil)
        try store.delete(.identities)
        try store.delete(.identities)
        #expect(try store.load(.identities) == nil)
    }

    @Test("are added once")
    func addition() throws {
        try store.add([1], as: .storeKey)
        #expect(throws: SecureStoreError.exists) { try store.add([2], as: .storeKey) }
        #expect(try store.load(.storeKey) == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/secrets") == ["store-key"])
    }

    @Test("are read by their owner only")
    func modes() throws {
        try store.add([1], as: .storeKey)
        try store.save([1], as: .identities)
        #expect(try folder.mode("secrets") == 0o700)
        #expect(try folder.mode("secrets/store-key") == 0o600)
        #expect(try folder.mode("secrets/identities") == 0o600)
    }

    @Test("are deleted with what an interrupted addition left")
    func leftovers() throws {
        let files = PowerCutFiles(folder: "/home")
        let store = FolderSecureStore(folder: "/home/secrets", files: files)
        try store.delete(.storeKey)
        files.stop(after: 5)
        #expect(throws: SecureStoreError.self) { try store.add([1], as: .storeKey) }
        files.restart(.nothing)
        #expect(try files.names(in: "/home/secrets").count == 1)
        try store.delete(.storeKey)
        #expect(try files.names(in: "/home/secrets") == [])
    }

    @Test("are not taken for missing when they cannot be read")
    func unreadable() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/secrets/store-key", withIntermediateDirectories: true)
        #expect(throws: SecureStoreError.self) { try store.load(.storeKey) }
        let files = PowerCutFiles(folder: "/home")
        files.stop(after: 0)
        #expect(throws: SecureStoreError.failed("errno 5")) { try FolderSecureStore(folder: "/home/secrets", files: files).load(.storeKey) }
    }

    @Test("need the folder's parent")
    func parent() {
        let store = FolderSecureStore(folder: folder.path + "/no folder/secrets")
        #expect(throws: SecureStoreError.self) { try store.save([1], as: .identities) }
    }

    @Test("survive a power cut once they are stored, and are never damaged", arguments: PowerCutFiles.Loss.allCases)
    func powerCut(loss: PowerCutFiles.Loss) throws {
        var count = 0
        var isDone = false
        while !isDone {
            let files = PowerCutFiles(folder: "/home")
            let store = FolderSecureStore(folder: "/home/secrets", files: files)
            files.stop(after: count)
            let isAdded = (try? store.add([1, 2, 3], as: .storeKey)) != nil
            let isSaved = (try? store.save([4, 5], as: .storeKey)) != nil
            files.restart(loss)
            let found = try store.load(.storeKey)
            switch (isAdded, isSaved) {
            case (_, true): #expect(found == [4, 5])
            case (true, false): #expect(found == [1, 2, 3] || found == [4, 5])
            case (false, false): #expect(found == nil || found == [1, 2, 3])
            }
            isDone = isSaved
            count += 1
        }
        #expect(count > 10)
    }

    @Test("that another process found survive a power cut, even if who stored them was killed")
    func foundIsDurable() throws {
        for count in 0..<20 {
            let files = PowerCutFiles(folder: "/home")
            let store = FolderSecureStore(folder: "/home/secrets", files: files)
            files.stop(after: count)
            try? store.add([1], as: .storeKey)
            files.restart(.nothing)
            let found = try store.load(.storeKey)
            files.restart(.everythingUnsynced)
            #expect(try store.load(.storeKey) == found)
        }
    }
}
