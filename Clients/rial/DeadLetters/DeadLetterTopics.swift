import Messaging
import Models

/// The dead-letter topics, and their records.
struct DeadLetterTopics {
    /// The maximum number of records read from a topic; further ones are not shown.
    static let limit = 10_000

    private let configuration: KafkaConfiguration

    init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    static let all: [Topic] = Topic.consumers.flatMap { entry in entry.services.map(entry.topic.deadLetters) }

    /// The dead-letter topics for a name, which may be that of a dead-letter topic or of a topic; all for `nil`.
    /// - Throws: ``CommandFailure`` if there are none.
    static func named(_ name: String?) throws -> [Topic] {
        guard let name else { return all }
        let topics = all.filter { $0.rawValue == name || $0.rawValue.hasPrefix(name + ".") }
        guard !topics.isEmpty else {
            throw CommandFailure("There is no dead-letter topic \(name); there are: \(all.map(\.rawValue).joined(separator: ", ")).")
        }
        return topics
    }

    /// - Returns: by partition and offset; empty if the topic does not exist.
    func records(of topic: Topic) async throws -> [DeadLetterRecord] {
        do {
            let records = try await KafkaTopicReader(configuration)
                .read(topic: topic.rawValue, limit: Self.limit, timeout: .seconds(30))
            return records.map(DeadLetterRecord.init)
        } catch let error as KafkaError {
            throw CommandFailure("Kafka at \(configuration.brokers) cannot be read: \(error).")
        }
    }
}
