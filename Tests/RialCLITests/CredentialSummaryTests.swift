import Models
import Testing

@testable import RialCLI

@Suite("Content Credentials that were read offline")
struct CredentialSummaryTests {
    private static func text(_ code: CredentialReport.Code, isManifestAlone: Bool = false) -> String {
        var report = CredentialReport(state: .invalid)
        report.validationCodes = [code]
        return CredentialSummary(report: report, isManifestAlone: isManifestAlone).text
    }

    @Test(
        "of a file that nobody changed do not say so, though they do not hold",
        arguments: [
            (CredentialReport.Code(code: "signingCredential.expired", kind: .failure), "has run out"),
            (.init(code: "assertion.dataHash.mismatch", kind: .failure, ingredient: true), "made from"),
        ])
    func untouched(code: CredentialReport.Code, words: String) {
        let text = Self.text(code)
        #expect(text.contains(words) && text.contains(code.code), "\(text)")
        #expect(!text.contains("changed") && !text.contains("not valid"), "\(text)")
    }

    @Test("say that a file may be changed if its own do not fit it, and nothing of the kind of a manifest alone")
    func changed() {
        let code = CredentialReport.Code(code: "assertion.dataHash.mismatch", kind: .failure)
        #expect(Self.text(code).contains("changed after signing"))
        let alone = Self.text(code, isManifestAlone: true)
        #expect(alone.contains("without its file") && !alone.contains("changed"), "\(alone)")
    }

    @Test("name who vouches for the signer", arguments: [(CredentialReport.Voucher.own, "ours"), (.listed, "trusted")])
    func trusted(voucher: CredentialReport.Voucher, word: String) {
        var report = CredentialReport(state: .trusted)
        report.voucher = voucher
        #expect(CredentialSummary(report: report).text.contains("\(word): intact"))
        #expect(CredentialSummary(report: CredentialReport(state: .none)).text.contains("none"))
    }
}
