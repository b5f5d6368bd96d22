public import CaptureProtocol
public import Models
public import NIOCore
public import ObjectStorage

/// The verified bytes of a capture's object, and where they were read from.
public struct AcceptedBytes: Sendable {
    public let bytes: [UInt8]
    /// The object that was read: in intake, or under its final key.
    public let source: StoredMedia
}

extension ObjectStore {
    /// Reads an object and compares its digest with the accepted one (SPEC §1).
    /// - Parameter missing: the reason of the rejection if there is no such object.
    /// - Throws: ``RejectedMessage`` with ``FailureReason/digestMismatch`` or `missing`; transient storage errors unchanged.
    public func accepted(_ object: StoredMedia, missing: FailureReason) async throws -> [UInt8] {
        try await rejecting(missing, object.key) { try await read(object) }
    }

    /// Reads an object of an accepted upload from intake or, if it has been cleaned up already, from its final key: after a failover a
    /// database that lost its last transactions may ask again for finished work.
    /// - Throws: as ``accepted(_:missing:)``, with ``FailureReason/intakeMissing`` if it is in neither place.
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

    /// Reads a range of an object without comparing anything; see ``ObjectStore/piece(_:of:)``.
    /// - Throws: as ``accepted(_:missing:)``.
    public func acceptedPiece(_ range: Range<Int64>, of object: StoredMedia) async throws -> [UInt8] {
        try await rejecting(.intakeMissing, object.key) { try await piece(range, of: object) }
    }

    /// Streams an object of an accepted upload, compared as it ends.
    /// - Parameters:
    ///   - missing: the reason of the rejection if there is no such object.
    ///   - take: gets the bytes in order, until it throws. That is thrown unchanged when the object has turned out to be the accepted one:
    ///     other bytes are no fault of who sent it. What it makes of them counts only if this returns.
    /// - Throws: as ``accepted(_:missing:)``.
    public func streamAccepted(_ object: StoredMedia, missing: FailureReason, to take: (ByteBuffer) throws -> Void) async throws {
        try await rejecting(missing, object.key) {
            var failure: (any Error)?
            for try await chunk in try await stream(object) where failure == nil {
                do { try take(chunk) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    /// SHA-256 over the concatenated objects of an accepted upload, all from intake or all from their final keys.
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
    /// The same object under its final key in the capture.
    public func kept(as name: MediaName, of capture: CaptureID) -> StoredMedia {
        StoredMedia(key: name.key(of: capture), sha256: sha256, sizeBytes: sizeBytes, contentType: contentType)
    }
}
