public import Crypto

/// The key from which the keys of all sealed files and columns of one store are derived: 32 random bytes, kept in the ``SecureStore``.
///
/// Without it the store's captures are lost. So a key is made only where there is none and nothing is sealed yet; and it is added, never
/// saved, so that of several first starts at once one makes it and the others find it.
public enum StoreKey {
    private static let size = 32

    /// Loads the key, or makes the key of a new store.
    /// - Parameter storeIsEmpty: whether nothing is sealed under an earlier key: neither rows nor sealed files. Found out before this call.
    /// - Throws: ``StoreKeyError``; ``SecureStoreError`` if the key cannot be read or stored now. Nothing is changed then.
    public static func load(from store: any SecureStore, storeIsEmpty: Bool) throws -> SymmetricKey {
        if let bytes = try store.load(.storeKey) { return try key(bytes) }
        guard storeIsEmpty else { throw StoreKeyError.missing }
        let fresh = SymmetricKey(size: .init(bitCount: size * 8))
        do {
            try store.add(fresh.withUnsafeBytes(Array.init), as: .storeKey)
            return fresh
        } catch {
            guard error == .exists else { throw error }
            // Another process was faster.
            guard let bytes = try store.load(.storeKey) else { throw StoreKeyError.missing }
            return try key(bytes)
        }
    }

    private static func key(_ bytes: [UInt8]) throws(StoreKeyError) -> SymmetricKey {
        guard bytes.count == size else { throw .damaged }
        return SymmetricKey(data: bytes)
    }
}

/// Why a store cannot be opened, now or ever. The store is left as it is.
public enum StoreKeyError: Error, Sendable, Equatable {
    /// The store holds captures, but their key is gone.
    case missing
    /// What is kept as the key is none.
    case damaged
}
