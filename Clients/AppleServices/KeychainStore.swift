public import CaptureKit
import Foundation
import Security

/// The Keychain. Its items can be read from the first unlock after a restart on, also while the device is locked again, so that uploads go
/// on in the background. Those that stay on the device leave it in no backup; the others move with encrypted backups and direct transfers.
public struct KeychainStore: SecureStore {
    private let service: String

    /// - Parameter service: tells this library's items from the app's others. Under another name nothing is found again.
    public init(service: String = "app.rial.capture-kit") { self.service = service }

    public func load(_ item: SecureItem) throws(SecureStoreError) -> [UInt8]? {
        var query = attributes(of: item)
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = found as? Data else { throw .failed("the Keychain has no data for \(item.name)") }
        return Array(data)
    }

    public func add(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        try check(addStatus(bytes, item))
    }

    public func save(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        var status = updateStatus(bytes, item)
        if status == errSecItemNotFound { status = addStatus(bytes, item) }
        // Added by another process in between.
        if status == errSecDuplicateItem { status = updateStatus(bytes, item) }
        try check(status)
    }

    public func delete(_ item: SecureItem) throws(SecureStoreError) {
        let status = SecItemDelete(attributes(of: item) as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    private func attributes(of item: SecureItem) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: item.name]
    }

    private func accessibility(of item: SecureItem) -> CFString {
        item.staysOnDevice ? kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly : kSecAttrAccessibleAfterFirstUnlock
    }

    private func addStatus(_ bytes: [UInt8], _ item: SecureItem) -> OSStatus {
        var attributes = attributes(of: item)
        attributes[kSecValueData] = Data(bytes)
        attributes[kSecAttrAccessible] = accessibility(of: item)
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    private func updateStatus(_ bytes: [UInt8], _ item: SecureItem) -> OSStatus {
        // Also of an item that was added with another accessibility.
        let change: [CFString: Any] = [kSecValueData: Data(bytes), kSecAttrAccessible: accessibility(of: item)]
        return SecItemUpdate(attributes(of: item) as CFDictionary, change as CFDictionary)
    }

    private func check(_ status: OSStatus) throws(SecureStoreError) {
        switch status {
        case errSecSuccess: return
        case errSecDuplicateItem: throw .exists
        case errSecInteractionNotAllowed: throw .locked
        default: throw .failed("the Keychain answered \(status)")
        }
    }
}
