import Models

/// A complete capture that a file belongs to, and as what.
struct Claim: Sendable {
    let matched: MediaRole
    let row: CaptureRow
    /// Its device is not vouched for by Apple, but by a development root.
    var isDevelopment: Bool { row.evidence?.hardwareAttestation.developmentAttestation ?? false }
}
