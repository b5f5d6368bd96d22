import Models

/// A complete capture that a file belongs to, and the file's role in it.
struct Claim: Sendable {
    let matched: MediaRole
    let row: CaptureRow
    /// Whether the device was attested by a development root and not by Apple's.
    var isDevelopment: Bool { row.evidence?.hardwareAttestation.developmentAttestation ?? false }
}
