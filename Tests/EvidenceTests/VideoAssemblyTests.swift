import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Evidence

@Suite("Evidence of videos")
struct VideoAssemblyTests {
    /// A recording of 12 s that ended five seconds before receipt.
    private static let receipt = TimestampCheckTests.receipt
    private static let startedAt = receipt.addingTimeInterval(-17)

    private func chain(_ status: CheckStatus, _ reason: HashChainReason?, verified: Int) -> HashChainEvidence {
        HashChainEvidence(
            status: status, reason: reason, version: 2, isIntact: status != .fail, isAttested: verified > 0, verifiedFrames: verified,
            totalFrames: 360, verifiedMilliseconds: Int64(verified) * 1000 / 30, durationMilliseconds: 12_000,
            breakAtFrame: status == .fail ? 200 : nil,
            checkpoints: [CheckpointEvidence(index: 0, frames: 150, timeMilliseconds: 5000, isSigned: verified > 0)])
    }

    private func temporal(_ verdict: DepthVerdict, reason: VideoDepthReason? = nil) -> VideoDepthMeasurements {
        VideoDepthMeasurements(
            depthConsistency: 0.9, motionCoherence: 0.7, sceneStability: 0.95, edgeAlignment: 0.2, realShare: 1, flatShare: 0,
            suspiciousFrames: [], frameAnalyses: [], relief: 0.5, minDepth: 0.4, maxDepth: 4, coverage: 0.9, verdict: verdict,
            specifiedRule: true, method: VideoDepthRule.method, reason: reason, rotation: 1, framing: .whole)
    }

    private func statement(location: String? = nil) throws -> EvidenceAssembly.Statement {
        let recording = """
            {"id": "00000000-0000-4000-8000-000000000000", "started_at": "\(Timestamp.format(Self.startedAt))",
             "device_model": "iPhone 15 Pro"\(location.map { ", \"location\": \($0)" } ?? "")}
            """
        let metadata = """
            {"type": "video", "video_hash": "\(String(repeating: "0", count: 64))",
             "recording": "\(Data(recording.utf8).base64EncodedString())"}
            """
        return .video(
            try VideoMetadata.parse(Array(metadata.utf8), isOriginalLayout: false),
            MovieFacts(
                durationMilliseconds: 12_000, frameCount: 360, codec: "hevc", width: 1920, height: 1440, rotation: 90, hasAudio: true,
                creationDate: Timestamp.format(Self.startedAt), model: "iPhone 15 Pro"))
    }

    private func assemble(
        _ hardware: HardwareAppraisal, _ chain: HashChainEvidence?, _ depth: DepthFindings, location: String? = nil, hasLiDAR: Bool = true
    ) throws -> (package: EvidencePackage, confidence: ConfidenceLevel) {
        let attestation = AttestationFindings(
            hardware, level: .secureEnclave, environment: "production", isDevelopmentAttestation: true, deviceModel: "iPhone 15 Pro",
            hasLiDAR: hasLiDAR, hashChain: chain)
        return EvidenceAssembly.assemble(
            attestation: attestation, depth: depth, statement: try statement(location: location), receivedAt: Self.receipt,
            completedAt: Self.receipt.addingTimeInterval(1), cities: .loaded)
    }

    private func depth(_ verdict: DepthVerdict, reason: VideoDepthReason? = nil) -> DepthFindings {
        DepthFindings(measurements: nil, temporal: temporal(verdict, reason: reason), preview: nil)
    }

    private static let final = HardwareAppraisal.pass(SignedCapture(binding: .videoDepthMetadata, counter: 7))
    private static let checkpoint = HardwareAppraisal.pass(SignedCapture(binding: .checkpoint, counter: 7))

