import Blocking
import CC2PA
import Foundation
import Models
import Signing
import TestSupport
import Testing

@testable import ContentCredentials

@Suite("Remote manifests")
struct RemoteManifestTests {
    @Test("are named and never fetched")
    func remote() throws {
        let server = try LoopbackServer { _ in (404, []) }
        let url = "http://127.0.0.1:\(server.port)/latest/meta-data"
        let fixture = try Fixture()
        let bytes = try photo(of: fixture, pointingTo: url)
        let report = try fixture.read(bytes)
        #expect(report.state == .remote)
        #expect(report.remoteURL == url)
        #expect(report.validationCodes.map(\.code) == ["c2pa.error.Remote"])
        #expect(report.assertions.isEmpty && report.activeManifest == nil)
        #expect(server.connections == 0)

        // With the library's default settings the manifest is fetched: so the file is right, and the server counts requests.
        try readWithDefaults(bytes)
        #expect(server.connections == 1)
    }

    /// XMP with `dcterms:provenance`, no manifest inside.
    private func photo(of fixture: Fixture, pointingTo url: String) throws -> [UInt8] {
        try fixture.sign(definition: fixture.claim().definition()) { builder in
            c2pa_builder_set_no_embed(builder)
            try #require(c2pa_builder_set_remote_url(builder, url) == 0)
        }
    }

    private func readWithDefaults(_ bytes: [UInt8]) throws {
        let settings = try #require(c2pa_settings_new())
        let builder = try #require(c2pa_context_builder_new())
        c2pa_context_builder_set_settings(builder, settings)
        c2pa_free(UnsafeRawPointer(settings))
        let context = try #require(c2pa_context_builder_build(builder))
        defer { c2pa_free(UnsafeRawPointer(context)) }
        let file = try NamelessFile(holding: bytes)
        let stream = FileStream(file.descriptor)
        withExtendedLifetime(stream) {
            let reader = c2pa_reader_with_stream(c2pa_reader_from_context(context), "image/jpeg", stream.handle)
            if let reader { c2pa_free(UnsafeRawPointer(reader)) }
        }
    }
}
