import CC2PA
public import Foundation
import ManifestStore
public import Signing

/// The result of signing.
public struct SignedCopy: Sendable {
    /// The copy of the photo.
    public let bytes: [UInt8]
    /// The active manifest's label, unique to it.
    public let manifestID: String
    /// The manifest store inside the file (application/c2pa).
    public let manifest: [UInt8]
    /// Whether it has a time stamp, with which the copy stays valid after the certificate has expired.
    public let hasTimestamp: Bool
}

/// The result of signing into a file.
public struct SignedFile: Sendable {
    /// The active manifest's label, unique to it.
    public let manifestID: String
    /// The manifest store inside the file (application/c2pa).
    public let manifest: [UInt8]
    /// Whether it has a time stamp.
    public let hasTimestamp: Bool
}

/// Writes Content Credentials into copies of photos and videos, with the official library.
///
/// Safe to use from several threads. Signing blocks, including on the signer and the time-stamp authority.
public final class CredentialWriter: Sendable {
    private let signer: any ClaimSigner
    private let timestampAuthority: URL?
    private let context: LibraryContext

    /// - Parameter timestampAuthority: HTTP or HTTPS address of a trusted RFC 3161 authority: the library waits 30 seconds for it and does
    ///   not bound its response (measured). `nil` to sign without time stamps.
    /// - Throws: ``CredentialError/refused(_:)``.
    public init(signer: any ClaimSigner, timestampAuthority: URL?) throws(CredentialError) {
        if let timestampAuthority {
            guard ["http", "https"].contains(timestampAuthority.scheme?.lowercased()), timestampAuthority.host() != nil else {
                throw .refused("the time-stamp authority's address is not an HTTP URL")
            }
        }
        self.signer = signer
        self.timestampAuthority = timestampAuthority
        context = try LibraryContext(anchors: [:], timestampAnchors: nil)
    }

    /// Copies the photo with the claim embedded, and validates the copy. The coded picture does not change.
    /// - Parameter photo: a JPEG. It must be the public copy: signing removes no metadata.
    /// - Throws: ``CredentialError``; after ``CredentialError/timestampUnavailable(_:)`` a retry, or a writer without time stamps, may
    ///   succeed.
    public func sign(_ claim: CaptureClaim, photo: [UInt8]) throws(CredentialError) -> SignedCopy {
        try sign(claim, photo: photo, room: 4 << 20)
    }

    /// Some more bytes than manifest stores have.
    private static let usualRoom = 64 << 10

    /// Whether the library lays its own copy of so many bytes into a file, of media that it reads. That has no name and lies in the
    /// temporary folder of the process (`TMPDIR`); if it cannot be written, the library may say the same as of media that it cannot read.
    public static func isLaidOnDisk(_ sizeBytes: Int64) -> Bool {
        sizeBytes + Int64(usualRoom) > Int64(LibraryContext.memoryMiB) << 20
    }

    /// - Parameter room: how many bytes the copy may have more than the photo. Stores have some ten thousand.
    func sign(_ claim: CaptureClaim, photo: [UInt8], room: Int) throws(CredentialError) -> SignedCopy {
        guard let plain = PlainPhoto(photo) else { return try sign(claim, streamed: photo, room: room) }
        var copy: [UInt8] = []
        let signed = try signing(claim) { (builder: OpaquePointer, signer: OpaquePointer) throws(CredentialError) -> [UInt8] in
            let segments = try Self.segments(for: plain, claim.mediaType, builder, signer, room: room)
            copy = plain.copy(with: segments)
            guard let store = EmbeddedStore(jpegHead: copy) else { throw .refused("the copy has no whole manifest store") }
            return store.bytes
        }
        return SignedCopy(bytes: copy, manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp)
    }

    /// The same for a photo of any form, such as one that has credentials already. The library reads it five times and writes it twice.
    func sign(_ claim: CaptureClaim, streamed photo: [UInt8], room: Int) throws(CredentialError) -> SignedCopy {
        let source = MemoryStream(photo, maximumBytes: photo.count)
        let destination = MemoryStream(maximumBytes: photo.count + room, expectedBytes: photo.count + Self.usualRoom)
        let signed = try withExtendedLifetime((source, destination)) { () throws(CredentialError) -> SignedFile in
            do throws(CredentialError) {
                return try sign(claim, source.handle, destination.handle)
            } catch {
                throw source.hasRefused || destination.hasRefused ? error.ofInput : error
            }
        }
        return SignedCopy(
            bytes: destination.bytes, manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp)
    }

