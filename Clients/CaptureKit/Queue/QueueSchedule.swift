import CaptureProtocol
import Foundation

/// Decides what the sender does next. Holds when each capture and the whole queue may be tried again; no clock, no files.
struct QueueSchedule: Sendable {
    enum Step: Equatable {
        case makeAssertion(LocalID)
        case send(LocalID)
        /// Asks the server for the result of an uploaded capture.
        case askResult(LocalID)
        /// Nothing can be done before this time, or before something happens if it is `nil`.
        case wait(until: Date?)
    }

    /// Why and how long the whole queue waits.
    struct Pause: Equatable, Sendable {
        let wait: Wait
        let failure: CaptureFailure
    }

    /// A time before which nothing is tried.
    struct Wait: Equatable, Sendable {
        /// When it began. An earlier time now means that the device's clock was set back, and nobody knows how long it has lasted.
        let since: Date
        let until: Date
        /// Whether a network that appears, or a person, ends it. Not if the server asked for it.
        let endsEarly: Bool

        func lasts(at now: Date) -> Bool { since <= now && now < until }
    }

    /// While this lasts no capture is sent: the server is away, or wants fewer requests.
    private(set) var pause: Pause?
    /// When a capture may be tried again; now if there is none.
    private var nextTries: [LocalID: Wait] = [:]
    /// Captures whose latest attempt broke off, in the order in which that happened. The others come before them: one that never gets
    /// through must not keep them from being sent.
    private var last: [LocalID] = []
    /// While this lasts no video is sent: the server has taken as many as it takes in an hour.
    private var videoWait: Wait?
    private var nextResults: [LocalID: (wait: Wait, attempts: Int)] = [:]
    /// While this lasts no assertion is made: the device could not be registered, which the next capture would meet as well.
    private var registrationWait: Wait?
    /// Devices whose captures are not sent until somebody tries again, since the server revoked them.
    private(set) var stoppedDevices: Set<DeviceID> = []

    /// - Parameters:
    ///   - captures: all, in order of capture.
    ///   - now: not before anything that was told to the schedule.
    ///   - isDue: whether the photo or video of a capture is to go once the server has said that it has it.
    func next(_ captures: [StoredCapture], at now: Date, isDue: (StoredCapture) -> Bool = { _ in false }) -> Step {
        var times: [Date] = []
        for capture in captures where capture.state == .assertionPending {
            if let time = end(of: assertionWaits(of: capture.id), now) { times.append(time) } else { return .makeAssertion(capture.id) }
        }
        if let time = end(of: [pause?.wait], now) {
            times.append(time)
        } else {
            for capture in inTurn(captures.filter { $0.state == .pending && !isStopped($0) }) {
                if let time = end(of: sendingWaits(of: capture), now) { times.append(time) } else { return .send(capture.id) }
            }
            for capture in captures where needsResult(capture, at: now, isDue: isDue) {
                if let time = end(of: [nextResults[capture.id]?.wait], now) { times.append(time) } else { return .askResult(capture.id) }
            }
        }
        return .wait(until: times.min())
    }

    /// Whether something is left that will be sent without a person's help.
    func hasWork(_ captures: [StoredCapture]) -> Bool {
        captures.contains { [.pending, .uploading, .assertionPending].contains($0.state) && !isStopped($0) }
    }

    /// When the capture is tried next; `nil` if nothing holds it up or nothing will be tried.
    func nextTry(of capture: StoredCapture) -> Date? {
        switch capture.state {
        case .pending: (sendingWaits(of: capture) + [pause?.wait]).compactMap { $0?.until }.max()
        case .assertionPending: assertionWaits(of: capture.id).compactMap { $0?.until }.max()
        default: nil
        }
    }

    private func inTurn(_ captures: [StoredCapture]) -> [StoredCapture] {
        captures.filter { !last.contains($0.id) } + last.compactMap { id in captures.first { $0.id == id } }
    }

    private func sendingWaits(of capture: StoredCapture) -> [Wait?] {
        [nextTries[capture.id], capture.kind == .video ? videoWait : nil]
    }

    private func assertionWaits(of id: LocalID) -> [Wait?] { [nextTries[id], registrationWait] }

    /// Whether it is not sent: its device was revoked, or its person has it withdrawn.
    private func isStopped(_ capture: StoredCapture) -> Bool {
        capture.device.map(stoppedDevices.contains) ?? false || capture.facts.mayBeWithdrawn
    }

    /// Whether the result is not known for good, or photo or video are still here for a server that may have lost them since yesterday, or
    /// since an hour ago if they are to go.
    private func needsResult(_ capture: StoredCapture, at now: Date, isDue: (StoredCapture) -> Bool) -> Bool {
        guard capture.state == .uploaded else { return false }
        guard capture.facts.isFinal else { return true }
        return capture.mode == .full && capture.hasContent && !capture.facts.mayBeWithdrawn
            && !capture.facts.isConfirmed(within: isDue(capture) ? 3600 : 86_400, of: now)
    }

    /// When the last of the waits ends; `nil` if none lasts.
    private func end(of waits: [Wait?], _ now: Date) -> Date? {
        waits.compactMap(\.self).filter { $0.lasts(at: now) }.map(\.until).max()
    }
}

// What happened

extension QueueSchedule {
    mutating func hold(_ id: LocalID, _ wait: Wait) { nextTries[id] = wait }

    mutating func holdVideos(_ wait: Wait) { videoWait = wait }

    mutating func release(_ id: LocalID) {
        nextTries[id] = nil
        last.removeAll { $0 == id }
    }

    mutating func putLast(_ id: LocalID) {
        last.removeAll { $0 == id }
        last.append(id)
    }

    mutating func waitForRegistration(_ wait: Wait) { registrationWait = wait }

    mutating func pause(_ wait: Wait, _ failure: CaptureFailure) { pause = Pause(wait: wait, failure: failure) }

    mutating func endPause() { pause = nil }

    mutating func stop(_ device: DeviceID) { stoppedDevices.insert(device) }

    /// Tries captures of revoked devices again: these may have been restored. A device that was not is stopped by the first answer.
    mutating func tryStoppedDevices() { stoppedDevices = [] }

    /// The network is back, a person wants it, or the app is in the foreground: try now what the server did not ask to wait for.
    mutating func endEarly() {
        if pause?.wait.endsEarly == true { pause = nil }
        if registrationWait?.endsEarly == true { registrationWait = nil }
        nextTries = nextTries.filter { !$0.value.endsEarly }
        nextResults = [:]
        last = []
    }

    /// The result was not final yet: ask again after 1, 2, 4 … 60 s.
    /// - Parameter isPatient: up to an hour: where the server reports the capture failed or does not know it, or is only asked once more.
    mutating func resultNotFinal(_ id: LocalID, at now: Date, isPatient: Bool = false) {
        let attempts = nextResults[id]?.attempts ?? 0
        let seconds = min(Double(1 << min(attempts, 12)), isPatient ? 3600 : 60)
        nextResults[id] = (Wait(since: now, until: now.addingTimeInterval(seconds), endsEarly: true), attempts + 1)
    }
}
