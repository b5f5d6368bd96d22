import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("An object that is read whole")
struct WholeBodyTests {
    private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    private var media: StoredMedia {
        StoredMedia(key: "a", sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: "image/jpeg")
    }

    private func client(_ server: LoopbackServer, timeout: Duration = .seconds(30)) throws -> S3Client {
        var configuration = try TestBucket.configuration("bucket", endpoint: "http://127.0.0.1:\(server.port)")
        configuration.requestTimeout = timeout
        return TestBucket.client(configuration)
    }

    @Test("is what was accepted, from the first attempt that is answered")
    func whole() async throws {
        let attempts = SharedValue(0)
        let server = try LoopbackServer { [bytes] _ in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            return attempt == 1 ? nil : attempt == 2 ? (503, []) : (200, bytes)
        }
        #expect(try await client(server).read(media) == bytes)
        #expect(server.connections == 3)
    }

    @Test("is refused if it is shorter, longer or another, and not asked for again", arguments: [0, 1, 299_999, 300_001, 5_000_000, nil])
    func other(length: Int?) async throws {
        let other = length.map { [UInt8](repeating: 0, count: $0) } ?? bytes.reversed()
        let server = try LoopbackServer { _ in (200, other) }
        await #expect { try await client(server).read(media) } throws: { ($0 as? ObjectStorageError)?.code == .digestMismatch }
        // The client may open one connection more than it uses.
        #expect(server.connections <= 2)
    }

    @Test("is missing only where the store says so; of a long refusal the beginning is read")
    func refusals() async throws {
        let named = try LoopbackServer { _ in (404, Array("<Error><Code>NoSuchKey</Code></Error>".utf8)) }
        await #expect { try await client(named).read(media) } throws: { ($0 as? ObjectStorageError)?.code == .notFound }
        let unnamed = try LoopbackServer { _ in (404, []) }
        await #expect { try await client(unnamed).read(media) } throws: { ($0 as? ObjectStorageError)?.code == .unexplained404 }
        let long = try LoopbackServer { _ in (403, [UInt8](repeating: 0x20, count: 1_000_000)) }
        await #expect { try await client(long).read(media) } throws: { ($0 as? ObjectStorageError)?.code == .accessDenied }
    }

    @Test("is unavailable if no answer begins in time, and waited for no longer by a task that is cancelled", .timeLimit(.minutes(1)))
    func silence() async throws {
        let server = try LoopbackServer.waiting { _ in
            try? await Task.sleep(for: .seconds(120))
            return nil
        }
        await #expect { try await client(server, timeout: .seconds(1)).read(media) } throws: { error in
            (error as? ObjectStorageError)?.isUnreachable == true
        }
        try await eventually("three attempts were accepted") { server.connections >= 3 }
        let connections = server.connections
        #expect(connections <= 4)
        let reading = Task { [media] in try await client(server).read(media) }
        try await eventually("the request arrives") { server.connections > connections }
        reading.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reading.value }
    }
}
