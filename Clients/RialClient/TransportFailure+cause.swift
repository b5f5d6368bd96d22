import CaptureKit
import NIOSSL

extension TransportFailure {
    /// - Parameter error: of AsyncHTTPClient or below.
    init(cause error: any Error) {
        switch error {
        case let failure as TransportFailure: self = failure
        case is PinMismatch: self = .untrusted("the server's key is not one of the pinned keys")
        case is NIOSSLExtraError, NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
            self = .untrusted("\(error)")
        case NIOSSLError.handshakeFailed(.sslError(let stack)) where stack != [.eofDuringHandshake]: self = .untrusted("\(error)")
        default: self = .unreachable("\(error)")
        }
    }
}
