import AsyncHTTPClient
import Foundation
import Logging
import Testing

@testable import ObjectStorage
@testable import ServiceRuntime

private let environment = ProcessInfo.processInfo.environment

@Suite(
    "The object store's probe, against a real store",
    .enabled(if: environment["RIAL_TEST_S3_ENDPOINT"] != nil, "RIAL_TEST_S3_ENDPOINT names no store"))
struct StorageProbeTests {
    private func storage(bucket: String = "rial-probes", secret: String? = nil) throws -> S3Client {
        let configuration = S3Configuration(
            endpoint: try #require(URL(string: environment["RIAL_TEST_S3_ENDPOINT"] ?? "")), region: "us-east-1", bucket: bucket,
            accessKeyID: environment["RIAL_TEST_S3_ACCESS_KEY_ID"] ?? "",
            secretAccessKey: secret ?? environment["RIAL_TEST_S3_SECRET_ACCESS_KEY"] ?? "")
        return S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
    }

    private func probe(_ storage: S3Client, interval: Duration = .seconds(60)) throws -> StorageProbe {
        try StorageProbe(.gateway, storage: storage, interval: interval, logger: Logger(label: "tests"))
    }

    @Test("answers yes once it has written and read, and writes only so often")
    func answers() async throws {
        let storage = try storage()
        try await storage.createBucketIfMissing()
        let probe = try probe(storage)
        #expect(await probe.answers())
        try await storage.delete(["probes/gateway"])
        // Read each time: gone is not what was written. The next answer needs a write, and heals it.
        #expect(await !probe.answers())
        #expect(await probe.answers())
    }

    @Test("bytes that are not what was written are no answer")
    func swapped() async throws {
        let storage = try storage(bucket: "rial-probes-swapped")
        try await storage.createBucketIfMissing()
        let probe = try probe(storage)
        #expect(await probe.answers())
        try await storage.put("probes/gateway", bytes: [1], contentType: "text/plain")
        #expect(await !probe.answers())
        #expect(await probe.answers())
    }

    @Test("neither is a store that refuses us, or whose bucket is gone")
    func refused() async throws {
        #expect(try await !probe(storage(secret: "wrong")).answers())
        #expect(try await !probe(storage(bucket: "rial-none-\(UUID().uuidString.lowercased())", secret: "wrong")).answers())
    }
}
