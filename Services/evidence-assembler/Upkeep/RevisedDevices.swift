import CaptureProtocol
import Delivery
import Logging

/// Checks that the captures of revoked and restored devices have the statements that follow from it. The event alone is not enough: it may
/// be lost, and a capture may be completed while it is handled. Each run checks the devices revoked or restored within a day and those that
/// failed in an earlier run. The first run, and then one an hour, checks all such devices, since the service may have been down for longer.
actor RevisedDevices {
    static let batchSize = 100
    static let period = Duration.seconds(3600)
    private let revision: DeviceRevision
    private var allLookedAt: ContinuousClock.Instant?
    /// The device that the check of all devices has reached; `nil` between two such checks.
    private var last: DeviceID?
    /// Devices whose last check failed.
    private var failed: Set<DeviceID> = []

    init(revision: DeviceRevision) { self.revision = revision }

    /// Devices that fail do not block the others.
    /// - Throws: database errors, which end the run; the next one continues where it ended.
    func look() async throws {
        let recent = try await revision.statements.revisedDevices()
        var problem: (any Error)?
        do { try await revise(failed.union(recent)) } catch { problem = error }
        // Even after a failure, since the same few devices may fail each time. If the database is down, this ends at once.
        try await reviseAll()
        if let problem { throw problem }
    }

    private func revise(_ devices: Set<DeviceID>) async throws {
        var limit = FailureLimit()
        // Shuffled, so that a few that fail do not block the others forever.
        for device in devices.shuffled() {
            guard !Task.isEnding else { return }
            try await revise(device, &limit)
        }
    }

    /// Does nothing if all were checked within the last hour. Begins after the device at which the last run ended, even if that one failed.
    private func reviseAll() async throws {
        if let allLookedAt, allLookedAt.duration(to: .now) < Self.period { return }
        var limit = FailureLimit()
        while true {
            let batch = try await revision.statements.revisedDevices(after: last, limit: Self.batchSize)
            for device in batch {
                guard !Task.isEnding else { return }
                last = device
                try await revise(device, &limit)
            }
            guard batch.count == Self.batchSize else { break }
        }
        allLookedAt = ContinuousClock.now
        last = nil
    }

    private func revise(_ device: DeviceID, _ limit: inout FailureLimit) async throws {
        do {
            try await revision.run(device)
            failed.remove(device)
            limit.succeed()
        } catch let error as CancellationError {
            throw error
        } catch {
            failed.insert(device)
            revision.logger.warning(
                "the captures of a device cannot be revised", metadata: ["device_id": "\(device)", "error": "\(error)"])
            if isDependencyFailure(error) { try limit.note(error) }
        }
    }
}
