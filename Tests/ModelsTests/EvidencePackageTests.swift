import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@Suite("Evidence package")
struct EvidencePackageTests {
    private let received = Date(timeIntervalSince1970: 1_795_240_800)

    private func package(
        _ attestation: AttestationFindings, _ measurements: DepthMeasurements?, place: CoarseLocation?
    ) -> EvidencePackage {
        EvidencePackage(
            type: .photo, hardwareAttestation: HardwareAttestationEvidence(attestation),
            depthAnalysis: DepthAnalysisEvidence(
                status: measurements == nil ? .unavailable : .pass, measurements: measurements, source: .server,
                reason: measurements == nil ? StableWord(.noDepth) : nil,
                previewScale: measurements == nil ? nil : DepthPreviewScale(near: 0.5, far: 4)),
            metadata: MetadataEvidence(
                timestamp: MetadataCheck(.pass), model: MetadataCheck(.fail, reason: .modelWithoutLiDAR),
                resolution: MetadataCheck(.unavailable, reason: .sizeUnknown),
                location: place == nil ? MetadataCheck(.unavailable, reason: .notProvided) : MetadataCheck(.pass), place: place),
            contentCredentials: ContentCredentialsEvidence(status: .withheld, reason: .suspicious), analysisSource: .server,
            mediaStored: true, algorithmVersions: ["depth": "relief-2"],
            processing: ProcessingEvidence(receivedAt: received, completedAt: received.addingTimeInterval(0.5)))
    }

    private var full: EvidencePackage {
        package(
            AttestationFindings(
                .sample(.pass), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false,
                deviceModel: "iPhone 15 Pro"),
            DepthMeasurements(
                depthVariance: 0.5, depthLayers: 3, edgeCoherence: 0.75, minDepth: 0.25, maxDepth: 4.5, relief: 0.5,
                reliefFront: 0.375, reliefBehind: 0.125, photoEdgesOnSurface: 0.25, coverage: 1, verdict: .real, specifiedRule: true,
                method: "relief-2", reason: nil, rotation: 1),
            place: CoarseLocation(latitude: 37.77, longitude: -122.42, name: "San Francisco, CA"))
    }

    private var empty: EvidencePackage {
        package(
            AttestationFindings(
                .unavailable(.deviceUnverified), level: .unverified, environment: nil, isDevelopmentAttestation: false,
                deviceModel: "iPhone"),
            nil, place: nil)
    }

    private func text(_ package: EvidencePackage) throws -> String { String(decoding: try WireJSON.encode(package), as: UTF8.self) }

