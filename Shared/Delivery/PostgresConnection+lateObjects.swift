public import CaptureProtocol
public import Persistence

extension PostgresConnection {
    /// For a service that may have stored objects of the capture and writes no row about it: if the capture was withdrawn, `upload-sync`
    /// searches for its objects again. For any other capture this does nothing.
    /// - Throws: `PostgresError`.
    public func objectsCameLate(of capture: CaptureID) throws { try query("SELECT rial_objects_came_late(\(capture.uuid))") }
}
