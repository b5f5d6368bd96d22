import CaptureProtocol
import Foundation
import Models

/// Another capture of the same file, or this one.
struct SimilarCapture: Sendable {
    let id: CaptureID
    let confidence: ConfidenceLevel
    let isDevelopment: Bool
    let capturedAt: Date
    let place: String?
    /// Whether a hardware signature covers time and place.
    var isSigned = true
}

/// Captures of one file by several devices, strongest evidence first.
struct SimilarView: Sendable {
    let captures: [SimilarCapture]
    let devices: Int
    let words: WordTable

    /// `nil` unless several devices claim the file.
    /// - Parameter claims: in the order of ``VerificationRepository/claims(of:)``; those of the original count.
    init?(_ claims: [Claim], words: WordTable) {
        let originals = claims.filter { $0.matched == .original }
        let devices = Set(originals.map(\.row.deviceID)).count
        guard devices > 1 else { return nil }
        self.devices = devices
        self.words = words
        captures = originals.compactMap { claim in
            guard let evidence = claim.row.evidence, let confidence = claim.row.confidence else { return nil }
            return SimilarCapture(
                id: claim.row.id, confidence: confidence, isDevelopment: evidence.hardwareAttestation.developmentAttestation,
                capturedAt: claim.row.capturedAt, place: evidence.metadata.locationCoarse,
                isSigned: evidence.hardwareAttestation.coversMetadata)
        }
    }

    init(_ captures: [SimilarCapture], devices: Int, words: WordTable) {
        self.captures = captures
        self.devices = devices
        self.words = words
    }

    /// - Parameter this: has no link.
    func context(of this: CaptureID) -> ViewContext {
        let formats = Formats(words: words)
        let items = captures.map { capture in
            var item = Badge.level(capture.confidence, test: capture.isDevelopment).context(words)
            item["when"] = words("similar.item", ["t": formats.minute(capture.capturedAt)])
            item["where"] = UntrustedText(capture.place)?.shown
            item["unsigned"] = !capture.isSigned
            if capture.id != this { item["href"] = "/verify/\(capture.id)" }
            return item
        }
        return ["why": words("similar.why", ["n": String(devices)]), "items": items]
    }
}
