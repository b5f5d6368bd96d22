import Foundation
import Models
import RialClient

/// The result of a verification as human-readable text.
struct VerificationReport {
    let answer: JSONValue

    var text: String {
        var table = TextTable()
        switch answer["status"]?.string {
        case "verified":
            table.add("record", "found, as \(answer["matched"]?.string ?? "a file")")
            table.add("confidence", answer.shownConfidence)
            if answer["evidence"]?["hardware_attestation"]?["development_attestation"]?.bool == true { table.addTestRecord() }
            table.add("capture", answer["capture_id"]?.string ?? "–")
            table.add("link", answer["verification_url"]?.string ?? "–")
            if case .array(let others)? = answer["other_claims"], !others.isEmpty { table.add("other records", "\(others.count)") }
        case "c2pa_only":
            let info = answer["manifest_info"]
            table.add("record", "none")
            table.add("credentials", info?["validation_state"]?.string ?? "–")
            for name in ["generator", "title", "issuer", "signed_at", "remote_url"] {
                if let value = info?[name]?.string { table.add(name.replacing("_", with: " "), value) }
            }
            if let note = answer["note"]?.string { table.add("note", note) }
        default: table.add("record", "none, and the file has no Content Credentials")
        }
        if let hash = answer["file_hash"]?.string { table.add("SHA-256", hash) }
        return table.text
    }
}

extension JSONValue {
    /// The confidence of a capture, unless its verdict was taken back.
    var shownConfidence: String {
        self["log"]?["standing"]?.string == "revoked" ? "TAKEN BACK" : self["confidence_level"]?.string?.uppercased() ?? "–"
    }
}

extension TextTable {
    /// Marks evidence of a device that serves for tests.
    mutating func addTestRecord() { add("test record", "the device was attested under a development root, not by Apple") }
}

/// Content Credentials that were read offline, as human-readable text.
struct CredentialSummary {
    let report: CredentialReport
    /// The file is a manifest, without its photo or video.
    var isManifestAlone = false

    var text: String {
        var table = TextTable()
        table.add("credentials", sentence)
        // In any other state the manifest's content must not be presented as fact.
        if report.state == .trusted || report.state == .valid {
            let facts = [
                ("manifest", report.activeManifest), ("generator", report.generator), ("title", report.title), ("issuer", report.issuer),
                ("signed at", report.signedAt),
            ]
            for (name, value) in facts { if let value { table.add(name, value) } }
            table.add("assertions", report.assertions.map(\.label).joined(separator: ", "))
        }
        if let url = report.remoteURL { table.add("remote address", url) }
        for code in report.validationCodes where code.kind == .failure {
            table.add(code.ingredient == true ? "failure in an ingredient" : "failure", code.code)
        }
        return table.text
    }

    private var sentence: String {
        guard report.state != .none else { return "none" }
        return switch CredentialsFinding(ManifestInfo(report, isDetached: isManifestAlone)) {
        case .own: "ours: intact, and one of rial.'s own anchors vouches for the signer"
        case .trusted: "trusted: intact, and one of the anchors vouches for the signer"
        case .valid: "valid: intact, but no anchor vouches for the signer"
        case .ingredient: "ingredient: they fit the file, but those of something that it was made from do not hold"
        case .expired: "expired: the signer's certificate has run out, and no trusted time stamp shows when it was used"
        case .detached: "alone: a manifest without its file, so there is nothing to check it against"
        case .invalid: "invalid: changed after signing, or the signature is not valid"
        case .unreadable: "unreadable"
        case .remote: "remote: not fetched"
        }
    }
}
