import CaptureProtocol
import Delivery
import Foundation
import Logging
import Messaging
import Models
import Observability
import Persistence

/// Announces a capture again from its row in PostgreSQL, under a new event id.
struct CaptureRedrive {
    let databaseURL: String
    let kafka: KafkaConfiguration
    let partitions: Int32

    /// - Returns: a sentence that describes the action.
    /// - Throws: ``CommandFailure`` if there is no such capture, or a dependency is unavailable.
    func run(_ id: CaptureID) async throws -> String {
        let (status, announcement) = try await read(id)
        if status == .withdrawn { throw CommandFailure("Capture \(id) is withdrawn: nothing of it is left to announce.") }
        if status == .complete { return "capture \(id) is complete already: nothing to do" }
        try await StartupRetry(dependency: "Kafka") {
            try await KafkaAdmin(kafka).createTopics(Topic.all.map(\.rawValue), partitions: partitions)
        }
        let producer = try KafkaProducer(kafka, logger: Logger(label: "rial-dlq"))
        let event = EventID()
        do {
            try await producer.send(
                topic: type(of: announcement).topic.rawValue, key: Array(announcement.partitionKey.utf8),
                value: try WireJSON.encode(announcement),
                headers: CloudEventHeaders.make(
                    id: event, type: type(of: announcement).topic.rawValue, source: "cli", subject: announcement.partitionKey, time: Date(),
                    trace: TraceContext())
            )
        } catch let error as KafkaError {
            throw CommandFailure("Kafka did not accept the announcement of \(id): \(error).")
        }
        return "capture \(id) announced again as event \(event)"
    }

    private func read(_ id: CaptureID) async throws -> (CaptureStatus, any CaptureArrival) {
        try await StartupRetry(dependency: "PostgreSQL") {
            try await PostgresConnection.connect(url: databaseURL, applicationName: "rial-dlq").closing { connection in
                try await CaptureRows(connection: connection).arrival(of: id)
            }
        }
    }
}
