import CaptureProtocol
import Compression
import Foundation
import HTTPTypes
import Hummingbird
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Files of the public log")
struct LogControllerTests {
    @Test("tiles and bundles of the published tree are served for all time, for any site")
    func tiles() async throws {
        var log = try LogFixture()
        log.fill(to: 300)
        try await log.publish()
        for path in ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/44"] {
            let response = try await get(log, "/log/2026/\(path)")
            #expect(response.status == .ok, "\(path)")
            #expect(try await response.bytes() == log.store.bytes("log/2026/\(path)"))
            #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            let tag = try #require(response.headers[.eTag])
            #expect(try await get(log, "/log/2026/\(path)", [.ifNoneMatch: tag]).status == .notModified)
        }
    }

    @Test("entries are compressed for whoever takes that; hashes never are")
    func gzip() async throws {
        var log = try LogFixture()
        log.fill(to: 300)
        try await log.publish()
        let entries = try await get(log, "/log/2026/tile/entries/000", [.acceptEncoding: "gzip"])
        #expect(entries.headers[.contentEncoding] == "gzip" && entries.headers[.vary] == "Accept-Encoding")
        #expect(inflated(try await entries.bytes(), limit: 1 << 20) == log.store.bytes("log/2026/tile/entries/000"))
        let hashes = try await get(log, "/log/2026/tile/0/000", [.acceptEncoding: "gzip"])
        #expect(hashes.headers[.contentEncoding] == nil && hashes.headers[.vary] == nil)
    }

    @Test("a partial tile that is gone, or never was, is cut from a wider one", arguments: ["tile/0/000.p/5", "tile/entries/000.p/5"])
    func partial(path: String) async throws {
        var log = try LogFixture()
        log.fill(to: 7)
        try await log.publish()
        let tile = try Tile(path: path)
        let expected =
            tile.kind == .entries
            ? try EntryBundle(entries: Array(log.leaves.prefix(5))).bytes
            : Tile.bytes(of: log.leaves.prefix(5).map { MerkleHash.leaf($0) })
        #expect(try await get(log, "/log/2026/\(path)").bytes() == expected)
        log.fill(to: 256)
        try await log.publish()
        try await log.store.delete([LogFixture.key(try Tile(tile.kind, index: 0, width: 7))])
        #expect(try await get(log, "/log/2026/\(path)").bytes() == expected)
    }

    @Test(
        "what the published tree does not have, and what is no path, is not there, whatever is in the store",
        arguments: [
            "tile/0/000.p/8", "tile/0/001", "tile/0/000", "tile/1/000.p/1", "tile/entries/000.p/8", "tile/0/0", "tile/0/000.p/0",
            "tile/0/000.p/07", "tile/0/000/", "tile/8/000", "tile/0/x000/000", "tile/00/000.p/7", "tile/0/000.p/256",
            "tile/entries/../0/000",
            "tile/0/%30%30%30.p/7", "tile//0/000.p/7", "heads/99999999999999999992", "tile/0/-01", "checkpoint/", "secret",
        ])
    func absent(path: String) async throws {
        var log = try LogFixture()
        log.fill(to: 7)
        try await log.publish()
        for key in ["tile/0/000.p/8", "tile/0/001", "tile/0/000", "tile/entries/000.p/8", "heads/99999999999999999992", "secret"] {
            try await log.store.put("log/2026/\(key)", bytes: [1], contentType: "text/plain")
        }
        let response = try await get(log, "/log/2026/\(path)")
        #expect(response.status == .notFound)
    }

    @Test("other shards are not there", arguments: ["2027", "", "..", "2026%2f", "A", String(repeating: "a", count: 33)])
    func shards(name: String) async throws {
        var log = try LogFixture()
        log.fill(to: 7)
        try await log.publish()
        try await log.store.put("log/2026/checkpoint", bytes: [1], contentType: "text/plain")
        #expect(try await get(log, "/log/\(name)/checkpoint").status == .notFound)
        #expect(try await get(log, "/log/\(name)/tile/0/000.p/7").status == .notFound)
    }

    @Test("the checkpoint is served as it is stored, and asked for again each time")
    func checkpoint() async throws {
        var log = try LogFixture()
        log.fill(to: 7)
        try await log.publish()
        #expect(try await get(log, "/log/2026/checkpoint").status == .notFound)
        try log.cosign(by: [0, 1])
        let note = try #require(log.reading.cosigned.first?.note)
        try await log.store.put("log/2026/checkpoint", bytes: note.bytes, contentType: "text/plain")
        let response = try await get(log, "/log/2026/checkpoint")
        #expect(try await response.bytes() == note.bytes)
        #expect(response.headers[.cacheControl] == "no-cache" && response.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(response.headers[.accessControlAllowOrigin] == "*")
    }

    @Test("the policy is served byte for byte, if there is one")
    func policy() async throws {
        let log = try LogFixture()
        let response = try await get(log, "/log/policy")
        #expect(try await response.bytes() == log.policy.bytes && response.headers[.accessControlAllowOrigin] == "*")
        #expect(try await get(log, "/log/policy", policy: nil).status == .notFound)
    }

    @Test("what is too large, and a store that is away, is no answer")
    func store() async throws {
        var log = try LogFixture()
        log.fill(to: 7)
        try await log.publish()
        let key = "log/2026/tile/entries/000.p/7"
        try await log.store.put(key, bytes: [UInt8](repeating: 0, count: Tile.maximumFileBytes + 1), contentType: "text/plain")
        #expect(try await get(log, "/log/2026/tile/entries/000.p/7").status == .serviceUnavailable)
        log.store.refuse { _ in .unavailable }
        #expect(try await get(log, "/log/2026/tile/0/000.p/7").status == .serviceUnavailable)
    }

    private func get(_ log: LogFixture, _ path: String, _ headers: HTTPFields = [:]) async throws -> Response {
        try await get(log, path, headers, policy: log.policy)
    }

    private func get(_ log: LogFixture, _ path: String, _ headers: HTTPFields = [:], policy: TrustPolicy?) async throws -> Response {
        var routes = Routes()
        LogController(
            log: log.reading, tiles: log.tiles, downloads: ConcurrencyLimit("downloads", .init(total: 10, perAddress: 10), metric: "tests"),
            policy: policy, trustedProxies: []
        ).addRoutes(to: &routes)
        let router = routes.router(behind: ResponseMiddleware(routes: routes))
        return try await router.buildResponder().respond(to: makeRequest(.get, path, headers), context: makeContext(from: "192.0.2.1"))
    }
}
