import CaptureProtocol
import ContentCredentials
import Crypto
import Foundation
import Imaging
import Models
import Scene
import Signing
import SimulatedDevice
import TestSupport
import Testing

/// A complete capture and the parts that its device sent.
struct SignedCapture: Sendable {
    let id: String
    let parts: CaptureParts
    let view: String

    /// Sends the parts from a new verified device, with an assertion.
    static func make(_ parts: CaptureParts? = nil) async throws -> SignedCapture {
        let client = try TestClient.current()
        var device = try await client.device()
        let parts = try parts ?? .unlike()
        let answer = try await client.settled(client.capture(&device, parts))
        return SignedCapture(id: try #require(answer.data["id"] as? String), parts: parts, view: answer.text)
    }

    /// Reads a published file by a link in the gateway's format.
    func media(_ name: String) async throws -> [UInt8] {
        let stack = try LocalStack.required()
        let answer = try await TestClient.current().send("GET", stack.link(id, name, expires: Date() + 600))
        #expect(answer.status == 200, "\(name): \(answer.status)")
        return answer.body
    }

    /// The claim in the signed copy of this capture, for signing it again.
    func claim() async throws -> CaptureClaim {
        let rows = try await LocalStack.required().sql("SELECT evidence FROM captures WHERE id = '\(id)'")
        let package = try WireJSON.decode(EvidencePackage.self, from: try #require(rows.first).utf8)
        return CaptureClaim(
            captureID: try #require(CaptureID(id)), capturedAt: package.processing.receivedAt.date, evidence: package,
            confidence: .high)
    }
}

/// A temporary file that the library reads by its descriptor; deleted with this value.
final class CredentialFile: Sendable {
    let path: String
    let descriptor: Int32

    init(_ bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("rial-test-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// The reader's report on these bytes.
    static func report(
        _ bytes: [UInt8], trusting root: String?, timestamps: String? = nil, manifest: [UInt8]? = nil
    ) throws -> CredentialReport {
        let file = try CredentialFile(bytes)
        let reader = try CredentialReader(trustAnchorsPEM: root, timestampAnchorsPEM: timestamps)
        guard let manifest else { return reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now) }
        return reader.read(manifest: manifest, fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now)
    }
}

extension DevelopmentAuthority.Identity {
    /// A new authority, valid from an hour ago.
    static func fresh() throws -> Self { try DevelopmentAuthority.make(algorithm: .ed25519, now: Date().addingTimeInterval(-3600)) }

    /// Signs as this identity.
    func sign(_ claim: CaptureClaim, into photo: [UInt8]) throws -> [UInt8] {
        let signer = try PEMSigner(certificatesPEM: chainPEM, privateKeyPEM: privateKeyPEM, at: Date())
        return try CredentialWriter(signer: signer, timestampAuthority: nil).sign(claim, photo: photo).bytes
    }
}

extension LocalStack {
    var folder: URL { SharedData.projectRoot.appendingPathComponent(".local/\(name)") }

    /// PEM of the root of the stack's own signer.
    var signingRoot: String {
        get throws { try String(contentsOf: folder.appendingPathComponent("keys/c2pa/root.pem"), encoding: .utf8) }
    }

    /// The recorded manifests of a capture.
    func manifests(of id: String) async throws -> [String] {
        try await sql("SELECT manifest_id || ' ' || has_timestamp || ' ' || signed_at FROM content_credentials WHERE capture_id = '\(id)'")
    }

    /// Names of the capture's published objects.
    func mediaNames(of id: String) async throws -> [String] {
        try await sql("SELECT name FROM media_objects WHERE capture_id = '\(id)' ORDER BY name")
    }

    /// Runs the work while evidence-assembler has other settings, which are restored afterwards.
    func assembling<Result>(with settings: [String: String], _ work: () async throws -> Result) async throws -> Result {
        try await running("evidence-assembler", with: settings, work)
    }

    /// Runs the work while a service has other settings, which are restored afterwards.
    func running<Result>(_ service: String, with settings: [String: String], _ work: () async throws -> Result) async throws -> Result {
        try await control("stop", service)
        let result: Swift.Result<Result, any Error>
        do {
            try await control("start", service, settings: settings)
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        try await control("stop", service)
        try await control("start", service)
        return try result.get()
    }
}

extension CaptureParts {
    /// The room with a patch of noise in a corner, so that its public copy and thumbnail differ from those of other captures too.
    static func unlike() throws -> CaptureParts {
        var parts = try CaptureParts()
        let room = try #require(room).jpeg
        let image = try JPEGDecoder.decodeRGB(room, fitting: 10_000)
        var pixels = image.pixels
        for row in 0..<48 { for column in 0..<48 * 3 { pixels[row * image.width * 3 + column] = .random(in: 0...255) } }
        let jpeg = try JPEGEncoder.encode(RGBImage(width: image.width, height: image.height, pixels: pixels), quality: 95)
        // The scene's first segment is its EXIF.
        let exif = room[2..<4 + Int(room[4]) << 8 + Int(room[5])]
        try parts.replacePhoto(Array(jpeg.prefix(2)) + exif + jpeg.dropFirst(2))
        return parts
    }

    /// Replaces the photo, and its digest in the metadata.
    mutating func replacePhoto(_ bytes: [UInt8]) throws {
        photo = bytes
        var fields = try #require(try JSONSerialization.jsonObject(with: Data(metadata)) as? [String: Any])
        fields["photo_hash"] = Data(SHA256.hash(data: bytes)).base64EncodedString()
        metadata = Array(try JSONSerialization.data(withJSONObject: fields))
    }
}

extension [UInt8] {
    var sha256: String { Array(SHA256.hash(data: self)).lowerHex }

    func contains(_ text: String) -> Bool { Data(self).range(of: Data(text.utf8)) != nil }

    func changed(at offset: Int) -> [UInt8] {
        var copy = self
        copy[offset] ^= 1
        return copy
    }

    /// The coded picture of a JPEG: everything from its start-of-scan marker on (ITU-T T.81 §B.1.1.3). Segments before it are skipped,
    /// since one may contain a preview picture.
    var scan: ArraySlice<UInt8> {
        var offset = 2
        while offset + 4 <= count, self[offset] == 0xff {
            if self[offset + 1] == 0xda { return self[offset...] }
            offset += 2 + Int(self[offset + 2]) << 8 + Int(self[offset + 3])
        }
        return []
    }

    /// The middle of the longest run of zeros in a signed copy, which is the unused rest of the signature's box.
    var middleOfPadding: Int {
        var best = 0..<0
        var start = 0
        for (offset, byte) in enumerated() {
            if byte != 0 { start = offset + 1 }
            if offset + 1 - start > best.count { best = start..<offset + 1 }
        }
        return best.lowerBound + best.count / 2
    }
}
