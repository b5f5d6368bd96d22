import Metrics

/// Counts the object bytes sent to and received from the store: `rial_storage_bytes_total` {direction}.
///
/// Retries count again. Headers, listings and copies inside the store do not count.
struct StorageTraffic: Sendable {
    let sent: Counter
    let received: Counter

    init(_ factory: any MetricsFactory) {
        sent = Counter(label: "rial_storage_bytes_total", dimensions: [("direction", "sent")], factory: factory)
        received = Counter(label: "rial_storage_bytes_total", dimensions: [("direction", "received")], factory: factory)
    }
}
