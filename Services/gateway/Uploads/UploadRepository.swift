import CaptureProtocol
import Foundation

/// The result of a request that creates an upload: the one that it made or found.
enum UploadCreation: Sendable {
    /// A new upload. The one that it replaces has ended; its segments are to be deleted.
    case new(Upload, replaced: UploadID?)
    /// An open upload of the same body, at a new address.
    case found(Upload)
    /// The device has sent this body before, and a capture was made of it. At a new address.
    case recorded(Upload, UploadAnswer)
}

/// The segments of the uploads that may be resumed.
protocol SegmentRepository: Sendable {
    func find(_ id: UploadID) async throws -> Upload?

    /// Adds a stored segment.
    /// - Parameter start: the offset at which it begins.
    /// - Returns: false if the upload has changed meanwhile: the segment then belongs to nobody.
    /// - Throws: ``CaptureError/clocksDiffer`` for the last one, whose time is that of the receipt; database errors.
    func grow(_ upload: Upload, from start: Int64, by sizeBytes: Int64, key: String) async throws -> Bool

    /// In order.
    func segments(of id: UploadID) async throws -> [UploadSegment]

    /// Forgets the segments of a closed upload, whose objects are deleted.
    /// - Parameter leavesNothing: whether every segment that was ever stored is known here, and none is stored any more. Otherwise the
    ///   upload's folder is emptied later.
    func noteEmptied(_ id: UploadID, leavesNothing: Bool) async throws
}

/// The uploads that may be resumed.
protocol UploadRepository: SegmentRepository {
    /// Creates an upload, unless the device has one of the same body. Of one device, one request at a time does this.
    /// - Parameter runner: the instance that is going to add the request's body; `nil` if it has none.
    /// - Throws: ``UploadError/tooMany(retrySeconds:)``.
    func create(
        _ offer: UploadOffer, _ type: CaptureType, contentType: String, device: DeviceID, token: UploadToken, runner: UUID?
    ) async throws -> UploadCreation

    /// - Returns: `nil` for an unknown address.
    func find(_ token: UploadToken) async throws -> Upload?

    /// Claims the open upload at an address for a request that adds to it, if it belongs to no other.
    /// - Returns: `nil` if there is no such upload.
    func begin(_ token: UploadToken, runner: UUID) async throws -> Upload?

    /// Raises the epoch: no earlier request adds to the upload from now on.
    /// - Parameter runner: the instance that is going to add to it; `nil` for a request that does not.
    /// - Returns: `nil` if the upload is not open.
    func claim(_ id: UploadID, runner: UUID?) async throws -> Upload?

    /// The end of a request that added to the upload.
    func release(_ upload: Upload) async throws

    /// Asks a gateway with a running request to store what it holds of the upload.
    func askToStop(_ id: UploadID) async throws

    /// Closes an open upload that was found to be a known capture. A new one has closed it when it was recorded.
    func finish(_ id: UploadID, _ answer: UploadAnswer) async throws

    /// Closes an open upload that becomes nothing.
    /// - Returns: false if it was not open any more.
    @discardableResult
    func end(_ id: UploadID) async throws -> Bool
}