    /// Copies a video with the claim embedded into a file, and validates the copy. The samples do not change; the hard binding is
    /// `c2pa.hash.bmff.v3`. The library holds about the size of the video in memory.
    /// - Parameters:
    ///   - length: of the public copy in bytes, an MP4.
    ///   - read: reads it.
    ///   - descriptor: an empty file that may be read and written.
    /// - Throws: as ``sign(_:photo:)``; ``CredentialError/scratch(_:)`` if reading or the file failed.
    public func sign(
        _ claim: CaptureClaim, videoLength length: Int64, read: @escaping RangeReader, into descriptor: Int32
    ) throws(CredentialError) -> SignedFile {
        let (source, destination) = (
            SourceStream(length: length, read: read), FileSink(descriptor, maximumBytes: length + (4 << 20))
        )
        return try withExtendedLifetime((source, destination)) { () throws(CredentialError) in
            do throws(CredentialError) {
                return try sign(claim, source.handle, destination.handle)
            } catch {
                // The library reports only that it could not go on.
                if let code = destination.failure { throw .scratch("the copy: \(String(cString: strerror(code)))") }
                if source.hasFailed { throw .scratch("the source cannot be read") }
                throw source.hasRefused || destination.hasRefused ? error.ofInput : error
            }
        }
    }

    /// Has the library read the source and write the copy to the destination.
    private func sign(
        _ claim: CaptureClaim, _ source: OpaquePointer?, _ destination: OpaquePointer?
    ) throws(CredentialError) -> SignedFile {
        try signing(claim) { (builder: OpaquePointer, signer: OpaquePointer) throws(CredentialError) -> [UInt8] in
            guard let source, let destination else { throw .refused("out of memory") }
            return try Self.allocated { c2pa_builder_sign(builder, claim.mediaType, source, destination, signer, &$0) }
        }
    }

    /// The store for a photo, in its segments. The library does not read the photo but is told its digest.
    private static func segments(
        for photo: PlainPhoto, _ mediaType: String, _ builder: OpaquePointer, _ signer: OpaquePointer, room: Int
    ) throws(CredentialError) -> [UInt8] {
        let capacity = c2pa_signer_reserve_size(signer)
        guard capacity > 0 else { throw .refused(LibraryError.last.text) }
        // The digest covers all but the store, whose length is part of what is signed.
        let length = try allocated { c2pa_builder_data_hashed_placeholder(builder, Int(capacity), mediaType, &$0) }.count
        guard length <= room else { throw .refused("the manifest store has \(length) bytes, more than there is room for") }
        guard let binding = try? photo.binding(excluding: length) else { throw .refused("the binding cannot be written as JSON") }
        let segments = try allocated { c2pa_builder_sign_data_hashed_embeddable(builder, signer, binding, mediaType, nil, &$0) }
        guard segments.count == length else { throw .refused("the manifest store has \(segments.count) bytes instead of \(length)") }
        return segments
    }

