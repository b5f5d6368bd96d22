import CaptureProtocol
import Foundation
import RialClient

/// The captures sent in a run, and their responses.
actor SoakLedger {
    private(set) var sent = 0
    private(set) var devices: [DeviceID] = []
    /// The photo's digest of each accepted capture.
    private(set) var captures: [CaptureID: ContentDigest] = [:]
    /// Captures accepted under the id of another capture; must stay 0.
    private(set) var confused = 0
    /// Failures that were retried, by code.
    private(set) var retries: [String: Int] = [:]
    /// Captures that could not be sent, by reason; must stay empty.
    private(set) var givenUp: [String: Int] = [:]

    func registered(_ device: DeviceID) { devices.append(device) }
    func began(_ photo: ContentDigest) { sent += 1 }

    func accepted(_ id: CaptureID, photo: ContentDigest) {
        if let known = captures.updateValue(photo, forKey: id), known != photo { confused += 1 }
    }

    func triedAgain(_ failure: APIFailure) { retries[failure.serverCode ?? failure.code.rawValue, default: 0] += 1 }

    func gaveUp(_ error: any Error) {
        let word = (error as? APIFailure).map { "\($0.serverCode ?? $0.code.rawValue) \($0.status ?? 0)" } ?? "\(error)"
        givenUp[word, default: 0] += 1
    }

    func line(since start: ContinuousClock.Instant) -> String {
        "\(start.duration(to: .now).components.seconds) s: \(sent) sent, \(captures.count) accepted, \(retries.values.reduce(0, +)) retries"
    }
}
