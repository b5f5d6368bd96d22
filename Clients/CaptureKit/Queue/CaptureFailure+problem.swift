extension CaptureFailure {
    /// In privacy mode a capture without a hardware signature would prove nothing, and the server does not take it.
    static let needsHardware = CaptureFailure(
        code: "hardware_signature_required", message: "in privacy mode only a device whose hardware signs can send captures")

    init(_ error: ServerError) {
        self.init(code: error.code ?? "unexpected_response", message: error.message, details: error.details)
    }

    init(_ failure: TransportFailure) {
        switch failure {
        case .unreachable: self.init(code: "unreachable", message: "the server cannot be reached")
        case .untrusted: self.init(code: "untrusted", message: "the server is not the one that is expected")
        }
    }

    init(_ problem: UploadProblem) {
        switch problem {
        case .server(let error): self.init(error)
        case .transport(let failure): self.init(failure)
        case .device: self.init(code: "not_readable", message: "the capture cannot be read or signed on this device")
        }
    }
}
