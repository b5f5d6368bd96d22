import CaptureKit
import Synchronization

/// A secure store in memory, which can be locked.
final class MemorySecureStore: SecureStore {
    private struct State {
        var items: [SecureItem: [UInt8]] = [:]
        var isLocked = false
    }
    private let state = Mutex(State())

    /// As before the first unlock after a restart.
    var isLocked: Bool {
        get { state.withLock { $0.isLocked } }
        set { state.withLock { $0.isLocked = newValue } }
    }

    /// As after its person has moved to another device: its backup has no items that stay on a device.
    func moveToAnotherDevice() { state.withLock { state in state.items = state.items.filter { !$0.key.staysOnDevice } } }

    func load(_ item: SecureItem) throws(SecureStoreError) -> [UInt8]? { try access { $0[item] } }

    func add(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        let isNew = try access { items in
            guard items[item] == nil else { return false }
            items[item] = bytes
            return true
        }
        guard isNew else { throw .exists }
    }

    func save(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) { try access { $0[item] = bytes } }

    func delete(_ item: SecureItem) throws(SecureStoreError) { try access { $0[item] = nil } }

    private func access<Result: Sendable>(_ body: (inout [SecureItem: [UInt8]]) -> Result) throws(SecureStoreError) -> Result {
        let result: Result? = state.withLock { $0.isLocked ? nil : body(&$0.items) }
        guard let result else { throw .locked }
        return result
    }
}
