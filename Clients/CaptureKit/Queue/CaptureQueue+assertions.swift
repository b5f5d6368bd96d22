import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// Makes an assertion that is missing. Attempts of the hardware count; without a registered device it waits for the network.
    func makeAssertion(_ id: LocalID) async throws {
        let capture = try await store.capture(id)
        if let signer = capture.facts.video?.signer {
            guard let device = try await registered(replacing: nil, for: id) else { return }
            // Before the hardware is asked: each assertion that cannot be used takes a value of its counter.
            if device != signer {
                _ = try await dropCheckpoints(of: capture, orBecome: .assertionFailed)
                return
            }
        }
        let hash: ContentDigest
        do {
            hash = try store.clientDataHash(of: capture)
        } catch FileError.denied {
            // Before the first unlock after a restart.
            return schedule.hold(id, waiting(after: 1, nil))
        } catch let error where error is SealError || (error as? FileError) == .missing {
            try await store.database.update(id) { row in
                row.facts.failure = CaptureFailure(.device("\(error)"))
                row.state = .assertionFailed
            }
            return
        } catch let error as FileError {
            return await waitForFiles(id, error)
        }
        var attempt = await signing.assertion(over: hash)
        if case .needsRegistration(let refused) = attempt {
            guard try await registered(replacing: refused, for: id) != nil else { return }
            attempt = await signing.assertion(over: hash)
        }
        switch attempt {
        case .made(_, let device) where capture.facts.video?.signer.map({ $0 != device }) == true:
            // What is signed says who signed the checkpoints: it is made anew, without them.
            _ = try await dropCheckpoints(of: capture, orBecome: .assertionFailed)
            return
        case .made(let assertion, let device):
            do {
                try await store.setAssertion(assertion, by: device, of: id)
            } catch let error where Self.isOfDisk(error) {
                return await waitForFiles(id, error)
            }
            failedFiles = 0
        case .unsupported:
            try await store.database.update(id) { row in
                switch capture.mode {
                case .full:
                    row.facts.goesWithoutAssertion = true
                    row.state = .pending
                case .hashOnly:
                    row.facts.failure = .needsHardware
                    row.state = .assertionFailed
                }
            }
        case .later(let failure): return try await countAssertion(id, attempts: capture.assertionAttempts + 1, failure)
        case .needsRegistration: return waitForRegistration(nil)
        }
        schedule.release(id)
    }

    /// The device that signs now.
    /// - Returns: `nil` if it cannot be registered now. All captures without assertion wait then.
    private func registered(replacing refused: DeviceID?, for id: LocalID) async throws -> DeviceID? {
        do {
            return try await signing.currentDevice(replacing: refused)
        } catch let unavailable as DeviceUnavailable {
            try await store.database.update(id) { row in row.facts.failure = unavailable.failure }
            waitForRegistration(unavailable.retryAfter)
            return nil
        }
    }

    private func countAssertion(_ id: LocalID, attempts: Int, _ failure: CaptureFailure) async throws {
        let delay = AssertionRetry.delay(afterFailures: attempts)
        try await store.database.update(id) { row in
            row.assertionAttempts = attempts
            row.facts.failure = failure
            if delay == nil { row.state = .assertionFailed }
        }
        guard let delay else { return }
        let now = clock.now
        schedule.hold(id, .init(since: now, until: now.addingTimeInterval(delay / .seconds(1)), endsEarly: true))
    }

    /// The disk is full, or fails: the others go on, which may need less of it. Longer and longer, since each assertion that cannot be kept
    /// uses up a value of the hardware's counter.
    func waitForFiles(_ id: LocalID, _ error: any Error) async {
        failedFiles += 1
        schedule.hold(id, waiting(after: failedFiles, nil))
        // For its person. A full disk may not take that either.
        _ = try? await store.database.update(id) { row in row.facts.failure = CaptureFailure(.device("\(error)")) }
    }

    static func isOfDisk(_ error: any Error) -> Bool {
        if case .database? = error as? StoreError { return true }
        return error is FileError
    }

    /// All captures without assertion wait: a later one must not be asserted, and sent, before an earlier one.
    private func waitForRegistration(_ retryAfter: Duration?) {
        failedAttempts += 1
        schedule.waitForRegistration(waiting(after: failedAttempts, retryAfter))
    }

    func waiting(after attempts: Int, _ retryAfter: Duration?) -> QueueSchedule.Wait {
        var generator = SystemRandomNumberGenerator()
        let backoff = UploadBackoff(after: attempts, retryAfter: retryAfter, using: &generator)
        let now = clock.now
        return .init(since: now, until: now.addingTimeInterval(backoff.delay / .seconds(1)), endsEarly: backoff.endsEarly)
    }
}
