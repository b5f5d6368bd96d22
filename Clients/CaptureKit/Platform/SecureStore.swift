/// Small items that outlive the app's process: the Keychain on iOS, files that only their owner reads elsewhere.
///
/// On iOS items outlive even the app's deletion, while its files do not.
public protocol SecureStore: Sendable {
    /// - Returns: `nil` only if there is no such item. Any other failure is thrown, since a key that cannot be read now must not be
    ///   replaced.
    func load(_ item: SecureItem) throws(SecureStoreError) -> [UInt8]?

    /// Stores a new item, durably. Of several processes that add the same item one succeeds.
    /// - Throws: ``SecureStoreError`` `exists`.
    func add(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError)

    /// Stores or replaces an item, durably and as a whole.
    func save(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError)

    /// Does nothing if there is no such item.
    func delete(_ item: SecureItem) throws(SecureStoreError)
}

/// The items of a ``SecureStore``.
public struct SecureItem: Sendable, Hashable {
    /// 1 to 64 lower-case letters, digits, dots and hyphens.
    public let name: String
    /// Whether it is this device's alone. Otherwise it comes along when its person moves to another.
    public let staysOnDevice: Bool

    /// The key that seals the files of the capture store.
    public static let storeKey = SecureItem(name: "store-key", staysOnDevice: true)
    /// The device's identities, latest last. Another device's hardware has none of their keys.
    public static let identities = SecureItem(name: "identities", staysOnDevice: true)
    /// What a person chose in the privacy settings. Without them a new device would send what its person keeps.
    public static let privacySettings = SecureItem(name: "privacy-settings", staysOnDevice: false)
}

/// Why a ``SecureStore`` failed.
public enum SecureStoreError: Error, Sendable, Equatable {
    /// There is such an item already.
    case exists
    /// Not readable now: before the first unlock after a restart.
    case locked
    /// Anything else, with a text for the log.
    case failed(String)
}
