import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Evidence

@Suite("Evidence of hash-only captures")
struct HashOnlyAssemblyTests {
    private static let receipt = HashOnlySamples.receipt

    private func assemble(
        _ payload: HashOnlyPayload, hardware: CheckStatus = .pass, registered: String = HashOnlySamples.model
    ) -> (package: EvidencePackage, confidence: ConfidenceLevel) {
        let attestation = AttestationFindings(
            .sample(hardware, binding: hardware == .pass ? .payload : nil), level: .secureEnclave, environment: "production",
            isDevelopmentAttestation: false, deviceModel: registered, hasLiDAR: true,
            hashChain: payload.video.map { HashChainEvidence(notStored: $0) })
        let depth = DepthFindings(
            measurements: payload.depth.map(DepthMeasurements.init), temporal: payload.video?.depth.map(VideoDepthMeasurements.init),
            unavailableReason: payload.depth == nil && payload.video?.depth == nil ? .noDepth : nil, preview: nil)
        return EvidenceAssembly.assemble(
            attestation: attestation, depth: depth, statement: .hashOnly(payload), receivedAt: Self.receipt,
            completedAt: Self.receipt.addingTimeInterval(0.25), cities: .loaded)
    }

    @Test("is HIGH with a signed scene, says who measured, and signs nothing for media that were not seen")
    func sound() {
        let (package, confidence) = assemble(HashOnlySamples.payload())
        #expect(confidence == .high)
        #expect(package.type == .photo && !package.mediaStored && package.analysisSource == .device)
        #expect(package.depthAnalysis.source == .device && package.depthAnalysis.status == .pass)
        #expect(package.hardwareAttestation.binding == .payload && package.coversMetadata)
        #expect(package.metadata.timestamp == MetadataCheck(.pass) && package.metadata.model == MetadataCheck(.pass))
        #expect(package.metadata.resolution == MetadataCheck(.unavailable, reason: .mediaNotStored))
        #expect(package.metadata.locationCoarse == "Lyon, France" && package.metadata.location.latitude == 45.76)
        #expect(package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .mediaNotStored))
    }