    @Test("has the specified shape")
    func shape() throws {
        #expect(
            try text(full)
                == [
                    #"{"algorithm_versions":{"depth":"relief-2"},"analysis_source":"server","#,
                    #""content_credentials":{"reason":"suspicious","status":"withheld"},"#,
                    #""depth_analysis":{"coverage":1,"depth_layers":3,"depth_variance":0.5,"edge_coherence":0.75,"#,
                    #""is_likely_real_scene":true,"max_depth":4.5,"method":"relief-2","min_depth":0.25,"photo_edges_on_surface":0.25,"#,
                    #""preview_scale":{"far":4,"near":0.5},"reason":null,"relief":0.5,"relief_behind":0.125,"relief_front":0.375,"#,
                    #""source":"server","specified_rule":true,"status":"pass","verdict":"real"},"#,
                    #""hardware_attestation":{"binding":"photo+depth+metadata","counter":7,"development_attestation":false,"#,
                    #""device_model":"iPhone 15 Pro","environment":"production","level":"secure_enclave","out_of_order":false,"#,
                    #""reason":null,"signature_covers":["photo","depth","metadata"],"status":"pass"},"media_stored":true,"#,
                    #""metadata":{"location":{"latitude":37.77,"longitude":-122.42,"status":"pass"},"location_available":true,"#,
                    #""location_coarse":"San Francisco, CA","model":{"reason":"model_without_lidar","status":"fail"},"#,
                    #""model_verified":false,"resolution":{"reason":"size_unknown","status":"unavailable"},"#,
                    #""timestamp":{"status":"pass"},"timestamp_valid":true},"#,
                    #""processing":{"completed_at":"2026-11-21T06:00:00.500Z","duration_ms":500,"received_at":"2026-11-21T06:00:00.000Z"},"#,
                    #""type":"photo"}"#,
                ].joined())
    }

    @Test("writes what is unknown as null")
    func nulls() throws {
        #expect(
            try text(empty)
                == [
                    #"{"algorithm_versions":{"depth":"relief-2"},"analysis_source":"server","#,
                    #""content_credentials":{"reason":"suspicious","status":"withheld"},"#,
                    #""depth_analysis":{"coverage":null,"depth_layers":null,"depth_variance":null,"edge_coherence":null,"#,
                    #""is_likely_real_scene":null,"max_depth":null,"method":null,"min_depth":null,"photo_edges_on_surface":null,"preview_scale":null,"#,
                    #""reason":"no_depth","relief":null,"relief_behind":null,"relief_front":null,"#,
                    #""source":"server","specified_rule":null,"status":"unavailable","verdict":null},"#,
                    #""hardware_attestation":{"binding":null,"development_attestation":false,"device_model":"iPhone","environment":null,"#,
                    #""level":"unverified","out_of_order":null,"reason":"device_unverified","signature_covers":[],"status":"unavailable"},"media_stored":true,"#,
                    #""metadata":{"location":{"reason":"not_provided","status":"unavailable"},"location_available":false,"#,
                    #""location_coarse":null,"model":{"reason":"model_without_lidar","status":"fail"},"#,
                    #""model_verified":false,"resolution":{"reason":"size_unknown","status":"unavailable"},"#,
                    #""timestamp":{"status":"pass"},"timestamp_valid":true},"#,
                    #""processing":{"completed_at":"2026-11-21T06:00:00.500Z","duration_ms":500,"received_at":"2026-11-21T06:00:00.000Z"},"#,
                    #""type":"photo"}"#,
                ].joined())
    }

    @Test("writes the times of a video as null where they are not shared")
    func untoldTimes() throws {
        let reported = SignedVideo(durationMilliseconds: 1000, frameCount: 10, finalHash: ContentDigest(of: [UInt8(1)]), depth: nil)
        let json = String(decoding: try WireJSON.encode(VideoFacts(reported, startedAt: .notShared)), as: UTF8.self)
        #expect(json.contains(#""started_at":null"#) && json.contains(#""ended_at":null"#))
    }

    @Test("reads a record of relief-1, which keeps its method and has no parts of relief")
    func earlierMethod() throws {
        let old = try text(full).replacing("relief-2", with: "relief-1").replacing(
            #","relief_behind":0.125,"relief_front":0.375"#, with: ""
        )
        .replacing(#","photo_edges_on_surface":0.25"#, with: "")
        #expect(!old.contains("relief_") && !old.contains("photo_edges"))
        let read = try WireJSON.decode(EvidencePackage.self, from: Data(old.utf8))
        let depth = read.depthAnalysis
        #expect(depth.method == "relief-1" && read.algorithmVersions["depth"] == "relief-1")
        #expect(depth.relief == 0.5 && depth.verdict == .real && depth.status == .pass)
        #expect(depth.reliefFront == nil && depth.reliefBehind == nil && depth.photoEdgesOnSurface == nil)
        // Findings stored by an earlier analyzer.
        let measured = try WireJSON.decode(
            DepthMeasurements.self,
            from: Data(
                (#"{"depth_variance":0.5,"depth_layers":3,"edge_coherence":0.75,"relief":0.5,"coverage":1,"verdict":"real","#
                    + #""specified_rule":true,"method":"relief-1","rotation":1}"#).utf8))
        #expect(measured.method == "relief-1" && measured.relief == 0.5 && measured.reliefFront == nil)
    }

    @Test("reads back what it wrote")
    func roundTrip() throws {
        for package in [full, empty] {
            let read = try WireJSON.decode(EvidencePackage.self, from: WireJSON.encode(package))
            #expect(read == package)
        }
    }

    @Test("shows the public everything but the counter")
    func publicForm() throws {
        let form = full.publicForm(sharing: .everything)
        #expect(!(try text(form)).contains("counter"))
        var expected = full
        expected.hardwareAttestation.counter = nil
        #expect(form == expected)
    }

    @Test(
        "says true, false or nothing of a check",
        arguments: [
            (CheckStatus.pass, true), (.fail, false), (.unavailable, nil), (.inconclusive, nil),
        ] as [(CheckStatus, Bool?)])
    func truth(status: CheckStatus, value: Bool?) {
        let evidence = MetadataEvidence(
            timestamp: MetadataCheck(status), model: MetadataCheck(status), resolution: MetadataCheck(.pass),
            location: MetadataCheck(.fail, reason: .notOnEarth), place: nil)
        #expect(evidence.timestampValid == value && evidence.modelVerified == value)
        #expect(!evidence.locationAvailable && evidence.locationCoarse == nil)
    }

    @Test(
        "never counts a negative or endless duration",
        arguments: [
            (-5.0, 0), (0, 0), (0.0004, 0), (0.0016, 2), (30, 30_000), (1e300, 1_000_000_000_000_000),
        ] as [(Double, Int64)])
    func duration(seconds: Double, milliseconds: Int64) {
        let processing = ProcessingEvidence(receivedAt: Date(timeIntervalSince1970: 0), completedAt: Date(timeIntervalSince1970: seconds))
        #expect(processing.durationMilliseconds == milliseconds)
    }
}
