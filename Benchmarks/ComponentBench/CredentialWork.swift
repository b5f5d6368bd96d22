import CC2PA
import CaptureProtocol
import ContentCredentials
import Foundation
import Models
import Signing

/// Signs and reads a photo through our module, and through the library alone.
///
/// The bare side creates a manifest with the same assertions and trusts the same root. Its settings, definition and signer are prepared in
/// advance, and it keeps the photo in memory.
final class CredentialWork {
    private let claim: CaptureClaim
    private let signer: PEMSigner
    private let writer: CredentialWriter
    private let reader: CredentialReader
    private let photo: [UInt8]
    /// A signed copy. The reader takes a file, as the gateway's inspector gets one; making it is no part of the work.
    private let signed: Int32
    private let bare: BareLibrary

    init(photo bytes: [UInt8]) throws {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, now: Date().addingTimeInterval(-3600))
        signer = try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: Date())
        writer = try CredentialWriter(signer: signer, timestampAuthority: nil)
        reader = try CredentialReader(trustAnchorsPEM: identity.rootPEM)
        let evidence = try WireJSON.decode(EvidencePackage.self, from: Array(Self.evidence.utf8))
        claim = CaptureClaim(captureID: CaptureID(), capturedAt: Date(), evidence: evidence, confidence: .high)
        photo = bytes
        signed = try Self.file(writer.sign(claim, photo: bytes).bytes)
        bare = try BareLibrary(bytes, "image/jpeg", signer: signer, rootPEM: identity.rootPEM)
    }

    /// Prints what the library alone takes to sign a video.
    static func print(video: [UInt8]) throws {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, now: Date().addingTimeInterval(-3600))
        let signer = try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: Date())
        let bare = try BareLibrary(video, "video/mp4", signer: signer, rootPEM: identity.rootPEM)
        Table.row("C2PA library alone, sign \(video.count / 1_000_000) MB of video", ProcessorTime.measure { bare.sign() })
    }

    /// - Returns: whether a signed copy reads back as trusted.
    func signAndRead() -> Bool {
        (try? writer.sign(claim, photo: photo)) != nil
            && reader.read(fileDescriptor: signed, mediaType: "image/jpeg", at: .now).state == .trusted
    }

    func signAndReadBare() -> Bool { bare.sign() && bare.read() }

    func signBare() -> Bool { bare.sign() }

    private static func file(_ bytes: [UInt8]) throws -> Int32 {
        var template = Array("/dev/shm/rial-bench-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        guard descriptor >= 0, bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        return descriptor
    }

    private static let evidence = #"""
        {"type":"photo","hardware_attestation":{"status":"pass","level":"secure_enclave","environment":"production",
        "development_attestation":false,"device_model":"iPhone 15 Pro","binding":"photo+depth+metadata","out_of_order":false},
        "depth_analysis":{"status":"pass","depth_variance":0.92,"depth_layers":5,"edge_coherence":0.87,"min_depth":0.4,"max_depth":4.5,
        "relief":0.4,"coverage":0.98,"verdict":"real","is_likely_real_scene":true,"specified_rule":true,"method":"relief-2","source":"server"},
        "metadata":{"timestamp":{"status":"pass"},"model":{"status":"pass"},"resolution":{"status":"pass"},
        "location":{"status":"unavailable"},"timestamp_valid":true,"model_verified":true,"location_available":false},
        "content_credentials":{"status":"pending"},"analysis_source":"server","media_stored":true,"algorithm_versions":{"depth":"1"},
        "processing":{"received_at":"2026-11-21T10:00:00.000Z","completed_at":"2026-11-21T10:00:01.000Z","duration_ms":1000}}
        """#
}

/// Calls the library directly, with bytes in memory: for a photo in the cheapest way that it has.
private final class BareLibrary {
    private let context: OpaquePointer
    private let media: [UInt8]
    private let source: MemoryStream
    private let target: MemoryStream
    private let mediaType: String
    private let definition: String
    private let signer: PEMSigner
    private var handle: OpaquePointer?
    private static let photoDefinition = #"""
        {"claim_version":2,"vendor":"rial","claim_generator_info":[{"name":"rial.","version":"1.0.0"}],"title":"photo.jpg","format":"image/jpeg",
        "assertions":[{"label":"c2pa.actions.v2","created":true,"data":{"actions":[{"action":"c2pa.created",
        "digitalSourceType":"http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"}]}},
        {"label":"app.rial.attestation.v1","created":true,"data":{"level":"secure_enclave","environment":"production",
        "development_attestation":false,"device_model":"iPhone 15 Pro","binding":"photo+depth+metadata"}},
        {"label":"app.rial.depth_analysis.v1","created":true,"data":{"status":"pass","verdict":"real","is_likely_real_scene":true,
        "depth_variance":0.92,"depth_layers":5,"edge_coherence":0.87,"min_depth":0.4,"max_depth":4.5,"relief":0.4,"coverage":0.98,
        "method":"relief-2","source":"server"}},
        {"label":"app.rial.confidence.v1","created":true,"data":{"level":"high","checks":{"hardware_attestation":"pass",
        "depth_analysis":"pass","metadata.timestamp":"pass","metadata.model":"pass","metadata.resolution":"pass",
        "metadata.location":"unavailable"},"algorithm_versions":{"depth":"1"}}}]}
        """#

    init(_ media: [UInt8], _ mediaType: String, signer: PEMSigner, rootPEM: String) throws {
        self.signer = signer
        self.media = media
        self.mediaType = mediaType
        definition = Self.photoDefinition.replacing("image/jpeg", with: mediaType)
        source = MemoryStream(media)
        target = MemoryStream([])
        let root = rootPEM.replacing("\n", with: "\\n")
        let settings = c2pa_settings_new()
        c2pa_settings_update_from_string(
            settings,
            #"{"version":1,"verify":{"remote_manifest_fetch":false,"ocsp_fetch":false},"builder":{"thumbnail":{"enabled":false}},"#
                + #""trust":{"trust_config":"1.3.6.1.5.5.7.3.4\n1.3.6.1.5.5.7.3.36\n","trust_anchors":"\#(root)"}}"#, "json")
        let builder = c2pa_context_builder_new()
        c2pa_context_builder_set_settings(builder, settings)
        if let settings { c2pa_free(UnsafeRawPointer(settings)) }
        guard let context = c2pa_context_builder_build(builder) else { throw CocoaError(.featureUnsupported) }
        self.context = context
        handle = c2pa_signer_create(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, data, count, signature, capacity in
                guard let context, let data, let signature else { return -1 }
                let library = Unmanaged<BareLibrary>.fromOpaque(context).takeUnretainedValue()
                guard let made = try? library.signer.sign(Array(UnsafeBufferPointer(start: data, count: count))) else { return -1 }
                return UnsafeMutableBufferPointer(start: signature, count: capacity).update(fromContentsOf: made)
            }, 6, signer.certificateChainPEM, nil)
    }

    func sign() -> Bool {
        source.rewind()
        target.clear()
        guard let builder = c2pa_builder_with_definition(c2pa_builder_from_context(context), definition) else { return false }
        defer { c2pa_free(UnsafeRawPointer(builder)) }
        return mediaType == "image/jpeg" ? embed(builder) : stream(builder)
    }

    /// The library gets the digest of the photo, and its store is laid behind the first APP0.
    private func embed(_ builder: OpaquePointer) -> Bool {
        let offset = media[3] == 0xe0 ? 4 + Int(media[4]) << 8 + Int(media[5]) : 2
        var (placeholder, segments) = (UnsafePointer<UInt8>?.none, UnsafePointer<UInt8>?.none)
        let length = c2pa_builder_data_hashed_placeholder(builder, Int(c2pa_signer_reserve_size(handle)), mediaType, &placeholder)
        let hash = ContentDigest(of: media).bytes.map(String.init).joined(separator: ",")
        let binding =
            #"{"name":"jumbf manifest","alg":"sha256","exclusions":[{"start":\#(offset),"length":\#(length)}],"hash":[\#(hash)],"pad":[]}"#
        guard length > 0, c2pa_builder_sign_data_hashed_embeddable(builder, handle, binding, mediaType, nil, &segments) == length else {
            return false
        }
        target.append(media[..<offset])
        target.append(UnsafeBufferPointer(start: segments, count: Int(length)))
        target.append(media[offset...])
        c2pa_free(placeholder)
        c2pa_free(segments)
        return true
    }

    private func stream(_ builder: OpaquePointer) -> Bool {
        var manifest: UnsafePointer<UInt8>?
        guard c2pa_builder_sign(builder, mediaType, source.handle, target.handle, handle, &manifest) > 0 else { return false }
        c2pa_free(manifest)
        return true
    }

    /// - Returns: whether the last signed photo is read as trusted.
    func read() -> Bool {
        target.rewind()
        guard let reader = c2pa_reader_with_stream(c2pa_reader_from_context(context), mediaType, target.handle) else { return false }
        defer { c2pa_free(UnsafeRawPointer(reader)) }
        guard let json = c2pa_reader_json(reader) else { return false }
        defer { c2pa_free(json) }
        return strstr(json, "\"validation_state\": \"Trusted\"") != nil
    }
}

/// A stream of bytes in memory for the library.
private final class MemoryStream {
    private var bytes: [UInt8]
    private var position = 0
    private(set) var handle: OpaquePointer?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, into, count in MemoryStream.from(context).read(into, count) },
            { context, offset, mode in MemoryStream.from(context).seek(offset, mode) },
            { context, from, count in MemoryStream.from(context).write(from, count) }, { _ in 0 })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MemoryStream {
        guard let context else { preconditionFailure("the library lost its stream") }
        return Unmanaged<MemoryStream>.fromOpaque(context).takeUnretainedValue()
    }

    func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }
    func rewind() { position = 0 }
    func clear() {
        bytes.removeAll(keepingCapacity: true)
        position = 0
    }

    private func read(_ into: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        let count = min(count, bytes.count - position)
        guard count > 0, let into else { return 0 }
        bytes.withUnsafeBufferPointer { into.update(from: $0.baseAddress.unsafelyUnwrapped + position, count: count) }
        position += count
        return count
    }

    private func write(_ from: UnsafePointer<UInt8>?, _ count: Int) -> Int {
        guard let from, count >= 0 else { return -1 }
        let end = position + count
        if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        bytes.withUnsafeMutableBufferPointer { ($0.baseAddress.unsafelyUnwrapped + position).update(from: from, count: count) }
        position = end
        return count
    }

    private func seek(_ offset: Int, _ mode: Int32) -> Int {
        position = max(0, offset + (mode == 0 ? 0 : mode == 1 ? position : bytes.count))
        return position
    }
}
