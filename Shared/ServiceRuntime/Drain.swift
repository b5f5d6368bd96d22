import Logging
import Observability
import ServiceLifecycle

/// Delays the end of an instance: it becomes unready and keeps serving for a while, so that balancers have noticed before it closes its
/// port.
///
/// The last of a group's services, which stop in reverse order.
struct Drain: Service {
    let readiness: Readiness
    let duration: Duration
    var clock: any Clock<Duration> = ContinuousClock()
    let logger: Logger

    func run() async throws {
        // Throws if the group is cancelled, which waits for nothing.
        guard (try? await gracefulShutdown()) != nil else { return }
        readiness.beginDraining()
        guard duration > .zero else { return }
        logger.notice("draining", metadata: ["seconds": "\(duration.components.seconds)"])
        try? await clock.sleep(for: duration)
    }
}
