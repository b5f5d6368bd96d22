public import CaptureProtocol
import Models

/// Runs the body and returns the reason for which it rejected a message; `nil` if it succeeded or threw another error.
public func rejection(_ body: () async throws -> Void) async -> FailureReason? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? RejectedMessage)?.reason
    }
}
