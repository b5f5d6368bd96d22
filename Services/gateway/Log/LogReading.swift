import CaptureProtocol
import Foundation
import Models
import TransparencyLog

/// What PostgreSQL knows of captures in the public log.
protocol LogReading: Sendable {
    /// All statements about a capture, in their order; none if it was withdrawn.
    func statements(of capture: CaptureID) async throws -> [StoredStatement]

    /// Where the last of them stands; `nil` if there is none.
    func last(of capture: CaptureID) async throws -> PlacedStatement?

    /// Whether the log takes entries.
    func intake() async throws -> LogIntake

    /// Published checkpoints.
    func checkpoints(_ search: CheckpointSearch) async throws -> [CosignedCheckpoint]

    /// - Parameter name: of its folder.
    /// - Returns: `nil` if there is no such shard, or if nothing of it is published.
    func published(shard name: String) async throws -> PublishedShard?

    /// What only the owner of a capture gets; `nil` if it was withdrawn.
    func owned(_ capture: CaptureID) async throws -> OwnedParts?
}

/// The entry of a statement.
struct LogPlace: Sendable, Equatable {
    let shard: PublishedShard
    let index: UInt64
    var isPublished: Bool { index < shard.size }
}

/// A log with the size of its published tree.
struct PublishedShard: Sendable, Equatable {
    let origin: String
    /// Its folder.
    let name: String
    let size: UInt64
    let isFrozen: Bool
}

/// A statement and where it stands.
struct PlacedStatement: Sendable {
    let kind: Statement.Kind
    /// It may not be in the log before this; `nil` if it may be at once.
    let notBefore: Date?
    /// `nil` until it is entered.
    let place: LogPlace?
}

/// A statement with all that is kept beside it.
struct StoredStatement: Sendable {
    let placed: PlacedStatement
    let statement: Statement
    let salt: Salt
    /// `nil` for a revocation, like ``raw``.
    let evidence: [UInt8]?
    let raw: RawParts?
}

/// Whether the log takes entries.
enum LogIntake: String, Sendable {
    case open
    /// Nothing is signed until an operator has settled why.
    case frozen
    /// No shard is open.
    case closed
}

/// Which checkpoints are looked for: those of trees that are larger than `index`.
struct CheckpointSearch: Sendable, Equatable {
    let origin: String
    let index: UInt64
    /// Only those that a witness has cosigned.
    var isCosigned = true
    var isStamped = false
    var isNewestFirst = false
    var limit: Int
}

/// A published checkpoint with the first cosignature of each witness.
struct CosignedCheckpoint: Sendable {
    let size: UInt64
    let note: SignedNote
    /// An RFC 3161 answer.
    let token: [UInt8]?
}

/// What a device sent, and how it was attested.
struct OwnedParts: Sendable {
    let kind: CaptureKind
    /// Its metadata, or its payload.
    let metadata: [UInt8]
    let assertion: [UInt8]?
    let attestation: [UInt8]?
    /// Of the attestation; `nil` for devices of versions that did not keep it.
    let clientDataHash: ContentDigest?
}
