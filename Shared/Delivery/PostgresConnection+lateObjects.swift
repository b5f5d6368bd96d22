public import CaptureProtocol
public import Persistence

extension PostgresConnection {
    /// For a service that may have stored objects of the capture and writes no row of it: if it was withdrawn, `upload-sync` looks for its
    /// objects again. Of any other capture nothing changes.
    public func objectsCameLate(of capture: CaptureID) throws { try query("SELECT rial_objects_came_late(\(capture.uuid))") }
}
