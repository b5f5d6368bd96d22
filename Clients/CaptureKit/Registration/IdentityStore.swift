public import CaptureProtocol
import Foundation

/// The device's identities, as JSON in the item `identities` of the ``SecureStore``.
///
/// Reads the item anew each time, since another process may have registered the device. Only one process at a time may change it: the one
/// that holds the capture store's lock.
public actor IdentityStore {
    private let secrets: any SecureStore

    public init(_ secrets: any SecureStore) { self.secrets = secrets }

    /// All identities, latest last.
    public var all: [DeviceIdentity] {
        get throws(SecureStoreError) { try load() }
    }

    /// The latest identity, registered or not; `nil` before the first start of a registration.
    public var current: DeviceIdentity? {
        get throws(SecureStoreError) { try load().last }
    }

    /// - Returns: `nil` if the device never had this identity or it was removed.
    public func identity(for device: DeviceID) throws(SecureStoreError) -> DeviceIdentity? {
        try load().last { $0.deviceID == device }
    }

    /// Stores the identity in the place of the one with the same request key, or as the latest if there is none.
    public func update(_ identity: DeviceIdentity) throws(SecureStoreError) { try replace(identity, with: identity) }

    /// Stores `new` in the place of `old`, or as the latest if `old` is `nil` or not there.
    func replace(_ old: DeviceIdentity?, with new: DeviceIdentity) throws(SecureStoreError) {
        var identities = try load()
        if let index = identities.lastIndex(where: { $0.requestKey == old?.requestKey }) {
            identities[index] = new
        } else {
            identities.append(new)
        }
        try save(identities)
    }

    /// Forgets an earlier identity, all of whose captures are done. The latest identity stays.
    public func remove(_ device: DeviceID) throws(SecureStoreError) {
        var identities = try load()
        guard let index = identities.dropLast().lastIndex(where: { $0.deviceID == device }) else { return }
        identities.remove(at: index)
        try save(identities)
    }

    private func load() throws(SecureStoreError) -> [DeviceIdentity] {
        guard let bytes = try secrets.load(.identities) else { return [] }
        do {
            return try JSONDecoder().decode([DeviceIdentity].self, from: Data(bytes))
        } catch {
            // Left alone: a later version of the app may have written it.
            throw .failed("the item \(SecureItem.identities.name) is not a list of identities")
        }
    }

    private func save(_ identities: [DeviceIdentity]) throws(SecureStoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(identities))
        } catch {
            throw .failed("the identities cannot be encoded: \(error)")
        }
        try secrets.save(bytes, as: .identities)
    }
}
