import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Evidence

@Suite("Evidence assembly")
struct EvidenceAssemblerTests {
    private static let receipt = TimestampCheckTests.receipt

    private func attestation(
        _ status: CheckStatus, _ binding: AssertionBinding?, reason: HardwareReason? = nil, model: String = "iPhone 15 Pro",
        hasLiDAR: Bool? = true
    ) -> AttestationFindings {
        AttestationFindings(
            .sample(status, binding: binding, reason: reason), level: status == .unavailable ? .unverified : .secureEnclave,
            environment: "production", isDevelopmentAttestation: true, deviceModel: model, hasLiDAR: hasLiDAR)
    }

    private func depth(_ verdict: DepthVerdict?, reason: DepthReason? = nil, method: String = "relief-2") -> DepthFindings {
        guard let verdict else { return DepthFindings(measurements: nil, unavailableReason: .noDepth, preview: nil) }
        let measurements = DepthMeasurements(
            depthVariance: 0.4, depthLayers: 3, edgeCoherence: 0.5, minDepth: 0.3, maxDepth: 4, relief: 0.6, coverage: 0.9,
            verdict: verdict,
            specifiedRule: false, method: method, reason: reason, rotation: 1)
        return DepthFindings(measurements: measurements, preview: nil)
    }

    private var exif: EXIFFields {
        var fields = TimestampCheckTests.exif(millisecondsBeforeReceipt: 5000)
        fields.model = "iPhone 15 Pro"
        (fields.pixelWidth, fields.pixelHeight) = (4032, 3024)
        return fields
    }

    private func metadata(_ location: String? = nil, width: Int = 256, height: Int = 192) throws -> CaptureMetadata {
        try CaptureMetadata.parse(
            Array(
                """
                {"captured_at": "2026-11-21T05:59:55Z", "device_model": "iPhone16,1", "photo_hash": "\(String(repeating: "0", count: 64))",
                 "depth_map_dimensions": {"width": \(width), "height": \(height)}\(location.map { ", \"location\": \($0)" } ?? "")}
                """.utf8))
    }

    private func assemble(
        _ attestation: AttestationFindings, _ depth: DepthFindings, exif: EXIFFields?, location: String? = nil
    ) throws -> (package: EvidencePackage, confidence: ConfidenceLevel) {
        EvidenceAssembly.assemble(
            attestation: attestation, depth: depth, statement: .photo(try metadata(location), exif: exif), receivedAt: Self.receipt,
            completedAt: Self.receipt.addingTimeInterval(0.25), cities: .loaded)
    }

