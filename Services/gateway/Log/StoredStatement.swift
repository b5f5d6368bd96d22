import Foundation
import TransparencyLog

/// A statement with all that is kept beside it.
struct StoredStatement: Sendable {
    let placed: PlacedStatement
    let statement: Statement
    let salt: Salt
    /// `nil` for a revocation, like ``raw``.
    let evidence: [UInt8]?
    let raw: RawParts?
}

/// A statement and where it stands.
struct PlacedStatement: Sendable {
    let kind: Statement.Kind
    /// It may not be in the log before this; `nil` if it may be at once.
    let notBefore: Date?
    /// `nil` until it is entered.
    let place: LogPlace?
}
