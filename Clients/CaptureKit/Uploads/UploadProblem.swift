/// Why an attempt to send a capture did not succeed.
public enum UploadProblem: Error, Sendable, Equatable {
    /// The server refused, or answered something unexpected.
    case server(ServerError)
    /// There was no answer. It says nothing about the capture.
    case transport(TransportFailure)
    /// The capture cannot be read or signed here, with a text for the log.
    case device(String)

    /// Whether the body may have been on its way when the attempt ended: without an answer, or with that of a server that is away.
    var brokeOff: Bool {
        switch self {
        case .server(let error): (502...504).contains(error.status)
        case .transport(.unreachable): true
        case .transport(.untrusted), .device: false
        }
    }
}
