import Blocking
import CaptureProtocol
import Foundation
import Imaging
import Models
import Signing
import TestSupport

@testable import ContentCredentials

/// A photo, its evidence, and a signer with a private authority.
struct Fixture {
    let captureID = CaptureID()
    let identity: DevelopmentAuthority.Identity
    let signer: PEMSigner
    let photo: [UInt8]
    static let capturedAt = Date(timeIntervalSince1970: 1_795_240_800)

    init(algorithm: SigningAlgorithm = .ed25519, leafValidity: DateInterval? = nil) throws {
        identity = try DevelopmentAuthority.make(algorithm: algorithm, leafValidity: leafValidity, now: .now)
        signer = try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: .now)
        photo = try Self.makePhoto()
    }

    /// 160 × 120 pixels of noise over a gradient, with EXIF.
    static func makePhoto() throws -> [UInt8] {
        let pixels = (0..<160 * 120).flatMap { index -> [UInt8] in
            let noise = (index &* 2_654_435_761) >> 7 & 63
            return [UInt8(index % 160 + noise), UInt8(index / 160 + noise), UInt8(noise * 4)]
        }
        let jpeg = try JPEGEncoder.encode(RGBImage(width: 160, height: 120, pixels: pixels), quality: 90)
        return Array(jpeg.prefix(2)) + exifSegment + jpeg.dropFirst(2)
    }

    /// APP1 with one entry, Make (0x010f) "Apple".
    static let exifSegment: [UInt8] =
        [0xff, 0xe1, 0x00, 0x28] + Array("Exif\0\0".utf8) + [0x4d, 0x4d, 0x00, 0x2a, 0, 0, 0, 8, 0, 1]
        + [0x01, 0x0f, 0, 2, 0, 0, 0, 6, 0, 0, 0, 26] + [0, 0, 0, 0] + Array("Apple\0".utf8)

    static func evidence(hasDepth: Bool = true, deviceModel: String = "iPhone 15 Pro") -> EvidencePackage {
        let attestation = AttestationFindings(
            .sample(.pass, counter: 4_071_178_203), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false,
            deviceModel: deviceModel)
        let measurements = DepthMeasurements(
            depthVariance: 0.5, depthLayers: 3, edgeCoherence: 0.75, minDepth: 0.25, maxDepth: 4.5, relief: 0.625, reliefFront: 0.5,
            reliefBehind: 0.125, photoEdgesOnSurface: 0.25, coverage: 1,
            verdict: .real, specifiedRule: true, method: "relief-2", reason: nil, rotation: 1)
        let place = CoarseLocation(latitude: 37.77, longitude: -122.42, name: "San Francisco, CA")
        return EvidencePackage(
            type: .photo, hardwareAttestation: HardwareAttestationEvidence(attestation),
            depthAnalysis: DepthAnalysisEvidence(
                status: hasDepth ? .pass : .unavailable, measurements: hasDepth ? measurements : nil, source: .server,
                reason: hasDepth ? nil : StableWord(.noDepth)),
            metadata: MetadataEvidence(
                timestamp: MetadataCheck(.pass), model: MetadataCheck(.fail, reason: .modelWithoutLiDAR),
                resolution: MetadataCheck(.unavailable, reason: .sizeUnknown), location: MetadataCheck(.pass), place: place),
            contentCredentials: ContentCredentialsEvidence(status: .pending, reason: nil), analysisSource: .server, mediaStored: true,
            algorithmVersions: ["depth": "relief-2", "confidence": "1"],
            processing: ProcessingEvidence(receivedAt: capturedAt, completedAt: capturedAt))
    }

    func claim(_ evidence: EvidencePackage = evidence()) -> CaptureClaim {
        CaptureClaim(captureID: captureID, capturedAt: Self.capturedAt, evidence: evidence, confidence: .medium)
    }

    /// The signed copy's bytes and the writer's result.
    func sign(_ source: [UInt8]? = nil, by signer: (any ClaimSigner)? = nil, timestampAuthority: URL? = nil) throws -> (
        copy: [UInt8], result: SignedCopy
    ) {
        let writer = try CredentialWriter(signer: signer ?? self.signer, timestampAuthority: timestampAuthority)
        let result = try writer.sign(claim(), photo: source ?? photo)
        return (result.bytes, result)
    }

    func sign(claim: CaptureClaim) throws -> [UInt8] {
        try CredentialWriter(signer: signer, timestampAuthority: nil).sign(claim, photo: photo).bytes
    }

    func read(_ bytes: [UInt8], mediaType: String? = "image/jpeg", timestampAnchors: String? = nil) throws -> CredentialReport {
        let file = try NamelessFile(holding: bytes)
        return try CredentialReader(trustAnchorsPEM: identity.rootPEM, timestampAnchorsPEM: timestampAnchors)
            .read(fileDescriptor: file.descriptor, mediaType: mediaType, at: .now)
    }
}

/// Signs with a key that does not match its certificates.
struct ImpostorSigner: ClaimSigner {
    let owner: PEMSigner
    let stranger: PEMSigner
    var algorithm: SigningAlgorithm { owner.algorithm }
    var certificateChainPEM: String { owner.certificateChainPEM }
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] { try stranger.sign(bytes) }
    func check() throws(SigningError) {}
}

/// Returns a prepared result for any input.
struct ScriptedSigner: ClaimSigner {
    let owner: PEMSigner
    let answer: Result<[UInt8], SigningError>
    var algorithm: SigningAlgorithm { owner.algorithm }
    var certificateChainPEM: String { owner.certificateChainPEM }
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] { try answer.get() }
    func check() throws(SigningError) { _ = try answer.get() }
}

extension [UInt8] {
    /// The offset of the last occurrence of the text.
    func offset(ofLast text: String) -> Int? { Data(self).range(of: Data(text.utf8), options: .backwards)?.lowerBound }

    func changed(at offset: Int) -> [UInt8] {
        var copy = self
        copy[offset] ^= 1
        return copy
    }

    /// From the first start-of-scan marker to the end.
    var scan: ArraySlice<UInt8> {
        let start = Data(self).range(of: Data([0xff, 0xda, 0x00, 0x0c]))?.lowerBound ?? endIndex
        return self[start...]
    }
}
