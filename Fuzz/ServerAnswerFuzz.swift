import CaptureProtocol
import Foundation

@testable import CaptureKit

private let statuses = [200, 201, 400, 401, 403, 409, 413, 422, 429, 500, 503]
private let now = Date(timeIntervalSince1970: 1_790_000_000)

/// libFuzzer's entry: the first byte chooses the status, the rest is the body of a server's or a proxy's answer to the device.
///
/// What is kept of an error must be within its bounds and be read again as it was; only a success makes a capture uploaded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServerAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let status = statuses[Int(first) % statuses.count]
    let headers = ["date": "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": "17"]
    let response = HTTPResponse(status: status, headers: headers, body: Array(input.dropFirst()))
    inspect(ServerError(response))
    for counted in [0, 4] {
        if case .uploaded = UploadReaction(to: .success(response), after: UploadHistory(counted: counted), at: now) {
            precondition(status < 202, "uploaded without a success")
        }
    }
    if case .registered = RegistrationReaction(to: .success(response), at: now) {
        precondition(status < 202, "registered without a success")
    }
    let envelope = ResponseEnvelope(response)
    _ = envelope?.data(as: RegistrationChallenge.self)
    _ = try? WireJSON.decode(RegistrationChallenge.self, from: response.body)
    _ = try? WireJSON.decode(RegistrationResult.self, from: response.body)
    return 0
}

private func inspect(_ error: ServerError) {
    precondition(error.code.map { (1...64).contains($0.utf8.count) } ?? true, "a code out of bounds")
    precondition(error.message.unicodeScalars.count <= 1000, "a message out of bounds")
    if let details = error.details {
        precondition(details.utf8.count <= 16 << 10, "details out of bounds")
        precondition((try? StrictJSON(Array(details.utf8))) != nil, "details that are no JSON")
    }
    guard let stored = try? JSONEncoder().encode(error) else { preconditionFailure("an error that cannot be kept") }
    precondition((try? JSONDecoder().decode(ServerError.self, from: stored)) == error, "an error is kept as another")
}
