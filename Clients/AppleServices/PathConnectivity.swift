public import CaptureKit
import Network

/// The network path of the device. That there is one does not mean that the server can be reached.
public struct PathConnectivity: Connectivity {
    public init() {}

    public var isConnected: Bool {
        get async {
            for await path in NWPathMonitor() { return path.status == .satisfied }
            return false
        }
    }

    public func connections() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let monitoring = Task {
                // A monitor begins with the present path, which did not appear just now.
                var wasConnected = true
                for await path in NWPathMonitor() {
                    let isConnected = path.status == .satisfied
                    if isConnected, !wasConnected { continuation.yield() }
                    wasConnected = isConnected
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in monitoring.cancel() }
        }
    }
}
