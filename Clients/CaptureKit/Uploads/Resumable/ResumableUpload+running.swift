import CaptureProtocol
package import Foundation

extension ResumableUpload {
    /// How an upload ended.
    package enum Outcome: Sendable {
        /// The answer to the upload.
        case answered(HTTPResponse)
        /// It is to be sent as a whole; with `lasts` so are the next ones, for a while.
        case sendPlain(lasts: Bool)
    }

    /// Sends the body for as long as the server gets more of it.
    /// - Parameters:
    ///   - create: the signed request of a plain upload.
    ///   - send: sends a request with the body from that offset on.
    ///   - keep: keeps ``kept``: called after each answer and each break, with what the server had before.
    /// - Throws: ``TransportFailure``; errors of the body, and of the parameters.
    package mutating func run(
        _ body: any HTTPBody, isolation: isolated (any Actor)? = #isolation, now: () -> Date,
        create: () async throws -> HTTPRequest, send: (HTTPRequest, _ stored: Int64) async throws -> HTTPResponse,
        keep: (ResumableUpload, _ storedBefore: Int64) async throws -> Void
    ) async throws -> Outcome {
        while true {
            let request: HTTPRequest
            switch step {
            case .create: request = try await create().creatingUpload
            case .askOffset: request = try self.request("HEAD", [UploadFields.version])
            case .append(let offset):
                request = try self.request("PATCH", UploadFields.rest(from: offset), RestOfBody(whole: body, offset: offset))
            case .fetchAnswer: request = try self.request("GET", [UploadFields.version])
            case .sendPlain(let lasts): return .sendPlain(lasts: lasts)
            case .end(let result): return .answered(try result.get())
            }
            let stored = storedBytes
            do {
                received(try await send(request, stored), at: now())
            } catch let failure as TransportFailure {
                failed(failure)
            }
            try await keep(self, stored)
        }
    }

    /// A request to the upload's address, which needs no signature.
    private func request(
        _ method: String, _ headers: [UploadFields.Field], _ body: (any HTTPBody)? = nil
    ) throws(TransportFailure) -> HTTPRequest {
        guard let address = kept?.address else { throw .unreachable("the upload has no address") }
        return HTTPRequest(method, address.target, headers: headers, body: body)
    }
}

extension HTTPRequest {
    /// The signed request of a plain upload without its body, to be sent later.
    var creatingUpload: HTTPRequest {
        let length = body?.contentLength ?? 0
        return HTTPRequest(method, target, headers: headers + UploadFields.creation(lengthBytes: length), body: BytesBody([]))
    }
}

/// The end of a body.
struct RestOfBody: HTTPBody {
    let whole: any HTTPBody
    let offset: Int64

    var contentLength: Int64 { whole.contentLength - offset }
    func makeReader() throws -> any HTTPBodyReader { try whole.makeReader(from: offset) }
}
