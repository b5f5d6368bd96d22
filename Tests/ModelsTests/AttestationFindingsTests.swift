import CaptureProtocol
import Foundation
import Models
import Testing

@Suite("Stored attestation findings")
struct AttestationFindingsTests {
    private static let signed = SignedCapture(binding: .photoDepth, counter: 9, isOutOfOrder: true)

    private func findings(_ appraisal: HardwareAppraisal) -> AttestationFindings {
        AttestationFindings(
            appraisal, level: .secureEnclave, environment: "production", isDevelopmentAttestation: false, deviceModel: "iPhone 15 Pro",
            hasLiDAR: true)
    }

    @Test(
        "come back as they were",
        arguments: [
            .pass(signed), .fail(.counterReplay), .unavailable(.noAssertion), .unavailable(.bindingRetired, signed: signed),
            .fail(StableWord(text: "a_later_word")),
        ] as [HardwareAppraisal])
    func roundTrip(appraisal: HardwareAppraisal) throws {
        let found = findings(appraisal)
        #expect(try WireJSON.decode(AttestationFindings.self, from: WireJSON.encode(found)) == found)
    }

    @Test(
        "a pass that does not say what was signed is no findings, nor is a failure without a reason, or another status",
        arguments: [
            #""status":"pass""#, #""status":"pass","binding":"photo""#, #""status":"pass","counter":1"#, #""status":"fail""#,
            #""status":"inconclusive""#, #""status":"partial","reason":"no_assertion""#,
        ])
    func unsound(fields: String) {
        let json = #"{\#(fields),"level":"secure_enclave","development_attestation":false,"device_model":"M"}"#
        #expect(throws: DecodingError.self) { try WireJSON.decode(AttestationFindings.self, from: Array(json.utf8)) }
    }

    @Test("a consumed counter is noted whenever a signature was found, and a failure stays a failure")
    func consumed() {
        let fresh = SignedCapture(binding: .photo, counter: 4)
        #expect(HardwareAppraisal.pass(fresh).consumed(isOutOfOrder: true).signed?.isOutOfOrder == true)
        #expect(HardwareAppraisal.unavailable(.appNotAccepted, signed: fresh).consumed(isOutOfOrder: false).signed?.isOutOfOrder == false)
        #expect(HardwareAppraisal.inconclusive(.mediaNotBound).consumed(isOutOfOrder: true) == .inconclusive(.mediaNotBound))
        #expect(HardwareAppraisal.fail(.badSignature).consumed(isOutOfOrder: false) == .fail(.badSignature))
    }
}