    @Test("gives HIGH to a recording that passes every check, with every finding in the package")
    func sound() throws {
        let (package, confidence) = try assemble(
            Self.final, chain(.pass, nil, verified: 360), depth(.real), location: #"{"latitude": 45.764043, "longitude": 4.835659}"#)
        #expect(confidence == .high)
        #expect(package.type == .video && package.mediaStored && package.analysisSource == .server)
        let facts = try #require(package.video)
        #expect(facts.durationMilliseconds == 12_000 && facts.frameCount == 360 && facts.codec == "hevc" && facts.rotation == 90)
        #expect(facts.startedAt == .exact(Self.startedAt) && facts.endedAt == .exact(Self.startedAt.addingTimeInterval(12)))
        #expect(package.hashChain == chain(.pass, nil, verified: 360) && package.partialAttestation?.isPartial == false)
        #expect(package.depthAnalysis.status == .pass && package.depthAnalysis.temporal == temporal(.real))
        let checks = package.metadata
        #expect(
            [checks.timestamp.status, checks.model.status, checks.resolution.status, checks.location.status] == [
                .pass, .pass, .pass, .pass,
            ])
        #expect(checks.locationCoarse == "Lyon, France")
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .pending, reason: nil))
        #expect(
            package.algorithmVersions == [
                "attestation": "app-attest-2", "hash_chain": "chain-2", "depth": "relief-video-1", "metadata": "metadata-2",
                "confidence": "confidence-video-1",
            ])
    }

    @Test("a partial recording is at most MEDIUM, is signed whole, and says which part is verified")
    func partial() throws {
        let (package, confidence) = try assemble(Self.checkpoint, chain(.inconclusive, .partial, verified: 150), depth(.real))
        #expect(confidence == .medium)
        #expect(package.depthAnalysis.status == .inconclusive && package.depthAnalysis.reason == StableWord(.partlySigned))
        #expect(package.partialAttestation?.isPartial == true && package.partialAttestation?.checkpointIndex == 0)
        #expect(package.partialAttestation?.verifiedMilliseconds == 5000)
        #expect(package.contentCredentials.status == .pending)
    }

    @Test("a broken chain makes it SUSPICIOUS and withholds Content Credentials, whatever else passes")
    func brokenChain() throws {
        let (package, confidence) = try assemble(Self.final, chain(.fail, .chainMismatch, verified: 0), depth(.real))
        #expect(confidence == .suspicious && package.hashChain?.breakAtFrame == 200)
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .suspicious))
    }

    @Test("a checkpoint vouches for time, place and model only where the chain is intact: it signs hashes that the sender states")
    func brokenPartial() throws {
        let (broken, confidence) = try assemble(Self.checkpoint, chain(.fail, .chainMismatch, verified: 0), depth(.real))
        #expect(confidence == .suspicious && broken.hardwareAttestation.status == .pass)
        #expect(broken.hardwareAttestation.binding == .checkpoint && broken.signatureCovers.isEmpty && !broken.coversMetadata)
        let partial = try assemble(Self.checkpoint, chain(.inconclusive, .partial, verified: 150), depth(.real)).package
        #expect(partial.signatureCovers == [.metadata] && partial.coversMetadata)
    }

    @Test("depth alone makes it MEDIUM where nothing accepted is signed, and no credentials are made")
    func unsigned() throws {
        let refused = HardwareAppraisal.unavailable(.environmentMismatch, signed: SignedCapture(binding: .checkpoint, counter: 7))
        for hardware in [HardwareAppraisal.unavailable(.noAssertion), .inconclusive(.mediaNotBound), refused] {
            let (package, confidence) = try assemble(hardware, chain(.inconclusive, .unsigned, verified: 0), depth(.real))
            #expect(confidence == .medium && package.depthAnalysis.status == .pass)
            #expect(package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .hardwareNotPassed))
            #expect(try assemble(hardware, chain(.inconclusive, .unsigned, verified: 0), depth(.flat)).confidence == .low)
        }
    }

    @Test("is not HIGH without findings about the chain")
    func noChain() throws { #expect(try assemble(Self.final, nil, depth(.real)).confidence == .medium) }

    @Test("says why depth did not pass", arguments: [VideoDepthReason.videoUndecodable, .frozenDepth, .depthNotOfVideo])
    func reason(reason: VideoDepthReason) throws {
        let package = try assemble(Self.final, chain(.pass, nil, verified: 360), depth(.undecided, reason: reason)).package
        #expect(package.depthAnalysis.status == .inconclusive && package.depthAnalysis.reason?.text == reason.rawValue)
        let without = try assemble(Self.final, chain(.pass, nil, verified: 360), depth(.undecided, reason: reason), hasLiDAR: false).package
        #expect(without.depthAnalysis.reason == StableWord(.noLiDAR))
    }

    @Test("the package survives storing, and its public form keeps back what the flags do")
    func coding() throws {
        let package = try assemble(Self.final, chain(.pass, nil, verified: 360), depth(.real)).package
        #expect(try WireJSON.decode(EvidencePackage.self, from: try WireJSON.encode(package)) == package)
        let form = package.publicForm(sharing: MetadataFlags(location: .none, timestamp: .none, device: .none))
        #expect(form.video?.startedAt == .notShared && form.video?.endedAt == .notShared && form.hardwareAttestation.counter == nil)
    }
}
