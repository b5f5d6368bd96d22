import CaptureProtocol
import Foundation
import RialClient

/// What the devices of a run know: what they sent, and what was answered.
actor SoakLedger {
    private(set) var sent = 0
    private(set) var devices: [DeviceID] = []
    /// The photo's digest of each accepted capture.
    private(set) var captures: [CaptureID: ContentDigest] = [:]
    /// Captures accepted under an id that another one has; there must be none.
    private(set) var confused = 0
    /// Answers after which a capture or registration was sent again.
    private(set) var retries: [String: Int] = [:]
    /// Why captures were given up; there must be none.
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
        "\(start.duration(to: .now).components.seconds) s: \(sent) sent, \(captures.count) accepted, \(retries.values.reduce(0, +)) tries repeated"
    }
}
