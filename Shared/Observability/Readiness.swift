import Foundation
public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization

/// Probes each dependency every few seconds and keeps the latest result.
public final class Readiness: Service, Sendable {
    /// Whether a dependency can be used. A probe that takes longer than two seconds counts as failed.
    public typealias Probe = @Sendable () async -> Bool

    private let probes: [(name: String, probe: Probe)]
    private let logger: Logger
    private let state: Mutex<[String: Bool]>
    private let draining = Mutex(false)

    /// The time between two probes. They are work for what they ask, so there are fewer while it works; that it works again shows soon.
    static func pause(isUp: Bool) -> Duration { isUp ? .seconds(3) : .seconds(1) }

    public init(probes: [(name: String, probe: Probe)], logger: Logger) {
        self.probes = probes
        self.logger = logger
        state = Mutex([:])
    }

    /// The latest result of each dependency; absent until the first probe.
    public var dependencies: [String: Bool] { state.withLock { $0 } }

    /// Every dependency has been probed and can be used, and the instance is not about to end.
    public var isReady: Bool {
        let known = dependencies
        return !isDraining && probes.allSatisfy { known[$0.name] == true }
    }

    /// Whether the instance is about to end: it still answers, and should be sent nothing more.
    public var isDraining: Bool { draining.withLock { $0 } }

    /// From now on the instance is not ready.
    public func beginDraining() { draining.withLock { $0 = true } }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for (name, probe) in self.probes { group.addTask { await self.watch(name, probe) } }
            }
        }
    }

    private func watch(_ name: String, _ probe: @escaping Probe) async {
        let gauge = Meter(label: "rial_dependency_up", dimensions: [("dependency", name)])
        while !Task.isCancelled {
            let isUp = await withTimeout(.seconds(2), of: probe) ?? false
            gauge.set(isUp ? 1 : 0)
            let was = state.withLock { state in
                defer { state[name] = isUp }
                return state[name]
            }
            if was != isUp { logger.notice("dependency", metadata: ["dependency": "\(name)", "up": "\(isUp)"]) }
            try? await Task.sleep(for: Self.pause(isUp: isUp))
        }
    }
}
