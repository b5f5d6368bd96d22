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

        // The library would have: the file is what it is meant to be, and the server counts.
        try readWithDefaults(bytes)
        #expect(server.connections == 1)
    }

    /// XMP with `dcterms:provenance`, no manifest inside.
    private func photo(of fixture: Fixture, pointingTo url: String) throws -> [UInt8] {
        let context = try LibraryContext(anchors: nil, timestampAnchors: nil)
        let empty = try #require(c2pa_builder_from_context(context.handle))
        let builder = try #require(c2pa_builder_with_definition(empty, fixture.claim().definition()))
        defer { c2pa_free(UnsafeRawPointer(builder)) }
        c2pa_builder_set_no_embed(builder)
        try #require(c2pa_builder_set_remote_url(builder, url) == 0)
        let call = PlainCall(fixture.signer)
        let signer = try #require(
            c2pa_signer_create(
                Unmanaged.passUnretained(call).toOpaque(), PlainCall.callback, 6, fixture.signer.certificateChainPEM, nil))
        defer { c2pa_free(UnsafeRawPointer(signer)) }
        let (input, output) = (try ScratchFile(fixture.photo), try ScratchFile())
        let (source, destination) = (FileStream(input.descriptor), FileStream(output.descriptor))
        var manifest: UnsafePointer<UInt8>?
        let count = withExtendedLifetime((call, source, destination)) {
            c2pa_builder_sign(builder, "image/jpeg", source.handle, destination.handle, signer, &manifest)
        }
        try #require(count > 0)
        c2pa_free(manifest)
        return try output.bytes()
    }

    private func readWithDefaults(_ bytes: [UInt8]) throws {
        let settings = try #require(c2pa_settings_new())
        let builder = try #require(c2pa_context_builder_new())
        c2pa_context_builder_set_settings(builder, settings)
        c2pa_free(UnsafeRawPointer(settings))
        let context = try #require(c2pa_context_builder_build(builder))
        defer { c2pa_free(UnsafeRawPointer(context)) }
        let file = try ScratchFile(bytes)
        let stream = FileStream(file.descriptor)
        withExtendedLifetime(stream) {
            let reader = c2pa_reader_with_stream(c2pa_reader_from_context(context), "image/jpeg", stream.handle)
            if let reader { c2pa_free(UnsafeRawPointer(reader)) }
        }
    }
}

/// Passes the library's call on to a signer.
private final class PlainCall {
    let signer: PEMSigner
    init(_ signer: PEMSigner) { self.signer = signer }

    static let callback: c2pa_sign_callback = { context, data, count, signature, capacity in
        guard let context, let data, let signature else { return -1 }
        let call = Unmanaged<PlainCall>.fromOpaque(context).takeUnretainedValue()
        guard let made = try? call.signer.sign(Array(UnsafeBufferPointer(start: data, count: count))), made.count <= capacity else {
            return -1
        }
        return UnsafeMutableBufferPointer(start: signature, count: capacity).update(fromContentsOf: made)
    }
}
