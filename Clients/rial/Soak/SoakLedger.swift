import CaptureProtocol
import Foundation
import RialClient

/// What the devices of a run sent, and the responses they got.
actor SoakLedger {
    private(set) var sent = 0
    private(set) var devices: [DeviceID] = []
    /// The photo's digest of each accepted capture.
    private(set) var captures: [CaptureID: ContentDigest] = [:]
    /// Captures accepted under the id of another one; there must be none.
    private(set) var confused = 0
    /// Failures after which a capture was sent again, by code.
    private(set) var retries: [String: Int] = [:]
    /// Captures that could not be sent, by reason; there must be none.
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
