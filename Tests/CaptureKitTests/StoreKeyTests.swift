import CaptureKit
import Crypto
import Synchronization
import Testing

@Suite("The store's key")
struct StoreKeyTests {
    @Test("is made once for an empty store")
    func firstStart() throws {
        let secrets = FakeSecrets()
        let key = try StoreKey.load(from: secrets, storeIsEmpty: true)
        #expect(key.bitCount == 256)
        #expect(try StoreKey.load(from: secrets, storeIsEmpty: true) == key)
        #expect(try StoreKey.load(from: secrets, storeIsEmpty: false) == key)
        #expect(try StoreKey.load(from: FakeSecrets(), storeIsEmpty: true) != key)
    }

    @Test("is not made for a store that holds captures")
    func missing() {
        let secrets = FakeSecrets()
        #expect(throws: StoreKeyError.missing) { try StoreKey.load(from: secrets, storeIsEmpty: false) }
        #expect(secrets.item == nil)
    }

    @Test("is not made while it cannot be read", arguments: [true, false])
    func locked(storeIsEmpty: Bool) {
        let secrets = FakeSecrets(loading: .locked)
        #expect(throws: SecureStoreError.locked) { try StoreKey.load(from: secrets, storeIsEmpty: storeIsEmpty) }
        #expect(secrets.item == nil)
    }

    @Test("is not used while it cannot be stored")
    func notStored() {
        let secrets = FakeSecrets(adding: .failed("the volume is full"))
        #expect(throws: SecureStoreError.failed("the volume is full")) { try StoreKey.load(from: secrets, storeIsEmpty: true) }
    }

    @Test("is not replaced if it is damaged", arguments: [0, 31, 33])
    func damaged(count: Int) {
        let secrets = FakeSecrets([UInt8](repeating: 1, count: count))
        #expect(throws: StoreKeyError.damaged) { try StoreKey.load(from: secrets, storeIsEmpty: true) }
        #expect(secrets.item?.count == count)
    }

    @Test("is the faster one's if another start makes one meanwhile")
    func overtaken() throws {
        let secrets = FakeSecrets(overtakingWith: [UInt8](0..<32))
        #expect(try StoreKey.load(from: secrets, storeIsEmpty: true) == SymmetricKey(data: [UInt8](0..<32)))
        #expect(secrets.item == [UInt8](0..<32))
    }

    @Test("is the same for ten first starts at once")
    func simultaneousStarts() async throws {
        let folder = try ScratchFolder()
        let keys = try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask { try StoreKey.load(from: FolderSecureStore(folder: folder.path + "/secrets"), storeIsEmpty: true) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(keys.count == 10)
        #expect(keys.allSatisfy { $0 == keys.first })
        #expect(try PosixFiles().names(in: folder.path + "/secrets") == ["store-key"])
    }
}

/// One item in memory, with failures.
private final class FakeSecrets: SecureStore {
    private let bytes: Mutex<[UInt8]?>
    private let loadFailure: SecureStoreError?
    private let addFailure: SecureStoreError?
    /// What another process adds just before this one.
    private let overtaking: [UInt8]?

    init(
        _ item: [UInt8]? = nil, loading: SecureStoreError? = nil, adding: SecureStoreError? = nil, overtakingWith overtaking: [UInt8]? = nil
    ) {
        bytes = Mutex(item)
        loadFailure = loading
        addFailure = adding
        self.overtaking = overtaking
    }

    var item: [UInt8]? { bytes.withLock { $0 } }

    func load(_ item: SecureItem) throws(SecureStoreError) -> [UInt8]? {
        if let loadFailure { throw loadFailure }
        return self.item
    }

    func add(_ new: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        if let addFailure { throw addFailure }
        try bytes.withLock { (bytes) throws(SecureStoreError) in
            bytes = bytes ?? overtaking
            guard bytes == nil else { throw .exists }
            bytes = new
        }
    }

    func save(_ new: [UInt8], as item: SecureItem) throws(SecureStoreError) { bytes.withLock { $0 = new } }

    func delete(_ item: SecureItem) throws(SecureStoreError) { bytes.withLock { $0 = nil } }
}
