import CaptureKit
import Foundation
import Security

/// Trusts a server if the system does (chain, name, validity) and its key is among the pins.
final class ServerTrust: NSObject, URLSessionDelegate {
    private let pins: PinSet

    init(pins: PinSet) { self.pins = pins }

    // The session's own method, not that of a task: it is asked for each new connection, whoever opens it.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard let trust = challenge.protectionSpace.serverTrust, SecTrustEvaluateWithError(trust, nil), isPinned(trust) else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }

    private func isPinned(_ trust: SecTrust) -> Bool {
        if pins.isEmpty { return true }
        // The leaf's key; of an elliptic curve its point.
        guard let key = SecTrustCopyKey(trust), let point = SecKeyCopyExternalRepresentation(key, nil) as Data? else { return false }
        return pins.contains(p256Point: Array(point))
    }
}
