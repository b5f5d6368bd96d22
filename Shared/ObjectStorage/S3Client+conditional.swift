import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Writes that depend on what is there (RFC 9110 §13.1), and reads of what proves itself.
extension S3Client {
    public func putIfAbsent(_ key: String, bytes: [UInt8], contentType: String) async throws -> String? {
        try await put(key, bytes, contentType, if: ("if-none-match", "*"))
    }

    public func replace(_ key: String, etag: String, bytes: [UInt8], contentType: String) async throws -> String? {
        do {
            return try await put(key, bytes, contentType, if: ("if-match", etag))
        } catch let error as ObjectStorageError where [.notFound, .unexplained404].contains(error.code) {
            // AWS answers so, other stores 412.
            return nil
        }
    }

    private func put(_ key: String, _ bytes: [UInt8], _ contentType: String, if condition: (String, String)) async throws -> String? {
        let request = S3Request(
            method: .PUT, key: key, headers: [("content-type", contentType), condition], body: ByteBuffer(bytes: bytes))
        do {
            let response = try await send(request)
            try await response.answer()
            return response.headers.first(name: "etag") ?? ""
        } catch let error as ObjectStorageError where error.code == .preconditionFailed {
            return nil
        }
    }

    public func fetch(_ key: String, limit: Int) async throws -> FetchedObject? {
        do {
            return try await getObject(key, limit: limit)
        } catch let error as ObjectStorageError where error.code == .notFound {
            return nil
        }
    }
}
