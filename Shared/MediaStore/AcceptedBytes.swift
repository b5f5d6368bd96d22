public import CaptureProtocol
public import Models
public import ObjectStorage

/// The bytes of a capture that a handler may use, and where they lay.
public struct AcceptedBytes: Sendable {
    public let bytes: [UInt8]
    /// The object that was read: in intake, or under its final key.
    public let source: StoredMedia
}

extension ObjectStore {
    /// An object's bytes, compared with what was accepted (SPEC §1).
    /// - Parameter missing: the reason to give a capture up for if there is no such object.
    /// - Throws: ``RejectedMessage``: ``FailureReason/digestMismatch``, or `missing`; what time may mend as it is.
    public func accepted(_ object: StoredMedia, missing: FailureReason) async throws -> [UInt8] {
        try await rejecting(missing, object.key) { try await read(object) }
    }

    /// An object of an accepted upload from intake or, where that has been cleaned up already, from its final key: a database that lost
    /// its last moments in a fail-over asks again for what was done.
    /// - Throws: as ``accepted(_:missing:)``, with ``FailureReason/intakeMissing`` if it is at neither place.
    public func accepted(_ object: StoredMedia, keptAs name: MediaName, of capture: CaptureID) async throws -> AcceptedBytes {
        try await rejecting(.intakeMissing, object.key) {
            do {
                return AcceptedBytes(bytes: try await read(object), source: object)
            } catch let error as ObjectStorageError where error.code == .notFound {
                let kept = object.kept(as: name, of: capture)
                return AcceptedBytes(bytes: try await read(kept), source: kept)
            }
        }
    }

    /// SHA-256 of the bytes of an accepted upload's objects one after the other; from intake, or all from their final keys.
    /// - Throws: as ``accepted(_:keptAs:of:)``.
    public func acceptedDigest(ofAll objects: [(object: StoredMedia, name: MediaName)], of capture: CaptureID) async throws -> ContentDigest
    {
        try await rejecting(.intakeMissing, "\(capture)") {
            do {
                return try await digest(ofAll: objects.map(\.object))
            } catch let error as ObjectStorageError where error.code == .notFound {
                return try await digest(ofAll: objects.map { $0.object.kept(as: $0.name, of: capture) })
            }
        }
    }
}

private func rejecting<Result>(
    _ missing: FailureReason, _ detail: String, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch let error as ObjectStorageError {
        switch error.code {
        case .notFound: throw RejectedMessage(missing, detail: detail)
        case .digestMismatch, .tooLarge: throw RejectedMessage(.digestMismatch, detail: error.message)
        default: throw error
        }
    }
}

extension StoredMedia {
    /// The same bytes under a final key of the capture.
    public func kept(as name: MediaName, of capture: CaptureID) -> StoredMedia {
        StoredMedia(key: name.key(of: capture), sha256: sha256, sizeBytes: sizeBytes, contentType: contentType)
    }
}
