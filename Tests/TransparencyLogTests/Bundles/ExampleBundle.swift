import CaptureProtocol
import Foundation
import Testing

@testable import TransparencyLog

/// The worked example of SPEC-log.md as values; ``WorkedExample`` has its texts.
enum ExampleBundle {
    static let algorithms = ["confidence": "1", "depth": "relief-1", "metadata": "1"]

    static func verdict() throws -> Verdict {
        Verdict(
            kind: .photo, media: try digest("71b1c551c902b4994991929cae31aec5fba97a48409afbf4326845f37099e3cc"),
            files: [
                "manifest.c2pa": try digest("89333bc71f02c647533ab52e592ad22c609728f12eabff6fda0920109db40401"),
                "c2pa.jpg": try digest("e52d26eefba2f18510fb18717a5da92fdd2f360d9592c4551dcd43508f63b962"),
            ],
            manifest: "urn:c2pa:11111111-2222-4333-8444-555555555555:rial",
            capturedAt: .exact(try time("2026-11-01T11:59:58Z")), receivedAt: .exact(try time("2026-11-01T12:00:02Z")),
            confidence: .high, algorithms: algorithms, evidence: ContentDigest(of: Array(evidence.utf8)),
            raw: try digest("81fd606f645f87d6ef8cf37195219e98b4875e1c5fbb23fcc0f768fa02dd3a14"))
    }

    static func madeStatement() throws -> Statement {
        try Statement(
            .assessment(try verdict()), capture: try capture(), subject: try subject(), sequence: 0, time: 1_793_534_402, previous: nil)
    }

    static func capture() throws -> CaptureID { try #require(CaptureID("0f0e0d0c-0b0a-4908-8706-050403020100")) }
    static func subject() throws -> LogSubject { try #require(LogSubject(hex: "36d5ece5ebe25a89905a187acb9416f3")) }
    static func salt() throws -> Salt {
        try #require(Hex.decode("2756eba341b2841494aa3a76f538b30c9865b6d8c7f5e0ca32d39a493818975f").flatMap { Salt(bytes: $0) })
    }
    static func digest(_ hex: String) throws -> ContentDigest { try #require(ContentDigest(text: hex)) }
    static func time(_ text: String) throws -> Date { try #require(Timestamp.parse(text)) }

    static func bundle() throws -> EvidenceBundle {
        let logged = EvidenceBundle.Logged(
            statement: try madeStatement(), evidence: Array(evidence.utf8), proof: Array(WorkedExample.proof.utf8), timestamp: nil)
        return EvidenceBundle(statements: [logged], manifest: Array("example manifest".utf8))
    }

    static func policy() throws -> TrustPolicy { try TrustPolicy(Array(WorkedExample.policy.utf8)) }

    static let evidence = """
        {"algorithm_versions":{"confidence":"1","depth":"relief-1","metadata":"1"},"analysis_source":"server",\
        "content_credentials":{"reason":null,"status":"embedded"},"depth_analysis":{"coverage":0.98,"depth_layers":3,\
        "depth_variance":0.148,"edge_coherence":0.91,"is_likely_real_scene":true,"max_depth":4.5,"method":"relief-1",\
        "min_depth":0.25,"reason":null,"relief":0.61,"source":"server","specified_rule":false,"status":"pass","verdict":"real"},\
        "hardware_attestation":{"binding":"photo+depth+metadata","development_attestation":false,\
        "device_model":"iPhone 17 Pro","environment":"production","level":"secure_enclave","out_of_order":false,"reason":null,\
        "status":"pass"},"media_stored":true,"metadata":{"location":{"reason":null,"status":"pass"},"location_available":true,\
        "model":{"status":"pass"},"model_verified":true,"resolution":{"status":"pass"},"timestamp":{"status":"pass"},\
        "timestamp_valid":true},"processing":{"completed_at":"2026-11-01T12:00:02.250Z","duration_ms":250,\
        "received_at":"2026-11-01T12:00:02.000Z"},"type":"photo"}
        """
}
