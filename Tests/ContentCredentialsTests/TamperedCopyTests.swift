import Foundation
import Models
import Testing

@testable import ContentCredentials

@Suite("Tampered copies")
struct TamperedCopyTests {
    @Test(
        "are invalid for one changed byte of an assertion",
        arguments: ["secure_enclave", "photo+depth+metadata", "relief-2", "edge_coherence", "metadata.timestamp", "digitalCapture"])
    func assertion(text: String) throws {
        let fixture = try Fixture()
        let copy = try fixture.sign().copy
        let report = try fixture.read(copy.changed(at: #require(copy.offset(ofLast: text))))
        #expect(report.state == .invalid)
        #expect(report.validationCodes.contains { $0.code == "assertion.hashedURI.mismatch" && $0.kind == .failure })
    }

    @Test("are invalid for one changed byte of the claim")
    func claim() throws {
        let fixture = try Fixture()
        let copy = try fixture.sign().copy
        let report = try fixture.read(copy.changed(at: #require(copy.offset(ofLast: "\(fixture.captureID).jpg"))))
        #expect(report.state == .invalid)
        #expect(report.validationCodes.contains { $0.code == "claimSignature.mismatch" && $0.kind == .failure })
    }

    @Test("are invalid for any changed byte of the picture or EXIF")
    func media() throws {
        let fixture = try Fixture()
        let copy = try fixture.sign().copy
        let exif = try #require(copy.offset(ofLast: "Apple"))
        for offset in [exif, copy.count - 1] + Array(stride(from: copy.scan.startIndex, to: copy.count, by: 997)) {
            let report = try fixture.read(copy.changed(at: offset))
            #expect(report.state == .invalid)
            #expect(report.validationCodes.contains { $0.code == "assertion.dataHash.mismatch" && $0.kind == .failure })
        }
        #expect(try fixture.read(copy + [0]).state == .invalid, "appended bytes")
    }

    @Test("have no credentials once those are stripped")
    func stripped() throws {
        let fixture = try Fixture()
        let report = try fixture.read(fixture.photo)
        #expect(report == CredentialReport(state: .none))
    }
}
