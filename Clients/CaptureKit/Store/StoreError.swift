/// Why the store did not do what was asked of it.
public enum StoreError: Error, Sendable, Equatable {
    /// No new captures until some are sent or deleted.
    case full(StoreUsage)
    /// There is no such capture.
    case unknownCapture(LocalID)
    /// The capture is in a state that does not allow this.
    case notAllowed(CaptureState, to: CaptureState)
    /// The capture is being sent, or its body is lent to the system, which sends it.
    case isBeingSent
    /// Content that is necessary for this was removed after the upload.
    case contentRemoved
    /// A video is never written to a plain file, not even for the system to send it.
    case staysSealed
    /// In privacy mode nothing is sent that the hardware did not sign.
    case needsAssertion
    /// The database was made by a later version of this library.
    case newerVersion
    /// The database cannot be read or written; with a text for the log.
    case database(String)
}
