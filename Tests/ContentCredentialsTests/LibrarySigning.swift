import Blocking
import CC2PA
import Foundation
import Models
import Signing
import Testing

@testable import ContentCredentials

extension Fixture {
    /// Signs with any definition, through the library alone.
    func sign(
        definition: String, timestampAuthority: URL? = nil, prepare: (OpaquePointer) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let context = try LibraryContext(anchors: [:], timestampAnchors: nil)
        let empty = try #require(c2pa_builder_from_context(context.handle))
        let builder = try #require(c2pa_builder_with_definition(empty, definition))
        defer { c2pa_free(UnsafeRawPointer(builder)) }
        try prepare(builder)
        let call = PlainCall(signer)
        let handle = try #require(
            c2pa_signer_create(
                Unmanaged.passUnretained(call).toOpaque(), PlainCall.callback, 6, signer.certificateChainPEM,
                timestampAuthority?.absoluteString))
        defer { c2pa_free(UnsafeRawPointer(handle)) }
        let (source, destination) = (MemoryStream(photo, maximumBytes: photo.count), MemoryStream(maximumBytes: photo.count + (4 << 20)))
        var manifest: UnsafePointer<UInt8>?
        let count = withExtendedLifetime((call, source, destination)) {
            c2pa_builder_sign(builder, "image/jpeg", source.handle, destination.handle, handle, &manifest)
        }
        try #require(count > 0, "\(LibraryError.last.text)")
        c2pa_free(manifest)
        return destination.bytes
    }

    /// The file's store in the crJSON format, which the conformance programme's rubrics read.
    func crJSON(_ bytes: [UInt8]) throws -> [String: Any] {
        let context = try LibraryContext(anchors: [.own: identity.rootPEM], timestampAnchors: nil)
        let file = try NamelessFile(holding: bytes)
        let stream = FileStream(file.descriptor)
        return try withExtendedLifetime(stream) {
            let reader = try #require(
                c2pa_reader_with_stream(c2pa_reader_from_context(context.handle), "image/jpeg", stream.handle))
            defer { c2pa_free(UnsafeRawPointer(reader)) }
            let text = try #require(c2pa_reader_crjson(reader))
            defer { c2pa_free(text) }
            return try #require(try JSONSerialization.jsonObject(with: Data(String(cString: text).utf8)) as? [String: Any])
        }
    }
}

/// Forwards the library's callback to a signer.
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
