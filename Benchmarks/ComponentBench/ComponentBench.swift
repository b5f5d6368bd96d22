import Attestation
import CaptureProtocol
import Compression
import Crypto
import Depth
import Foundation
import Imaging
import JPEGMetadata
import Models
import Scene
import ShareCard
import SimulatedDevice
import Synchronization

/// Measures the components, the device's among them, in relation to the bare cost of their parts, in CPU time on one core, and the
/// unavoidable work of a capture: the first output of `make bench`.
@main
enum ComponentBench {
    static func main() async throws {
        Table.head()
        let (assertion, bareAssertion) = try assertions()
        Table.row("P-256 verification alone", bareAssertion)
        Table.row("assertion check", assertion, bare: bareAssertion)
        let (attestation, bareAttestation) = try attestations()
        Table.row("P-384 verification alone", bareAttestation)
        Table.row("attestation check (known intermediate)", attestation, bare: bareAttestation)
        try await DeviceWork().print()
        try MovieWork().print()
        try photos()
        try VideoWork().print()
    }

    private static func assertions() throws -> (check: Double, bare: Double) {
        var device = SimulatedDevice()
        let authority = try DevelopmentAttestationAuthority()
        let challenge = [UInt8](repeating: 1, count: 32)
        let attested = try device.attestation(challenge: challenge, authority: authority)
        let hash = Array(SHA256.hash(data: challenge + (try device.requestPublicKey ?? [])))
        let verdict = AttestationAppraiser(
            roots: try .apple.adding(pem: authority.rootPEM), appIDs: [device.appID], environment: .development
        ).appraise(attested.attestationObject, keyID: attested.keyID, clientDataHash: hash, at: Date())
        guard case .verified(let verified) = verdict else { throw BenchError.notVerified }
        let assertion = try device.assertion(clientDataHash: hash)
        let appraiser = AssertionAppraiser(appIDs: [device.appID])
        let check = ProcessorTime.measure {
            guard case .verified = appraiser.appraise(assertion, publicKeyX963: verified.publicKeyX963, clientDataHash: hash) else {
                return false
            }
            return true
        }
        let key = P256.Signing.PrivateKey()
        let message = Data(hash)
        let signature = try key.signature(for: message)
        let publicKey = key.publicKey
        return (check, ProcessorTime.measure { publicKey.isValidSignature(signature, for: message) })
    }

    private static func attestations() throws -> (check: Double, bare: Double) {
        let device = SimulatedDevice()
        let authority = try DevelopmentAttestationAuthority()
        let challenge = [UInt8](repeating: 2, count: 32)
        let attested = try device.attestation(challenge: challenge, authority: authority)
        let hash = Array(SHA256.hash(data: challenge + (try device.requestPublicKey ?? [])))
        let appraiser = AttestationAppraiser(
            roots: try .apple.adding(pem: authority.rootPEM), appIDs: [device.appID], environment: .development)
        let now = Date()
        let check = ProcessorTime.measure {
            guard
                case .verified = appraiser.appraise(
                    attested.attestationObject, keyID: attested.keyID, clientDataHash: hash, at: now)
            else { return false }
            return true
        }
        let key = P384.Signing.PrivateKey()
        let message = Data(repeating: 3, count: 600)
        let signature = try key.signature(for: SHA256.hash(data: message))
        let publicKey = key.publicKey
        return (check, ProcessorTime.measure { publicKey.isValidSignature(signature, for: SHA256.hash(data: message)) })
    }

    private static func photos() throws {
        let scene = try SceneRenderer.render(.room, seed: 1, options: SceneOptions(capturedAt: Date()))
        let jpeg = scene.jpeg
        let depth = try scene.depthGzip()
        let (width, height) = (scene.depthWidth, scene.depthHeight)
        Table.row(
            "SHA-256 of the photo (\(jpeg.count / 1000) kB)",
            ProcessorTime.measure { SHA256.hash(data: jpeg).withUnsafeBytes { $0.count == 32 } })
        let colour = ProcessorTime.measure { (try? PhotoVariants(jpeg)) != nil }
        Table.row("one decode, brightness to \(PhotoVariants.largeSide) px", colour)
        Table.row(
            "thumbnail and page pictures with the decode",
            ProcessorTime.measure { (try? PhotoVariants(jpeg).makeCopies(orientation: 1) { _, _ in }) != nil },
            bare: colour)
        Table.row(
            "the same, turned upright", ProcessorTime.measure { (try? PhotoVariants(jpeg).makeCopies(orientation: 6) { _, _ in }) != nil },
            bare: colour)
        try shareCard(jpeg)
        let gray = try PhotoVariants(jpeg).luma(covering: (width, height))
        let luma = try LumaImage(width: gray.width, height: gray.height, pixels: gray.pixels)
        let whole = ProcessorTime.measure {
            guard let map = try? DepthMapDecoder.decode(depth, width: width, height: height) else { return false }
            return DepthAnalysis.analyze(depth: map, luma: luma, exifOrientation: 1).verdict == .real
        }
        Table.row("depth analysis \(width)×\(height)", whole)
        let map = try DepthMapDecoder.decode(depth, width: width, height: height)
        try largeDepth(map)
        Table.row("EXIF", ProcessorTime.measure { EXIFReader.read(jpeg: Array(jpeg.prefix(262_144))) != nil })
        Table.row("public copy", ProcessorTime.measure { (try? JPEGSegments.publicCopy(of: jpeg)) != nil })
        let credentials = try CredentialWork(photo: jpeg)
        let bare = ProcessorTime.measure { credentials.signAndReadBare() }
        Table.row("C2PA library alone, sign and read", bare)
        Table.row("Content Credentials, sign and read", ProcessorTime.measure { credentials.signAndRead() }, bare: bare)
        try UnavoidableWork(photo: jpeg, compressedDepth: depth, depth: map, credentials: credentials).print()
    }

    /// Drawn from either picture of a page.
    private static func shareCard(_ photo: [UInt8]) throws {
        let copies = Mutex<[PhotoVariants.Size: [UInt8]]>([:])
        try PhotoVariants(photo).makeCopies(orientation: 1) { size, copy in copies.withLock { $0[size] = copy.jpeg } }
        let content = ShareCardContent(subject: .photo, level: .high, capturedAt: .exact(Date()), placeName: "Lyon, France")
        let renderer = ShareCardRenderer()
        for (size, side) in [(PhotoVariants.Size.small, PhotoVariants.smallSide), (.large, PhotoVariants.largeSide)] {
            let copy = copies.withLock { $0[size] }
            Table.row("share card from \(side) px", ProcessorTime.measure { (try? renderer.render(content, photo: copy)) != nil })
        }
    }

    /// A depth map of the largest size compared with one of the sensor's size: at most three times the cost.
    private static func largeDepth(_ small: DepthMap) throws {
        let side = 1024
        let large = try DepthMap(
            width: side, height: side,
            metres: (0..<side * side).map { small.metres[$0 / side * small.height / side * small.width + $0 % side * small.width / side] })
        func work(_ map: DepthMap) throws -> Double {
            let compressed = try Deflate.compress(map.metres.withUnsafeBytes(Array.init))
            return ProcessorTime.measure {
                guard let map = try? DepthMapDecoder.decode(compressed, width: map.width, height: map.height) else { return false }
                return DepthAnalysis.analyze(depth: map, luma: nil, exifOrientation: 1).coverage > 0
            }
        }
        Table.row("depth analysis 1024×1024", try work(large), bare: try work(small))
    }

    private enum BenchError: Error { case notVerified, wrongResult }
}
