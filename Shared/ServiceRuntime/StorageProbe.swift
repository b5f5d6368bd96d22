import CaptureProtocol
import Foundation
public import Logging
public import Models
public import ObjectStorage

/// Checks that the service can use the bucket: writes a small object of its own and reads it back (SPEC §1).
///
/// Reads on every probe but writes only at an interval, since each write leaves the store something to clean up; after a failure every
/// probe writes as well. All instances of a service write the same bytes, so that none mistakes another's object for damage.
public actor StorageProbe {
    private let storage: any ObjectStore
    private let object: StoredMedia
    private let bytes: [UInt8]
    private let interval: Duration
    private let logger: Logger
    private var writesAgain = ContinuousClock.now
    private var wasUp = true

    /// - Parameters:
    ///   - storage: a client with its own connections, so that busy connections are not mistaken for an unavailable store.
    ///   - interval: between writes.
    public init(_ service: ServiceName, storage: any ObjectStore, interval: Duration = .seconds(10), logger: Logger) {
        self.storage = storage
        self.interval = interval
        self.logger = logger
        bytes = Array("rial. probe of \(service.rawValue)\n".utf8)
        object = StoredMedia(
            key: ObjectPrefix.probes + service.rawValue, sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count),
            contentType: "text/plain")
    }

    /// Whether the bucket could be written and read.
    public func answers() async -> Bool {
        do {
            if ContinuousClock.now >= writesAgain {
                try await storage.put(object.key, bytes: bytes, contentType: object.contentType, sha256: object.sha256.bytes)
                writesAgain = .now + interval
            }
            _ = try await storage.read(object)
            wasUp = true
            return true
        } catch {
            writesAgain = .now
            if wasUp { logger.warning("the object store does not do what this service needs", error: error) }
            wasUp = false
            return false
        }
    }
}
