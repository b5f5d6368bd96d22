import CaptureProtocol
import ServiceLifecycle

/// Looks again at the captures of devices that were revoked or restored: the event may be lost, and a capture that was in hand may have
/// been completed meanwhile. Each time at the devices of the last day; at first and then once an hour at all of them, since nothing may
/// have been at work for longer.
actor RevisedDevices {
    static let batchSize = 100
    static let period = Duration.seconds(3600)
    private let revision: DeviceRevision
    private var allLookedAt: ContinuousClock.Instant?

    init(revision: DeviceRevision) { self.revision = revision }

    func look() async throws {
        if let allLookedAt, allLookedAt.duration(to: .now) < Self.period {
            _ = try await revise(try await revision.statements.revisedDevices())
            return
        }
        let start = ContinuousClock.now
        var last: DeviceID?
        while true {
            let batch = try await revision.statements.revisedDevices(after: last, limit: Self.batchSize)
            guard try await revise(batch) else { return }
            guard batch.count == Self.batchSize else { break }
            last = batch.last
        }
        allLookedAt = start
    }

    /// - Returns: false at shutdown.
    private func revise(_ devices: [DeviceID]) async throws -> Bool {
        for device in devices {
            guard !Task.isShuttingDownGracefully else { return false }
            try await revision.run(device)
        }
        return true
    }
}