    @Test("of a video says frames and duration as reported, and that its chain was not computed")
    func video() {
        let (package, confidence) = assemble(HashOnlySamples.video())
        #expect(confidence == .high && package.type == .video && !package.mediaStored)
        #expect(package.video?.frameCount == 60 && package.video?.durationMilliseconds == 2000 && package.video?.codec == nil)
        #expect(package.video?.finalHash == ContentDigest(of: [8]))
        #expect(package.hashChain?.status == .unavailable && package.hashChain?.reason == StableWord(.mediaNotStored))
        #expect(package.partialAttestation?.isPartial != true)
        #expect(package.depthAnalysis.source == .device && package.depthAnalysis.temporal?.keyframes == 20)
        #expect(package.algorithmVersions["depth"] == "relief-video-1" && package.algorithmVersions["confidence"] == "confidence-1")
        let day = assemble(HashOnlySamples.video(sharing: MetadataFlags(location: .none, timestamp: .day, device: .none))).package
        #expect(
            day.video?.startedAt == .day(HashOnlySamples.receipt.addingTimeInterval(-6 * 3600))
                && day.video?.endedAt == day.video?.startedAt)
        #expect(assemble(HashOnlySamples.video(depth: nil)).confidence == .medium)
    }

    @Test("is MEDIUM without a scene, and SUSPICIOUS where a check fails, always without credentials")
    func others() {
        let flat = SignedDepth(
            depthVariance: 0.1, depthLayers: 1, edgeCoherence: 0, minDepth: 0.8, maxDepth: 1.1, relief: 0.02, reliefFront: 0.02,
            reliefBehind: 0, photoEdgesOnSurface: nil, coverage: 1, reason: nil)
        for depth in [flat, nil] { #expect(assemble(HashOnlySamples.payload(depth: depth)).confidence == .medium) }
        #expect(assemble(HashOnlySamples.payload(depth: nil)).package.depthAnalysis.reason == StableWord(.noDepth))
        let replayed = assemble(HashOnlySamples.payload(), hardware: .fail)
        #expect(replayed.confidence == .suspicious)
        #expect(replayed.package.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .mediaNotStored))
    }

    @Test("holds nothing against anyone that is not shared")
    func notShared() {
        let (package, confidence) = assemble(
            HashOnlySamples.payload(sharing: MetadataFlags(location: .none, timestamp: .none, device: .none)), registered: "iPhone 8")
        #expect(package.metadata.timestamp == MetadataCheck(.unavailable, reason: .notShared))
        #expect(package.metadata.model == MetadataCheck(.unavailable, reason: .notShared))
        #expect(package.metadata.location.status == .unavailable && package.metadata.location.reason == StableWord(.notShared))
        #expect(package.metadata.locationCoarse == nil && !package.metadata.locationAvailable)
        #expect(confidence == .medium, "a model without the sensor still counts against its depth")
    }

    @Test("a place that may be shared and is not there was not provided")
    func noFix() {
        let payload = HashOnlySamples.payload(sharing: MetadataFlags(location: .coarse, timestamp: .exact, device: .model), location: nil)
        #expect(assemble(payload).package.metadata.location.reason == StableWord(.notProvided))
    }

    @Test(
        "judges the signed time in the place of EXIF",
        arguments: [
            (-5.0, .pass, nil), (-900, .pass, nil), (-900.001, .unavailable, .uploadedLate),
            (-31 * 86_400, .unavailable, .uploadedVeryLate),
            (120, .pass, nil), (120.001, .fail, .afterReceipt),
        ] as [(TimeInterval, CheckStatus, TimestampReason?)])
    func exactTime(later: TimeInterval, status: CheckStatus, reason: TimestampReason?) {
        let check = TimestampCheck.result(signed: .exact(Self.receipt.addingTimeInterval(later)), receivedAt: Self.receipt)
        #expect(check == MetadataCheck(status, reason: reason))
    }

    /// Received at 6 o'clock.
    @Test(
        "judges a day by its begin in UTC",
        arguments: [
            (0.0, .unavailable, .dayOnly), (-40 * 86_400, .unavailable, .dayOnly), (17.9 * 3600, .unavailable, .dayOnly),
            (18 * 3600, .fail, .afterReceipt),
        ] as [(TimeInterval, CheckStatus, TimestampReason)])
    func day(later: TimeInterval, status: CheckStatus, reason: TimestampReason) {
        let check = TimestampCheck.result(
            signed: SharedTime(Self.receipt.addingTimeInterval(later), .day), receivedAt: Self.receipt)
        #expect(check == MetadataCheck(status, reason: reason))
    }

    @Test("a day that begins within two minutes is no contradiction: clocks differ")
    func midnight() {
        let tomorrow = SharedTime(Self.receipt.addingTimeInterval(18 * 3600), .day)
        let received = Self.receipt.addingTimeInterval(18 * 3600 - 119)
        #expect(TimestampCheck.result(signed: tomorrow, receivedAt: received) == MetadataCheck(.unavailable, reason: .dayOnly))
    }

    @Test("compares a shared model with the registered one")
    func model() {
        #expect(assemble(HashOnlySamples.payload(), registered: "iPhone 13 Pro").confidence == .suspicious)
        let payload = HashOnlySamples.payload(model: "iPhone 8")
        #expect(assemble(payload).package.metadata.model == MetadataCheck(.fail, reason: .modelWithoutLiDAR))
    }

    /// Each is certainly `real` by its numbers.
    private static func scenes(sharing flags: MetadataFlags) -> [HashOnlyPayload] {
        [HashOnlySamples.payload(sharing: flags), HashOnlySamples.video(sharing: flags)]
    }

    private static func forms(_ package: EvidencePackage, sharing flags: MetadataFlags) -> [EvidencePackage] {
        [package.publicForm(sharing: flags), package.statedForm(sharing: flags)]
    }

    @Test("that a phone has no LiDAR is public only where its model is, whatever its depth shows", arguments: MetadataFlags.Device.allCases)
    func withoutLiDAR(device: MetadataFlags.Device) throws {
        let flags = MetadataFlags(location: .none, timestamp: .exact, device: device)
        for scene in Self.scenes(sharing: flags) {
            let package = assemble(scene, registered: "iPhone 15").package
            let own = package.depthAnalysis
            #expect(own.reason == StableWord(.noLiDAR) && own.verdict == .real && own.isLikelyRealScene == true)
            for form in Self.forms(package, sharing: flags) {
                let told = form.depthAnalysis
                #expect(told.status == own.status, "the confidence follows from it")
                guard device == .none else {
                    #expect(told == own)
                    continue
                }
                #expect(told.reason == StableWord(.undecided) && told.verdict == .undecided && told.isLikelyRealScene == false)
                #expect(told.relief == nil && told.reliefFront == nil && told.reliefBehind == nil && told.specifiedRule == nil)
                #expect(told.depthVariance == nil && told.coverage == nil && told.temporal == nil)
                #expect(try WireJSON.decode(DepthAnalysisEvidence.self, from: try WireJSON.encode(told)) == told)
            }
        }
    }

    @Test("undecided depth of a phone without LiDAR is told like that of any other")
    func undecided() {
        let flags = MetadataFlags(location: .none, timestamp: .exact, device: .none)
        let slight = SignedDepth(
            depthVariance: 0.1, depthLayers: 1, edgeCoherence: 0, minDepth: 0.8, maxDepth: 1.1, relief: 0.15, reliefFront: 0.05,
            reliefBehind: 0.1, photoEdgesOnSurface: nil, coverage: 1, reason: nil)
        let payload = HashOnlySamples.payload(sharing: flags, depth: slight)
        let (without, with) = (assemble(payload, registered: "iPhone 15").package, assemble(payload).package)
        #expect(without.depthAnalysis != with.depthAnalysis)
        for (told, other) in zip(Self.forms(without, sharing: flags), Self.forms(with, sharing: flags)) {
            #expect(told.depthAnalysis == other.depthAnalysis)
        }
    }

    @Test("depth that counts is told as it is, whether or not it decides anything")
    func decidedBySensor() {
        let flags = MetadataFlags(location: .none, timestamp: .exact, device: .none)
        let slight = SignedDepth(
            depthVariance: 0.1, depthLayers: 1, edgeCoherence: 0, minDepth: 0.8, maxDepth: 1.1, relief: 0.15, reliefFront: 0.05,
            reliefBehind: 0.1, photoEdgesOnSurface: nil, coverage: 1, reason: nil)
        let flat = SignedDepth(
            depthVariance: 0.1, depthLayers: 1, edgeCoherence: 0, minDepth: 0.8, maxDepth: 1.1, relief: 0.02, reliefFront: 0.02,
            reliefBehind: 0, photoEdgesOnSurface: nil, coverage: 1, reason: nil)
        for depth in [HashOnlySamples.depth, slight, flat, nil] {
            let package = assemble(HashOnlySamples.payload(sharing: flags, depth: depth)).package
            #expect(package.publicForm(sharing: flags).depthAnalysis == package.depthAnalysis)
        }
    }

    @Test("the public form has no model and no time beyond the flags", arguments: MetadataFlags.all)
    func publicForm(flags: MetadataFlags) throws {
        let package = assemble(HashOnlySamples.payload(sharing: flags)).package
        let text = String(decoding: try WireJSON.encode(package.publicForm(sharing: flags)), as: UTF8.self)
        #expect(text.contains("iPhone") == (flags.device != .none))
        #expect(text.contains("2026-11-21T") == (flags.timestamp == .exact))
        #expect(text.contains(#""received_at":"2026-11-21"#) && !text.contains("\"counter\""))
        #expect(text.contains("Lyon") == (flags.location != .none))
        #expect(try WireJSON.decode(EvidencePackage.self, from: text.utf8) == package.publicForm(sharing: flags))
    }

    /// Otherwise it would tell the time of receipt to whoever knows when the check ended.
    @Test("how long the check took is told only with an exact time, and kept", arguments: MetadataFlags.all)
    func duration(flags: MetadataFlags) throws {
        for payload in Self.scenes(sharing: flags) {
            let package = assemble(payload).package
            #expect(package.processing.durationMilliseconds == 250)
            for form in Self.forms(package, sharing: flags) {
                #expect((form.processing.durationMilliseconds != nil) == (flags.timestamp == .exact))
                let text = String(decoding: try WireJSON.encode(form.processing), as: UTF8.self)
                #expect(text.contains(flags.timestamp == .exact ? #""duration_ms":250"# : #""duration_ms":null"#))
                #expect(try WireJSON.decode(ProcessingEvidence.self, from: text.utf8) == form.processing)
            }
        }
    }
}
