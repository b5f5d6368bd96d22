public import CaptureProtocol
public import Persistence

extension PostgresConnection {
    /// Waits for the capture's advisory lock and holds it until the transaction ends: an upload that brings the bytes of a known capture
    /// and the clean-up of that capture exclude each other.
    /// - Throws: `PostgresError`.
    public func lock(capture: CaptureID) throws { try lock(capture.description) }

    /// Like ``lock(capture:)``, without waiting.
    /// - Returns: false if another transaction holds the lock.
    /// - Throws: `PostgresError`.
    public func tryLock(capture: CaptureID) throws -> Bool { try tryLock(capture.description) }
}