    @Test("gives HIGH to a capture that passes every check, with every finding in the package")
    func sound() throws {
        let (package, confidence) = try assemble(
            attestation(.pass, .photoDepthMetadata), depth(.real), exif: exif,
            location: #"{"latitude": 37.774929, "longitude": -122.419416, "accuracy": 3.25}"#)
        #expect(confidence == .high)
        #expect(package.type == .photo && package.mediaStored && package.analysisSource == .server)
        #expect(package.hardwareAttestation == HardwareAttestationEvidence(attestation(.pass, .photoDepthMetadata)))
        #expect(package.depthAnalysis.status == .pass && package.depthAnalysis.source == .server && package.depthAnalysis.reason == nil)
        let checks = package.metadata
        #expect([checks.timestamp.status, checks.model.status, checks.resolution.status].allSatisfy { $0 == .pass })
        #expect(checks.timestampValid == true && checks.modelVerified == true && checks.locationAvailable)
        #expect(checks.locationCoarse == "San Francisco, CA" && checks.location.status == .pass)
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .pending, reason: nil))
        #expect(package.processing.durationMilliseconds == 250)
        #expect(Set(package.algorithmVersions.keys) == ["attestation", "depth", "metadata", "confidence"])
    }

    @Test("keeps the precise place out")
    func coarse() throws {
        let (package, _) = try assemble(
            attestation(.pass, .photoDepth), depth(.real), exif: exif,
            location: #"{"latitude": 37.774929, "longitude": -122.419416, "altitude": 16.75, "accuracy": 3.25}"#)
        let text = String(decoding: try WireJSON.encode(package), as: UTF8.self)
        for secret in ["37.774", "122.419", "16.75", "3.25", "altitude", "accuracy"] { #expect(!text.contains(secret)) }
        #expect(text.contains("37.77") && text.contains("-122.42"))
    }

    @Test(
        "ends each case at the specified confidence",
        arguments: [
            (.pass, .photoDepthMetadata, .real, .high), (.pass, .photoDepth, .real, .high), (.pass, .photo, .real, .medium),
            (.pass, .photoDepth, .flat, .medium), (.pass, .photoDepth, .undecided, .medium), (.pass, .photoDepth, nil, .medium),
            (.unavailable, nil, .real, .medium), (.unavailable, nil, .flat, .low), (.unavailable, nil, nil, .low),
            (.fail, nil, .real, .suspicious), (.fail, .photoDepth, .real, .suspicious), (.fail, nil, nil, .suspicious),
        ] as [(CheckStatus, AssertionBinding?, DepthVerdict?, ConfidenceLevel)])
    func levels(hardware: CheckStatus, binding: AssertionBinding?, verdict: DepthVerdict?, level: ConfidenceLevel) throws {
        #expect(try assemble(attestation(hardware, binding), depth(verdict), exif: exif).confidence == level)
        // Missing metadata do not change the level.
        #expect(try assemble(attestation(hardware, binding), depth(verdict), exif: nil).confidence == level)
    }

    @Test(
        "counts for the depth what a verified assertion covers, although it is not accepted; without one depth stands on its own",
        arguments: [
            (.photo, .inconclusive, .low), (.photoDepth, .pass, .medium), (.photoDepthMetadata, .pass, .medium), (nil, .pass, .medium),
        ] as [(AssertionBinding?, CheckStatus, ConfidenceLevel)])
    func binding(binding: AssertionBinding?, status: CheckStatus, level: ConfidenceLevel) throws {
        let refused = attestation(.unavailable, binding, reason: binding == nil ? .noAssertion : .bindingRetired)
        let (package, confidence) = try assemble(refused, depth(.real), exif: nil)
        #expect(package.depthAnalysis.status == status && confidence == level)
        #expect((package.depthAnalysis.reason?.known == .depthNotSigned) == (status == .inconclusive))
    }

    /// Each shape has as many values as 256 × 192.
    @Test(
        "never gives HIGH where the shape of the depth map is neither signed nor a sensor's",
        arguments: [
            (.photoDepth, 256, 192, .high), (.photoDepth, 1024, 48, .medium), (.photoDepth, 768, 64, .medium),
            (.photoDepth, 512, 96, .medium), (.photoDepth, 192, 256, .medium), (.photoDepthMetadata, 192, 256, .high),
        ] as [(AssertionBinding, Int, Int, ConfidenceLevel)])
    func shape(binding: AssertionBinding, width: Int, height: Int, level: ConfidenceLevel) throws {
        let (package, confidence) = EvidenceAssembly.assemble(
            attestation: attestation(.pass, binding), depth: depth(.real),
            statement: .photo(try metadata(width: width, height: height), exif: exif), receivedAt: Self.receipt, completedAt: Self.receipt,
            cities: .loaded)
        #expect(confidence == level)
        let reason: DepthReason? = level == .high ? nil : .depthNotSigned
        #expect(package.depthAnalysis.reason?.known == reason)
    }

    @Test("is SUSPICIOUS after one contradiction in the metadata")
    func contradiction() throws {
        var future = exif
        future.dateTimeOriginal = "2027:11:21 07:00:00"
        var other = exif
        other.model = "iPhone 15"
        let sound = attestation(.pass, .photoDepthMetadata)
        #expect(try assemble(sound, depth(.real), exif: future).confidence == .suspicious)
        #expect(try assemble(sound, depth(.real), exif: other).confidence == .suspicious)
        let (package, confidence) = try assemble(sound, depth(.real), exif: exif, location: #"{"lat": 91, "lng": 0}"#)
        #expect(confidence == .suspicious && package.metadata.location.status == .fail)
        #expect(!package.metadata.locationAvailable && package.metadata.locationCoarse == nil && package.metadata.location.latitude == nil)
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .suspicious))
    }

    @Test(
        "says why depth did not pass",
        arguments: [
            (nil, nil, .photoDepth, .noDepth), (.flat, nil, .photoDepth, .flatSurface),
            (.undecided, .tooFewValid, .photoDepth, .tooFewValid),
            (.undecided, nil, nil, .undecided), (.real, .notASurface, .photo, .depthNotSigned),
            (.real, .notASurface, .photoDepth, nil),
        ] as [(DepthVerdict?, DepthReason?, AssertionBinding?, DepthReason?)])
    func depthReason(verdict: DepthVerdict?, reason: DepthReason?, binding: AssertionBinding?, expected: DepthReason?) throws {
        let package = try assemble(attestation(.pass, binding), depth(verdict, reason: reason), exif: nil).package
        #expect(package.depthAnalysis.reason?.known == expected)
    }

    @Test(
        "never gives HIGH to a device without a LiDAR sensor, whatever its depth shows",
        arguments: [
            ("iPhone 15 Pro", false), ("Nokia 3310", false), ("iPhone 15", true), ("iPhone13,1", nil), ("iPhone 11 Pro", true),
        ] as [(String, Bool?)], [DepthVerdict.real, .flat, .undecided])
    func noLiDAR(device: (model: String, hasLiDAR: Bool?), verdict: DepthVerdict) throws {
        let found = attestation(.pass, .photoDepthMetadata, model: device.model, hasLiDAR: device.hasLiDAR)
        let (package, confidence) = try assemble(found, depth(verdict, reason: verdict == .undecided ? .tooFewValid : nil), exif: nil)
        #expect(package.depthAnalysis.status == .inconclusive && package.depthAnalysis.reason?.known == .noLiDAR)
        #expect(package.depthAnalysis.verdict == verdict)
        #expect(confidence != .high)
        let none = try assemble(found, depth(nil), exif: nil).package.depthAnalysis
        #expect(none.status == .unavailable && none.reason?.known == .noDepth)
    }

    @Test("believes the device about its sensor when the model is unknown", arguments: ["iPhone 15 Pro", "iPhone", "iPhone99,9"])
    func hasLiDAR(model: String) throws {
        for word in [true, nil] {
            let package = try assemble(attestation(.pass, .photoDepth, model: model, hasLiDAR: word), depth(.real), exif: nil).package
            #expect(package.depthAnalysis.status == .pass)
        }
    }

    @Test("names the method that measured the depth", arguments: ["relief-1", "relief-2"])
    func method(method: String) throws {
        let package = try assemble(attestation(.pass, .photoDepth), depth(.real, method: method), exif: nil).package
        #expect(package.algorithmVersions["depth"] == method && package.depthAnalysis.method == method)
        let without = try assemble(attestation(.pass, .photoDepth), depth(nil), exif: nil).package
        #expect(without.algorithmVersions["depth"] == "relief-2")
    }

    @Test("withholds Content Credentials without a verified device")
    func withheld() throws {
        let package = try assemble(attestation(.unavailable, nil, reason: .noAssertion), depth(.real), exif: nil).package
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .hardwareNotPassed))
    }
}
