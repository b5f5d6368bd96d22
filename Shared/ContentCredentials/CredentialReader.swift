import CC2PA
import Foundation
public import Models

/// Reads and validates the Content Credentials of files (C2PA 2.4) without ever touching the network.
///
/// Safe to use from several threads; each reading blocks for as long as hashing the file takes. Strangers' files belong into a process of
/// their own: see `c2pa-inspector`.
public final class CredentialReader: Sendable {
    /// What a manifest may amount to as JSON.
    private static let maximumJSONBytes = 32 * 1024 * 1024
    private let context: LibraryContext
    /// Knows time-stamp anchors alone; `nil` without any, or where no other anchors could be mistaken for them.
    private let timestampContext: LibraryContext?
    private let hasTimestampAnchors: Bool

    /// - Parameters:
    ///   - trustAnchorsPEM: certificates that vouch for signers, as an operator lists them; `nil` or blank for none.
    ///   - ownAnchorsPEM: those that vouch for ourselves; `nil` or blank for none.
    ///   - timestampAnchorsPEM: certificates that vouch for time-stamp authorities; `nil` or blank for none. Only a time that one of them
    ///     vouches for counts: without, what an expired certificate has signed is invalid, whatever time stamp it has.
    /// - Throws: ``CredentialError/refused(_:)`` if they are no certificates.
    public init(trustAnchorsPEM: String?, ownAnchorsPEM: String? = nil, timestampAnchorsPEM: String? = nil) throws(CredentialError) {
        var anchors: [CredentialReport.Voucher: String] = [:]
        anchors[.listed] = try Self.certificates(trustAnchorsPEM)
        anchors[.own] = try Self.certificates(ownAnchorsPEM)
        let timestampAnchors = try Self.certificates(timestampAnchorsPEM)
        context = try LibraryContext(anchors: anchors, timestampAnchors: timestampAnchors)
        hasTimestampAnchors = timestampAnchors != nil
        timestampContext =
            timestampAnchors == nil || anchors.isEmpty ? nil : try LibraryContext(anchors: [:], timestampAnchors: timestampAnchors)
    }

    private static func certificates(_ pem: String?) throws(CredentialError) -> String? {
        guard let pem, !pem.allSatisfy(\.isWhitespace) else { return nil }
        guard pem.contains("-----BEGIN CERTIFICATE-----") else { throw .refused("trust anchors without a certificate") }
        return pem
    }

    /// - Parameters:
    ///   - descriptor: a seekable file, read from its start; its position stays.
    ///   - mediaType: a MIME type as of `MediaFormat`; `nil` to tell it by the file's first bytes. `application/c2pa` is a manifest without
    ///     its file: its signature is checked, but it is invalid, for there is nothing that its hash could match.
    /// - Returns: also what cannot be read is a report.
    public func read(fileDescriptor descriptor: Int32, mediaType: String?) -> CredentialReport {
        guard let mediaType = mediaType ?? Self.sniff(descriptor) else {
            return Self.failed(LibraryError(text: "NotSupported: type is unsupported"))
        }
        return report(of: descriptor) { reader, stream in c2pa_reader_with_stream(reader, mediaType, stream) }
    }

    /// Validates a manifest that lies beside its file.
    public func read(manifest: [UInt8], fileDescriptor descriptor: Int32, mediaType: String?) -> CredentialReport {
        guard let mediaType = mediaType ?? Self.sniff(descriptor) else {
            return Self.failed(LibraryError(text: "NotSupported: type is unsupported"))
        }
        return report(of: descriptor) { reader, stream in
            manifest.withUnsafeBufferPointer { bytes in
                c2pa_reader_with_manifest_data_and_stream(reader, mediaType, stream, bytes.baseAddress, bytes.count)
            }
        }
    }

    private static func sniff(_ descriptor: Int32) -> String? {
        var prefix = [UInt8](repeating: 0, count: MediaFormat.prefixBytes)
        let count = pread(descriptor, &prefix, prefix.count, 0)
        return count > 0 ? MediaFormat.sniff(Array(prefix.prefix(count)))?.mimeType : nil
    }

    /// - Parameter open: gives the library's reader of the stream; it consumes the reader given.
    private func report(of descriptor: Int32, open: (OpaquePointer, OpaquePointer) -> OpaquePointer?) -> CredentialReport {
        var report = Self.report(of: descriptor, context, open: open)
        guard report.signedAt != nil else { return report }
        // The library lets any list vouch for a time (measured): it is read again where there are no others.
        let isVouchedFor =
            hasTimestampAnchors && timestampContext.map { Self.report(of: descriptor, $0, open: open).signedAt != nil } ?? true
        if !isVouchedFor { report.dropTime() }
        return report
    }

    private static func report(
        of descriptor: Int32, _ context: LibraryContext, open: (OpaquePointer, OpaquePointer) -> OpaquePointer?
    ) -> CredentialReport {
        let file = FileStream(descriptor)
        return withExtendedLifetime(file) {
            guard let stream = file.handle, let reader = c2pa_reader_from_context(context.handle) else {
                return Self.failed(LibraryError(text: "Other: out of memory"))
            }
            // Consumed also on failure.
            guard let loaded = open(reader, stream) else { return Self.failed(.last) }
            defer { c2pa_free(UnsafeRawPointer(loaded)) }
            guard let text = c2pa_reader_json(loaded) else { return Self.failed(.last) }
            defer { c2pa_free(text) }
            let count = strlen(text)
            guard count <= Self.maximumJSONBytes else {
                return Self.failed(LibraryError(text: "Json: over \(Self.maximumJSONBytes) bytes"))
            }
            let json = Data(bytesNoCopy: text, count: count, deallocator: .none)
            return CredentialReport(readerJSON: json) ?? Self.failed(LibraryError(text: "Json: unexpected form"))
        }
    }

    /// The library tells by the name of its error what it met.
    private static func failed(_ error: LibraryError) -> CredentialReport {
        switch error.name {
        case "ManifestNotFound": return CredentialReport(state: .none)
        case "Remote":
            var report = CredentialReport(state: .remote)
            report.remoteURL = error.text.range(of: "url ").map { String(error.text[$0.upperBound...]) }
            report.validationCodes = [.init(code: "c2pa.error.Remote", kind: .failure)]
            return report
        default:
            var report = CredentialReport(state: .unreadable)
            report.validationCodes = [.init(code: "c2pa.error.\(error.name)", kind: .failure, explanation: error.text)]
            return report
        }
    }
}