    /// What a call of the library allocates.
    /// - Parameter call: returns the number of bytes, or a negative one.
    private static func allocated(
        _ call: (_ bytes: inout UnsafePointer<UInt8>?) -> Int64
    ) throws(CredentialError) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        let count = call(&bytes)
        guard count > 0, let bytes else {
            let error = LibraryError.last
            throw error.isOfSystem ? CredentialError.scratch("the library's copy: \(error.text)") : .refused(error.text)
        }
        defer { c2pa_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// - Parameter write: has the library sign with this builder and this signer, and returns the manifest store.
    private func signing(
        _ claim: CaptureClaim, _ write: (_ builder: OpaquePointer, _ signer: OpaquePointer) throws(CredentialError) -> [UInt8]
    ) throws(CredentialError) -> SignedFile {
        let call = SigningCall(signer)
        do {
            let manifest = try store(of: claim, call, write)
            return SignedFile(
                manifestID: claim.manifestID, manifest: manifest,
                hasTimestamp: timestampAuthority != nil && Self.holdsTimestamp(manifest))
        } catch {
            // The library reports only that there is no signature; the signer has the reason.
            if let failure = call.failure { throw .signer(failure) }
            guard timestampAuthority != nil, call.hasSigned, case .refused(let text) = error, Self.isAboutTimestamp(text) else {
                throw error
            }
            throw .timestampUnavailable(text)
        }
    }

    private func store(
        of claim: CaptureClaim, _ call: SigningCall,
        _ write: (_ builder: OpaquePointer, _ signer: OpaquePointer) throws(CredentialError) -> [UInt8]
    ) throws(CredentialError) -> [UInt8] {
        guard let definition = try? claim.definition() else { throw .refused("the claim cannot be written as JSON") }
        guard let empty = c2pa_builder_from_context(context.handle) else { throw .refused("out of memory") }
        // Consumed also on failure.
        guard let builder = c2pa_builder_with_definition(empty, definition) else { throw .refused(LibraryError.last.text) }
        defer { c2pa_free(UnsafeRawPointer(builder)) }
        let handle = c2pa_signer_create(
            Unmanaged.passUnretained(call).toOpaque(), SigningCall.callback, signer.algorithm == .ed25519 ? 6 : 0,
            signer.certificateChainPEM, timestampAuthority?.absoluteString)
        guard let handle else { throw .refused(LibraryError.last.text) }
        defer { c2pa_free(UnsafeRawPointer(handle)) }
        return try withExtendedLifetime(call) { () throws(CredentialError) -> [UInt8] in try write(builder, handle) }
    }

    /// Whether the signature's header has an entry `sigTst` or `sigTst2`.
    private static func holdsTimestamp(_ manifest: [UInt8]) -> Bool {
        manifest.withUnsafeBytes { bytes in Data(bytes).range(of: Data("sigTst".utf8)) != nil }
    }

    /// Whether an error of the library, once the signer has signed, is about the time stamp: the authority is unavailable, rejects the
    /// request, or responds with something else, or with more than there is room for (measured: connection, HTTP status, redirect, DER,
    /// PKIStatus, nonce, size). Errors about the signature and its certificate have other messages; a failure of the signer is handled
    /// earlier.
    private static func isAboutTimestamp(_ text: String) -> Bool {
        guard text.hasPrefix("Signature: ") else { return false }
        return text.hasPrefix("Signature: internal error") || !signatureProblems.contains { text.contains($0) }
    }

    private static let signatureProblems = [
        "the signature does not match the provided data or public key", "invalid signature value", "invalid public key", "certificate",
    ]
}

extension CredentialError {
    /// The error if a stream refused what it was asked for: the library then makes up an error of the system.
    fileprivate var ofInput: CredentialError {
        guard case .scratch(let problem) = self else { return self }
        return .refused(problem)
    }
}

/// One signing: forwards the library's callback to the signer and keeps the signer's error. Used by one thread.
private final class SigningCall {
    private let signer: any ClaimSigner
    private(set) var failure: SigningError?
    /// Whether the signer returned a signature; the time stamp is requested afterwards.
    private(set) var hasSigned = false

    init(_ signer: any ClaimSigner) { self.signer = signer }

    static let callback: c2pa_sign_callback = { context, data, count, signature, capacity in
        guard let context, let data, let signature else { return -1 }
        let call = Unmanaged<SigningCall>.fromOpaque(context).takeUnretainedValue()
        return call.sign(UnsafeBufferPointer(start: data, count: count), UnsafeMutableBufferPointer(start: signature, count: capacity))
    }

    private func sign(_ data: UnsafeBufferPointer<UInt8>, _ signature: UnsafeMutableBufferPointer<UInt8>) -> Int {
        do {
            let result = try signer.sign(Array(data))
            // The library does not check the returned count.
            guard result.count <= signature.count else {
                failure = .configuration("the signature has \(result.count) bytes, more than there is room for")
                return -1
            }
            hasSigned = true
            return signature.update(fromContentsOf: result)
        } catch {
            failure = error
            return -1
        }
    }
}
