package import CaptureProtocol
package import Foundation
package import Models
package import Site

/// Captures in all states that the page distinguishes.
package enum Samples {
    package static let id = CaptureID(UUID(uuidString: "0f8fad5b-d9cb-469f-a165-70867728950e") ?? UUID())
    package static let deviceID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    package static let digest = digest("9f2c41d07be8a6353c10f4d2ab97e6015c8d3b7740e9f1a2566d0cb81e47a3f9")
    package static let copyDigest = digest("9f3a74e18bc0d6652a1f9e0477b3d8c5106e79ba2d4f01c3536a8eb70d14c2f9")
    /// 22 November 2025, 10:30:04 UTC.
    package static let captured = Date(timeIntervalSince1970: 1_763_807_404)
    package static let received = captured.addingTimeInterval(2)

    private static func digest(_ hex: String) -> ContentDigest {
        guard let digest = ContentDigest(text: hex) else { preconditionFailure("no digest") }
        return digest
    }

    package struct Evidence {
        let hardware: CheckStatus
        let hardwareReason: HardwareReason?
        let development: Bool
        let model: String
        let binding: AssertionBinding?
        let outOfOrder: Bool
        let depth: CheckStatus
        let depthReason: DepthReason?
        let verdict: DepthVerdict?
        let relief: Double?
        let front: Double
        let edges: Double?
        let method: String
        let source: AnalysisSource
        let time: MetadataCheck<TimestampReason>
        let modelCheck: MetadataCheck<ModelReason>
        let size: MetadataCheck<ResolutionReason>
        let location: MetadataCheck<LocationReason>
        let place: String?
        let credentials: ContentCredentialsEvidence

        package init(
            hardware: CheckStatus = .pass,
            hardwareReason: HardwareReason? = nil,
            development: Bool = false,
            model: String = "iPhone 15 Pro",
            binding: AssertionBinding? = .photoDepthMetadata,
            outOfOrder: Bool = false,
            depth: CheckStatus = .pass,
            depthReason: DepthReason? = nil,
            verdict: DepthVerdict? = .real,
            relief: Double? = 0.37,
            front: Double = 0.03,
            edges: Double? = 0.42,
            method: String = "relief-2",
            source: AnalysisSource = .server,
            time: MetadataCheck<TimestampReason> = MetadataCheck(.pass),
            modelCheck: MetadataCheck<ModelReason> = MetadataCheck(.pass),
            size: MetadataCheck<ResolutionReason> = MetadataCheck(.pass),
            location: MetadataCheck<LocationReason> = MetadataCheck(.unavailable, reason: .notProvided),
            place: String? = nil,
            credentials: ContentCredentialsEvidence = ContentCredentialsEvidence(status: .embedded, reason: nil)
        ) {
            self.hardware = hardware
            self.hardwareReason = hardwareReason
            self.development = development
            self.model = model
            self.binding = binding
            self.outOfOrder = outOfOrder
            self.depth = depth
            self.depthReason = depthReason
            self.verdict = verdict
            self.relief = relief
            self.front = front
            self.edges = edges
            self.method = method
            self.source = source
            self.time = time
            self.modelCheck = modelCheck
            self.size = size
            self.location = location
            self.place = place
            self.credentials = credentials
        }

        package var package: EvidencePackage {
            let measurements = verdict.map {
                DepthMeasurements(
                    depthVariance: 0.92, depthLayers: 5, edgeCoherence: 0.87, minDepth: 0.42, maxDepth: 3.6, relief: relief,
                    reliefFront: relief.map { _ in front }, reliefBehind: relief.map { $0 - front }, photoEdgesOnSurface: edges,
                    coverage: 0.94,
                    verdict: $0, specifiedRule: true, method: method, reason: nil, rotation: 0)
            }
            var depthEvidence = DepthAnalysisEvidence(
                status: depth, measurements: measurements, source: source, reason: depthReason.map(StableWord.init))
            depthEvidence.relief = relief
            return EvidencePackage(
                type: .photo,
                hardwareAttestation: HardwareAttestationEvidence(
                    AttestationFindings(
                        .sample(
                            hardware, binding: hardware == .pass ? binding : nil, reason: hardwareReason, counter: 4_071_178_203,
                            isOutOfOrder: outOfOrder),
                        level: .secureEnclave, environment: "production", isDevelopmentAttestation: development, deviceModel: model)),
                depthAnalysis: depthEvidence,
                metadata: MetadataEvidence(
                    timestamp: time, model: modelCheck, resolution: size, location: location,
                    place: place.map { CoarseLocation(latitude: 45.76, longitude: 4.84, name: $0) }),
                contentCredentials: credentials, analysisSource: source, mediaStored: source == .server,
                algorithmVersions: ["depth": method], processing: ProcessingEvidence(receivedAt: received, completedAt: received))
        }
    }

    package static func media(embedded: Bool = true, depth: Bool = true, tall: Bool = false) -> [MediaName: PublishedMedia] {
        let size = tall ? PixelSize(3024, 4032) : PixelSize(4032, 3024)
        var media: [MediaName: PublishedMedia] = [
            .publicCopy: PublishedMedia(
                sha256: digest, sizeBytes: 3_300_000, link: "/media/\(id)/public.jpg?expires=1&signature=00", size: size),
            .thumbnail: PublishedMedia(sha256: digest, sizeBytes: 20_000, link: "/media/\(id)/thumbnail.jpg", size: nil),
            .shareCard: PublishedMedia(sha256: digest, sizeBytes: 90_000, link: "/media/\(id)/og.jpg", size: nil),
        ]
        if embedded {
            media[.signedCopy] = PublishedMedia(
                sha256: copyDigest, sizeBytes: 3_400_000, link: "/media/\(id)/c2pa.jpg?expires=1&signature=00", size: size)
            media[.manifest] = PublishedMedia(
                sha256: copyDigest, sizeBytes: 18_000, link: "/media/\(id)/manifest.c2pa?expires=1&signature=00", size: nil)
        }
        if depth {
            media[.depthPreview] = PublishedMedia(
                sha256: digest, sizeBytes: 20_000, link: "/media/\(id)/depth-preview.png?expires=1&signature=00",
                size: tall ? PixelSize(576, 768) : PixelSize(768, 576))
        }
        return media
    }

    package static func record(
        _ evidence: Evidence? = Evidence(), _ confidence: ConfidenceLevel? = .high, status: CaptureStatus = .complete,
        kind: CaptureKind, failure: FailureReason? = nil, capturedAt: SharedTime = .exact(captured),
        receivedAt: Date = received, hasPlace: Bool = false, finished: Set<EvidencePart> = [], media: [MediaName: PublishedMedia] = media()
    ) -> PublicRecord {
        PublicRecord(
            id: id, kind: kind, status: status, failure: failure.map(StableWord.init), confidence: confidence,
            mediaHash: digest, capturedAt: capturedAt, receivedAt: .exact(receivedAt),
            evidence: evidence?.package.publicForm(sharing: .everything), hasPlace: hasPlace,
            model: "iPhone 15 Pro", isDevelopment: false, signedAt: captured.addingTimeInterval(3), issuer: nil, finished: finished,
            media: media)
    }

    /// Each with a name for the test's report.
    package static let states: [(name: String, record: PublicRecord)] = [
        ("high", record(kind: .photo)),
        ("high, upright", record(Evidence(location: MetadataCheck(.pass), place: "Lyon, France"), kind: .photo, media: media(tall: true))),
        (
            "late",
            record(
                Evidence(outOfOrder: true, time: MetadataCheck(.unavailable, reason: .uploadedLate)), kind: .photo,
                receivedAt: captured.addingTimeInterval(3 * 3600))
        ),
        ("flat", record(Evidence(depth: .inconclusive, depthReason: .flatSurface, verdict: .flat, relief: 0.04), .medium, kind: .photo)),
        ("no lidar", record(Evidence(depth: .inconclusive, depthReason: .noLiDAR), .medium, kind: .photo)),
        ("high, model unknown", record(Evidence(modelCheck: MetadataCheck(.unavailable, reason: .modelUnknown)), kind: .photo)),
        ("depth not signed", record(Evidence(binding: .photo, depth: .inconclusive, depthReason: .depthNotSigned), .medium, kind: .photo)),
        (
            "shape not signed",
            record(Evidence(binding: .photoDepth, depth: .inconclusive, depthReason: .depthNotSigned), .medium, kind: .photo)
        ),
        (
            "no depth",
            record(Evidence(depth: .unavailable, verdict: nil, relief: nil), .medium, kind: .photo, media: media(depth: false))
        ),
        (
            "device unverified",
            record(
                Evidence(
                    hardware: .unavailable, hardwareReason: .deviceUnverified,
                    credentials: .init(status: .withheld, reason: .hardwareNotPassed)),
                .medium, kind: .photo, media: media(embedded: false))
        ),
        (
            "low",
            record(
                Evidence(
                    hardware: .unavailable, hardwareReason: .noAssertion, depth: .inconclusive, depthReason: .tooFewValid,
                    verdict: .undecided, relief: nil, time: MetadataCheck(.unavailable, reason: .noEXIFTime),
                    modelCheck: MetadataCheck(.unavailable, reason: .modelUnknown),
                    size: MetadataCheck(.unavailable, reason: .modelUnknown),
                    credentials: .init(status: .withheld, reason: .hardwareNotPassed)), .low, kind: .photo, media: media(embedded: false))
        ),
        (
            "suspicious",
            record(
                Evidence(
                    hardware: .fail, hardwareReason: .badSignature, credentials: .init(status: .withheld, reason: .suspicious)),
                .suspicious, kind: .photo, media: media(embedded: false))
        ),
        (
            "suspicious in many ways",
            record(
                Evidence(
                    hardware: .fail, hardwareReason: .counterReplay, time: MetadataCheck(.fail, reason: .afterReceipt),
                    modelCheck: MetadataCheck(.fail, reason: .modelWithoutLiDAR),
                    size: MetadataCheck(.unavailable, reason: .sizeNotInTable), location: MetadataCheck(.fail, reason: .notOnEarth),
                    credentials: .init(status: .withheld, reason: .suspicious)), .suspicious, kind: .photo, media: media(embedded: false))
        ),
        (
            "revoked",
            record(
                Evidence(
                    hardware: .fail, hardwareReason: .deviceRevoked, time: MetadataCheck(.fail, reason: .differsFromCapturedAt),
                    modelCheck: MetadataCheck(.fail, reason: .differsFromRegistered),
                    credentials: .init(status: .withheld, reason: .suspicious)), .suspicious, kind: .photo, media: media(embedded: false))
        ),
        ("development", record(Evidence(development: true), kind: .photo)),
        (
            "credentials pending",
            record(Evidence(credentials: .init(status: .pending, reason: .noTimestampYet)), kind: .photo, media: media(embedded: false))
        ),
        (
            "not signable",
            record(
                Evidence(
                    time: MetadataCheck(.unavailable, reason: .noUTCOffset),
                    credentials: .init(status: .unavailable, reason: .photoNotSignable)), kind: .photo, media: media(embedded: false))
        ),
        (
            "original missing",
            record(Evidence(credentials: .init(status: .unavailable, reason: .pictureMissing)), kind: .photo, media: [:])
        ),
        (
            "hash only",
            record(
                Evidence(
                    binding: .payload, source: .device, time: MetadataCheck(.unavailable, reason: .dayOnly),
                    size: MetadataCheck(.unavailable, reason: .mediaNotStored)), kind: .hashOnly,
                capturedAt: .day(Date(timeIntervalSince1970: 1_763_769_600)), media: [:])
        ),
        (
            "time not shared",
            record(
                Evidence(
                    model: "", binding: .payload, source: .device, time: MetadataCheck(.unavailable, reason: .notShared),
                    modelCheck: MetadataCheck(.unavailable, reason: .notShared),
                    size: MetadataCheck(.unavailable, reason: .mediaNotStored)), kind: .hashOnly,
                capturedAt: .notShared, media: [:])
        ),
        ("video", record(kind: .video)),
        ("processing", record(nil, nil, status: .processing, kind: .photo, hasPlace: true, finished: [.attestation], media: [:])),
        ("failed", record(nil, nil, status: .failed, kind: .photo, failure: .originalMissing, media: [:])),
        ("failed, depth", record(nil, nil, status: .failed, kind: .photo, failure: .depthUnreadable, media: [:])),
        ("failed, ours", record(nil, nil, status: .failed, kind: .photo, failure: .handlingFailed, media: [:])),
    ]

    package static func record(named name: String) -> PublicRecord {
        guard let state = states.first(where: { $0.name == name }) else { preconditionFailure("there is no state \(name)") }
        return state.record
    }
}
