import Foundation
import NIOCore
import ObjectStorage
import TestSupport
import Testing

/// The store of a test: in memory, or the one at `RIAL_TEST_S3_ENDPOINT`.
enum TestStore: String, CustomTestStringConvertible {
    case memory, s3

    /// S3 only if it is configured.
    static var available: [TestStore] { TestBucket.isConfigured ? [.memory, .s3] : [.memory] }

    var testDescription: String { rawValue }

    /// - Returns: the store, and a prefix that no other test uses.
    func make() async throws -> (store: any DownloadStore, prefix: String) {
        let prefix = "test/\(UUID().uuidString)/"
        switch self {
        case .memory: return (MemoryObjectStore(), prefix)
        case .s3:
            let client = TestBucket.client(try TestBucket.configuration("rial-tests"))
            try await client.createBucketIfMissing()
            return (client, prefix)
        }
    }
}

/// Begins a multipart upload that is neither completed nor aborted, as if the process was killed.
func leaveUnfinished(_ key: String, in store: any ObjectStore) async throws {
    if let memory = store as? MemoryObjectStore { return memory.leaveUnfinished(key) }
    let client = try #require(store as? S3Client)
    try await client.putStream(key, contentType: "image/jpeg").write(ByteBuffer(repeating: 1, count: 6 << 20))
}
