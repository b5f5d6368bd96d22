public import CaptureProtocol
public import Foundation

/// What follows from an attempt to send a capture.
public enum UploadReaction: Sendable, Equatable {
    /// The server has it.
    case uploaded(AcceptedCapture)
    /// From now on requests are signed with this offset of the clock; it is signed again and sent at once.
    case setClock(ClockOffset)
    /// It is signed again and sent at once.
    case signAgain
    /// The server does not know the device: it is registered anew, the capture asserted anew by the new identity, and sent.
    case registerAgain
    /// The device's identity is revoked: none of its captures is sent until somebody tries again, and the app is told.
    case stopIdentity(ServerError)
    /// Nothing at all is sent for so long.
    case holdQueue(Duration)
    /// It is tried again after ``UploadBackoff``, or after the time that the server asked for if that is longer. What counts is in
    /// ``UploadHistory/counted``.
    case tryLater(UploadProblem, retryAfter: Duration?, counts: Bool)
    /// It becomes `failed`. A person may try again.
    case fail(UploadProblem)

    /// So many answers that count make a capture fail.
    public static let maximumCounted = 5

    /// The one table of reactions to `POST /api/v1/captures` (SPEC §2).
    /// - Parameters:
    ///   - outcome: the response, or the error thrown in reading, signing or sending.
    ///   - history: of this capture, before this attempt.
    ///   - now: the device's time when the outcome was known.
    public init(to outcome: Result<HTTPResponse, any Error>, after history: UploadHistory, at now: Date) {
        switch outcome {
        case .success(let response): self.init(to: response, after: history, at: now)
        case .failure(let error): self.init(to: error, after: history)
        }
    }

    /// Whether an answer says that the server has the capture. That does not depend on its history.
    static func isUploaded(_ outcome: Result<HTTPResponse, any Error>, at now: Date) -> Bool {
        if case .uploaded = UploadReaction(to: outcome, after: UploadHistory(), at: now) { true } else { false }
    }

    private init(to response: HTTPResponse, after history: UploadHistory, at now: Date) {
        let error = ServerError(response)
        let retryAfter = response.retryAfter(at: now)
        let unexpected = Self.counted(.server(error), retryAfter: retryAfter, after: history)
        switch (response.status, error.knownCode) {
        case (200, _), (201, _):
            self = ResponseEnvelope(response)?.data(as: AcceptedCapture.self).map(Self.uploaded) ?? unexpected
        // Another request of the upload has completed it. Sent again, the server tells of which capture.
        case (400, .uploadCompleted): self = unexpected
        // Without a code it is the answer of something on the way, which knows nothing of the capture.
        case (400, _), (413, _), (415, _), (422, _):
            self = error.code == nil ? unexpected : .fail(.server(error))
        case (401, .timestampExpired) where !history.remedies.contains(.clock):
            let offset = response.headers["date"].flatMap { ClockOffset(dateHeader: $0, deviceTime: now) }
            self = offset.map(Self.setClock) ?? unexpected
        case (401, .signatureInvalid) where !history.remedies.contains(.signature):
            self = .signAgain
        case (401, .deviceNotRegistered) where !history.remedies.contains(.registration):
            self = .registerAgain
        // In privacy mode: the server has the device as unverified, or with another key. Only a new identity can help, if anything does.
        case (401, .attestationFailed):
            self = history.remedies.contains(.registration) ? .fail(.server(error)) : .registerAgain
        case (403, .deviceRevoked):
            self = .stopIdentity(error)
        case (429, _):
            self = .holdQueue(max(retryAfter ?? .seconds(60), .seconds(1)))
        case (502...504, _):
            self = .tryLater(.server(error), retryAfter: retryAfter, counts: false)
        default:
            self = unexpected
        }
    }

    private init(to error: any Error, after history: UploadHistory) {
        switch error {
        case let failure as TransportFailure:
            self = .tryLater(.transport(failure), retryAfter: nil, counts: false)
        // Before the first unlock after a restart; or this task was stopped.
        case FileError.denied, SecureStoreError.locked, is CancellationError:
            self = .tryLater(.device("\(error)"), retryAfter: nil, counts: false)
        case is SealError, FileError.missing:
            self = .fail(.device("\(error)"))
        default:
            self = Self.counted(.device("\(error)"), retryAfter: nil, after: history)
        }
    }

    private static func counted(_ problem: UploadProblem, retryAfter: Duration?, after history: UploadHistory) -> UploadReaction {
        history.counted + 1 < maximumCounted ? .tryLater(problem, retryAfter: retryAfter, counts: true) : .fail(problem)
    }
}
