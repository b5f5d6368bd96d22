import CaptureProtocol
import Foundation

/// Sends one body so that it goes on after a break (SPEC §2, "Uploads that resume"): what is asked of the server next, given what it
/// answered so far. Values only: no clock, no network, no store.
///
/// Clients of this library do not see interim responses everywhere, so an empty request makes the upload, and another has all bytes.
package struct ResumableUpload: Sendable {
    enum Step: Sendable {
        /// The empty request that makes the upload, or finds the one that was made before.
        case create
        case askOffset
        /// All bytes from the offset on.
        case append(at: Int64)
        /// The answer that was lost.
        case fetchAnswer
        /// The body is sent as a whole instead; with `lasts` so are the next ones, for a while.
        case sendPlain(lasts: Bool)
        /// This is the answer to the upload.
        case end(Result<HTTPResponse, TransportFailure>)
    }

    /// Smaller bodies, and those of this size, are sent as a whole: a round trip more would cost more than a break.
    package static let smallestBytes: Int64 = 1 << 20
    /// The same of a body that was on its way when an attempt broke off: sent as a whole it may need longer than the server waits.
    static let smallestBytesAfterBreak: Int64 = 1 << 16
    /// How often an upload may begin anew in one attempt because the server does not know it any more.
    private static let maximumRestarts = 2
    /// How many answers in a row may bring nothing.
    private static let maximumFruitless = 5
    private static let maximumRequests = 4000

    private(set) var step: Step
    /// What is to be kept with the capture from now on.
    package private(set) var kept: KeptUpload?
    private let lengthBytes: Int64
    private let origin: String?
    private var restarts = 0
    private var fruitless = 0
    private var requests = 0
    /// How the latest request with content broke off, until the server turns out to have got some of it.
    private var breakage: TransportFailure?

    /// - Parameters:
    ///   - origin: the server's; see ``HTTPTransport/origin``.
    ///   - kept: by an earlier attempt.
    package init(lengthBytes: Int64, at origin: String?, goingOnWith kept: KeptUpload? = nil) {
        self.lengthBytes = lengthBytes
        self.origin = origin
        let isSame = kept.map { $0.lengthBytes == lengthBytes && (0...lengthBytes).contains($0.storedBytes) } ?? false
        self.kept = isSame ? kept : nil
        step = self.kept?.address == nil ? .create : .askOffset
    }

    /// What the server is known to have.
    package var storedBytes: Int64 { kept?.storedBytes ?? 0 }

    /// What follows from the answer to the current step's request.
    /// - Parameter now: the device's time.
    mutating func received(_ response: HTTPResponse, at now: Date) {
        requests += 1
        switch step {
        case .create: step = afterCreation(response, now)
        case .askOffset: step = afterOffset(response)
        case .append(let offset): step = afterContent(response, sentFrom: offset)
        case .fetchAnswer: step = afterAnswer(response)
        case .sendPlain, .end: break
        }
        if requests >= Self.maximumRequests, !isOver { step = .sendPlain(lasts: false) }
        if case .sendPlain = step { kept = nil }
    }

    /// What follows from a request without an answer.
    mutating func failed(_ failure: TransportFailure) {
        requests += 1
        switch (step, failure) {
        case (.append, .unreachable):
            breakage = failure
            step = .askOffset
        default: step = .end(.failure(failure))
        }
    }

    private var isOver: Bool {
        switch step {
        case .sendPlain, .end: true
        case .create, .askOffset, .append, .fetchAnswer: false
        }
    }
}

// The answers

extension ResumableUpload {
    private mutating func afterCreation(_ response: HTTPResponse, _ now: Date) -> Step {
        let error = ServerError(response)
        switch response.status {
        // A body that the server has already.
        case 200 where response.accepted != nil, 201 where response.accepted != nil: return .end(.success(response))
        case 201:
            let address = response.headers["location"].flatMap { UploadAddress(location: $0, at: origin) }
            guard let address, response.isUploadComplete == false else { return .sendPlain(lasts: true) }
            kept = KeptUpload(address: address, lengthBytes: lengthBytes, mismatches: kept?.mismatches ?? 0)
            return response.uploadOffset.map { goOn(from: $0) } ?? .askOffset
        // The answer of a server that compares the signature with this request's empty body.
        case 401 where error.knownCode == .signatureInvalid && !response.isOfResumption: return .sendPlain(lasts: true)
        case 429 where response.wantsNoMoreUploads(at: now): return .sendPlain(lasts: false)
        case 401, 403, 413, 415, 422:
            return error.code == nil && !response.isOfResumption ? .sendPlain(lasts: true) : .end(.success(response))
        case 408, 429: return .end(.success(response))
        case 500...599: return afterServerError(response)
        default: return .sendPlain(lasts: true)
        }
    }

