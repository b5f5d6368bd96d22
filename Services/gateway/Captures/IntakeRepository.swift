import CaptureProtocol

/// The state of an upload whose recording ended in an error.
enum RecordingOutcome: CaseIterable, Sendable {
    /// The transaction was committed; only the response to COMMIT was lost.
    case recorded
    /// Nothing was recorded and nothing can be: its objects may be deleted.
    case abandoned
    /// The database cannot tell. Everything is kept, and the sweep decides later.
    case unknown
}

/// What names an upload's objects until its capture does (SPEC §5).
protocol IntakeRepository: Sendable {
    /// Call it before the first byte is stored.
    /// - Throws: ``CaptureError/clocksDiffer``, with the intake open, whatever the upload is: what would be known already, or has its time,
    ///   waits as well; database errors.
    func open(_ id: CaptureID, device: DeviceID) async throws

    /// Assigns the upload's objects to an existing capture whose own may be missing: `upload-sync` copies them where they are missing and
    /// announces that capture again.
    /// - Returns: false if the upload was abandoned in the meantime; it then has no effect.
    func leave(_ id: CaptureID, to known: CaptureID) async throws -> Bool

    /// Call it after deleting the objects. What remains, and its objects, are swept later.
    func forget(_ id: CaptureID) async throws

    /// Waits for a transaction that is still recording a capture of the upload.
    func outcome(of id: CaptureID) async -> RecordingOutcome
}
