import Blocking
import CaptureProtocol
import ContentCredentials
import Foundation
import ManifestStore
import Models
import SwiftASN1
import TransparencyLog
import X509

/// Validates the Content Credentials of a bundle with the C2PA library.
struct CredentialExaminer: Sendable {
    let reader: CredentialReader

    func finding(_ question: CredentialsQuestion) -> Finding {
        guard let asset = question.asset?.bytes else {
            return .notChecked("The Content Credentials were not checked: that needs the photo or video that they are in.")
        }
        do {
            let file = try NamelessFile()
            try file.append(asset[...])
            return finding(reader.read(fileDescriptor: file.descriptor, mediaType: nil, at: .now), question)
        } catch {
            return .notChecked("The Content Credentials were not checked: \(error).")
        }
    }

    private func finding(_ report: CredentialReport, _ question: CredentialsQuestion) -> Finding {
        let failures = report.validationCodes.filter { $0.kind == .failure && $0.ingredient != true }.map(\.code)
        let grave = Set(failures).subtracting(["signingCredential.untrusted"])
        let isExpired = grave == ["signingCredential.expired"]
        guard report.state == .trusted || report.state == .valid || isExpired else {
            return .failed("The Content Credentials do not hold: \(failures.sorted().joined(separator: ", ")).")
        }
        guard report.activeManifest == question.verdict.manifest else {
            return .failed("The Content Credentials are not those that the verdict names.")
        }
        if isExpired, !wasValidWhenWitnessed(question) {
            return .untrusted("The certificate that signed the Content Credentials has run out, and nobody saw them before.")
        }
        let when = isExpired ? " The log shows that they were signed before their certificate ran out." : ""
        return .passed(
            report.state == .trusted
                ? "The Content Credentials hold, and an anchor vouches for their signer.\(when)"
                : "The Content Credentials hold; who signed them was not checked, since no anchor that was given vouches for it.\(when)")
    }

    /// Whether the signer's certificate was valid when witnesses had seen the statement that names the store.
    private func wasValidWhenWitnessed(_ question: CredentialsQuestion) -> Bool {
        guard let store = question.store, let seconds = question.witnessedAt, let leaf = StoreIdentity(store)?.leaf,
            let certificate = try? Certificate(derEncoded: leaf)
        else { return false }
        let time = Date(timeIntervalSince1970: TimeInterval(seconds))
        return certificate.notValidBefore <= time && time <= certificate.notValidAfter
    }
}