    private mutating func afterOffset(_ response: HTTPResponse) -> Step {
        switch response.status {
        case 200, 204:
            guard let isComplete = response.isUploadComplete, let offset = response.uploadOffset else { return .sendPlain(lasts: false) }
            if let length = response.uploadLength, length != lengthBytes { return beginAnew() }
            return isComplete ? .fetchAnswer : goOn(from: offset)
        case 409: return afterMismatch(response, sentFrom: storedBytes)
        default: return afterRefusal(response)
        }
    }

    private mutating func afterContent(_ response: HTTPResponse, sentFrom offset: Int64) -> Step {
        breakage = nil
        let error = ServerError(response)
        switch (response.status, error.knownCode) {
        case (200, _) where response.accepted != nil, (201, _) where response.accepted != nil: return .end(.success(response))
        case (200...299, _): return response.isUploadComplete == true ? .fetchAnswer : lookAgain()
        case (400, .digestMismatch): return afterDigestMismatch(response)
        case (400, .uploadCompleted): return .fetchAnswer
        case (400, .uploadLengthInconsistent): return beginAnew()
        // An error with a code is about the capture itself.
        case (400, _), (401, _), (403, _), (413, _), (422, _):
            return error.code == nil ? afterRefusal(response) : .end(.success(response))
        case (408, _): return lookAgain()
        case (409, _): return afterMismatch(response, sentFrom: offset)
        default: return afterRefusal(response)
        }
    }

    private mutating func afterAnswer(_ response: HTTPResponse) -> Step {
        switch response.status {
        case 200 where response.accepted != nil, 201 where response.accepted != nil: .end(.success(response))
        case 409: lookAgain()
        default: afterRefusal(response)
        }
    }

    private mutating func afterRefusal(_ response: HTTPResponse) -> Step {
        switch response.status {
        case 404, 410: beginAnew()
        case 408, 429: .end(.success(response))
        case 500...599: afterServerError(response)
        // The server has given an address: what answers so is something on the way, and only for now.
        default: .sendPlain(lasts: false)
        }
    }

    /// Not implemented; or the matter of the queue, as for a plain upload.
    private func afterServerError(_ response: HTTPResponse) -> Step {
        [501, 505].contains(response.status) ? .sendPlain(lasts: true) : .end(.success(response))
    }

    private mutating func afterMismatch(_ response: HTTPResponse, sentFrom offset: Int64) -> Step {
        guard let told = response.uploadOffset else { return response.isOfResumption ? lookAgain() : .sendPlain(lasts: false) }
        return told == offset ? lookAgain() : goOn(from: told)
    }

    private mutating func afterDigestMismatch(_ response: HTTPResponse) -> Step {
        let mismatches = (kept?.mismatches ?? 0) + 1
        guard mismatches < 2 else {
            kept = nil
            return .end(.success(response))
        }
        kept = KeptUpload(address: nil, lengthBytes: lengthBytes, mismatches: mismatches)
        return .create
    }
}

// What follows

extension ResumableUpload {
    /// The server never has less than before, nor more than there is.
    private mutating func goOn(from offset: Int64) -> Step {
        guard (storedBytes...lengthBytes).contains(offset) else { return beginAnew() }
        if offset > storedBytes {
            fruitless = 0
        } else if let breakage {
            // It got nothing: the next attempt is the queue's to time.
            return .end(.failure(breakage))
        }
        breakage = nil
        kept?.storedBytes = offset
        return .append(at: offset)
    }

    private mutating func lookAgain() -> Step {
        fruitless += 1
        return fruitless <= Self.maximumFruitless ? .askOffset : .sendPlain(lasts: false)
    }

    private mutating func beginAnew() -> Step {
        restarts += 1
        breakage = nil
        guard restarts <= Self.maximumRestarts else { return .sendPlain(lasts: false) }
        kept = kept.flatMap { $0.mismatches > 0 ? KeptUpload(address: nil, lengthBytes: lengthBytes, mismatches: $0.mismatches) : nil }
        return .create
    }
}

extension HTTPResponse {
    /// What the server says of a capture that it has accepted.
    fileprivate var accepted: AcceptedCapture? { ResponseEnvelope(self)?.data(as: AcceptedCapture.self) }
}
