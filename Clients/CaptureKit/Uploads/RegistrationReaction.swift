public import CaptureProtocol
public import Foundation

/// What follows from an attempt to register a device.
public enum RegistrationReaction: Sendable, Equatable {
    /// The server knows the device, verified or not.
    case registered(RegistrationResult)
    /// The challenge or the key is used up: a new key with a new challenge.
    case newKey(ServerError)
    /// The same body again after ``UploadBackoff``, or after the time that the server asked for if that is longer. For 24 hours it has the
    /// outcome that an answer which was lost had.
    case tryLater(UploadProblem, retryAfter: Duration?)
    /// It cannot be registered as it is; the app is told.
    case refused(ServerError)

    /// The one table of reactions to `POST /api/v1/devices/register` (SPEC §2).
    /// - Parameters:
    ///   - outcome: the response, or the error thrown in sending.
    ///   - now: the device's time when the outcome was known.
    public init(to outcome: Result<HTTPResponse, any Error>, at now: Date) {
        switch outcome {
        case .success(let response): self.init(to: response, at: now)
        case .failure(let failure as TransportFailure): self = .tryLater(.transport(failure), retryAfter: nil)
        case .failure(let error): self = .tryLater(.device("\(error)"), retryAfter: nil)
        }
    }

    private init(to response: HTTPResponse, at now: Date) {
        let error = ServerError(response)
        let later = RegistrationReaction.tryLater(.server(error), retryAfter: response.retryAfter(at: now))
        switch (response.status, error.knownCode) {
        case (201, _):
            self = ResponseEnvelope(response)?.data(as: RegistrationResult.self).map(Self.registered) ?? later
        case (400, .challengeInvalid), (409, .deviceAlreadyRegistered):
            self = .newKey(error)
        // Without a code it is a proxy's answer, which says nothing of the device.
        case (400, _), (413, _), (415, _), (422, _):
            self = error.code == nil ? later : .refused(error)
        default:
            self = later
        }
    }
}
