import CC2PA
public import Foundation
public import Models

/// Reads and validates the Content Credentials of files (C2PA 2.4), without using the network.
///
/// Safe to use from several threads; each call blocks while it hashes the file. Untrusted files must be read in a separate process: see
/// `c2pa-inspector`.
public final class CredentialReader: Sendable {
    /// The largest manifest, as JSON.
    private static let maximumJSONBytes = 32 * 1024 * 1024
    private let context: LibraryContext
    /// A context without the signers' anchors; `nil` if ``context`` has none.
    private let timestampContext: LibraryContext?

    /// - Parameters:
    ///   - trustAnchorsPEM: certificates that vouch for signers, listed by the operator; `nil` or blank for none.
    ///   - ownAnchorsPEM: certificates that vouch for our own signers; `nil` or blank for none.
    ///   - timestampAnchorsPEM: certificates that vouch for time-stamp authorities; `nil` or blank for none. Other time stamps are ignored:
    /// without a trusted one, a signature by an expired certificate is invalid.
    /// - Throws: ``CredentialError/refused(_:)`` if they are not certificates.
    public init(trustAnchorsPEM: String?, ownAnchorsPEM: String? = nil, timestampAnchorsPEM: String? = nil) throws(CredentialError) {
        var anchors: [CredentialReport.Voucher: String] = [:]
        anchors[.listed] = try Self.certificates(trustAnchorsPEM)
        anchors[.own] = try Self.certificates(ownAnchorsPEM)
        let timestampAnchors = try Self.certificates(timestampAnchorsPEM)
        context = try LibraryContext(anchors: anchors, timestampAnchors: timestampAnchors)
        timestampContext = anchors.isEmpty ? nil : try LibraryContext(anchors: [:], timestampAnchors: timestampAnchors)
    }

    private static func certificates(_ pem: String?) throws(CredentialError) -> String? {
        guard let pem, !pem.allSatisfy(\.isWhitespace) else { return nil }
        guard pem.contains("-----BEGIN CERTIFICATE-----") else { throw .refused("trust anchors without a certificate") }
        return pem
    }

    /// - Parameters:
    ///   - descriptor: a seekable file, read from its start; its position does not move.
    ///   - mediaType: a MIME type of `MediaFormat`; `nil` to detect it from the file's first bytes. `application/c2pa` is a manifest
    ///     without its file: its signature is checked, but the result is always invalid, since there is no file to match its hash.
    ///   - now: decides on certificates whose time stamp nobody vouches for.
    /// - Returns: a report, also for a file that cannot be read.
    public func read(fileDescriptor descriptor: Int32, mediaType: String?, at now: Date) -> CredentialReport {
        guard let mediaType = mediaType ?? Self.sniff(descriptor) else { return Self.unsupported }
        return report(of: descriptor, at: now) { reader, stream in c2pa_reader_with_stream(reader, mediaType, stream) }
    }

    /// Validates a manifest that is stored beside its file.
    public func read(manifest: [UInt8], fileDescriptor descriptor: Int32, mediaType: String?, at now: Date) -> CredentialReport {
        guard let mediaType = mediaType ?? Self.sniff(descriptor) else { return Self.unsupported }
        return report(of: descriptor, at: now) { reader, stream in
            manifest.withUnsafeBufferPointer { bytes in
                c2pa_reader_with_manifest_data_and_stream(reader, mediaType, stream, bytes.baseAddress, bytes.count)
            }
        }
    }

    private static var unsupported: CredentialReport { failed(LibraryError(text: "NotSupported: type is unsupported")) }

    private static func sniff(_ descriptor: Int32) -> String? {
        var prefix = [UInt8](repeating: 0, count: MediaFormat.prefixBytes)
        let count = pread(descriptor, &prefix, prefix.count, 0)
        return count > 0 ? MediaFormat.sniff(Array(prefix.prefix(count)))?.mimeType : nil
    }

    /// - Parameter open: returns the library's reader of the stream; it consumes the reader that it is passed.
    private func report(
        of descriptor: Int32, at now: Date, open: (OpaquePointer, OpaquePointer) -> OpaquePointer?
    ) -> CredentialReport {
        var report = Self.report(of: descriptor, at: now, context, open: open)
        guard report.signedAt != nil, let timestampContext else { return report }
        // The library accepts a time stamp that any of its lists vouches for, and judges the certificate by its time (measured), so the
        // file is read again with the time-stamp anchors alone.
        let timeless = Self.report(of: descriptor, at: now, timestampContext, open: open)
        if timeless.signedAt == nil {
            report.dropTime()
            report.adopt(timeless)
        }
        return report
    }

    private static func report(
        of descriptor: Int32, at now: Date, _ context: LibraryContext, open: (OpaquePointer, OpaquePointer) -> OpaquePointer?
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
            let report = CredentialReport(readerJSON: json, at: now) { label in Self.signerDates(loaded, label) }
            return report ?? Self.failed(LibraryError(text: "Json: unexpected form"))
        }
    }

    /// The dates of the certificate that signed a manifest, which only the library's other form of the report has.
    private static func signerDates(_ reader: OpaquePointer, _ label: String) -> CertificateDates? {
        guard let text = c2pa_reader_crjson(reader) else { return nil }
        defer { c2pa_free(text) }
        let count = strlen(text)
        guard count <= Self.maximumJSONBytes else { return nil }
        return CertificateDates(crJSON: Data(bytesNoCopy: text, count: count, deallocator: .none), manifest: label)
    }

    /// The report for an error of the library, which is recognised by its name.
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
