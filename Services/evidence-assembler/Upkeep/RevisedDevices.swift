import CaptureProtocol
import Delivery
import Logging

/// Looks again at the captures of devices that were revoked or restored: the event may be lost, and a capture that was in hand may have
/// been completed meanwhile. Each time at the devices of the last day and at those that failed; at first and then once an hour at all of
/// them, since nothing may have been at work for longer.
actor RevisedDevices {
    static let batchSize = 100
    static let period = Duration.seconds(3600)
    private let revision: DeviceRevision
    private var allLookedAt: ContinuousClock.Instant?
    /// How far the present look at all devices has come.
    private var last: DeviceID?
    /// Devices that failed when they were last looked at.
    private var failed: Set<DeviceID> = []

    init(revision: DeviceRevision) { self.revision = revision }

    /// Devices that fail do not block the others.
    /// - Throws: database errors, which end the run; it goes on with the next one.
    func look() async throws {
        let recent = try await revision.statements.revisedDevices()
        var problem: (any Error)?
        do { try await revise(failed.union(recent)) } catch { problem = error }
        // Even so: the same few devices may fail each time. If it is the database that is away, this ends at once.
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

    /// Unless all were looked at within the last hour. Begins behind the device at which the last run ended, even if that one failed.
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
