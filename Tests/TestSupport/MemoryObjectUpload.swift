public import NIOCore
public import ObjectStorage

/// An upload to a store in memory. Like the real one, it shows as unfinished once it is longer than a part.
public actor MemoryObjectUpload: ObjectUpload {
    private static let partBytes = 5 << 20
    private let store: MemoryObjectStore
    private let key: String
    private let contentType: String
    private var bytes: [UInt8] = []
    private var unfinished: UnfinishedUpload?
    private var isEnded = false
    public private(set) var isUnanswered = false

    init(in store: MemoryObjectStore, key: String, contentType: String) {
        self.store = store
        self.key = key
        self.contentType = contentType
    }

    public func write(_ piece: ByteBuffer) async throws {
        guard !isEnded else { throw Self.hasEnded }
        bytes += piece.readableBytesView
        if unfinished == nil, bytes.count > Self.partBytes { try noting { unfinished = try store.begin(key) } }
    }

    public func finish(sha256: [UInt8]?) async throws -> StoredObject {
        guard !isEnded else { throw Self.hasEnded }
        try noting {
            if let unfinished {
                try store.complete(unfinished, bytes, contentType)
            } else {
                try store.store(key, bytes, contentType, sha256)
            }
        }
        isEnded = true
        return StoredObject(key: key, sizeBytes: Int64(bytes.count), etag: "", contentType: contentType, lastModified: nil)
    }

    @discardableResult
    public func abort() async -> Bool {
        guard !isEnded else { return !isUnanswered }
        isEnded = true
        bytes = []
        guard let unfinished else { return !isUnanswered }
        return (try? await store.end(unfinished)) != nil && !isUnanswered
    }

    private static var hasEnded: ObjectStorageError { ObjectStorageError(.rejected, "the upload has ended") }

    /// Notes that a request got no answer.
    private func noting(_ request: () throws -> Void) throws {
        do {
            try request()
        } catch let error as ObjectStorageError where error.code == .unavailable {
            isUnanswered = true
            throw error
        }
    }
}
