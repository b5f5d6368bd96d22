import CaptureProtocol
import Foundation

/// When a certificate is valid, by its own dates.
struct CertificateDates: Equatable {
    let notBefore: Date
    let notAfter: Date

    /// Certificates expire at whole seconds, and the last one counts, as for the library.
    func include(_ time: Date) -> Bool { time >= notBefore && time < notAfter.addingTimeInterval(1) }
}

extension CertificateDates {
    /// - Parameters:
    ///   - crJSON: the library's report in the format of the C2PA conformance programme.
    ///   - label: of the manifest that the certificate signed.
    /// - Returns: `nil` without dates in the expected form.
    init?(crJSON: Data, manifest label: String) {
        let root = try? JSONSerialization.jsonObject(with: crJSON) as? [String: Any]
        let manifest = (root?["manifests"] as? [[String: Any]])?.first { $0["label"] as? String == label }
        let certificate = (manifest?["signature"] as? [String: Any])?["certificateInfo"] as? [String: Any]
        let validity = certificate?["validity"] as? [String: Any]
        guard let notBefore = (validity?["notBefore"] as? String).flatMap(Timestamp.parse),
            let notAfter = (validity?["notAfter"] as? String).flatMap(Timestamp.parse)
        else { return nil }
        self.init(notBefore: notBefore, notAfter: notAfter)
    }
}
