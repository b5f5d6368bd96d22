import AsyncHTTPClient
import Foundation
import Logging
import Models
import ObjectStorage
import ServiceRuntime
import TestSupport
import Testing

@Suite("The object store's probe")
struct StorageProbeTests {
    private func probe(_ storage: any ObjectStore, interval: Duration = .seconds(60)) -> StorageProbe {
        StorageProbe(.gateway, storage: storage, interval: interval, logger: Logger(label: "tests"))
    }

    @Test("answers yes once it has written and read, and writes only so often")
    func answers() async throws {
        let storage = MemoryObjectStore()
        let probe = probe(storage)
        #expect(await probe.answers())
        #expect(await probe.answers())
        #expect(storage.requests.map(\.verb) == [.put, .get, .get])
        try await storage.delete(["probes/gateway"])
        // Each probe reads the object: a missing object differs from the written one. The next probe writes it again.
        #expect(await !probe.answers())
        #expect(await probe.answers())
    }

    @Test("writes again when its interval is over")
    func interval() async {
        let storage = MemoryObjectStore()
        let probe = probe(storage, interval: .zero)
        for _ in 0..<2 { #expect(await probe.answers()) }
        #expect(storage.requests.map(\.verb) == [.put, .get, .put, .get])
    }

    @Test("bytes that are not what was written are no answer")
    func swapped() async throws {
        let storage = MemoryObjectStore()
        let probe = probe(storage)
        #expect(await probe.answers())
        try await storage.put("probes/gateway", bytes: [1], contentType: "text/plain")
        #expect(await !probe.answers())
        #expect(await probe.answers())
    }

    @Test("neither is a store that takes nothing, or gives nothing", arguments: [MemoryObjectStore.Request.Verb.put, .get])
    func away(verb: MemoryObjectStore.Request.Verb) async {
        let storage = MemoryObjectStore()
        let probe = probe(storage)
        storage.refuse { $0.verb == verb ? .unavailable : nil }
        #expect(await !probe.answers())
        storage.refuse { _ in nil }
        #expect(await probe.answers())
    }

    @Suite("against a real store", .enabled(if: TestBucket.isConfigured, "RIAL_TEST_S3_ENDPOINT names no store"))
    struct Real {
        @Test("it lets in who may write and read, and nobody else")
        func refused() async throws {
            let storage = TestBucket.client(try TestBucket.configuration("rial-probes"))
            try await storage.createBucketIfMissing()
            let logger = Logger(label: "tests")
            #expect(await StorageProbe(.gateway, storage: storage, logger: logger).answers())
            let wrong = TestBucket.client(try TestBucket.configuration("rial-probes", secret: "wrong"))
            #expect(await !StorageProbe(.gateway, storage: wrong, logger: logger).answers())
            let gone = TestBucket.client(try TestBucket.configuration("rial-none-\(UUID().uuidString.lowercased())", secret: "wrong"))
            #expect(await !StorageProbe(.gateway, storage: gone, logger: logger).answers())
        }
    }
}
