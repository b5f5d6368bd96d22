import Metrics

/// Counts the bytes of objects that go to and come from the store: `rial_storage_bytes_total` {direction}.
///
/// What is sent again after a failure counts again; headers and listings do not count, nor what the store copies within itself.
struct StorageTraffic: Sendable {
    let sent: Counter
    let received: Counter

    init(_ factory: any MetricsFactory) {
        sent = Counter(label: "rial_storage_bytes_total", dimensions: [("direction", "sent")], factory: factory)
        received = Counter(label: "rial_storage_bytes_total", dimensions: [("direction", "received")], factory: factory)
    }
}
